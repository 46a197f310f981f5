/* How full each limit is, and for a map without visibility or light: how full those will be at most
 * that vvis and vrad fill. And the branch of the engine whose limits count. */
#ifndef BRUSHWORK_INSPECT_LIMITS_AHEAD_H
#define BRUSHWORK_INSPECT_LIMITS_AHEAD_H

#include <jansson.h>

#include "common/bsp/codec/format.h"
#include "common/cli/program.h"

/* Prints the limits of a BSP, or of a source, which is compiled by vbsp first; or adds them to
 * `objects` when that is not NULL. `target`: a branch whose limits are wanted, or NULL. */
NODISCARD enum status limits_show(const struct program *program,
                                  const struct standard_options *standard, const char *path,
                                  bool is_source, const char *target, json_t *objects);

/* The option --target of a verb. */
#define BRANCH_OPTION(values)                                                                      \
    {.name = "target",                                                                             \
     .argument = "NAME",                                                                           \
     .kind = OPTION_TEXT,                                                                          \
     .offset = offsetof(values, target),                                                           \
     .two_dashes = true,                                                                           \
     .name_at = bsp_target_at,                                                                     \
     .help = "engine branch whose limits count: files of several branches look alike"}

/* Stores the row of a --target, or for NULL that of the file. Reports (BSP_TARGET) one whose files
 * are of another form. */
NODISCARD enum status branch_find(const char *target, const struct bsp *bsp, const char *path,
                                  struct diag *diag, const struct bsp_format **out);

#endif
