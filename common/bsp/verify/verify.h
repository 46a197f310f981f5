/* Verifies every index, range and invariant of a BSP that engines rely on. */
#ifndef BSP_VERIFY_VERIFY_H
#define BSP_VERIFY_VERIFY_H

#include "common/bsp/bsp.h"
#include "common/diag/diag.h"

/* Reports each fault (codes B1xx, at most a few of each kind with the number of the others).
 * STATUS_FAILED when there was an error. */
NODISCARD enum status bsp_verify(const struct bsp *bsp, const char *name, struct diag *diag);

#endif
