#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "common/assets/mounts/mount.h"
#include "common/assets/mounts/vpk.h"
#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/diag/codes/files.def"
#include "common/diag/codes/vpk.def"
#include "common/diag/diag.h"
#include "common/io/size_limit.h"

struct archive {
    struct mount base;
    struct fs *fs;
    struct diag *diag;
    struct vpk vpk;
};

/* x_dir.vpk holds the names, x_003.vpk the bytes of archive 3. */
static const char *part_path(const struct archive *archive, int number, struct arena *arena)
{
    static const char ending[] = "_dir.vpk";
    const char *path = archive->base.path;
    if (number == VPK_IN_DIRECTORY || !str_ends_nocase(path, ending))
        return path;
    size_t stem = strlen(path) - (sizeof ending - 1);
    return arena_printf(arena, "%.*s_%03d%s", (int)stem, path, number, path + stem + 4);
}

static void report(const struct archive *archive, const char *path, const struct vpk_entry *entry,
                   int error)
{
    int code = !error || fs_error_is_absent(error) ? DIAG_VPK_DAMAGED : DIAG_FILE_READ;
    (void)diag_report(archive->diag, code, &(struct diag_where){.file = path}, "%s/%s.%s: %s",
                      entry->folder, entry->name, entry->extension,
                      error ? str_error(error).text : "data outside of the archive");
}

static bool read_rest(const struct archive *archive, const struct vpk_entry *entry,
                      struct bytes *out)
{
    struct arena scratch = {0};
    size_t before = out->size;
    bool own = entry->archive == VPK_IN_DIRECTORY;
    uint64_t offset = (uint64_t)entry->offset + (own ? archive->vpk.tree_end : 0);
    const char *path = part_path(archive, entry->archive, &scratch);
    int error = archive->fs->ops->read_part(archive->fs, path, offset, entry->length, out);
    bool whole = !error && out->size - before == entry->length;
    if (!whole)
        report(archive, path, entry, error);
    arena_free(&scratch);
    return whole;
}

/* Checks the bytes of `out` from `begin` on. Some writers leave the checksum at 0. */
static bool is_sound(const struct archive *archive, const struct vpk_entry *entry,
                     const struct bytes *out, size_t begin)
{
    size_t size = out->size - begin;
    const unsigned char *data = size ? out->data + begin : (const unsigned char *)"";
    if (!entry->crc || crc32_z(crc32_z(0, NULL, 0), data, size) == entry->crc)
        return true;
    return diag_report(archive->diag, DIAG_VPK_DAMAGED,
                       &(struct diag_where){.file = archive->base.path},
                       "%s/%s.%s: checksum mismatch", entry->folder, entry->name,
                       entry->extension) == STATUS_OK;
}

static bool vpk_read(struct mount *mount, const char *name, struct bytes *out)
{
    const struct archive *archive = (const struct archive *)mount;
    const struct vpk_entry *entry = vpk_find(&archive->vpk, name);
    size_t before = out->size;
    if (!entry)
        return false;
    if ((uint64_t)entry->preload_size + entry->length > size_limit_of(name)) {
        report(archive, archive->base.path, entry, EFBIG);
        return false;
    }
    bytes_append(out, entry->preload, entry->preload_size);
    if ((entry->length == 0 || read_rest(archive, entry, out)) &&
        is_sound(archive, entry, out, before))
        return true;
    bytes_undo(out, before);
    return false;
}

static bool vpk_has(struct mount *mount, const char *name)
{
    return vpk_find(&((const struct archive *)mount)->vpk, name) != NULL;
}

/* The number of the archive of the set that has the path, or -1. */
static int part_number(const struct archive *archive, const char *path)
{
    struct arena arena = {0};
    int number = -1;
    size_t length = strlen(path);
    if (strcmp(path, archive->base.path) == 0)
        return VPK_IN_DIRECTORY;
    if (length > 8 && sscanf(path + length - 8, "_%3d.vpk", &number) != 1)
        number = -1;
    if (number >= 0 && strcmp(path, part_path(archive, number, &arena)) != 0)
        number = -1;
    arena_free(&arena);
    return number;
}

static bool vpk_has_range(struct mount *mount, const char *path, uint64_t offset, uint64_t size)
{
    const struct archive *archive = (const struct archive *)mount;
    int number = part_number(archive, path);
    uint64_t before = number == VPK_IN_DIRECTORY ? archive->vpk.tree_end : 0;
    for (size_t i = 0; number >= 0 && i < arrlenu(archive->vpk.entries); i++) {
        const struct vpk_entry *entry = &archive->vpk.entries[i];
        if (entry->archive == number && entry->length == size && size &&
            entry->offset + before == offset)
            return true;
    }
    return false;
}

static void vpk_mount_free(struct mount *mount)
{
    struct archive *archive = (struct archive *)mount;
    vpk_free(&archive->vpk);
    memory_free(mount->path);
    memory_free(archive);
}

struct mount *mount_vpk(struct fs *fs, const char *path, struct diag *diag)
{
    static const struct mount_ops ops = {
        .read = vpk_read, .free = vpk_mount_free, .has_range = vpk_has_range, .has = vpk_has};
    struct bytes directory = {0};
    struct vpk vpk = {0};
    struct diag_where where = {.file = path};
    int error = fs->ops->read_part(fs, path, 0, VPK_HEADER, &directory);
    uint64_t end = error ? 0 : vpk_directory_end(&directory);
    if (end > directory.size)
        error = fs->ops->read_part(fs, path, directory.size, (size_t)(end - directory.size),
                                   &directory);
    enum status status = STATUS_FAILED;
    if (error)
        (void)diag_report(diag, fs_error_is_absent(error) ? DIAG_VPK_BROKEN : DIAG_FILE_READ,
                          &where, "%s", str_error(error).text);
    else
        status = vpk_decode(&directory, &where, diag, &vpk);
    bytes_free(&directory);
    if (status != STATUS_OK)
        return NULL;
    struct archive *archive = memory_zalloc(1, sizeof *archive);
    archive->base.ops = &ops;
    archive->base.path = str_copy(path);
    archive->fs = fs;
    archive->diag = diag;
    archive->vpk = vpk;
    return &archive->base;
}
