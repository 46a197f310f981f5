#include <inttypes.h>
#define ZLIB_CONST
#include <zlib.h>

#include "common/diag/codes/zip.def"
#include "common/io/library_memory.h"
#include "common/io/lzma.h"
#include "common/io/zip.h"
#include "common/io/zip_format.h"

enum {
    CHUNK = 32 * 1024,
    STRONGLY_ENCRYPTED = 0x40,
};

struct unpacking {
    const struct zip_member *member;
    const struct diag_where *where;
    struct diag *diag;
};

static enum status damaged(const struct unpacking *job, const char *what)
{
    return diag_report(job->diag, DIAG_ZIP_DAMAGED, job->where, "%s: %s", job->member->name, what);
}

/* Feeds the stream, whose input may be longer than it can take at once, until it ends or has given
 * more than `max`. */
static int inflate_all(z_stream *stream, size_t left, uint64_t max, struct bytes *out)
{
    unsigned char *chunk = memory_alloc(CHUNK);
    uint64_t given = 0;
    int result = Z_OK;
    while (result == Z_OK && given <= max) {
        if (!stream->avail_in) {
            stream->avail_in = left < UINT32_MAX ? (unsigned)left : UINT32_MAX;
            left -= stream->avail_in;
        }
        stream->next_out = chunk;
        stream->avail_out = CHUNK;
        result = inflate(stream, Z_NO_FLUSH);
        bytes_append(out, chunk, CHUNK - stream->avail_out);
        given += CHUNK - stream->avail_out;
    }
    memory_free(chunk);
    return result;
}

static enum status unpack_deflated(const struct unpacking *job, struct bytes *out)
{
    const struct zip_member *member = job->member;
    z_stream stream = {
        .next_in = member->packed, .zalloc = library_alloc_u32, .zfree = library_free};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return damaged(job, "cannot decompress");
    size_t start = out->size;
    int result = inflate_all(&stream, member->packed_size, member->size, out);
    inflateEnd(&stream);
    uint64_t given = out->size - start;
    if (given > member->size)
        return diag_report(job->diag, DIAG_ZIP_BOMB, job->where,
                           "%s: unpacks to more than the stated %" PRIu64 " bytes", member->name,
                           member->size);
    if (result != Z_STREAM_END)
        return damaged(job, "corrupt deflate data");
    return given == member->size ? STATUS_OK : damaged(job, "unpacks to less than its stated size");
}

static enum status unpack_lzma(const struct unpacking *job, struct bytes *out)
{
    const struct zip_member *member = job->member;
    struct byte_reader reader = byte_reader(member->packed, member->packed_size);
    (void)read_u16(&reader); /* version of the packer */
    uint16_t properties_size = read_u16(&reader);
    const unsigned char *properties = read_block(&reader, LZMA_PROPERTIES);
    if (!properties || properties_size != LZMA_PROPERTIES)
        return damaged(job, "invalid LZMA header");
    if (!lzma_unpack(properties, reader.data + reader.at, reader.size - reader.at,
                     (size_t)member->size, out))
        return damaged(job, "corrupt LZMA data");
    return STATUS_OK;
}

static enum status unpack(const struct unpacking *job, struct bytes *out)
{
    const struct zip_member *member = job->member;
    switch (member->method) {
    case ZIP_STORED:
        if (member->packed_size != member->size)
            return damaged(job, "stored, but with two different sizes");
        bytes_append(out, member->packed, member->packed_size);
        return STATUS_OK;
    case ZIP_DEFLATED:
        return unpack_deflated(job, out);
    case ZIP_LZMA:
        return unpack_lzma(job, out);
    default:
        return diag_report(job->diag, DIAG_ZIP_METHOD, job->where,
                           "%s: compression method %d; stored (0), deflate (8) and LZMA (14) are "
                           "supported",
                           member->name, member->method);
    }
}

enum status zip_unpack(const struct zip_member *member, uint64_t max,
                       const struct diag_where *where, struct diag *diag, struct bytes *out)
{
    struct unpacking job = {member, where, diag};
    if ((member->flags | member->local_flags) & (ZIP_ENCRYPTED | STRONGLY_ENCRYPTED))
        return diag_report(diag, DIAG_ZIP_METHOD, where, "%s: encrypted", member->name);
    if (member->size > max)
        return diag_report(diag, DIAG_ZIP_BOMB, where,
                           "%s: %" PRIu64 " bytes; the maximum is %" PRIu64, member->name,
                           member->size, max);
    size_t start = out->size;
    enum status status = unpack(&job, out);
    size_t size = out->size - start;
    if (status == STATUS_OK && crc32_z(0, size ? out->data + start : NULL, size) != member->crc)
        status = damaged(&job, "CRC mismatch");
    if (status != STATUS_OK)
        bytes_undo(out, start);
    return status;
}

bool zip_unpack_start(const struct zip_member *member, size_t max, struct bytes *out)
{
    size_t start = out->size, stored = member->packed_size < max ? member->packed_size : max;
    z_stream stream = {
        .next_in = member->packed, .zalloc = library_alloc_u32, .zfree = library_free};
    if (max == 0 || (member->flags & (ZIP_ENCRYPTED | STRONGLY_ENCRYPTED)))
        return false;
    if (member->method == ZIP_STORED) {
        bytes_append(out, member->packed, stored);
    } else if (member->method == ZIP_DEFLATED && inflateInit2(&stream, -MAX_WBITS) == Z_OK) {
        inflate_all(&stream, member->packed_size, max - 1, out);
        inflateEnd(&stream);
    }
    if (out->size - start > max)
        out->size = start + max;
    return out->size > start;
}
