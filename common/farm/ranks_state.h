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

/* More threads than any rank has. */
enum { FARM_MAX_THREADS = 1 << 16 };

/* Reads what farm_begin and farm_end send before the inputs: *stage is NULL at the end. Returns
 * false for a stage that is not in the list, and for settings that no command line has. */
bool farm_read_job(struct byte_reader *from, const struct farm_stage *stages,
                   struct farm_settings *settings, const struct farm_stage **stage);

/* Reads what another rank has of a loop, and marks its items in `done`, one per item. The reader
 * fails for items that there are not, and for those that are done already. */
void ranks_take_results(const struct ranks_loop *loop, struct byte_reader *in, bool *done);

/* Of these buffers, more than this is freed after a loop. */
#define RANKS_KEPT ((size_t)64 << 20)

#endif
