/* Names of files from what stands on a command line. */
#ifndef IO_PATHS_H
#define IO_PATHS_H

#include "common/core/arena.h"
#include "common/io/fs.h"

/* The file that an operand means: itself with the extension (".vmf") added where that is a file or
 * the operand is nothing. "-" stays. */
const char *path_of_operand(struct arena *arena, struct fs *fs, const char *operand,
                            const char *extension);

/* `path` with the extension `from`, if it has that, taken off and `to` put on. */
const char *path_beside(struct arena *arena, const char *path, const char *from, const char *to);

#endif
