/* Encodes rows of visibility for lump 4 of Source: run-length encoding (RLE) of zero bytes. */
#include "vvis/target/source/source.h"

#include "common/core/memory.h"
#include "common/parallel/parallel.h"

enum {
    RUN_MAX = 255,
    CHUNK = 64, /* rows per work item: one is too little */
};

static unsigned char byte_at(const uint64_t *row, size_t byte)
{
    return (unsigned char)(row[byte / 8] >> (byte % 8 * 8));
}

/* Returns the number of zero bytes from `at` on. After the last byte, the rest of the word is
 * zero. */
static size_t zeros_from(const uint64_t *row, size_t at, size_t size)
{
    size_t end = at / 8 * 8;
    uint64_t word = row[at / 8] >> (at % 8 * 8) << (at % 8 * 8);
    while (!word && end + 8 < size)
        word = row[(end += 8) / 8];
    end = word ? end + (size_t)__builtin_ctzll(word) / 8 : size;
    return (end < size ? end : size) - at;
}

static bool has_zero(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101;
    return (word - ones) & ~word & (ones << 7);
}

/* In the worst case every other byte is zero, and takes two. */
static size_t row_size_max(int clusters)
{
    return 2 * (((size_t)clusters + 7) / 8);
}

void encode_row(const uint64_t *row, int clusters, struct bytes *out)
{
    size_t size = ((size_t)clusters + 7) / 8, before = out->size;
    unsigned char *to = bytes_extend(out, row_size_max(clusters));
    for (size_t i = 0; i < size;) {
        if (i % 8 == 0 && i + 8 <= size && !has_zero(row[i / 8])) {
            for (size_t k = 0; k < 8; k++)
                to[k] = byte_at(row, i + k);
            to += 8;
            i += 8;
            continue;
        }
        *to = byte_at(row, i);
        if (*to++) {
            i++;
            continue;
        }
        size_t run = zeros_from(row, i, size);
        if (run > RUN_MAX)
            run = RUN_MAX;
        *to++ = (unsigned char)run;
        i += run;
    }
    out->size = before + (size_t)(to - (out->data + before));
}

struct encode_job {
    const struct bit_rows *matrices[2]; /* PVS and PAS */
    int clusters;
    struct bytes *blocks; /* blocks of CHUNK rows; `ends`: where their rows end */
    size_t *ends;
    size_t chunks; /* per matrix */
};

static void encode_chunk(void *context, size_t item, int thread)
{
    (void)thread;
    struct encode_job *job = context;
    size_t which = item / job->chunks, clusters = (size_t)job->clusters;
    size_t first = item % job->chunks * CHUNK;
    bytes_extend(&job->blocks[item], CHUNK * row_size_max(job->clusters));
    job->blocks[item].size = 0;
    for (size_t i = first; i < first + CHUNK && i < clusters; i++) {
        encode_row(bit_row(job->matrices[which], i), job->clusters, &job->blocks[item]);
        job->ends[which * clusters + i] = job->blocks[item].size;
    }
}

/* Stores the offsets of a matrix whose rows are appended next. */
static void put_offsets(const struct encode_job *job, size_t which, size_t start, struct bytes *out)
{
    size_t clusters = (size_t)job->clusters;
    size_t at = out->size - start;
    unsigned char *entries = out->data + start + 4 + 4 * which;
    for (size_t i = 0; i < clusters; i++) {
        bool begins = i % CHUNK == 0;
        size_t before = begins ? 0 : job->ends[which * clusters + i - 1];
        store_u32(ORDER_LITTLE, entries + 8 * i, (uint32_t)(at + before));
        if ((i + 1) % CHUNK == 0)
            at += job->ends[which * clusters + i];
    }
}

void encode_visibility(int threads, const struct bit_rows *pvs, const struct bit_rows *pas,
                       int clusters, struct bytes *out)
{
    if (clusters <= 0)
        return;
    size_t start = out->size, rows = (size_t)clusters;
    struct encode_job job = {{pvs, pas}, clusters, .chunks = (rows + CHUNK - 1) / CHUNK};
    job.blocks = memory_zalloc(2 * job.chunks, sizeof *job.blocks);
    job.ends = memory_zalloc(2 * rows, sizeof *job.ends);
    parallel_for(threads, 2 * job.chunks, encode_chunk, &job);
    bytes_i32(out, clusters);
    bytes_fill(out, 0, rows * 8);
    for (size_t which = 0; which < 2; which++) {
        put_offsets(&job, which, start, out);
        for (size_t i = which * job.chunks; i < (which + 1) * job.chunks; i++) {
            bytes_append(out, job.blocks[i].data, job.blocks[i].size);
            bytes_free(&job.blocks[i]);
        }
    }
    memory_free(job.blocks);
    memory_free(job.ends);
}
