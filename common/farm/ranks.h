/* Ranks: the processes of one run, on one machine or on many.
 *
 * Rank 0 is the program as ever: it reads, reports and writes. The others run the same stages on
 * what it sends them (farm.h). All ranks call the functions that are marked as collective in the
 * same order. Results do not depend on the number of ranks: each item of a loop has its own slot,
 * and what one item learns becomes visible to others only between loops.
 *
 * A NULL of `ranks` is a single process, everywhere. */
#ifndef FARM_RANKS_H
#define FARM_RANKS_H

#include <stdbool.h>

#include "common/core/bytes.h"
#include "common/farm/ranks_ops.h"
#include "common/parallel/parallel.h"

struct ranks;

/* `self` is the implementation's, and borrowed. */
struct ranks *ranks_new(const struct ranks_ops *ops, void *self, int rank, int count);
void ranks_free(struct ranks *ranks);

int ranks_rank(const struct ranks *ranks);  /* 0: the first, or the only one */
int ranks_count(const struct ranks *ranks); /* at least 1 */

/* Collective: the others' bytes become those of rank 0. */
void ranks_broadcast(struct ranks *ranks, struct bytes *bytes);
/* The same of a block whose size all know. */
void ranks_broadcast_block(struct ranks *ranks, void *data, size_t size);

/* The bytes of rank r are from first[r] up to first[r + 1]. */
struct ranks_parts {
    struct bytes all;
    size_t *first; /* ranks + 1 */
};

/* Collective: the bytes of all ranks. Free with ranks_parts_free. */
struct ranks_parts ranks_gather(struct ranks *ranks, const struct bytes *mine);
void ranks_parts_free(struct ranks_parts *parts);

/* Collective: the sum over all ranks replaces each of the numbers. */
void ranks_sum(struct ranks *ranks, int64_t *numbers, size_t count);
/* Collective: returns true when any rank says so. */
bool ranks_any(struct ranks *ranks, bool mine);

/* Appends the result of an item. */
typedef void ranks_pack(void *context, size_t index, struct bytes *out);
/* Reads what ranks_pack appended on another rank, or in another run. When the reader fails, the
 * item is as before. */
typedef void ranks_unpack(void *context, size_t index, struct byte_reader *in);
/* The same for what a rank has besides results of items: once per loop and rank. */
typedef void ranks_pack_rest(void *context, struct bytes *out);
typedef void ranks_unpack_rest(void *context, struct byte_reader *in);

/* A loop over items that writes the same slots on all ranks. */
struct ranks_loop {
    size_t count; /* fewer than 2^32 */
    size_t grain; /* items that a thread takes at a time, at least; 0: one */
    parallel_item *item;
    void *context;
    ranks_pack *pack; /* NULL: only what the rest has is wanted */
    ranks_unpack *unpack;
    /* For another run of this rank alone (loop_journal.h), where that has to have more than other
     * ranks; NULL: as `pack` and `unpack`. */
    ranks_pack *keep;
    ranks_unpack *take;
    ranks_pack_rest *pack_rest; /* may be NULL, as the next */
    ranks_unpack_rest *unpack_rest;
    /* nonzero on any rank: no further items, and `ranks_for` returns false on all; or NULL */
    const volatile sig_atomic_t *stop;
    struct progress *progress; /* of the phase, whose steps are those of its items; or NULL */
};

/* Collective: each item is done by a thread of one rank, whichever is free, then the others take
 * over its results, in no order. Returns false when the loop was left early, or is asked
 * to stop: the results are not complete then. */
bool ranks_for(struct ranks *ranks, int threads, const struct ranks_loop *loop);

/* Ends the job: this rank is in a state that only a fault of the program leads to, so that the
 * others would wait for it forever. Tells the fault (INTERNAL, status 4). */
_Noreturn void ranks_fail(struct ranks *ranks, const char *fault);

/* Costs of this rank since it began. */
struct ranks_use {
    double cpu_seconds;
    uint64_t sent; /* bytes, by the number of ranks that they went to */
};

struct ranks_use ranks_use(const struct ranks *ranks);

#endif
