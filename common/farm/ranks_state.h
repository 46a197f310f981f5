/* The state of struct ranks. */
#ifndef FARM_RANKS_STATE_H
#define FARM_RANKS_STATE_H

#include "common/farm/farm.h"

struct ranks {
    const struct ranks_ops *ops;
    void *self;
    int rank, count;
    size_t piece;                      /* bytes of one call at most */
    uint64_t loop;                     /* number of the loop */
    uint64_t sent;                     /* bytes */
    int share;                         /* CPUs for this rank */
    const volatile sig_atomic_t *stop; /* of this rank, as in struct env; or NULL */
    bool was_stopped;                  /* any rank, when the last loop ended */
    struct ranks_use before;           /* the stage */
    struct farm_settings settings;
    const volatile sig_atomic_t *asked; /* see env_agree_to_stop */
    volatile sig_atomic_t stopped;
    struct bytes packed, gathered; /* of the last loop, for the next: fresh memory is slow */
};

/* ranks_gather into `out`, whose memory is used again. */
void ranks_gather_again(struct ranks *ranks, const struct bytes *mine, struct ranks_parts *out);

/* Of these buffers, more than this is freed after a loop. */
#define RANKS_KEPT ((size_t)64 << 20)

#endif
