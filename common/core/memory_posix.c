/* for madvise */
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/core/memory_system.h"

void *memory_system_new(size_t size)
{
    return malloc(size);
}

void *memory_system_zeroed(size_t size)
{
    return calloc(size, 1);
}

void *memory_system_aligned(size_t alignment, size_t size)
{
    void *block = NULL;
    return posix_memalign(&block, alignment, size) == 0 ? block : NULL;
}

void *memory_system_resize(void *block, size_t size)
{
    return realloc(block, size);
}

void memory_system_free(void *block)
{
    free(block);
}

size_t memory_system_size(void *block)
{
    return malloc_usable_size(block);
}

void memory_system_large_pages(void *at, size_t size)
{
    (void)madvise(at, size, MADV_HUGEPAGE);
}

bool memory_system_has(size_t bytes)
{
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return false;
    munmap(block, bytes);
    return true;
}

void memory_system_wait(void)
{
    for (;;)
        pause();
}
