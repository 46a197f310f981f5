#include <stdlib.h>
#include <string.h>

#include "common/assets/mounts/mount.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/mesh_models.def"
#include "common/diag/diag.h"

struct entry {
    char *name; /* as on disk */
    bool is_directory;
};

struct listing {
    char *key;           /* path of the directory */
    struct entry *value; /* stb_ds array, sorted by name without case */
};

struct folder {
    struct mount base;
    struct fs *fs;
    struct diag *diag;
    struct listing *listings; /* stb_ds map */
};

static void add_entry(void *context, const char *name, bool is_directory)
{
    struct entry **entries = context;
    struct entry entry = {str_copy(name), is_directory};
    arrput(*entries, entry);
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *first = a, *second = b;
    int order = str_compare_nocase(first->name, second->name);
    return order ? order : strcmp(second->name, first->name);
}

/* Names that were asked for are in lower case here, so that the first of twins is the one in lower
 * case, if any is. */
static void note_twins(struct folder *folder, const char *path, const struct entry *entries)
{
    size_t twins = 0, first = 0;
    for (size_t i = 1; i < arrlenu(entries); i++) {
        bool is_twin = !entries[i].is_directory && !entries[i - 1].is_directory &&
                       str_equal_nocase(entries[i].name, entries[i - 1].name);
        if (is_twin && !twins++)
            first = i - 1;
    }
    if (twins)
        diag_report(folder->diag, DIAG_CASE_TWINS, &(struct diag_where){.file = path},
                    "\"%s\" is used, not \"%s\"; %zu in this folder", entries[first].name,
                    entries[first + 1].name, twins);
}

static const struct entry *list(struct folder *folder, const char *path)
{
    ptrdiff_t at = shgeti(folder->listings, path);
    if (at >= 0)
        return folder->listings[at].value;
    struct entry *entries = NULL;
    fs_list_optional(folder->fs, folder->diag, path, add_entry, &entries);
    if (entries)
        qsort(entries, arrlenu(entries), sizeof *entries, compare_entries);
    note_twins(folder, path, entries);
    shput(folder->listings, str_copy(path), entries);
    return entries;
}

/* Returns the first entry whose name is not before `name`. */
static size_t lower_bound(const struct entry *entries, const char *name)
{
    size_t low = 0, high = arrlenu(entries);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (str_compare_nocase(entries[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* `out` NULL: the file only has to be there. */
static bool read_below(struct folder *folder, const char *path, const char *name,
                       struct bytes *out);

static bool read_entry(struct folder *folder, const char *path, const struct entry *entry,
                       const char *rest, struct bytes *out)
{
    struct bytes full = {0};
    bytes_append_text(&full, "%s/%s", path, entry->name);
    bytes_u8(&full, 0);
    const char *child = (const char *)full.data;
    bool found = false;
    if (!rest && !out)
        found = !entry->is_directory;
    else if (!rest)
        found = fs_load_optional(folder->fs, folder->diag, child, out);
    else if (entry->is_directory || folder->fs->ops->kind(folder->fs, child) == FS_UNREADABLE)
        found = read_below(folder, child, rest, out);
    bytes_free(&full);
    return found;
}

/* A case-sensitive disk may have several names that differ in case: each is tried. */
static bool read_below(struct folder *folder, const char *path, const char *name, struct bytes *out)
{
    const char *slash = strchr(name, '/');
    size_t length = slash ? (size_t)(slash - name) : strlen(name);
    char *part = memory_alloc(length + 1);
    memcpy(part, name, length);
    part[length] = 0;
    const struct entry *entries = list(folder, path);
    bool found = false;
    for (size_t i = lower_bound(entries, part);
         !found && i < arrlenu(entries) && str_equal_nocase(entries[i].name, part); i++)
        found = read_entry(folder, path, &entries[i], slash ? slash + 1 : NULL, out);
    memory_free(part);
    return found;
}

static bool folder_read(struct mount *mount, const char *name, struct bytes *out)
{
    return read_below((struct folder *)mount, mount->path, name, out);
}

static bool folder_has(struct mount *mount, const char *name)
{
    return read_below((struct folder *)mount, mount->path, name, NULL);
}

/* Lists all folders whose names differ in case only, as look-ups search them all. */
static void list_below(struct folder *folder, const char *path, const char *name,
                       mount_visit *visit, void *context)
{
    const struct entry *entries = list(folder, path);
    if (!*name) {
        for (size_t i = 0; i < arrlenu(entries); i++)
            if (!entries[i].is_directory)
                visit(context, entries[i].name);
        return;
    }
    size_t length = strcspn(name, "/");
    char *part = str_copy_part(name, length);
    for (size_t i = lower_bound(entries, part);
         i < arrlenu(entries) && str_equal_nocase(entries[i].name, part); i++) {
        if (!entries[i].is_directory)
            continue;
        struct bytes full = {0};
        bytes_append_text(&full, "%s/%s", path, entries[i].name);
        bytes_u8(&full, 0);
        list_below(folder, (const char *)full.data, name + length + (name[length] == '/'), visit,
                   context);
        bytes_free(&full);
    }
    memory_free(part);
}

static void folder_list(struct mount *mount, const char *name, mount_visit *visit, void *context)
{
    list_below((struct folder *)mount, mount->path, name, visit, context);
}

static void folder_free(struct mount *mount)
{
    struct folder *folder = (struct folder *)mount;
    for (ptrdiff_t i = 0; i < shlen(folder->listings); i++) {
        struct entry *entries = folder->listings[i].value;
        for (size_t j = 0; j < arrlenu(entries); j++)
            memory_free(entries[j].name);
        arrfree(entries);
        memory_free(folder->listings[i].key);
    }
    shfree(folder->listings);
    memory_free(mount->path);
    memory_free(folder);
}

struct mount *mount_folder(struct fs *fs, const char *path, struct diag *diag)
{
    static const struct mount_ops ops = {.read = folder_read,
                                         .free = folder_free,
                                         .list = folder_list,
                                         .has = folder_has,
                                         .is_folder = true};
    struct folder *folder = memory_zalloc(1, sizeof *folder);
    folder->base.ops = &ops;
    folder->base.path = str_copy(path);
    folder->fs = fs;
    folder->diag = diag;
    return &folder->base;
}
