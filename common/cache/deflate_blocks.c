#include "common/cache/deflate_blocks.h"

#include <zlib.h>

#include "common/core/memory.h"
#include "common/io/library_memory.h"
#include "common/parallel/parallel.h"

enum {
    BLOCK = 1 << 18,
    END_ROOM = 16, /* for what ends a block at a byte */
};

/* RFC 1950: deflate with a window of 32 KiB, at its fastest level; the check makes it a multiple
 * of 31. */
static const unsigned char stream_header[2] = {0x78, 0x01};

struct block {
    struct bytes stored;
    uLong sum; /* Adler-32 of what it stands for */
    bool is_made;
};

struct blocks {
    const struct bytes *value;
    int level;
    size_t count;
    struct block *blocks;
};

static size_t size_of(const struct blocks *blocks, size_t index)
{
    const size_t left = blocks->value->size - index * BLOCK;
    return left < BLOCK ? left : BLOCK;
}

/* All blocks but the last end with an empty one, at the border of a byte. */
static void deflate_block(void *context, size_t index, int thread)
{
    (void)thread;
    const struct blocks *blocks = context;
    struct block *block = &blocks->blocks[index];
    const bool is_last = index + 1 == blocks->count;
    z_stream stream = {.zalloc = library_alloc_u32, .zfree = library_free};
    if (deflateInit2(&stream, blocks->level, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return;
    stream.next_in = blocks->value->data + index * BLOCK;
    stream.avail_in = (uInt)size_of(blocks, index);
    block->sum = adler32(adler32(0, NULL, 0), stream.next_in, stream.avail_in);
    const size_t room = deflateBound(&stream, stream.avail_in) + END_ROOM;
    stream.next_out = bytes_extend(&block->stored, room);
    stream.avail_out = (uInt)room;
    const int result = deflate(&stream, is_last ? Z_FINISH : Z_SYNC_FLUSH);
    block->is_made =
        result == (is_last ? Z_STREAM_END : Z_OK) && !stream.avail_in && stream.avail_out > 0;
    block->stored.size = room - stream.avail_out;
    deflateEnd(&stream);
}

static bool append_blocks(const struct blocks *blocks, struct bytes *out)
{
    uLong sum = adler32(0, NULL, 0);
    bytes_append(out, stream_header, sizeof stream_header);
    for (size_t i = 0; i < blocks->count; i++) {
        const struct block *block = &blocks->blocks[i];
        if (!block->is_made)
            return false;
        bytes_append(out, block->stored.data, block->stored.size);
        sum = adler32_combine(sum, block->sum, (z_off_t)size_of(blocks, i));
    }
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes_u8(out, (uint8_t)(sum >> shift));
    return true;
}

bool deflate_blocks(int threads, int level, const struct bytes *value, struct bytes *out)
{
    const size_t before = out->size, count = (value->size + BLOCK - 1) / BLOCK;
    if (!count)
        return false;
    struct blocks blocks = {value, level, count, memory_zalloc(count, sizeof *blocks.blocks)};
    parallel_for(threads, count, deflate_block, &blocks);
    const bool fits = append_blocks(&blocks, out) && out->size - before < value->size;
    if (!fits)
        bytes_undo(out, before);
    for (size_t i = 0; i < count; i++)
        bytes_free(&blocks.blocks[i].stored);
    memory_free(blocks.blocks);
    return fits;
}
