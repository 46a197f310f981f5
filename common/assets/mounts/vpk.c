#include "common/assets/mounts/vpk.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/assets/mounts/mount.h"
#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/diag/codes/vpk.def"
#include "common/diag/diag.h"
#include "common/diag/file_report.h"
#include "common/io/fs.h"
#include "common/io/size_limit.h"

/* --- mount vpk --- */

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
    const struct str_error message = str_error(error);
    const char *why = error ? message.text : "data outside of the archive";
    if (!error || fs_error_is_absent(error))
        (void)diag_report(archive->diag, DIAG_VPK_DAMAGED, &(struct diag_where){.file = path},
                          "%s/%s.%s: %s", entry->folder, entry->name, entry->extension, why);
    else
        (void)file_unread(archive->diag, path, "%s/%s.%s: %s", entry->folder, entry->name,
                          entry->extension, why);
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
    if (fs_error_is_absent(error))
        (void)diag_report(diag, DIAG_VPK_BROKEN, &where, "%s", str_error(error).text);
    else if (error)
        (void)file_unread(diag, path, "%s", str_error(error).text);
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

/* --- vpk --- */

enum {
    MAGIC = 0x55AA1234,
    HEADER_1 = 12,
    HEADER_2 = 28,
    ENTRY = 18,
    ENTRY_END = 0xFFFF,
};

static size_t header_size(const struct bytes *start, int *version)
{
    if (start->size < HEADER_1 || load_u32(start->data) != MAGIC)
        return 0;
    *version = load_u32(start->data + 4) == 1 ? 1 : load_u32(start->data + 4) == 2 ? 2 : 0;
    size_t size = *version == 1 ? HEADER_1 : HEADER_2;
    return *version && size <= start->size ? size : 0;
}

uint64_t vpk_directory_end(const struct bytes *start)
{
    int version;
    size_t header = header_size(start, &version);
    return header ? (uint64_t)header + load_u32(start->data + 8) : 0;
}

struct reader {
    unsigned char *tree;
    size_t size, at;
};

/* Returns the next text, in lower case with `/`; a space stands for an empty one. NULL at the end
 * of the tree; *last: it was empty, which ends a list. */
static const char *next_text(struct reader *reader, bool *last)
{
    char *text = (char *)reader->tree + reader->at;
    size_t room = reader->size - reader->at;
    char *end = room ? memchr(text, 0, room) : NULL;
    if (!end)
        return NULL;
    reader->at += (size_t)(end - text) + 1;
    *last = end == text;
    if (text[0] == ' ' && !text[1])
        *--end = 0;
    for (char *p = text; p < end; p++)
        *p = *p == '\\' ? '/' : (char)tolower((unsigned char)*p);
    while (end > text && end[-1] == '/')
        *--end = 0;
    while (*text == '/')
        text++;
    return text;
}

static bool read_entry(struct reader *reader, struct vpk_entry *entry)
{
    const unsigned char *from = reader->tree + reader->at;
    if (reader->size - reader->at < ENTRY || load_u16(from + 16) != ENTRY_END)
        return false;
    entry->crc = load_u32(from);
    entry->preload_size = load_u16(from + 4);
    entry->archive = load_u16(from + 6);
    entry->offset = load_u32(from + 8);
    entry->length = load_u32(from + 12);
    entry->preload = from + ENTRY;
    reader->at += ENTRY;
    if (entry->preload_size > reader->size - reader->at)
        return false;
    reader->at += entry->preload_size;
    return true;
}

static const char *read_names(struct reader *reader, struct vpk_entry entry, struct vpk *out)
{
    for (;;) {
        bool last;
        entry.name = next_text(reader, &last);
        if (!entry.name)
            return "no terminating zero";
        if (last)
            return NULL;
        if (!read_entry(reader, &entry))
            return "invalid entry";
        arrput(out->entries, entry);
    }
}

static const char *read_folders(struct reader *reader, struct vpk_entry entry, struct vpk *out)
{
    for (;;) {
        bool last;
        entry.folder = next_text(reader, &last);
        if (!entry.folder)
            return "no terminating zero";
        if (last)
            return NULL;
        const char *wrong = read_names(reader, entry, out);
        if (wrong)
            return wrong;
    }
}

static const char *read_tree(struct reader *reader, struct vpk *out)
{
    for (;;) {
        struct vpk_entry entry = {0};
        bool last;
        entry.extension = next_text(reader, &last);
        if (!entry.extension)
            return "no terminating zero";
        if (last)
            return NULL;
        const char *wrong = read_folders(reader, entry, out);
        if (wrong)
            return wrong;
    }
}

/* strcmp with a second text of `length` bytes. */
static int compare_part(const char *whole, const char *part, size_t length)
{
    int order = strncmp(whole, part, length);
    return order ? order : whole[length] != 0;
}

static int compare_entries(const void *a, const void *b)
{
    const struct vpk_entry *first = a, *second = b;
    int order = strcmp(first->folder, second->folder);
    if (!order)
        order = strcmp(first->name, second->name);
    if (!order)
        order = strcmp(first->extension, second->extension);
    return order ? order : (first->preload > second->preload) - (first->preload < second->preload);
}

enum status vpk_decode(const struct bytes *directory, const struct diag_where *where,
                       struct diag *diag, struct vpk *out)
{
    *out = (struct vpk){0};
    size_t header = header_size(directory, &out->version);
    if (!header)
        return diag_report(diag, DIAG_VPK_BROKEN, where, "not a VPK of version 1 or 2");
    uint64_t end = vpk_directory_end(directory);
    if (end > directory->size)
        return diag_report(diag, DIAG_VPK_BROKEN, where, "truncated directory: %zu of %llu bytes",
                           directory->size, (unsigned long long)end);
    out->tree_end = (size_t)end;
    struct reader reader = {.size = out->tree_end - header};
    reader.tree = out->tree = memory_alloc(reader.size);
    if (reader.size)
        memcpy(reader.tree, directory->data + header, reader.size);
    const char *wrong = read_tree(&reader, out);
    if (wrong) {
        vpk_free(out);
        return diag_report(diag, DIAG_VPK_BROKEN, where, "corrupt directory: %s", wrong);
    }
    if (out->entries)
        qsort(out->entries, arrlenu(out->entries), sizeof *out->entries, compare_entries);
    return STATUS_OK;
}

void vpk_free(struct vpk *vpk)
{
    arrfree(vpk->entries);
    memory_free(vpk->tree);
    *vpk = (struct vpk){0};
}

struct split_name {
    const char *folder, *name, *extension;
    size_t folder_length, name_length;
};

/* The extension starts at the last dot of the file's own name. */
static struct split_name split(const char *name)
{
    const char *file = path_name(name), *dot = strrchr(file, '.');
    return (struct split_name){
        .folder = name,
        .name = file,
        .extension = dot ? dot + 1 : "",
        .folder_length = file > name ? (size_t)(file - name) - 1 : 0,
        .name_length = dot ? (size_t)(dot - file) : strlen(file),
    };
}

static int compare_name(const struct vpk_entry *entry, const struct split_name *name)
{
    int order = compare_part(entry->folder, name->folder, name->folder_length);
    if (!order)
        order = compare_part(entry->name, name->name, name->name_length);
    return order ? order : strcmp(entry->extension, name->extension);
}

const struct vpk_entry *vpk_find(const struct vpk *vpk, const char *name)
{
    struct split_name wanted = split(name);
    size_t low = 0, high = arrlenu(vpk->entries);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (compare_name(&vpk->entries[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < arrlenu(vpk->entries) && compare_name(&vpk->entries[low], &wanted) == 0;
    return found ? &vpk->entries[low] : NULL;
}
