#include "common/core/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The one place below main that ends the process; see the header for why. */
static void *checked(void *block, size_t size)
{
    if (!block) {
        fprintf(stderr, "out of memory (%zu bytes asked for)\n", size);
        _Exit(4);
    }
    return block;
}

void *memory_alloc(size_t size)
{
    return checked(malloc(size ? size : 1), size);
}

void *memory_zalloc(size_t count, size_t size)
{
    return checked(calloc(count ? count : 1, size ? size : 1), count);
}

void *memory_realloc(void *block, size_t size)
{
    return checked(realloc(block, size ? size : 1), size);
}

void memory_free(void *block)
{
    free(block);
}

void *memory_aligned(size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - 64) / size)
        checked(NULL, SIZE_MAX);
    size_t bytes = (count * size + 63) / 64 * 64;
    if (!bytes)
        bytes = 64;
    void *block = checked(aligned_alloc(64, bytes), bytes);
    memset(block, 0, bytes);
    return block;
}
