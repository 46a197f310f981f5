#include "vvis/resume/bit_matrices.h"

#include <string.h>

#include "common/core/memory.h"

enum { WORD = sizeof(uint64_t) };

static void append_word(struct bytes *out, uint64_t word)
{
    bytes_append(out, &word, sizeof word);
}

static size_t words_of(const struct bit_matrix *matrix)
{
    return matrix->count * matrix->rows->words;
}

/* Single zeros among other words cost less than a new pair of counts. */
static size_t literals_from(const uint64_t *words, size_t at, size_t count)
{
    size_t end = at;
    while (end < count && (words[end] || (end + 2 < count && (words[end + 1] || words[end + 2]))))
        end++;
    return end - at;
}

static void encode_matrix(const struct bit_matrix *matrix, struct bytes *out)
{
    const uint64_t *words = matrix->rows->data;
    size_t count = words_of(matrix);
    for (size_t at = 0; at < count;) {
        size_t zeros = 0;
        while (at + zeros < count && !words[at + zeros])
            zeros++;
        at += zeros;
        size_t literals = literals_from(words, at, count);
        append_word(out, zeros);
        append_word(out, literals);
        bytes_append(out, words + at, literals * WORD);
        at += literals;
    }
}

void bit_matrices_encode(const struct bit_matrix *matrices, size_t count, struct bytes *out)
{
    for (size_t i = 0; i < count; i++)
        encode_matrix(&matrices[i], out);
}

static uint64_t read_word(struct byte_reader *reader)
{
    uint64_t word = 0;
    const unsigned char *block = read_block(reader, WORD);
    if (block)
        memcpy(&word, block, WORD);
    return word;
}

/* Decodes into `words`, or only checks the size if that is NULL. */
static bool decode_words(struct byte_reader *reader, size_t count, uint64_t *words)
{
    for (size_t at = 0; at < count;) {
        uint64_t zeros = read_word(reader), literals = read_word(reader);
        if (reader->failed || zeros > count - at || literals > count - at - zeros ||
            (!zeros && !literals))
            return false;
        const unsigned char *block = read_block(reader, (size_t)literals * WORD);
        if (!block)
            return false;
        if (words) {
            memset(words + at, 0, (size_t)zeros * WORD);
            memcpy(words + at + zeros, block, (size_t)literals * WORD);
        }
        at += (size_t)(zeros + literals);
    }
    return true;
}

static bool all_fit(struct byte_reader reader, const struct bit_matrix *matrices, size_t count,
                    bool all)
{
    for (size_t i = 0; i < count; i++)
        if (!decode_words(&reader, words_of(&matrices[i]), NULL))
            return false;
    return !reader.failed && (!all || reader.at == reader.size);
}

static bool ends_clean(const struct bit_matrix *matrix)
{
    for (size_t row = 0; row < matrix->count; row++)
        if (bit_next(bit_row(matrix->rows, row), matrix->rows->words, matrix->columns) != SIZE_MAX)
            return false;
    return true;
}

static bool decode(struct byte_reader reader, const struct bit_matrix *matrices, size_t count,
                   bool all, bit_matrices_fit *fits)
{
    if (!all_fit(reader, matrices, count, all))
        return false;
    bool clean = true;
    struct bit_rows *rows = memory_zalloc(count, sizeof *rows);
    struct bit_matrix *fresh = memory_zalloc(count, sizeof *fresh);
    for (size_t i = 0; i < count; i++) {
        rows[i] = bit_rows_new(matrices[i].count, matrices[i].columns);
        fresh[i] = (struct bit_matrix){&rows[i], matrices[i].count, matrices[i].columns};
        clean = decode_words(&reader, words_of(&fresh[i]), rows[i].data) && ends_clean(&fresh[i]) &&
                clean;
    }
    clean = clean && (!fits || fits(fresh, count));
    for (size_t i = 0; i < count; i++) {
        if (clean)
            memcpy(matrices[i].rows->data, rows[i].data, words_of(&matrices[i]) * WORD);
        memory_free(rows[i].data);
    }
    memory_free(fresh);
    memory_free(rows);
    return clean;
}

bool bit_matrices_decode(struct byte_reader from, const struct bit_matrix *matrices, size_t count,
                         bit_matrices_fit *fits)
{
    return decode(from, matrices, count, true, fits);
}

bool bit_matrices_decode_first(struct byte_reader from, const struct bit_matrix *matrices,
                               size_t count)
{
    return decode(from, matrices, count, false, NULL);
}
