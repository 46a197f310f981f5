/* Internal: the disk, or the part of it that is below the roots of a sandbox (fs_roots.h), whatever
 * the system. */
#ifndef IO_DISK_H
#define IO_DISK_H

#include <stdbool.h>
#include <stddef.h>

#include "common/core/arena.h"
#include "common/io/fs.h"
#include "common/io/fs_roots.h"

struct disk {
    const struct fs_ops *ops;     /* as struct fs */
    const struct fs_roots *roots; /* NULL: all of it */
    bool walk;                    /* see fs_confined_new */
    fs_refused *refused;
    void *context;
};

const struct disk *disk_of(const struct fs *fs);

/* The kind of a path that is outside of the roots: a folder on the way to a root shows that way,
 * and links that leave a root are something that cannot be read; other things do not show. */
enum fs_kind disk_kind_outside(const struct fs *fs, const char *path);

struct disk_entries {
    struct arena arena;
    struct disk_name {
        char *name;
        bool is_directory;
    } *all; /* stb_ds array */
};

void disk_entries_add(struct disk_entries *entries, const char *name, bool is_directory);

/* fs_ops.list */
int disk_list(struct fs *fs, const char *path, fs_visit *visit, void *context);

/* fs_ops.make_folder */
int disk_make_folder(struct fs *fs, const char *path);

/* Of the system: what is done with files. */
extern const struct fs_ops disk_ops;
/* The entries of a folder, in any order, without `.` and `..`; returns 0 or an errno value. */
int disk_read_entries(struct fs *fs, const char *path, struct disk_entries *entries);
/* Makes a folder in one that is there, or leaves it when it is there already; returns 0 or an errno
 * value. */
int disk_make_one(struct fs *fs, const char *path);

#endif
