/* Verifies every index, range and invariant of a BSP that engines rely on. */
#ifndef BSP_VERIFY_VERIFY_H
#define BSP_VERIFY_VERIFY_H

#include "common/bsp/bsp.h"
#include "common/diag/diag.h"

struct bsp_format;

/* Reports each fault (codes B1xx, at most a few of each kind with the number of the others).
 * STATUS_FAILED when there was an error. */
NODISCARD enum status bsp_verify(const struct bsp *bsp, const char *name, struct diag *diag);

/* The same by the limits of one branch, whose files are of that form. A file does not tell its
 * branch: bsp_verify takes what any branch with such files takes, with a warning. */
NODISCARD enum status bsp_verify_for(const struct bsp *bsp, const struct bsp_format *branch,
                                     const char *name, struct diag *diag);

#endif
