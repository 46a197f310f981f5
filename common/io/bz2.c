#include "common/io/bz2.h"

#include <bzlib.h>

#include "common/io/library_memory.h"

enum { BLOCK_HUNDREDS = 9, CHUNK = 64 * 1024, MOST_AT_ONCE = 1 << 30 };

/* Of what is in the stream, and its end if nothing follows. */
static int drain(bz_stream *stream, int action, char *chunk, struct bytes *out)
{
    int result;
    do {
        stream->next_out = chunk;
        stream->avail_out = CHUNK;
        result = BZ2_bzCompress(stream, action);
        bytes_append(out, chunk, CHUNK - stream->avail_out);
    } while (result == BZ_FINISH_OK || (result == BZ_RUN_OK && stream->avail_in));
    return result;
}

static bool pack_all(bz_stream *stream, const unsigned char *data, size_t size, struct bytes *out)
{
    /* The library does not write to its input. */
    union {
        const unsigned char *given;
        char *taken;
    } at = {data};
    char *chunk = memory_alloc(CHUNK);
    int result = BZ_RUN_OK;
    while (result == BZ_RUN_OK) {
        const size_t count = size < MOST_AT_ONCE ? size : MOST_AT_ONCE;
        stream->next_in = at.taken;
        stream->avail_in = (unsigned)count;
        at.given += count;
        size -= count;
        result = drain(stream, size ? BZ_RUN : BZ_FINISH, chunk, out);
    }
    memory_free(chunk);
    return result == BZ_STREAM_END;
}

bool bz2_pack(const void *data, size_t size, struct bytes *out)
{
    const size_t start = out->size;
    bz_stream stream = {.bzalloc = library_alloc_int, .bzfree = library_free};
    if (BZ2_bzCompressInit(&stream, BLOCK_HUNDREDS, 0, 0) != BZ_OK)
        return false;
    const bool is_done = pack_all(&stream, size ? data : "", size, out);
    BZ2_bzCompressEnd(&stream);
    if (!is_done)
        bytes_undo(out, start);
    return is_done;
}
