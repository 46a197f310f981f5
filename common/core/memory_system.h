/* Internal: blocks of memory as the system gives them. */
#ifndef CORE_MEMORY_SYSTEM_H
#define CORE_MEMORY_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

/* These return NULL when the system refuses. Sizes are not 0; an alignment is a power of 2. */
void *memory_system_new(size_t size);
void *memory_system_zeroed(size_t size); /* pages that are not touched cost nothing */
void *memory_system_aligned(size_t alignment, size_t size);
void *memory_system_resize(void *block, size_t size); /* the block may be NULL, or aligned */
void memory_system_free(void *block);                 /* NULL is fine */

/* Bytes of a block, at least those that were asked for. */
size_t memory_system_size(void *block);

/* Asks for large pages for a part of a block. */
void memory_system_large_pages(void *at, size_t size);

/* True if the system would give as much now. */
bool memory_system_has(size_t bytes);

/* Waits for another thread to end the process. */
_Noreturn void memory_system_wait(void);

#endif
