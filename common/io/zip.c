#include "common/io/zip.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <unzip.h>

#include "common/core/array.h"
#include "common/diag/codes/zip.def"
#include "common/io/zip_format.h"

/* Position of an archive's directory, from the end record. minizip returns the contents of the
 * directory, but neither the start of an archive after other bytes nor the positions of its local
 * headers. */
struct zip_span {
    const unsigned char *data; /* from the archive's own start to the comment */
    size_t size;
    uint64_t directory, directory_end, count;
    const unsigned char *comment;
    size_t comment_size;
    bool zip64;
};

/* A local header and the data after it. */
struct occupied {
    size_t begin, extra, data, end;
    size_t member;
};

struct zip_reader {
    struct zip_span span;
    const struct diag_where *where;
    struct diag *diag;
    unzFile file;
    size_t at;                /* minizip's read position in the span */
    struct bytes tidy;        /* replaces the directory when reading; empty: unchanged */
    struct occupied *members; /* stb_ds array */
};

/* Returns the end record whose comment is the last of the data; else, for archives followed by
 * other bytes, the last one whose comment lies in the data. */
static const unsigned char *find_end(const unsigned char *data, size_t size)
{
    if (size < ZIP_END_SIZE)
        return NULL;
    const unsigned char *loose = NULL;
    size_t last = size - ZIP_END_SIZE;
    for (size_t after = 0; after <= last && after <= ZIP_MAX_TEXT; after++) {
        const unsigned char *end = data + last - after;
        if (load_u32(end) != ZIP_END || load_u16(end + 20) > after)
            continue;
        if (load_u16(end + 20) == after)
            return end;
        loose = loose ? loose : end;
    }
    return loose;
}

static uint64_t load_u64(const unsigned char *p)
{
    return load_u32(p) | (uint64_t)load_u32(p + 4) << 32;
}

/* Returns the zip64 end record before `end`, or NULL. */
static const unsigned char *find_end64(const unsigned char *data, const unsigned char *end)
{
    if (end - data < ZIP64_LOCATOR_SIZE + ZIP64_END_SIZE ||
        load_u32(end - ZIP64_LOCATOR_SIZE) != ZIP64_LOCATOR)
        return NULL;
    const unsigned char *end64 = end - ZIP64_LOCATOR_SIZE - ZIP64_END_SIZE;
    return load_u32(end64) == ZIP64_END ? end64 : NULL;
}

/* Returns what is invalid in the end record, or NULL. */
static const char *find_span(const unsigned char *data, size_t size, struct zip_span *out)
{
    const unsigned char *end = find_end(data, size);
    if (!end)
        return "no end of central directory";
    const unsigned char *end64 = find_end64(data, end), *directory_end = end64 ? end64 : end;
    if (load_u32(end + 4) || load_u16(end + 8) != load_u16(end + 10))
        return "multi-part archives are not supported";
    uint64_t length = end64 ? load_u64(end64 + 40) : load_u32(end + 12);
    uint64_t offset = end64 ? load_u64(end64 + 48) : load_u32(end + 16);
    uint64_t room = (uint64_t)(directory_end - data);
    if (length > room || offset > room - length)
        return "directory outside of the archive";
    out->data = directory_end - length - offset;
    out->size = (size_t)(end - out->data) + ZIP_END_SIZE;
    out->directory = offset;
    out->directory_end = offset + length;
    out->count = end64 ? load_u64(end64 + 32) : load_u16(end + 10);
    out->comment = end + ZIP_END_SIZE;
    out->comment_size = load_u16(end + 20);
    out->zip64 = end64 != NULL;
    return out->count > length / ZIP_CENTRAL_SIZE ? "directory too small for its entry count"
                                                  : NULL;
}

/* The archive as minizip's file. */

static voidpf file_open(voidpf opaque, const void *name, int mode)
{
    (void)name;
    (void)mode;
    return opaque;
}

/* Copies the replacement directory over the `count` bytes that minizip reads next, as far as they
 * overlap. */
static void lay_over(const struct zip_reader *reader, unsigned char *to, size_t count)
{
    size_t from = (size_t)reader->span.directory, end = from + reader->tidy.size;
    size_t first = reader->at > from ? reader->at : from;
    size_t last = reader->at + count < end ? reader->at + count : end;
    if (first < last)
        memcpy(to + (first - reader->at), reader->tidy.data + (first - from), last - first);
}

static uLong file_read(voidpf opaque, voidpf stream, void *to, uLong size)
{
    struct zip_reader *reader = opaque;
    (void)stream;
    size_t left = reader->span.size - reader->at;
    size_t count = size < left ? (size_t)size : left;
    memcpy(to, reader->span.data + reader->at, count);
    lay_over(reader, to, count);
    reader->at += count;
    return (uLong)count;
}

static ZPOS64_T file_tell(voidpf opaque, voidpf stream)
{
    (void)stream;
    return ((struct zip_reader *)opaque)->at;
}

static long file_seek(voidpf opaque, voidpf stream, ZPOS64_T offset, int origin)
{
    struct zip_reader *reader = opaque;
    (void)stream;
    size_t from = origin == ZLIB_FILEFUNC_SEEK_SET   ? 0
                  : origin == ZLIB_FILEFUNC_SEEK_END ? reader->span.size
                                                     : reader->at;
    if (offset > reader->span.size - from)
        return -1;
    reader->at = from + (size_t)offset;
    return 0;
}

static int file_close(voidpf opaque, voidpf stream)
{
    (void)opaque;
    (void)stream;
    return 0;
}

/* Archives of consoles (their comment starts with XZP2) pad the directory to a sector, and its
 * entries have the length of extra fields that only the local headers contain. */
static bool is_of_console(const struct zip_span *span)
{
    return span->comment_size >= 4 && !memcmp(span->comment, "XZP2", 4);
}

static bool tidy_directory(struct zip_reader *reader)
{
    struct zip_span *span = &reader->span;
    size_t at = 0, size = (size_t)(span->directory_end - span->directory);
    bytes_append(&reader->tidy, span->data + span->directory, size);
    for (uint64_t i = 0; i < span->count; i++) {
        if (size - at < ZIP_CENTRAL_SIZE || load_u32(reader->tidy.data + at) != ZIP_CENTRAL)
            return false;
        unsigned char *entry = reader->tidy.data + at;
        size_t texts = (size_t)load_u16(entry + 28) + load_u16(entry + 32);
        store_u16(ORDER_LITTLE, entry + 30, 0);
        if (texts > size - at - ZIP_CENTRAL_SIZE)
            return false;
        at += ZIP_CENTRAL_SIZE + texts;
    }
    span->directory_end = span->directory + at;
    return true;
}

/* Returns the directory's bytes from an offset in the span on. */
static const unsigned char *directory_at(const struct zip_reader *reader, size_t offset)
{
    if (reader->tidy.size)
        return reader->tidy.data + (offset - (size_t)reader->span.directory);
    return reader->span.data + offset;
}

static unzFile open_directory(struct zip_reader *reader)
{
    zlib_filefunc64_def functions = {
        .zopen64_file = file_open,
        .zread_file = file_read,
        .ztell64_file = file_tell,
        .zseek64_file = file_seek,
        .zclose_file = file_close,
        .zerror_file = file_close,
        .opaque = reader,
    };
    errno = 0;
    unzFile file = unzOpen2_64("", &functions);
    if (!file && errno == ENOMEM)
        memory_refused(0);
    return file;
}

static enum status damaged(const struct zip_reader *reader, const struct zip_member *member,
                           const char *what)
{
    if (!member->name)
        return diag_report(reader->diag, DIAG_ZIP_DAMAGED, reader->where, "%s", what);
    return diag_report(reader->diag, DIAG_ZIP_DAMAGED, reader->where, "%s: %s", member->name, what);
}

/* Returns the data of a zip64 extra field, or NULL. */
static const unsigned char *find_zip64(const struct bytes *extra, size_t *size)
{
    struct byte_reader fields = byte_reader(extra->data, extra->size);
    while (!fields.failed && fields.at < fields.size) {
        uint16_t id = read_u16(&fields);
        *size = read_u16(&fields);
        const unsigned char *data = read_block(&fields, *size);
        if (data && id == ZIP_EXTRA_ZIP64)
            return data;
    }
    *size = 0;
    return NULL;
}

/* Returns a number of an entry or, when it is too large for it, the next one of its zip64 field. */
static uint64_t widened(const unsigned char *narrow, struct byte_reader *wide)
{
    const unsigned char *number = load_u32(narrow) == UINT32_MAX ? read_block(wide, 8) : NULL;
    return number ? load_u64(number) : load_u32(narrow);
}

/* Returns the offset of the local header, and reads the sizes; not through minizip, some versions
 * of which return wrong zip64 numbers. */
static uint64_t take_sizes(const unsigned char *entry, struct zip_member *out, uint64_t *packed)
{
    size_t size = 0;
    const unsigned char *zip64 = find_zip64(&out->extra, &size);
    struct byte_reader wide = byte_reader(zip64, size);
    out->size = widened(entry + 24, &wide);
    *packed = widened(entry + 20, &wide);
    return widened(entry + 42, &wide);
}

/* Reads the local header at the offset in the directory. */
static enum status read_local(struct zip_reader *reader, uint64_t offset, size_t name_size,
                              struct zip_member *member)
{
    size_t directory = (size_t)reader->span.directory;
    if (offset > directory)
        return damaged(reader, member, "data outside of the archive");
    struct byte_reader local = byte_reader(reader->span.data, directory);
    local.at = (size_t)offset;
    uint32_t signature = read_u32(&local);
    (void)read_u16(&local); /* version */
    member->local_flags = read_u16(&local);
    uint16_t method = read_u16(&local);
    (void)read_block(&local, 16); /* time, CRC and sizes: those of the directory are used */
    size_t local_name_size = read_u16(&local), extra_size = read_u16(&local);
    const unsigned char *name = read_block(&local, local_name_size);
    (void)read_block(&local, extra_size);
    if (local.failed || signature != ZIP_LOCAL || member->packed_size > directory - local.at)
        return damaged(reader, member, "data outside of the archive");
    if (method != member->method || local_name_size != name_size ||
        memcmp(name, member->name, name_size) != 0)
        return damaged(reader, member, "directory entry and local header differ");
    member->packed = reader->span.data + local.at;
    struct occupied span = {.begin = (size_t)offset,
                            .extra = local.at - extra_size,
                            .data = local.at,
                            .end = local.at + member->packed_size,
                            .member = arrlenu(reader->members)};
    arrput(reader->members, span);
    return STATUS_OK;
}

static void take_facts(const unz_file_info64 *info, struct zip_member *out)
{
    out->method = (uint16_t)info->compression_method;
    out->flags = (uint16_t)info->flag;
    out->made_by = (uint16_t)info->version;
    out->version_needed = (uint16_t)info->version_needed;
    out->time = (uint32_t)info->dosDate;
    out->crc = (uint32_t)info->crc;
    out->external_attributes = (uint32_t)info->external_fa;
}

/* Reads minizip's current member; `at` is the offset of its entry in the span, and moves past
 * it. */
static enum status read_member(struct zip_reader *reader, size_t *at, struct zip_member *out)
{
    const struct zip_span *span = &reader->span;
    unz_file_info64 info;
    if (unzGetCurrentFileInfo64(reader->file, &info, NULL, 0, NULL, 0, NULL, 0) != UNZ_OK)
        return damaged(reader, out, "invalid directory");
    size_t entry = *at, left = (size_t)span->directory_end - entry;
    size_t name = info.size_filename, extra = info.size_file_extra,
           comment = info.size_file_comment;
    if (unzGetOffset64(reader->file) != entry || left < ZIP_CENTRAL_SIZE ||
        name + extra + comment > left - ZIP_CENTRAL_SIZE)
        return damaged(reader, out, "directory longer than its end record states");
    const unsigned char *texts = directory_at(reader, entry) + ZIP_CENTRAL_SIZE;
    *at = entry + ZIP_CENTRAL_SIZE + name + extra + comment;
    out->name = memory_zalloc(name + 1, 1);
    memcpy(out->name, texts, name);
    bytes_append(&out->extra, texts + name, extra);
    bytes_append(&out->comment, texts + name + extra, comment);
    take_facts(&info, out);
    if (strlen(out->name) != name)
        return damaged(reader, out, "zero byte in the name");
    uint64_t packed, offset = take_sizes(directory_at(reader, entry), out, &packed);
    if (packed > span->size)
        return damaged(reader, out, "data outside of the archive");
    out->packed_size = (size_t)packed;
    return read_local(reader, offset, name, out);
}

static enum status read_members(struct zip_reader *reader, struct zip *out)
{
    const struct zip_member none = {0};
    size_t at = (size_t)reader->span.directory;
    if (is_of_console(&reader->span) && !tidy_directory(reader))
        return damaged(reader, &none, "invalid directory");
    /* minizip does not open an archive with an end record only */
    reader->file = reader->span.count ? open_directory(reader) : NULL;
    if (reader->span.count && !reader->file)
        return damaged(reader, &none, "invalid directory");
    for (uint64_t i = 0; i < reader->span.count; i++) {
        /* opening has gone to the first member */
        if (i > 0 && unzGoToNextFile(reader->file) != UNZ_OK)
            return damaged(reader, &none, "invalid directory");
        arrput(out->members, none);
        TRY(read_member(reader, &at, &arrlast(out->members)));
    }
    if (at != reader->span.directory_end)
        return damaged(reader, &none, "directory shorter than its end record states");
    return STATUS_OK;
}

static int by_begin(const void *a, const void *b)
{
    const struct occupied *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Members that share bytes are the trick of zip bombs that unpack to petabytes. */
static enum status check_overlap(const struct zip_reader *reader)
{
    const struct zip_member none = {0};
    struct occupied *members = reader->members;
    size_t count = arrlenu(members);
    if (count)
        qsort(members, count, sizeof *members, by_begin);
    for (size_t i = 1; i < count; i++)
        if (members[i].begin < members[i - 1].end)
            return damaged(reader, &none, "overlapping files");
    return STATUS_OK;
}

/* Members that do not overlap take no more memory than the archive. */
static void take_local_extras(const struct zip_reader *reader, struct zip *out)
{
    for (size_t i = 0; i < arrlenu(reader->members); i++) {
        const struct occupied *at = &reader->members[i];
        struct zip_member *member = &out->members[at->member];
        bytes_append(&member->local_extra, reader->span.data + at->extra, at->data - at->extra);
        size_t size;
        member->zip64 =
            find_zip64(&member->extra, &size) || find_zip64(&member->local_extra, &size);
    }
}

enum status zip_read(const void *data, size_t size, const struct diag_where *where,
                     struct diag *diag, struct zip *out)
{
    struct zip_reader reader = {.where = where, .diag = diag};
    *out = (struct zip){0};
    const char *fault = find_span(data, size, &reader.span);
    if (fault)
        return damaged(&reader, &(struct zip_member){0}, fault);
    out->zip64 = reader.span.zip64;
    bytes_append(&out->comment, reader.span.comment, reader.span.comment_size);
    enum status status = read_members(&reader, out);
    if (status == STATUS_OK)
        status = check_overlap(&reader);
    if (status == STATUS_OK)
        take_local_extras(&reader, out);
    arrfree(reader.members);
    bytes_free(&reader.tidy);
    if (reader.file)
        unzClose(reader.file);
    return status;
}

void zip_free(struct zip *zip)
{
    for (size_t i = 0; i < arrlenu(zip->members); i++) {
        struct zip_member *member = &zip->members[i];
        memory_free(member->name);
        bytes_free(&member->extra);
        bytes_free(&member->local_extra);
        bytes_free(&member->comment);
    }
    arrfree(zip->members);
    bytes_free(&zip->comment);
}

const struct zip_member *zip_find(const struct zip *zip, const char *name)
{
    for (size_t i = arrlenu(zip->members); i-- > 0;)
        if (zip_name_equal(zip->members[i].name, name))
            return &zip->members[i];
    return NULL;
}

enum { FNV_BASIS = 0x811c9dc5, FNV_PRIME = 16777619 };

bool zip_name_is_safe(const char *name)
{
    size_t part = 0; /* length of the part so far */
    if (!*name)
        return false;
    for (const char *c = name; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f || *c == '\\' || *c == ':')
            return false;
        part = *c == '/' ? 0 : part + 1;
        if (*c == '/' && (c == name || c[-1] == '/'))
            return false;
        bool ends = c[1] == '/' || !c[1];
        if (ends && ((part == 1 && *c == '.') || (part == 2 && *c == '.' && c[-1] == '.')))
            return false;
    }
    return true;
}

static int folded(char c)
{
    return c == '\\' ? '/' : tolower((unsigned char)c);
}

bool zip_name_equal(const char *a, const char *b)
{
    while (*a && folded(*a) == folded(*b)) {
        a++;
        b++;
    }
    return folded(*a) == folded(*b);
}

/* FNV-1a. */
uint32_t zip_name_hash(const char *name)
{
    uint32_t hash = FNV_BASIS;
    for (; *name; name++)
        hash = (hash ^ (uint32_t)folded(*name)) * FNV_PRIME;
    return hash;
}
