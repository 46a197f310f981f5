#include "vvis/graph/bits.h"

#include <string.h>

#include "common/core/memory.h"
#include "common/parallel/parallel.h"

enum { CHUNK = 1 << 12 /* words per work item */ };

struct bit_rows bit_rows_new(size_t rows, size_t columns)
{
    struct bit_rows matrix = {.words = bit_words(columns)};
    matrix.data = memory_aligned(rows, matrix.words * sizeof *matrix.data);
    return matrix;
}

struct bit_rows bit_rows_new_uninitialised(size_t rows, size_t columns)
{
    struct bit_rows matrix = {.words = bit_words(columns)};
    matrix.data = memory_aligned_uninit(rows, matrix.words * sizeof *matrix.data);
    return matrix;
}

struct zero_job {
    uint64_t *data;
    size_t words;
};

static void zero_chunk(void *context, size_t chunk, int thread)
{
    (void)thread;
    const struct zero_job *job = context;
    size_t at = chunk * CHUNK, left = job->words - at;
    memset(job->data + at, 0, (left < CHUNK ? left : CHUNK) * sizeof *job->data);
}

struct bit_rows bit_rows_new_parallel(int threads, size_t rows, size_t columns)
{
    struct bit_rows matrix = bit_rows_new_uninitialised(rows, columns);
    struct zero_job job = {matrix.data, rows * matrix.words};
    parallel_for(threads, (job.words + CHUNK - 1) / CHUNK, zero_chunk, &job);
    return matrix;
}

/* Written out so that it vectorises: without -mpopcnt, compilers call a function for each
 * builtin popcount. */
size_t bit_count(const uint64_t *row, size_t words)
{
    const uint64_t pairs = 0x5555555555555555, fours = 0x3333333333333333,
                   eights = 0x0f0f0f0f0f0f0f0f;
    size_t count = 0;
    for (size_t first = 0; first < words; first += 8) { /* a byte holds 8 times 8 */
        uint64_t bytes = 0;
        for (size_t i = first; i < first + 8 && i < words; i++) {
            uint64_t word = row[i] - (row[i] >> 1 & pairs);
            word = (word & fours) + (word >> 2 & fours);
            bytes += (word + (word >> 4)) & eights;
        }
        bytes = (bytes & 0x00ff00ff00ff00ff) + (bytes >> 8 & 0x00ff00ff00ff00ff);
        count += (size_t)(bytes * 0x0001000100010001 >> 48);
    }
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

/* Runs: the number of zero words, the number of other words, and these. */
enum { RUN_MAX = UINT16_MAX };

void bits_pack(const uint64_t *row, size_t words, struct bytes *out)
{
    for (size_t at = 0; at < words;) {
        size_t zeros = 0, others = 0;
        while (at + zeros < words && zeros < RUN_MAX && !row[at + zeros])
            zeros++;
        at += zeros;
        while (at + others < words && others < RUN_MAX && row[at + others])
            others++;
        bytes_u16(out, (uint16_t)zeros);
        bytes_u16(out, (uint16_t)others);
        for (size_t i = 0; i < others; i++)
            bytes_u64(out, row[at + i]);
        at += others;
    }
}

void bits_unpack(uint64_t *row, size_t words, size_t columns, struct byte_reader *in)
{
    for (size_t at = 0; at < words && !in->failed;) {
        size_t zeros = read_u16(in), others = read_u16(in);
        if (zeros > words - at || others > words - at - zeros || !(zeros | others))
            in->failed = true;
        at += zeros;
        for (; others && !in->failed; others--, at++)
            row[at] |= read_u64(in);
    }
    if (!in->failed && bit_next(row, words, columns) != SIZE_MAX)
        in->failed = true;
}
