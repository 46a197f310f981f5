/* From one branch of the engine to another. */
#ifndef BSP_CONVERT_CONVERT_H
#define BSP_CONVERT_CONVERT_H

#include "common/bsp/codec/format.h"

/* Rewrites the bsp, which may be of any readable format, into what the target holds, so that
 * bsp_encode writes it as that: ambient light moves between leaf, list and index, static props
 * change their version, lumps that the target does not know go. Each thing that gets lost is told
 * once (BSP_LOSS, a warning) with how many there were of it; *losses counts these. Byte order and
 * compression stay as they are in bsp->spelling.
 *
 * Fails (BSP_TARGET) between the families VBSP and IBSP, whose maps have to be compiled from their
 * source, and for targets that are only read; and where static props cannot be taken apart. */
NODISCARD enum status bsp_convert(struct bsp *bsp, const struct bsp_format *target,
                                  const char *name, struct diag *diag, int *losses);

#endif
