/* Bump allocation: many small blocks, freed together.
 *
 * A phase owns an arena; a thread owns a scratch arena, emptied with arena_reset or back to a mark.
 * Blocks are zeroed and aligned to 16 bytes. Never returns NULL (see memory.h). Not thread-safe. */
#ifndef CORE_ARENA_H
#define CORE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *chunk; /* newest first */
};

struct arena_mark {
    struct arena_chunk *chunk;
    size_t used;
};

#define ARENA_NEW(arena, type)          ((type *)arena_alloc((arena), 1, sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc((arena), (count), sizeof(type)))

void *arena_alloc(struct arena *arena, size_t count, size_t size);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strlower(struct arena *arena, const char *text); /* ASCII letters in lower case */
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list args);

struct arena_mark arena_mark(const struct arena *arena);
void arena_release(struct arena *arena,
                   struct arena_mark mark); /* frees the blocks allocated after the mark */
/* Moves the blocks of `from` to `into`; `from` is empty afterwards. Marks of both become
 * invalid. */
void arena_take(struct arena *into, struct arena *from);
void arena_reset(struct arena *arena); /* keeps one chunk for reuse */
void arena_free(struct arena *arena);  /* zero-initialised afterwards */

#endif
