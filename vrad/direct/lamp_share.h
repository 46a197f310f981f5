/* What a lamp gives to a flat face, by the shadows that are cast on its plane instead of by rays:
 * exact where a shadow's edge lies, and nearly free where there is none. */
#ifndef VRAD_DIRECT_LAMP_SHARE_H
#define VRAD_DIRECT_LAMP_SHARE_H

#include "vrad/direct/direct_face.h"
#include "vrad/shadows/shadow_cast.h"

/* Fills the share of a point, spot or surface light, with its window; `far` as in probe_share.
 * False when it takes rays: nothing but the window is changed then. */
bool lamp_share_cast(struct direct_face *face, struct light_share *share, bool far);

/* Does the doubtful luxels of the share again, finely. */
void lamp_share_refine(struct direct_face *face, struct light_share *share,
                       struct fine_samples *cache);

#endif
