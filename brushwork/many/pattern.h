/* Patterns of paths, as shells have them: `*` and `?` within a name, `[a-z]`, and `**` as a name
 * for any number of folders, none too.
 *
 * Names that begin with a dot match only a dot, and ** follows no symbolic links. */
#ifndef MANY_PATTERN_H
#define MANY_PATTERN_H

#include <stdbool.h>

#include "common/core/arena.h"
#include "common/diag/diag.h"
#include "common/io/fs.h"

/* Returns true for a path with one of their characters. */
bool pattern_is(const char *path);

/* Returns the folder before the first name with one of them; "." if there is none. */
const char *pattern_root(struct arena *arena, const char *pattern);

/* Appends the regular files that match to *out, an stb_ds array, each once and in byte order; paths
 * begin as the pattern does, and are in the arena. Reports a folder that cannot be read
 * (FOLDER_READ): then what matches is unknown. */
NODISCARD enum status pattern_expand(struct fs *fs, struct diag *diag, const char *pattern,
                                     struct arena *arena, const char ***out);

#endif
