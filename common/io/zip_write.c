#define ZLIB_CONST
#include <zlib.h>

#include "common/diag/codes/zip.def"
#include "common/io/library_memory.h"
#include "common/io/lzma.h"
#include "common/io/zip.h"
#include "common/io/zip_format.h"

enum {
    ALIGNMENT_FIELD = 6, /* id, size, the alignment */
    LARGEST_ALIGNMENT = 32768,
    BEST_LEVEL = 9,
    MEMORY_LEVEL = 8,
};

static enum status no_room(const struct diag_where *where, struct diag *diag, const char *name)
{
    return diag_report(diag, DIAG_ZIP_LIMIT, where, "%s", name);
}

static bool deflate_all(const void *data, size_t size, struct bytes *out)
{
    z_stream stream = {.zalloc = library_alloc_u32, .zfree = library_free};
    if (deflateInit2(&stream, BEST_LEVEL, Z_DEFLATED, -MAX_WBITS, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    uLong bound = deflateBound(&stream, (uLong)size); /* of 32 bits on Windows */
    bytes_fill(out, 0, bound);
    stream.next_in = data;
    stream.avail_in = (unsigned)size;
    stream.next_out = out->data;
    stream.avail_out = (unsigned)bound;
    int result = size <= bound && bound <= UINT32_MAX ? deflate(&stream, Z_FINISH) : Z_BUF_ERROR;
    out->size = stream.total_out;
    deflateEnd(&stream);
    return result == Z_STREAM_END;
}

static bool lzma_all(const void *data, size_t size, struct bytes *out)
{
    unsigned char properties[LZMA_PROPERTIES];
    bytes_u8(out, ZIP_LZMA_MAJOR);
    bytes_u8(out, ZIP_LZMA_MINOR);
    bytes_u16(out, LZMA_PROPERTIES);
    size_t at = out->size;
    bytes_fill(out, 0, LZMA_PROPERTIES);
    if (!lzma_pack(data, size, properties, out))
        return false;
    memcpy(out->data + at, properties, LZMA_PROPERTIES);
    return true;
}

/* Writes the fields that the local and the central header share. */
static void write_facts(const struct zip_member *member, uint16_t flags, size_t extra_size,
                        struct bytes *out)
{
    bytes_u16(out, member->version_needed);
    bytes_u16(out, flags & (uint16_t)~ZIP_DESCRIPTOR);
    bytes_u16(out, member->method);
    bytes_u32(out, member->time);
    bytes_u32(out, member->crc);
    bytes_u32(out, (uint32_t)member->packed_size);
    bytes_u32(out, (uint32_t)member->size);
    bytes_u16(out, (uint16_t)strlen(member->name));
    bytes_u16(out, (uint16_t)extra_size);
}

static void write_central(const struct zip_member *member, const struct bytes *extra, size_t offset,
                          struct bytes *out)
{
    bytes_u32(out, ZIP_CENTRAL);
    bytes_u16(out, member->made_by);
    write_facts(member, member->flags, extra->size, out);
    bytes_u16(out, (uint16_t)member->comment.size);
    bytes_u16(out, 0); /* disk */
    bytes_u16(out, 0); /* internal attributes */
    bytes_u32(out, member->external_attributes);
    bytes_u32(out, (uint32_t)offset);
    bytes_append(out, member->name, strlen(member->name));
    bytes_append(out, extra->data, extra->size);
    bytes_append(out, member->comment.data, member->comment.size);
}

/* Returns true when the archive stays within 32 and 16 bits with this member. */
static bool fits(const struct zip_writer *writer, const struct zip_member *member,
                 size_t extra_size, size_t local_extra_size)
{
    size_t name = strlen(member->name);
    if (writer->count == ZIP_MAX_MEMBERS || name > ZIP_MAX_TEXT || extra_size > ZIP_MAX_TEXT ||
        local_extra_size > ZIP_MAX_TEXT || member->comment.size > ZIP_MAX_TEXT ||
        member->size >= UINT32_MAX || member->packed_size >= UINT32_MAX)
        return false;
    uint64_t all = (uint64_t)writer->out.size + writer->directory.size + member->packed_size;
    all += ZIP_LOCAL_SIZE + name + local_extra_size;
    all += ZIP_CENTRAL_SIZE + name + extra_size + member->comment.size;
    return all < UINT32_MAX - ZIP_END_SIZE - ZIP_MAX_TEXT;
}

static enum status write_member(struct zip_writer *writer, const struct zip_member *member,
                                const struct bytes *extra, const struct bytes *local_extra,
                                const struct diag_where *where, struct diag *diag)
{
    if (!fits(writer, member, extra->size, local_extra->size))
        return no_room(where, diag, member->name);
    struct bytes *out = &writer->out;
    size_t offset = out->size;
    bytes_u32(out, ZIP_LOCAL);
    write_facts(member, member->local_flags, local_extra->size, out);
    bytes_append(out, member->name, strlen(member->name));
    bytes_append(out, local_extra->data, local_extra->size);
    bytes_append(out, member->packed, member->packed_size);
    write_central(member, extra, offset, &writer->directory);
    writer->count++;
    return STATUS_OK;
}

/* Adds a padding field, after which the data starts at a multiple of the alignment. */
static void fill_to(size_t data_at, size_t alignment, struct bytes *extra)
{
    if (alignment < 2 || data_at % alignment == 0)
        return;
    size_t filled = data_at + ALIGNMENT_FIELD;
    size_t padding = (alignment - filled % alignment) % alignment;
    bytes_u16(extra, ZIP_EXTRA_ALIGNMENT);
    bytes_u16(extra, (uint16_t)(ALIGNMENT_FIELD - 4 + padding));
    bytes_u16(extra, (uint16_t)alignment);
    bytes_fill(extra, 0, padding);
}

/* Packs unless stored; the member borrows from *packed. */
static bool pack_member(struct zip_member *member, struct bytes *packed)
{
    if (member->method == ZIP_STORED)
        return true;
    bool done = member->method == ZIP_DEFLATED ? deflate_all(member->packed, member->size, packed)
                                               : lzma_all(member->packed, member->size, packed);
    member->packed = packed->data;
    member->packed_size = packed->size;
    return done;
}

static bool is_known(uint16_t method)
{
    return method == ZIP_STORED || method == ZIP_DEFLATED || method == ZIP_LZMA;
}

enum status zip_add(struct zip_writer *writer, const char *name, const void *data, size_t size,
                    const struct zip_packing *packing, const struct diag_where *where,
                    struct diag *diag)
{
    size_t name_size = strlen(name);
    if (!is_known(packing->method))
        return diag_report(diag, DIAG_ZIP_METHOD, where, "%s: cannot write compression method %d",
                           name, packing->method);
    if (size >= UINT32_MAX || name_size > ZIP_MAX_TEXT || packing->alignment > LARGEST_ALIGNMENT)
        return no_room(where, diag, name);
    struct zip_member member = {.method = packing->method,
                                .flags = packing->flags,
                                .local_flags = packing->flags,
                                .made_by = packing->made_by,
                                .version_needed = packing->version_needed,
                                .time = packing->time,
                                .crc = (uint32_t)crc32_z(0, size ? data : NULL, size),
                                .size = size,
                                .packed = data,
                                .packed_size = size};
    struct bytes packed = {0}, local_extra = {0};
    member.name = memory_alloc(name_size + 1);
    memcpy(member.name, name, name_size + 1);
    if (member.method == ZIP_STORED)
        fill_to(writer->out.size + ZIP_LOCAL_SIZE + name_size, packing->alignment, &local_extra);
    enum status status =
        pack_member(&member, &packed)
            ? write_member(writer, &member, &member.extra, &local_extra, where, diag)
            : no_room(where, diag, name);
    memory_free(member.name);
    bytes_free(&packed);
    bytes_free(&local_extra);
    return status;
}

/* Copies the extra fields, except zip64's, which belong to sizes that are stored elsewhere. */
static void copy_extra(const struct bytes *from, struct bytes *to)
{
    struct byte_reader fields = byte_reader(from->data, from->size);
    while (fields.at < fields.size) {
        size_t start = fields.at;
        uint16_t id = read_u16(&fields);
        (void)read_block(&fields, read_u16(&fields));
        size_t end = fields.failed ? fields.size
                                   : fields.at; /* trailing bytes that are not a field are kept */
        if (fields.failed || id != ZIP_EXTRA_ZIP64)
            bytes_append(to, from->data + start, end - start);
        if (fields.failed)
            return;
    }
}

enum status zip_copy(struct zip_writer *writer, const struct zip_member *member,
                     const struct diag_where *where, struct diag *diag)
{
    struct bytes extra = {0}, local_extra = {0};
    copy_extra(&member->extra, &extra);
    copy_extra(&member->local_extra, &local_extra);
    enum status status = write_member(writer, member, &extra, &local_extra, where, diag);
    bytes_free(&extra);
    bytes_free(&local_extra);
    return status;
}

enum status zip_finish(struct zip_writer *writer, const void *comment, size_t comment_size,
                       const struct diag_where *where, struct diag *diag, struct bytes *out)
{
    if (comment_size > ZIP_MAX_TEXT)
        return no_room(where, diag, "archive comment");
    bytes_append(out, writer->out.data, writer->out.size);
    bytes_append(out, writer->directory.data, writer->directory.size);
    bytes_u32(out, ZIP_END);
    bytes_u32(out, 0); /* disks */
    bytes_u16(out, (uint16_t)writer->count);
    bytes_u16(out, (uint16_t)writer->count);
    bytes_u32(out, (uint32_t)writer->directory.size);
    bytes_u32(out, (uint32_t)writer->out.size);
    bytes_u16(out, (uint16_t)comment_size);
    bytes_append(out, comment, comment_size);
    zip_writer_free(writer);
    return STATUS_OK;
}

void zip_writer_free(struct zip_writer *writer)
{
    bytes_free(&writer->out);
    bytes_free(&writer->directory);
    writer->count = 0;
}
