/* The state of a server that the processes of one run share: a run of many maps that waits for one
 * which hangs does so once, and tells it once. */
#ifndef CACHE_CACHE_SHARED_H
#define CACHE_CACHE_SHARED_H

#include <stdatomic.h>

/* Zero to begin with. Lock-free, so that it may lie in memory of several processes. */
struct cache_shared {
    atomic_int is_lost;    /* it cannot be read: nobody asks it again */
    atomic_int takes_none; /* it cannot be written */
    atomic_int is_told;    /* one of both has been reported */
};

#endif
