/* Lists of files, a name in each line. */
#ifndef SHARED_PATH_LIST_H
#define SHARED_PATH_LIST_H

#include "common/core/arena.h"
#include "common/diag/diag.h"

/* Appends the paths of a list to *out (an stb_ds array), in the arena. Names are relative to the
 * list's folder, blank lines are skipped; "-" is standard input. Reports a list that cannot be
 * read, and one without names of `kind`, "maps" (USAGE). */
NODISCARD enum status path_list_read(const char *path, const char *kind, struct arena *arena,
                                     struct diag *diag, const char ***out);

#endif
