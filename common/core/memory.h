/* Heap memory that is there, or the process ends.
 *
 * A map compiler that runs out of memory can do nothing useful: these functions never return NULL.
 * When the system refuses, one line goes to standard error and the process ends with status 4.
 * No output is lost by that, since files are written beside their target and renamed when whole. */
#ifndef CORE_MEMORY_H
#define CORE_MEMORY_H

#include <stddef.h>

void *memory_alloc(size_t size);                /* uninitialised; size 0 gives a valid block */
void *memory_zalloc(size_t count, size_t size); /* zeroed; count * size is checked */
void *memory_realloc(void *block, size_t size);
/* Zeroed, for whoever will touch but few places of it: a large one costs only what is touched. */
void *memory_sparse(size_t size);
void memory_free(void *block);
/* Block aligned to 64 bytes, zeroed; free with memory_free. */
void *memory_aligned(size_t count, size_t size);
/* The same without zeros, for whoever fills it by several threads: to touch fresh memory for the
 * first time takes longer than to fill it. */
void *memory_aligned_room(size_t count, size_t size);

#endif
