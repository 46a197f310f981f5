#include "common/core/memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/ending.h"
#include "common/core/memory_system.h"
#include "common/core/status.h"

enum { ALIGNMENT = 64, LARGE_PAGE = 2 << 20 };

/* One process has one memory: the only state that modules share. */
static atomic_size_t bytes_used;
static size_t bytes_limit; /* 0: none */
static memory_teller *teller;
static atomic_flag is_ending = ATOMIC_FLAG_INIT;

/* The only place below main that ends the process; the header says why. The others of its threads
 * wait for the end. */
_Noreturn static void end(const struct memory_refusal *refusal)
{
    while (atomic_flag_test_and_set(&is_ending))
        memory_system_wait();
    if (teller)
        teller(refusal);
    else
        fprintf(stderr, "out of memory (%zu bytes asked for)\n", refusal->asked);
    ending_run();
    _Exit(refusal->by_limit ? STATUS_BOUND : STATUS_INTERNAL);
}

void memory_refused(size_t asked)
{
    end(&(struct memory_refusal){.asked = asked, .used = memory_used(), .limit = bytes_limit});
}

void memory_require(size_t bytes)
{
    if (!memory_system_has(bytes))
        memory_refused(bytes);
}

/* Ends the process if `size` more bytes are too many. */
static void claim(size_t size)
{
    if (!bytes_limit)
        return;
    size_t used = memory_used();
    if (used > bytes_limit || size > bytes_limit - used)
        end(&(struct memory_refusal){size, used, bytes_limit, .by_limit = true});
}

/* Counts a new block. */
static void *checked(void *block, size_t size)
{
    if (!block)
        memory_refused(size);
    atomic_fetch_add_explicit(&bytes_used, memory_system_size(block), memory_order_relaxed);
    return block;
}

static void uncount(void *block)
{
    if (block)
        atomic_fetch_sub_explicit(&bytes_used, memory_system_size(block), memory_order_relaxed);
}

size_t memory_used(void)
{
    return atomic_load_explicit(&bytes_used, memory_order_relaxed);
}

void memory_count(ptrdiff_t bytes)
{
    if (bytes > 0)
        claim((size_t)bytes);
    atomic_fetch_add_explicit(&bytes_used, (size_t)bytes, memory_order_relaxed);
}

void memory_set_limit(size_t bytes)
{
    bytes_limit = bytes;
}

size_t memory_left(void)
{
    size_t used = memory_used();
    if (!bytes_limit)
        return SIZE_MAX;
    return used < bytes_limit ? bytes_limit - used : 0;
}

void memory_set_teller(memory_teller *next)
{
    teller = next;
}

/* Asks for pages of 2 MiB for large blocks: page faults for ten megabytes in small pages take as
 * long as reading them from a file. */
static void *in_large_pages(void *block, size_t size)
{
    uintptr_t at = (uintptr_t)block;
    uintptr_t first = (at + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    uintptr_t end = (at + size) / LARGE_PAGE * LARGE_PAGE;
    if (size >= LARGE_PAGE && first < end)
        memory_system_large_pages((char *)block + (first - at), end - first);
    return block;
}

void *memory_alloc(size_t size)
{
    claim(size);
    return in_large_pages(checked(memory_system_new(size ? size : 1), size), size);
}

void *memory_zalloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        memory_refused(SIZE_MAX);
    claim(bytes);
    return in_large_pages(checked(memory_system_zeroed(bytes ? bytes : 1), bytes), bytes);
}

void *memory_sparse(size_t size)
{
    claim(size);
    return checked(memory_system_zeroed(size ? size : 1), size);
}

void *memory_realloc(void *block, size_t size)
{
    size_t before = block ? memory_system_size(block) : 0;
    claim(size > before ? size - before : 0);
    uncount(block);
    return in_large_pages(checked(memory_system_resize(block, size ? size : 1), size), size);
}

void memory_free(void *block)
{
    uncount(block);
    memory_system_free(block);
}

static size_t aligned_size(size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - LARGE_PAGE) / size)
        memory_refused(SIZE_MAX);
    size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!bytes)
        bytes = ALIGNMENT;
    return bytes;
}

void *memory_aligned_uninit(size_t count, size_t size)
{
    size_t bytes = aligned_size(count, size);
    claim(bytes);
    void *block = memory_system_aligned(bytes >= LARGE_PAGE ? LARGE_PAGE : ALIGNMENT, bytes);
    return in_large_pages(checked(block, bytes), bytes);
}

void *memory_aligned(size_t count, size_t size)
{
    return memset(memory_aligned_uninit(count, size), 0, aligned_size(count, size));
}
