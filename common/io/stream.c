#include "common/io/stream.h"

#include <errno.h>

int stream_read(FILE *stream, uint64_t limit, struct bytes *out)
{
    struct bytes all = {0};
    unsigned char block[1 << 14];
    size_t got;
    while (all.size <= limit && (got = fread(block, 1, sizeof block, stream)))
        bytes_append(&all, block, got);
    int error = ferror(stream) ? EIO : all.size > limit ? EFBIG : 0;
    if (!error)
        bytes_append(out, all.data, all.size);
    bytes_free(&all);
    return error;
}
