/* A folder for files of one run. */
#ifndef BRUSHWORK_SHARED_TEMPORARY_FOLDER_H
#define BRUSHWORK_SHARED_TEMPORARY_FOLDER_H

#include "common/env.h"

/* Makes a folder of the name "brushwork-WHAT-..." that this user alone can read, in TMPDIR or /tmp.
 * Returns NULL when that cannot be done. */
const char *temporary_folder_make(struct arena *arena, const char *what);
/* Returns the path in it of a file named as the source, without an ending. */
const char *temporary_folder_stem(struct arena *arena, const char *folder, const char *source);
/* Makes one beside `path`, with the permissions that new folders have. Returns NULL, with errno
 * set, when that cannot be done. */
const char *temporary_folder_beside(struct arena *arena, const char *path);
/* Renames such a folder to `path`, in the place of what is there, which is removed. Returns 0, or
 * an errno value with `path` as it was. */
int temporary_folder_put(const struct env *env, const char *folder, const char *path);
/* Internal: renames a folder. Returns 0 or an errno value. */
int temporary_folder_move(const char *from, const char *to);
/* Removes it with all that is in it. */
void temporary_folder_remove(const struct env *env, const char *folder);

#endif
