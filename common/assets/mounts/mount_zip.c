/* Zip archives: PK3s, and the packed files of a map.
 *
 * Archives of Quake 3 are large (100 MB and more) and few of their files are needed, so the
 * directory is read alone and each member on request. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/assets/mounts/asset_name.h"
#include "common/assets/mounts/mount.h"
#include "common/bsp/lumps/pakfile.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/pk3.def"
#include "common/diag/codes/zip.def"
#include "common/diag/file_report.h"
#include "common/io/size_limit.h"
#include "common/io/zip.h"
#include "common/io/zip_format.h"

#define MAX_DIRECTORY ((uint64_t)256 << 20)

struct pk3_entry {
    uint64_t offset; /* of the local header */
    uint32_t packed_size, size, crc;
    uint16_t method, flags;
};

struct pk3_cell {
    char *key; /* name in the form of asset_name */
    struct pk3_entry value;
};

struct pk3 {
    struct mount base;
    struct fs *fs;
    struct diag *diag;
    struct pk3_cell *entries; /* stb_ds map */
};

/* Position of the directory in the file. */
struct pk3_directory {
    uint64_t start, size, shift; /* shift: number of bytes before the archive */
    unsigned count;
};

static enum status broken(struct diag *diag, const char *path, const char *what)
{
    return diag_report(diag, DIAG_PK3_BROKEN, &(struct diag_where){.file = path}, "%s", what);
}

/* Fails the run when the archive cannot be read; an absent one is only a warning. */
static enum status unreadable(const struct pk3 *pk3, int error)
{
    const char *path = pk3->base.path;
    if (fs_error_is_absent(error))
        return broken(pk3->diag, path, str_error(error).text);
    return file_unread(pk3->diag, path, "%s", str_error(error).text);
}

/* Finds the end record: the last one whose comment lies in the file. */
static const unsigned char *find_end(const struct bytes *tail)
{
    for (size_t at = tail->size - ZIP_END_SIZE + 1; at-- > 0;) {
        const unsigned char *end = tail->data + at;
        if (load_u32(end) == ZIP_END && load_u16(end + 20) <= tail->size - at - ZIP_END_SIZE)
            return end;
    }
    return NULL;
}

static enum status find_directory(struct pk3 *pk3, struct pk3_directory *out)
{
    const char *path = pk3->base.path;
    uint64_t size = 0;
    int error = pk3->fs->ops->size(pk3->fs, path, &size);
    if (error)
        return unreadable(pk3, error);
    uint64_t max = (uint64_t)ZIP_END_SIZE + ZIP_MAX_TEXT, take = size < max ? size : max;
    struct bytes tail = {0};
    error = pk3->fs->ops->read_part(pk3->fs, path, size - take, (size_t)take, &tail);
    const unsigned char *end =
        !error && tail.size == take && take >= ZIP_END_SIZE ? find_end(&tail) : NULL;
    bool fits = false;
    if (end) {
        uint64_t end_at = size - take + (uint64_t)(end - tail.data);
        uint64_t start = load_u32(end + 16);
        *out = (struct pk3_directory){.size = load_u32(end + 12), .count = load_u16(end + 10)};
        fits = out->size <= MAX_DIRECTORY && out->size <= end_at && start <= end_at - out->size;
        out->start = end_at - out->size;
        out->shift = fits ? out->start - start : 0;
    }
    bytes_free(&tail);
    if (error)
        return unreadable(pk3, error);
    if (!end)
        return broken(pk3->diag, path, "no zip directory");
    return fits ? STATUS_OK : broken(pk3->diag, path, "zip directory outside of the file");
}

static void keep_entry(struct pk3 *pk3, const char *stored, const struct pk3_entry *entry,
                       struct arena *scratch)
{
    size_t length = strlen(stored);
    const char *name = asset_name(scratch, stored);
    bool folder = length && (stored[length - 1] == '/' || stored[length - 1] == '\\');
    if (name && !folder)
        shput(pk3->entries, name, *entry);
}

/* Reads one record of the directory; returns false when it is invalid. */
static bool read_entry(struct pk3 *pk3, struct byte_reader *reader, uint64_t shift,
                       struct arena *scratch)
{
    const unsigned char *record = read_block(reader, ZIP_CENTRAL_SIZE);
    if (!record || load_u32(record) != ZIP_CENTRAL)
        return false;
    struct pk3_entry entry = {
        .offset = shift + load_u32(record + 42),
        .packed_size = load_u32(record + 20),
        .size = load_u32(record + 24),
        .crc = load_u32(record + 16),
        .method = load_u16(record + 10),
        .flags = load_u16(record + 8),
    };
    size_t length = load_u16(record + 28);
    const unsigned char *name = read_block(reader, length);
    read_block(reader, load_u16(record + 30));
    read_block(reader, load_u16(record + 32));
    if (reader->failed || !name)
        return false;
    struct arena_mark mark = arena_mark(scratch);
    if (length && !memchr(name, 0, length))
        keep_entry(pk3, arena_strndup(scratch, (const char *)name, length), &entry, scratch);
    arena_release(scratch, mark);
    return true;
}

static enum status read_directory(struct pk3 *pk3)
{
    struct pk3_directory directory = {0};
    struct bytes bytes = {0};
    struct arena scratch = {0};
    TRY(find_directory(pk3, &directory));
    int error = pk3->fs->ops->read_part(pk3->fs, pk3->base.path, directory.start,
                                        (size_t)directory.size, &bytes);
    struct byte_reader reader = byte_reader(bytes.data, bytes.size);
    bool sound = !error && bytes.size == directory.size;
    sh_new_strdup(pk3->entries);
    for (unsigned i = 0; i < directory.count && sound; i++)
        sound = read_entry(pk3, &reader, directory.shift, &scratch);
    arena_free(&scratch);
    bytes_free(&bytes);
    if (error)
        return unreadable(pk3, error);
    return sound ? STATUS_OK : broken(pk3->diag, pk3->base.path, "corrupt zip directory");
}

/* Finds the packed bytes after the local header, whose name and extra field may have other lengths
 * than in the directory. Returns 0, an errno value, or ERANGE when they are outside of the
 * archive. */
static int find_packed(const struct pk3 *pk3, const struct pk3_entry *entry, uint64_t *start)
{
    struct fs *fs = pk3->fs;
    struct bytes header = {0};
    int error = fs->ops->read_part(fs, pk3->base.path, entry->offset, ZIP_LOCAL_SIZE, &header);
    if (!error && (header.size != ZIP_LOCAL_SIZE || load_u32(header.data) != ZIP_LOCAL))
        error = ERANGE;
    if (!error)
        *start = entry->offset + ZIP_LOCAL_SIZE + load_u16(header.data + 26) +
                 load_u16(header.data + 28);
    bytes_free(&header);
    return error;
}

static int read_packed(const struct pk3 *pk3, const struct pk3_entry *entry, size_t size,
                       struct bytes *out)
{
    uint64_t start;
    int error = find_packed(pk3, entry, &start);
    if (!error)
        error = pk3->fs->ops->read_part(pk3->fs, pk3->base.path, start, size, out);
    return !error && out->size != size ? ERANGE : error;
}

/* Packed data is hardly longer than unpacked data: only by tables at its start. */
static size_t packed_start(const struct pk3_entry *entry, size_t max)
{
    size_t size = entry->packed_size, enough = max < SIZE_MAX / 2 ? max + 1024 : max;
    return size < enough ? size : enough;
}

static struct zip_member member_of(const struct pk3_cell *cell, const struct bytes *packed)
{
    return (struct zip_member){.name = cell->key,
                               .method = cell->value.method,
                               .flags = cell->value.flags,
                               .crc = cell->value.crc,
                               .size = cell->value.size,
                               .packed = packed->data,
                               .packed_size = packed->size};
}

static bool pk3_read(struct mount *mount, const char *name, struct bytes *out)
{
    struct pk3 *pk3 = (struct pk3 *)mount;
    const struct pk3_cell *cell = shgetp_null(pk3->entries, name);
    if (!cell)
        return false;
    struct bytes packed = {0};
    const struct diag_where where = {.file = mount->path};
    int error = read_packed(pk3, &cell->value, cell->value.packed_size, &packed);
    if (error == ERANGE)
        diag_report(pk3->diag, DIAG_ZIP_DAMAGED, &where, "%s: data outside of the archive", name);
    else if (error)
        file_unread(pk3->diag, mount->path, "%s: %s", name, str_error(error).text);
    const struct zip_member member = member_of(cell, &packed);
    bool found =
        !error && zip_unpack(&member, size_limit_of(name), &where, pk3->diag, out) == STATUS_OK;
    bytes_free(&packed);
    return found;
}

static bool pk3_read_start(struct mount *mount, const char *name, size_t max, struct bytes *out)
{
    struct pk3 *pk3 = (struct pk3 *)mount;
    const struct pk3_cell *cell = shgetp_null(pk3->entries, name);
    if (!cell)
        return false;
    struct bytes packed = {0};
    bool found = read_packed(pk3, &cell->value, packed_start(&cell->value, max), &packed) == 0;
    if (found) {
        const struct zip_member member = member_of(cell, &packed);
        found = zip_unpack_start(&member, max, out);
    }
    bytes_free(&packed);
    return found || pk3_read(mount, name, out);
}

static void pk3_list(struct mount *mount, const char *folder, mount_visit *visit, void *context)
{
    const struct pk3 *pk3 = (const struct pk3 *)mount;
    size_t length = strlen(folder);
    for (ptrdiff_t i = 0; i < shlen(pk3->entries); i++) {
        const char *name = pk3->entries[i].key;
        if (strncmp(name, folder, length) == 0 && name[length] == '/' &&
            !strchr(name + length + 1, '/'))
            visit(context, name + length + 1);
    }
}

/* The local header of a member, all of it, or the start of an image. */
static bool pk3_has_range(struct mount *mount, const char *path, uint64_t offset, uint64_t size)
{
    const struct pk3 *pk3 = (const struct pk3 *)mount;
    if (strcmp(path, mount->path) != 0)
        return false;
    for (ptrdiff_t i = 0; i < shlen(pk3->entries); i++) {
        const struct pk3_entry *entry = &pk3->entries[i].value;
        uint64_t start;
        if (offset < entry->offset || offset > entry->offset + ZIP_LOCAL_SIZE + 2 * ZIP_MAX_TEXT)
            continue;
        if (offset == entry->offset && size == ZIP_LOCAL_SIZE)
            return true;
        if ((size == entry->packed_size || size == packed_start(entry, MOUNT_IMAGE_START)) &&
            find_packed(pk3, entry, &start) == 0 && start == offset)
            return true;
    }
    return false;
}

static void pk3_free(struct mount *mount)
{
    struct pk3 *pk3 = (struct pk3 *)mount;
    shfree(pk3->entries);
    memory_free(mount->path);
    memory_free(pk3);
}

static bool pk3_has(struct mount *mount, const char *name)
{
    return shgeti(((struct pk3 *)mount)->entries, name) >= 0;
}

struct mount *mount_pk3(struct fs *fs, const char *path, struct diag *diag)
{
    static const struct mount_ops ops = {pk3_read,      pk3_free, pk3_list, pk3_read_start,
                                         pk3_has_range, pk3_has,  false};
    struct pk3 *pk3 = memory_zalloc(1, sizeof *pk3);
    pk3->base.ops = &ops;
    pk3->base.path = str_copy(path);
    pk3->fs = fs;
    pk3->diag = diag;
    if (read_directory(pk3) == STATUS_OK)
        return &pk3->base;
    pk3_free(&pk3->base);
    return NULL;
}

struct packed {
    struct mount base;
    struct diag *diag;
    struct pakfile pakfile;
};

static bool packed_read(struct mount *mount, const char *name, struct bytes *out)
{
    const struct packed *packed = (const struct packed *)mount;
    const struct pakfile_file *file = pakfile_find(&packed->pakfile, name);
    const struct diag_where where = {.file = name};
    return file &&
           zip_unpack(file->member, size_limit_of(name), &where, packed->diag, out) == STATUS_OK;
}

static bool packed_has(struct mount *mount, const char *name)
{
    return pakfile_find(&((const struct packed *)mount)->pakfile, name) != NULL;
}

static void packed_free(struct mount *mount)
{
    struct packed *packed = (struct packed *)mount;
    pakfile_free(&packed->pakfile);
    memory_free(mount->path);
    memory_free(packed);
}

struct mount *mount_pakfile(const struct bytes *lump, const char *path, struct diag *diag)
{
    static const struct mount_ops ops = {
        .read = packed_read, .free = packed_free, .has = packed_has};
    const struct diag_where where = {.file = path};
    struct pakfile pakfile;
    if (pakfile_decode(lump, &where, diag, &pakfile) != STATUS_OK)
        return NULL;
    struct packed *packed = memory_zalloc(1, sizeof *packed);
    packed->base.ops = &ops;
    packed->base.path = str_copy(path);
    packed->diag = diag;
    packed->pakfile = pakfile;
    return &packed->base;
}
