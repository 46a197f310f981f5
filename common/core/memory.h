/* Heap allocation that never fails: it returns memory or ends the process.
 *
 * A map compiler that runs out of memory can do nothing useful: these functions never return NULL.
 * When the system refuses, one line goes to standard error and the process ends with status 4. No
 * output is lost, because files are written beside their target and renamed when complete. */
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

#endif
