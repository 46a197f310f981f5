/* Memory of the compression libraries is that of the run: counted, bounded, and one message when
 * there is none (core/memory.h), rather than data that seems not to compress, or to be damaged. */
#ifndef IO_LIBRARY_MEMORY_H
#define IO_LIBRARY_MEMORY_H

#include <stddef.h>

#include "common/core/memory.h"

/* Returns count * size bytes, for zlib's zalloc; its sizes are those of its own structures. */
static inline void *library_alloc_u32(void *context, unsigned count, unsigned size)
{
    (void)context;
    return memory_alloc((size_t)count * size);
}

/* For libbz2, whose sizes are those of its own structures too. */
static inline void *library_alloc_int(void *context, int count, int size)
{
    (void)context;
    return memory_alloc((size_t)count * (size_t)size);
}

/* For liblzma, which gives a count of 1. */
static inline void *library_alloc(void *context, size_t count, size_t size)
{
    (void)context;
    return memory_alloc(count * size);
}

static inline void library_free(void *context, void *block)
{
    (void)context;
    memory_free(block);
}

#endif
