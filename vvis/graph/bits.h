/* Bit matrices: rows of 64-bit words, each row aligned to a cache line. */
#ifndef VVIS_GRAPH_BITS_H
#define VVIS_GRAPH_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/bytes.h"

/* Bits after the last column of a row are 0. */
struct bit_rows {
    uint64_t *data;
    size_t words; /* per row: a multiple of 8 */
};

/* Returns the words of a row with this many columns. */
static inline size_t bit_words(size_t columns)
{
    return (columns + 511) / 512 * 8;
}

/* Zero-filled. Free with memory_free(rows.data). */
struct bit_rows bit_rows_new(size_t rows, size_t columns);
/* The same, zeroed by several threads. */
struct bit_rows bit_rows_new_parallel(int threads, size_t rows, size_t columns);
/* The same without zeroing, for callers that write all words of all rows. */
struct bit_rows bit_rows_new_uninitialised(size_t rows, size_t columns);

static inline uint64_t *bit_row(const struct bit_rows *rows, size_t row)
{
    return rows->data + row * rows->words;
}

static inline bool bit_get(const uint64_t *row, size_t bit)
{
    return row[bit / 64] >> (bit % 64) & 1;
}

static inline void bit_set(uint64_t *row, size_t bit)
{
    row[bit / 64] |= (uint64_t)1 << (bit % 64);
}

static inline void bit_clear(uint64_t *row, size_t bit)
{
    row[bit / 64] &= ~((uint64_t)1 << (bit % 64));
}

size_t bit_count(const uint64_t *row, size_t words);

/* Returns the first set bit at or after `from`, or SIZE_MAX. */
size_t bit_next(const uint64_t *row, size_t words, size_t from);

/* Appends the words of a row, those of zeros in short; and adds the bits of such a row to `row`, of
 * so many columns. The reader fails when it has another number of words, or bits after the last
 * column. */
void bits_pack(const uint64_t *row, size_t words, struct bytes *out);
void bits_unpack(uint64_t *row, size_t words, size_t columns, struct byte_reader *in);

/* Swaps each even bit with the odd bit after it: maps portals to their reverse portals. */
static inline uint64_t bits_swap_pairs(uint64_t word)
{
    const uint64_t even = 0x5555555555555555u;
    return (word & even) << 1 | (word >> 1 & even);
}

#endif
