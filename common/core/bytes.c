#include "common/core/bytes.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/core/arena.h"
#include "common/core/memory.h"

enum { FIRST_CAPACITY = 256 };

/* At least doubles the capacity, so that appending stays cheap. */
static void grow(struct bytes *bytes, size_t need)
{
    size_t capacity = bytes->capacity ? 2 * bytes->capacity : FIRST_CAPACITY;
    if (capacity < need)
        capacity = need;
    if (bytes->capacity) {
        bytes->data = memory_realloc(bytes->data, capacity);
    } else {
        const unsigned char *borrowed = bytes->data;
        bytes->data = memory_alloc(capacity);
        if (bytes->size)
            memcpy(bytes->data, borrowed, bytes->size);
    }
    bytes->capacity = capacity;
}

unsigned char *bytes_extend(struct bytes *bytes, size_t more)
{
    if (more > SIZE_MAX / 2 - bytes->size)
        memory_alloc(SIZE_MAX); /* reports and exits: no such block can exist */
    size_t need = bytes->size + more;
    if (need > bytes->capacity)
        grow(bytes, need);
    unsigned char *at = bytes->data ? bytes->data + bytes->size : NULL;
    bytes->size = need;
    return at;
}

void bytes_free(struct bytes *bytes)
{
    if (bytes->capacity)
        memory_free(bytes->data);
    *bytes = (struct bytes){0};
}

void bytes_undo(struct bytes *bytes, size_t size)
{
    enum byte_order order = bytes->order;
    if (size)
        bytes->size = size;
    else
        bytes_free(bytes);
    bytes->order = order;
}

bool bytes_equal(const struct bytes *a, const struct bytes *b)
{
    return a->size == b->size && (!a->size || memcmp(a->data, b->data, a->size) == 0);
}

void bytes_append(struct bytes *bytes, const void *data, size_t size)
{
    if (size)
        memcpy(bytes_extend(bytes, size), data, size);
}

void bytes_append_text(struct bytes *bytes, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length > 0) {
        char *at = (char *)bytes_extend(bytes, (size_t)length + 1);
        vsnprintf(at, (size_t)length + 1, format, args);
        bytes->size--; /* the terminator is not part of the text */
    }
    va_end(args);
}

void bytes_fill(struct bytes *bytes, unsigned char value, size_t count)
{
    if (count)
        memset(bytes_extend(bytes, count), value, count);
}

void bytes_align(struct bytes *bytes, size_t alignment)
{
    bytes_fill(bytes, 0, (alignment - bytes->size % alignment) % alignment);
}

void bytes_u8(struct bytes *bytes, uint8_t value)
{
    *bytes_extend(bytes, 1) = value;
}

void bytes_u16(struct bytes *bytes, uint16_t value)
{
    store_u16(bytes->order, bytes_extend(bytes, 2), value);
}

void bytes_u32(struct bytes *bytes, uint32_t value)
{
    store_u32(bytes->order, bytes_extend(bytes, 4), value);
}

void bytes_u64(struct bytes *bytes, uint64_t value)
{
    uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);
    bytes_u32(bytes, bytes->order == ORDER_BIG ? high : low);
    bytes_u32(bytes, bytes->order == ORDER_BIG ? low : high);
}

void bytes_i32(struct bytes *bytes, int32_t value)
{
    bytes_u32(bytes, (uint32_t)value);
}

void bytes_f32(struct bytes *bytes, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bytes_u32(bytes, bits);
}

void bytes_sized_block(struct bytes *bytes, const struct bytes *block)
{
    bytes_u32(bytes, (uint32_t)block->size);
    bytes_append(bytes, block->data, block->size);
}

void bytes_sized_text(struct bytes *bytes, const char *text)
{
    size_t size = strlen(text);
    bytes_u32(bytes, (uint32_t)size);
    bytes_append(bytes, text, size);
}

bool read_sized_block(struct byte_reader *reader, struct bytes *out)
{
    uint32_t size = read_u32(reader);
    const unsigned char *data = read_block(reader, size);
    if (data)
        bytes_append(out, data, size);
    return data != NULL;
}

char *read_sized_text(struct byte_reader *reader, struct arena *arena)
{
    uint32_t size = read_u32(reader);
    const unsigned char *data = read_block(reader, size);
    return data ? arena_strndup(arena, (const char *)data, size) : NULL;
}
