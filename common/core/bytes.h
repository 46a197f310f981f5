/* Bytes of files: a growable buffer for writing, a checked cursor for reading, scalars in either
 * byte order. */
#ifndef CORE_BYTES_H
#define CORE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct arena;

enum byte_order { ORDER_LITTLE, ORDER_BIG };

/* Owned bytes. Zero-initialise; free with bytes_free. Scalars are appended in `order`. When the
 * capacity is 0 the data is borrowed: it is not freed, and copied before anything is appended. */
struct bytes {
    unsigned char *data;
    size_t size, capacity;
    enum byte_order order;
};

void bytes_free(struct bytes *bytes);
/* Drops what was appended since the size was `size`. Without bytes left the memory is freed, so
 * that the caller of a reader that failed has nothing to free. */
void bytes_undo(struct bytes *bytes, size_t size);
bool bytes_equal(const struct bytes *a, const struct bytes *b); /* same size and contents */
void bytes_append(struct bytes *bytes, const void *data, size_t size);
void bytes_append_text(struct bytes *bytes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void bytes_fill(struct bytes *bytes, unsigned char value, size_t count);
void bytes_align(struct bytes *bytes, size_t alignment); /* pads with zeros */
/* Appends `count` uninitialised bytes and returns their address. */
unsigned char *bytes_extend(struct bytes *bytes, size_t count);
void bytes_u8(struct bytes *bytes, uint8_t value);
void bytes_u16(struct bytes *bytes, uint16_t value);
void bytes_u32(struct bytes *bytes, uint32_t value);
void bytes_u64(struct bytes *bytes, uint64_t value);
void bytes_i32(struct bytes *bytes, int32_t value);
void bytes_f32(struct bytes *bytes, float value);
/* The size as 32 bits, then the bytes: read_sized_block. */
void bytes_sized_block(struct bytes *bytes, const struct bytes *block);
void bytes_sized_text(struct bytes *bytes, const char *text); /* without its end */

/* Borrowed bytes, read in order. A read past the end gives zeros and sets `failed` permanently, so
 * that a reader can check it once per record. */
struct byte_reader {
    const unsigned char *data;
    size_t size, at;
    bool failed;
    enum byte_order order;
};

static inline struct byte_reader byte_reader(const void *data, size_t size)
{
    return (struct byte_reader){.data = data, .size = size};
}

/* Returns the next `count` bytes, or NULL and sets `failed`. */
static inline const unsigned char *read_block(struct byte_reader *reader, size_t count)
{
    if (reader->failed || count > reader->size - reader->at) {
        reader->failed = true;
        return NULL;
    }
    const unsigned char *block = reader->data + reader->at;
    reader->at += count;
    return block;
}

static inline uint16_t load_u16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t load_u32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint16_t load_u16_big(const unsigned char *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t load_u32_big(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static inline uint16_t load_u16_in(enum byte_order order, const unsigned char *p)
{
    return order == ORDER_BIG ? load_u16_big(p) : load_u16(p);
}

static inline uint32_t load_u32_in(enum byte_order order, const unsigned char *p)
{
    return order == ORDER_BIG ? load_u32_big(p) : load_u32(p);
}

static inline float load_f32(const unsigned char *p)
{
    uint32_t bits = load_u32(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Stores a scalar without a bounds check. */
static inline void store_u16(enum byte_order order, unsigned char *to, uint16_t value)
{
    bool big = order == ORDER_BIG;
    to[big] = (unsigned char)value;
    to[!big] = (unsigned char)(value >> 8);
}

static inline void store_u32(enum byte_order order, unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[order == ORDER_BIG ? 3 - i : i] = (unsigned char)(value >> (8 * i));
}

static inline uint8_t read_u8(struct byte_reader *reader)
{
    const unsigned char *p = read_block(reader, 1);
    return p ? *p : 0;
}

static inline uint16_t read_u16(struct byte_reader *reader)
{
    const unsigned char *p = read_block(reader, 2);
    return p ? load_u16_in(reader->order, p) : 0;
}

static inline int16_t read_i16(struct byte_reader *reader)
{
    return (int16_t)read_u16(reader);
}

static inline uint32_t read_u32(struct byte_reader *reader)
{
    const unsigned char *p = read_block(reader, 4);
    return p ? load_u32_in(reader->order, p) : 0;
}

static inline uint64_t read_u64(struct byte_reader *reader)
{
    uint64_t first = read_u32(reader), second = read_u32(reader);
    return reader->order == ORDER_BIG ? first << 32 | second : second << 32 | first;
}

static inline int32_t read_i32(struct byte_reader *reader)
{
    return (int32_t)read_u32(reader);
}

static inline float read_f32(struct byte_reader *reader)
{
    uint32_t bits = read_u32(reader);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Copies the next `size` bytes, or zeros past the end. */
static inline void read_into(struct byte_reader *reader, void *out, size_t size)
{
    const unsigned char *block = read_block(reader, size);
    if (size && block)
        memcpy(out, block, size);
    else if (size)
        memset(out, 0, size);
}

/* Appends a block that bytes_sized_block wrote. Returns false, and sets `failed`, without one. */
bool read_sized_block(struct byte_reader *reader, struct bytes *out);
/* Returns what bytes_sized_text wrote, in the arena; NULL, with `failed` set, without it. */
char *read_sized_text(struct byte_reader *reader, struct arena *arena);

#endif
