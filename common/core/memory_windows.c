/* Each block has a head before it, so that blocks of any alignment are freed and resized alike. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "common/core/memory_system.h"

struct head {
    void *start; /* of the C library's block */
    size_t size; /* behind the head */
};

_Static_assert(sizeof(struct head) == 16, "blocks have the alignment of malloc's");

static struct head *head_of(void *block)
{
    return (struct head *)block - 1;
}

static void *put_head(void *start, size_t size)
{
    struct head *head = start;
    if (!start)
        return NULL;
    *head = (struct head){start, size};
    return head + 1;
}

void *memory_system_new(size_t size)
{
    return size > SIZE_MAX - sizeof(struct head)
               ? NULL
               : put_head(malloc(size + sizeof(struct head)), size);
}

void *memory_system_zeroed(size_t size)
{
    return size > SIZE_MAX - sizeof(struct head)
               ? NULL
               : put_head(calloc(size + sizeof(struct head), 1), size);
}

void *memory_system_aligned(size_t alignment, size_t size)
{
    size_t extra = alignment + sizeof(struct head);
    unsigned char *start = size > SIZE_MAX - extra ? NULL : malloc(size + extra);
    if (!start)
        return NULL;
    uintptr_t behind = (uintptr_t)(start + sizeof(struct head));
    unsigned char *block = start + sizeof(struct head) + (0 - behind) % alignment;
    *head_of(block) = (struct head){start, size};
    return block;
}

static void *copied(void *block, size_t size)
{
    size_t before = memory_system_size(block);
    void *out = memory_system_new(size);
    if (!out)
        return NULL;
    memcpy(out, block, size < before ? size : before);
    memory_system_free(block);
    return out;
}

void *memory_system_resize(void *block, size_t size)
{
    if (!block)
        return memory_system_new(size);
    struct head *head = head_of(block);
    if (head->start != head)
        return copied(block, size);
    return size > SIZE_MAX - sizeof *head ? NULL
                                          : put_head(realloc(head, size + sizeof *head), size);
}

void memory_system_free(void *block)
{
    if (block)
        free(head_of(block)->start);
}

size_t memory_system_size(void *block)
{
    return head_of(block)->size;
}

/* Those of Windows need a right that users do not have. */
void memory_system_large_pages(void *at, size_t size)
{
    (void)at;
    (void)size;
}

bool memory_system_has(size_t bytes)
{
    void *block = VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    if (!block)
        return false;
    VirtualFree(block, 0, MEM_RELEASE);
    return true;
}

void memory_system_wait(void)
{
    for (;;)
        Sleep(INFINITE);
}
