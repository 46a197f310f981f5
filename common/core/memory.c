/* for madvise */
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
#include "common/core/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64, LARGE_PAGE = 2 << 20 };

/* The only place below main that ends the process; the header says why. */
static void *checked(void *block, size_t size)
{
    if (!block) {
        fprintf(stderr, "out of memory (%zu bytes asked for)\n", size);
        _Exit(4);
    }
    return block;
}

/* Asks for pages of 2 MiB for large blocks: page faults for ten megabytes in small pages take as
 * long as reading them from a file. */
static void *in_large_pages(void *block, size_t size)
{
    uintptr_t at = (uintptr_t)block;
    uintptr_t first = (at + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    uintptr_t end = (at + size) / LARGE_PAGE * LARGE_PAGE;
    if (size >= LARGE_PAGE && first < end)
        (void)madvise((char *)block + (first - at), end - first, MADV_HUGEPAGE);
    return block;
}

void *memory_alloc(size_t size)
{
    return in_large_pages(checked(malloc(size ? size : 1), size), size);
}

void *memory_zalloc(size_t count, size_t size)
{
    void *block = checked(calloc(count ? count : 1, size ? size : 1), count);
    return in_large_pages(block, count * size);
}

void *memory_sparse(size_t size)
{
    return checked(calloc(size ? size : 1, 1), size);
}

void *memory_realloc(void *block, size_t size)
{
    return in_large_pages(checked(realloc(block, size ? size : 1), size), size);
}

void memory_free(void *block)
{
    free(block);
}

static size_t aligned_size(size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - LARGE_PAGE) / size)
        checked(NULL, SIZE_MAX);
    size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!bytes)
        bytes = ALIGNMENT;
    return bytes;
}

void *memory_aligned_uninit(size_t count, size_t size)
{
    size_t bytes = aligned_size(count, size);
    void *block = NULL;
    if (posix_memalign(&block, bytes >= LARGE_PAGE ? LARGE_PAGE : ALIGNMENT, bytes) != 0)
        block = NULL;
    return in_large_pages(checked(block, bytes), bytes);
}

void *memory_aligned(size_t count, size_t size)
{
    return memset(memory_aligned_uninit(count, size), 0, aligned_size(count, size));
}
