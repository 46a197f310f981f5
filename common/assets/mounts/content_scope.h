/* Which files a run could read of its content: for questions that somebody else has chosen, as
 * those of an entry of a cache.
 *
 * Below the folders that are mounted, these are files of the kinds that a game has (by their
 * endings; text files below scripts/ alone), and no others that may lie there: settings with
 * passwords, keys, notes. Of an archive, whole members, and no part of one. */
#ifndef ASSETS_MOUNTS_CONTENT_SCOPE_H
#define ASSETS_MOUNTS_CONTENT_SCOPE_H

#include "common/assets/mounts/mount.h"

/* True for a path without `..` that is below the folder, and in *rest the path below it. */
bool content_scope_below(const char *folder, const char *path, const char **rest);

/* True for the path of a file of a kind that a game has, below one of the mounts. */
bool content_scope_has_file(struct mount *const *mounts, const char *path);

/* True for a mounted folder, and for what is below it. */
bool content_scope_has_folder(struct mount *const *mounts, const char *path);

/* True for exactly the bytes that reading a member of a mounted archive takes. */
bool content_scope_has_range(struct mount *const *mounts, const char *path, uint64_t offset,
                             uint64_t size);

#endif
