/* Paths on a disk that knows case, as files of a system that does not spell them. */
#ifndef ASSETS_MOUNTS_DISK_PATH_H
#define ASSETS_MOUNTS_DISK_PATH_H

#include "common/core/arena.h"
#include "common/io/fs.h"

/* Without slashes at the end; "." for "". */
const char *disk_path_clean(struct arena *arena, const char *path);
/* The folder that holds it. */
const char *disk_path_parent(struct arena *arena, const char *path);
/* What lies at `path` (`/` or `\`, any case, `.` and `..` parts) below `root`; NULL: nothing.
 * Where two spellings exist the exact one is taken, else the first. */
const char *disk_path_find(struct fs *fs, struct arena *arena, const char *root, const char *path);

#endif
