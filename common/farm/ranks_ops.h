/* How ranks reach each other: an implementation is a module (common/core/module.h), or, in tests,
 * threads of one process. Plain C types only.
 *
 * Between processes a call that fails ends the job, since no rank can go on without the others. */
#ifndef FARM_RANKS_OPS_H
#define FARM_RANKS_OPS_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of one call at most: counts of MPI are of int. */
#define RANKS_PIECE ((size_t)1 << 30)

/* Part of the numbers from 0 to `count` - 1 of loop number `loop` that is handed out: `shares`
 * threads want some, and get no fewer than `grain` at a time. */
struct ranks_take {
    uint64_t loop, count, shares, grain;
};

struct ranks_ops {
    /* Copies `size` bytes of rank `root` to the other ranks: collective. */
    void (*broadcast)(void *self, int root, void *data, size_t size);
    /* Copies sizes[r] bytes at `mine` of each rank r to `all` of every rank, in the order of ranks:
     * collective. All together are at most RANKS_PIECE. */
    void (*gather)(void *self, const void *mine, const size_t *sizes, void *all);
    /* Takes the next numbers, up to `*end`, and returns the first; *end when none are left. Any
     * thread may call it. */
    uint64_t (*take)(void *self, const struct ranks_take *wanted, uint64_t *end);
    /* Called between items, by any thread: answers those who wait for numbers. May be NULL. */
    void (*answer)(void *self);
    /* Ends the processes of all ranks, this one with the status, after its own message. Any thread
     * may call it. Does not return. */
    void (*fail)(void *self, int status);
};

/* The numbers that are handed out of one loop; loops follow each other, and all ranks are done with
 * one before the next begins. Zero-initialise. */
struct ranks_counter {
    uint64_t loop, next;
};

/* The first parts are large and the last ones small, so that there are few, and none of them is
 * waited for at the end. */
static inline uint64_t ranks_count_off(struct ranks_counter *counter,
                                       const struct ranks_take *wanted, uint64_t *end)
{
    if (counter->loop != wanted->loop)
        *counter = (struct ranks_counter){.loop = wanted->loop};
    uint64_t first = counter->next, left = wanted->count > first ? wanted->count - first : 0;
    uint64_t part = left / (2 * (wanted->shares ? wanted->shares : 1));
    part = part > wanted->grain ? part : wanted->grain;
    part = part < left ? part : left;
    counter->next = first + part;
    *end = first + part;
    return first;
}

#endif
