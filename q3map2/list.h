/* Lists of files, a name in each line. */
#ifndef Q3MAP2_LIST_H
#define Q3MAP2_LIST_H

#include "common/core/arena.h"
#include "common/diag/diag.h"

/* Appends the paths of a list to *out (an stb_ds array), in the arena. Names are relative to the
 * list's folder, blank lines are skipped. Reports a list that cannot be read, and one without names
 * (USAGE). */
NODISCARD enum status q3_read_list(const char *path, struct arena *arena, struct diag *diag,
                                   const char ***out);

#endif
