#include "common/core/bytes.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/core/memory.h"

static unsigned char *reserve(struct bytes *bytes, size_t more)
{
    if (more > SIZE_MAX / 2 - bytes->size)
        memory_alloc(SIZE_MAX); /* reports and ends: no such block can exist */
    size_t need = bytes->size + more;
    if (need > bytes->capacity) {
        size_t capacity = bytes->capacity ? bytes->capacity : 256;
        while (capacity < need)
            capacity *= 2;
        bytes->data = memory_realloc(bytes->data, capacity);
        bytes->capacity = capacity;
    }
    unsigned char *at = bytes->data + bytes->size;
    bytes->size = need;
    return at;
}

void bytes_free(struct bytes *bytes)
{
    memory_free(bytes->data);
    *bytes = (struct bytes){0};
}

void bytes_append(struct bytes *bytes, const void *data, size_t size)
{
    if (size)
        memcpy(reserve(bytes, size), data, size);
}

void bytes_append_text(struct bytes *bytes, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length > 0) {
        char *at = (char *)reserve(bytes, (size_t)length + 1);
        vsnprintf(at, (size_t)length + 1, format, args);
        bytes->size--; /* the terminator is not part of the text */
    }
    va_end(args);
}

void bytes_fill(struct bytes *bytes, unsigned char value, size_t count)
{
    if (count)
        memset(reserve(bytes, count), value, count);
}

void bytes_align(struct bytes *bytes, size_t alignment)
{
    bytes_fill(bytes, 0, (alignment - bytes->size % alignment) % alignment);
}

void bytes_u8(struct bytes *bytes, uint8_t value)
{
    *reserve(bytes, 1) = value;
}

void bytes_u16(struct bytes *bytes, uint16_t value)
{
    unsigned char *at = reserve(bytes, 2);
    at[0] = (unsigned char)value;
    at[1] = (unsigned char)(value >> 8);
}

void bytes_u32(struct bytes *bytes, uint32_t value)
{
    unsigned char *at = reserve(bytes, 4);
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (8 * i));
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
