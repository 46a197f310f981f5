#include "common/io/deflate_blocks.h"

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
};

struct blocks {
    const struct bytes *value;
    int level;
    size_t count; /* at least 1 */
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
    const size_t size = size_of(blocks, index);
    unsigned char nothing = 0, *data = size ? blocks->value->data + index * BLOCK : &nothing;
    z_stream stream = {.zalloc = library_alloc_u32, .zfree = library_free};
    if (deflateInit2(&stream, blocks->level, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        memory_refused(BLOCK);
    const size_t room = deflateBound(&stream, size) + END_ROOM;
    block->sum = adler32(adler32(0, NULL, 0), data, (uInt)size);
    stream.next_in = data;
    stream.avail_in = (uInt)size;
    stream.next_out = bytes_extend(&block->stored, room);
    stream.avail_out = (uInt)room;
    (void)deflate(&stream, index + 1 == blocks->count ? Z_FINISH : Z_SYNC_FLUSH);
    block->stored.size = room - stream.avail_out;
    deflateEnd(&stream);
}

void deflate_blocks(int threads, int level, const struct bytes *value, struct bytes *out)
{
    const size_t count = value->size ? (value->size + BLOCK - 1) / BLOCK : 1;
    struct blocks blocks = {value, level, count, memory_zalloc(count, sizeof *blocks.blocks)};
    uLong sum = adler32(0, NULL, 0);
    parallel_for(threads, count, deflate_block, &blocks);
    bytes_append(out, stream_header, sizeof stream_header);
    for (size_t i = 0; i < count; i++) {
        const struct bytes *stored = &blocks.blocks[i].stored;
        bytes_append(out, stored->data, stored->size);
        sum = adler32_combine(sum, blocks.blocks[i].sum, (z_off_t)size_of(&blocks, i));
        bytes_free(&blocks.blocks[i].stored);
    }
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes_u8(out, (uint8_t)(sum >> shift));
    memory_free(blocks.blocks);
}
