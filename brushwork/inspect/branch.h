/* Internal: the branch of the engine whose limits count for a BSP that is inspected. */
#ifndef BRUSHWORK_INSPECT_BRANCH_H
#define BRUSHWORK_INSPECT_BRANCH_H

#include "common/bsp/codec/format.h"

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
