/* The state of struct ranks. */
#ifndef FARM_RANKS_STATE_H
#define FARM_RANKS_STATE_H

#include "common/farm/farm.h"

struct ranks {
    const struct ranks_ops *ops;
    void *self;
    int rank, count;
    size_t piece;  /* bytes of one call at most */
    uint64_t loop; /* number of the loop */
    uint64_t sent; /* bytes */
    int share;     /* CPUs for this rank */
    struct farm_settings settings;
    const volatile sig_atomic_t *asked; /* see env_agree_to_stop */
    volatile sig_atomic_t stopped;
};

#endif
