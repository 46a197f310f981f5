#include "common/core/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/core/memory.h"

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif

#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, n)   __asan_poison_memory_region((p), (n))
#define UNPOISON(p, n) __asan_unpoison_memory_region((p), (n))
#define REDZONE        16 /* a gap between blocks, so that overruns are detected */
#else
#define POISON(p, n)   ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#define REDZONE        0
#endif

#define ALIGNMENT   16
#define FIRST_CHUNK ((size_t)64 << 10)
#define LAST_CHUNK  ((size_t)8 << 20)

struct arena_chunk {
    struct arena_chunk *next;
    size_t size, used;
    _Alignas(ALIGNMENT) unsigned char data[];
};

static struct arena_chunk *chunk_new(struct arena_chunk *next, size_t min)
{
    size_t size = next ? next->size * 2 : FIRST_CHUNK;
    if (size > LAST_CHUNK)
        size = LAST_CHUNK;
    if (size < min)
        size = min;
    struct arena_chunk *chunk = memory_alloc(sizeof *chunk + size);
    *chunk = (struct arena_chunk){.next = next, .size = size};
    POISON(chunk->data, size);
    return chunk;
}

static void chunk_free(struct arena_chunk *chunk)
{
    UNPOISON(chunk->data, chunk->size);
    memory_free(chunk);
}

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 4)
        return memory_zalloc(count, size); /* reports and exits: no such block can exist */
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t step = (bytes ? bytes : ALIGNMENT) + REDZONE;
    if (!arena->chunk || arena->chunk->size - arena->chunk->used < step)
        arena->chunk = chunk_new(arena->chunk, step);
    void *block = arena->chunk->data + arena->chunk->used;
    arena->chunk->used += step;
    UNPOISON(block, bytes);
    memset(block, 0, bytes);
    return block;
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1, 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
    return arena_strndup(arena, text, strlen(text));
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = arena_alloc(arena, (size_t)(length < 0 ? 0 : length) + 1, 1);
    if (length > 0)
        vsnprintf(text, (size_t)length + 1, format, args);
    return text;
}

char *arena_strlower(struct arena *arena, const char *text)
{
    char *copy = arena_strdup(arena, text);
    for (char *c = copy; *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    return copy;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}

struct arena_mark arena_mark(const struct arena *arena)
{
    return (struct arena_mark){arena->chunk, arena->chunk ? arena->chunk->used : 0};
}

void arena_release(struct arena *arena, struct arena_mark mark)
{
    while (arena->chunk && arena->chunk != mark.chunk) {
        struct arena_chunk *next = arena->chunk->next;
        if (!mark.chunk && !next) { /* released to the very start: keep the last chunk */
            arena->chunk->used = 0;
            POISON(arena->chunk->data, arena->chunk->size);
            return;
        }
        chunk_free(arena->chunk);
        arena->chunk = next;
    }
    if (arena->chunk) {
        POISON(arena->chunk->data + mark.used, arena->chunk->used - mark.used);
        arena->chunk->used = mark.used;
    }
}

/* The chunk that `into` is filling stays the newest. */
void arena_take(struct arena *into, struct arena *from)
{
    struct arena_chunk **oldest = &from->chunk;
    while (*oldest)
        oldest = &(*oldest)->next;
    struct arena_chunk **link = into->chunk ? &into->chunk->next : &into->chunk;
    *oldest = *link;
    *link = from->chunk;
    from->chunk = NULL;
}

void arena_reset(struct arena *arena)
{
    arena_release(arena, (struct arena_mark){0});
}

void arena_free(struct arena *arena)
{
    while (arena->chunk) {
        struct arena_chunk *next = arena->chunk->next;
        chunk_free(arena->chunk);
        arena->chunk = next;
    }
}
