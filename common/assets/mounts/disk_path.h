/* Finds files on a case-sensitive disk by paths of a system that ignores case. */
#ifndef ASSETS_MOUNTS_DISK_PATH_H
#define ASSETS_MOUNTS_DISK_PATH_H

#include "common/core/arena.h"
#include "common/io/fs.h"

/* Returns the path without trailing slashes; "." for "". */
const char *disk_path_clean(struct arena *arena, const char *path);
/* Returns the parent folder. */
const char *disk_path_parent(struct arena *arena, const char *path);
/* Returns what disk_path_find does where all names are in this case. */
const char *disk_path_join(struct arena *arena, const char *root, const char *path);
/* Returns true if a path of disk_path_find is below the folder, as text. */
bool disk_path_is_below(const char *folder, const char *path);
/* Returns the path of the file or folder at `path` (`/` or `\`, any case, `.` and `..` parts) below
 * `root`, or NULL. Of several names that differ in case, an exact match is preferred, else the
 * first. Reports a folder that cannot be read (FOLDER_READ), unless it is one that may only be
 * passed through, as those above a game often are. */
const char *disk_path_find(struct fs *fs, struct diag *diag, struct arena *arena, const char *root,
                           const char *path);

#endif
