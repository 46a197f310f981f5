#include "vvis/bits.h"

#include "common/core/memory.h"

struct bit_rows bit_rows_new(size_t rows, size_t columns)
{
    struct bit_rows matrix = {.words = bit_words(columns)};
    matrix.data = memory_aligned(rows, matrix.words * sizeof *matrix.data);
    return matrix;
}

size_t bit_count(const uint64_t *row, size_t words)
{
    size_t count = 0;
    for (size_t i = 0; i < words; i++)
        count += (size_t)__builtin_popcountll(row[i]);
    return count;
}

size_t bit_next(const uint64_t *row, size_t words, size_t from)
{
    size_t word = from / 64;
    if (word >= words)
        return SIZE_MAX;
    uint64_t rest = row[word] & (UINT64_MAX << (from % 64));
    while (!rest) {
        if (++word == words)
            return SIZE_MAX;
        rest = row[word];
    }
    return word * 64 + (size_t)__builtin_ctzll(rest);
}
