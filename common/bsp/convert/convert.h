/* From one branch of the engine to another; and the ambient light of leaves alone, between the
 * forms that branches have for it. */
#ifndef BSP_CONVERT_CONVERT_H
#define BSP_CONVERT_CONVERT_H

#include "common/bsp/codec/format.h"

/* Rewrites the bsp, which may be of any readable format, into what the target holds, so that
 * bsp_encode writes it as that: ambient light moves between leaf, list and index, static props
 * change their version, lumps that the target does not know go. Each thing that gets lost is told
 * once (BSP_LOSS, a warning) with how many there were of it; *losses counts these. Byte order and
 * compression stay as they are in bsp->encoding.
 *
 * Fails (BSP_TARGET) between the families VBSP and IBSP, whose maps have to be compiled from their
 * source, and for targets that are only read; and where static props cannot be taken apart. */
NODISCARD enum status bsp_convert(struct bsp *bsp, const struct bsp_format *target,
                                  const char *name, struct diag *diag, int *losses);

struct bsp_ambient_loss {
    size_t joined; /* leaves that had several samples and have their mean now */
    size_t moved;  /* leaves whose one sample stood elsewhere than in the middle */
};

/* Brings the samples into the form: any number a leaf with an index, or one a leaf. A leaf without
 * samples of its own gets those of the leaf that it takes its light from. Indices must be sound. */
struct bsp_ambient_loss bsp_ambient_fit(struct bsp_light_set *set, size_t leaves,
                                        enum bsp_ambient_form form);

/* Both sets of a bsp that is about to be written in the format. */
void bsp_ambient_fit_all(struct bsp *bsp, const struct bsp_format *format);

#endif
