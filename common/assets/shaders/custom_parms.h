/* Surface parameters that a game adds to those of the compiler: scripts/custinfoparms.txt.
 *
 * The file has two blocks in braces, each with lines of a name and a hexadecimal number: content
 * flags, then surface flags. */
#ifndef ASSETS_SHADERS_CUSTOM_PARMS_H
#define ASSETS_SHADERS_CUSTOM_PARMS_H

#include "common/core/arena.h"
#include "common/diag/diag.h"

struct custom_parm {
    const char *name;
    int contents, surface; /* flags that it sets */
};

/* Appends the parameters of a file's text to *out (an stb_ds array), with names in the arena.
 * Invalid lines are reported (CUSTOM_PARMS) and skipped. */
void custom_parms_read(const char *text, size_t size, const char *file, struct arena *arena,
                       struct diag *diag, struct custom_parm **out);

/* The parameter of that name, without regard to case, or NULL. */
const struct custom_parm *custom_parms_find(const struct custom_parm *parms, const char *name);

#endif
