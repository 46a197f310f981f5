#include "common/io/disk.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/core/system_path.h"

const struct disk *disk_of(const struct fs *fs)
{
    return (const struct disk *)(const void *)fs;
}

/* On a confined disk: true if the path, as text, is below a root. */
static bool disk_is_within(const struct fs *fs, const char *path)
{
    const struct disk *disk = disk_of(fs);
    const char *rest;
    char *clean = disk->roots ? fs_roots_clean(disk->roots, path) : NULL;
    bool within = clean && fs_roots_find(disk->roots, clean, FS_READ, &rest);
    memory_free(clean);
    return within;
}

/* On a confined disk: fs_roots_lead of the folder at this path. */
static bool disk_leads(const struct fs *fs, const char *path)
{
    const struct disk *disk = disk_of(fs);
    char *clean = disk->roots ? fs_roots_clean(disk->roots, path) : NULL;
    bool leads = clean && fs_roots_lead(disk->roots, clean);
    memory_free(clean);
    return leads;
}

enum fs_kind disk_kind_outside(const struct fs *fs, const char *path)
{
    if (disk_leads(fs, path))
        return FS_DIRECTORY;
    return disk_is_within(fs, path) ? FS_UNREADABLE : FS_ABSENT;
}

static int by_name(const void *a, const void *b)
{
    const struct disk_name *first = a, *second = b;
    return strcmp(first->name, second->name);
}

void disk_entries_add(struct disk_entries *entries, const char *name, bool is_directory)
{
    arrput(entries->all, ((struct disk_name){arena_strdup(&entries->arena, name), is_directory}));
}

static char *step(const struct fs *fs, const char *path, size_t index)
{
    const struct disk *disk = disk_of(fs);
    char *clean = fs_roots_clean(disk->roots, path);
    char *name = fs_roots_step(disk->roots, clean, index);
    memory_free(clean);
    return name;
}

/* Only the entries that lead to a root; the first of them are enough for look-ups. */
static void list_the_way(struct fs *fs, const char *path, struct disk_entries *entries)
{
    char *name;
    for (size_t i = 0; (name = step(fs, path, i)); i++) {
        bool known = false;
        for (size_t j = 0; j < arrlenu(entries->all); j++)
            known |= strcmp(entries->all[j].name, name) == 0;
        if (!known)
            disk_entries_add(entries, name, true);
        memory_free(name);
    }
}

int disk_list(struct fs *fs, const char *path, fs_visit *visit, void *context)
{
    struct disk_entries entries = {0};
    int error = disk_read_entries(fs, path, &entries);
    if (error == ERROR_OUTSIDE && disk_leads(fs, path)) {
        error = 0;
        list_the_way(fs, path, &entries);
    }
    if (entries.all)
        qsort(entries.all, arrlenu(entries.all), sizeof *entries.all, by_name);
    for (size_t i = 0; i < arrlenu(entries.all) && !error; i++)
        visit(context, entries.all[i].name, entries.all[i].is_directory);
    arrfree(entries.all);
    arena_free(&entries.arena);
    return error;
}

struct fs *fs_disk(void)
{
    static struct disk disk = {.ops = &disk_ops};
    return (struct fs *)(void *)&disk;
}

struct fs *fs_confined_new(const struct fs_roots *roots, bool walk, fs_refused *refused,
                           void *context)
{
    struct disk *disk = memory_zalloc(1, sizeof *disk);
    *disk = (struct disk){&disk_ops, roots, walk, refused, context};
    return (struct fs *)(void *)disk;
}

void fs_confined_free(struct fs *fs)
{
    memory_free(fs);
}

int disk_make_folder(struct fs *fs, const char *path)
{
    struct arena names = {0};
    char *part = arena_strdup(&names, path);
    const size_t drive = system_path_drive(path);
    int error = 0;
    for (char *c = part + drive + (part[drive] != 0); *c && !error; c++) {
        const char separator = *c;
        if (separator != '/' && !(system_path_has_drives && separator == '\\'))
            continue;
        *c = 0;
        error = disk_make_one(fs, part);
        *c = separator;
    }
    if (!error)
        error = disk_make_one(fs, part);
    arena_free(&names);
    return error;
}
