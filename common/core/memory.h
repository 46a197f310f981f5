/* Heap allocation that never fails: it returns memory or ends the process.
 *
 * A map compiler that runs out of memory can do nothing useful: these functions never return NULL.
 * When the system refuses, or a limit is set and reached, the handler tells, the files in ending.h
 * are removed and the process ends: with status 4, or 5 for the limit. No output is lost, because
 * files are written beside their target and renamed when complete. */
#ifndef CORE_MEMORY_H
#define CORE_MEMORY_H

#include <stddef.h>

void *memory_alloc(size_t size);                /* uninitialised; size 0 gives a valid block */
void *memory_zalloc(size_t count, size_t size); /* zeroed; count * size is checked for overflow */
void *memory_realloc(void *block, size_t size);
/* Zeroed, for sparse access: only the pages that are touched cost time and memory. */
void *memory_sparse(size_t size);
void memory_free(void *block);
/* Block aligned to 64 bytes, zeroed; free with memory_free. */
void *memory_aligned(size_t count, size_t size);
/* Uninitialised, for filling by several threads: touching fresh memory for the first time takes
 * longer than filling it. */
void *memory_aligned_uninit(size_t count, size_t size);

/* --- what is in use --- */

/* Bytes of all blocks, and of libraries that tell theirs (memory_count); whole blocks count, those
 * of memory_sparse too. */
size_t memory_used(void);

/* A library is about to take, or has given back, this number of bytes. May end the process. */
void memory_count(ptrdiff_t bytes);

/* Bytes that may be in use; 0: no limit. */
void memory_set_limit(size_t bytes);

/* Bytes that may still be asked for; SIZE_MAX without a limit. */
size_t memory_left(void);

struct memory_refusal {
    size_t asked; /* bytes; 0: not known, a library asked */
    size_t used, limit;
    int by_limit; /* else the system refused */
};

/* Tells the user; called once, allocates nothing. NULL: a plain line on standard error. */
typedef void memory_teller(const struct memory_refusal *refusal);
void memory_set_teller(memory_teller *teller);

/* Ends the process when the system would refuse this number of bytes now: before work by a library
 * that aborts without them. */
void memory_require(size_t bytes);

/* Ends the process as when the system refuses `asked` bytes: for libraries that report it. */
_Noreturn void memory_refused(size_t asked);

#endif
