#include "vvis/resume/checkpoint_format.h"

#include <string.h>

#include "common/core/memory.h"

/* Another number in the wrong byte order. */
#define MAGIC ((uint64_t)0x3153495642775342u)

struct file_header {
    uint64_t magic;
    struct checkpoint_header header;
    unsigned char
        hash[SHA256_SIZE]; /* of the header's key and numbers, and everything after the hash */
};

enum { WORD = sizeof(uint64_t) };

static void hash_file(const struct checkpoint_header *header, const void *body, size_t size,
                      unsigned char out[SHA256_SIZE])
{
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, header, sizeof *header);
    sha256_add(&hash, body, size);
    sha256_end(&hash, out);
}

static void append_word(struct bytes *out, uint64_t word)
{
    bytes_append(out, &word, sizeof word);
}

static size_t words_of(const struct checkpoint_matrix *matrix)
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

static void encode_matrix(const struct checkpoint_matrix *matrix, struct bytes *out)
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

void checkpoint_encode_matrices(const struct checkpoint_matrix *matrices, size_t count,
                                struct bytes *out)
{
    for (size_t i = 0; i < count; i++)
        encode_matrix(&matrices[i], out);
}

void checkpoint_encode(const struct checkpoint_header *header,
                       const struct checkpoint_matrix *matrices, size_t count, struct bytes *out)
{
    size_t start = out->size;
    struct file_header file = {.magic = MAGIC, .header = *header};
    bytes_append(out, &file, sizeof file);
    checkpoint_encode_matrices(matrices, count, out);
    size_t body = start + sizeof file;
    hash_file(header, out->data + body, out->size - body, file.hash);
    memcpy(out->data + start, &file, sizeof file);
}

bool checkpoint_read_header(const void *data, size_t size, struct checkpoint_header *header)
{
    struct file_header file;
    unsigned char hash[SHA256_SIZE];
    if (size < sizeof file)
        return false;
    memcpy(&file, data, sizeof file);
    if (file.magic != MAGIC)
        return false;
    hash_file(&file.header, (const unsigned char *)data + sizeof file, size - sizeof file, hash);
    *header = file.header;
    return memcmp(hash, file.hash, sizeof hash) == 0;
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

static bool all_fit(struct byte_reader reader, const struct checkpoint_matrix *matrices,
                    size_t count, bool all)
{
    for (size_t i = 0; i < count; i++)
        if (!decode_words(&reader, words_of(&matrices[i]), NULL))
            return false;
    return !reader.failed && (!all || reader.at == reader.size);
}

static bool ends_clean(const struct checkpoint_matrix *matrix)
{
    for (size_t row = 0; row < matrix->count; row++)
        if (bit_next(bit_row(matrix->rows, row), matrix->rows->words, matrix->columns) != SIZE_MAX)
            return false;
    return true;
}

static bool decode(struct byte_reader reader, const struct checkpoint_matrix *matrices,
                   size_t count, bool all, checkpoint_fits *fits)
{
    if (!all_fit(reader, matrices, count, all))
        return false;
    bool clean = true;
    struct bit_rows *rows = memory_zalloc(count, sizeof *rows);
    struct checkpoint_matrix *fresh = memory_zalloc(count, sizeof *fresh);
    for (size_t i = 0; i < count; i++) {
        rows[i] = bit_rows_new(matrices[i].count, matrices[i].columns);
        fresh[i] = (struct checkpoint_matrix){&rows[i], matrices[i].count, matrices[i].columns};
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

/* Returns what follows the header; a reader that has failed without one. */
static struct byte_reader after_header(const void *data, size_t size)
{
    struct byte_reader reader = byte_reader(data, size);
    (void)read_block(&reader, sizeof(struct file_header));
    return reader;
}

bool checkpoint_decode(const void *data, size_t size, const struct checkpoint_matrix *matrices,
                       size_t count, bool all)
{
    return decode(after_header(data, size), matrices, count, all, NULL);
}

bool checkpoint_decode_fitting(const void *data, size_t size,
                               const struct checkpoint_matrix *matrices, size_t count,
                               checkpoint_fits *fits)
{
    return decode(after_header(data, size), matrices, count, true, fits);
}

bool checkpoint_decode_matrices(const void *data, size_t size,
                                const struct checkpoint_matrix *matrices, size_t count, bool all)
{
    return decode(byte_reader(data, size), matrices, count, all, NULL);
}
