/* Where the rays of a light have to be traced: between luxels that see alike there may be the
 * shadow of a post that is smaller than their distance. Its outline tells where. */
#ifndef VRAD_DIRECT_SHADOW_MARKS_H
#define VRAD_DIRECT_SHADOW_MARKS_H

#include "vrad/direct/face_samples.h"
#include "vrad/direct/light_contribution.h"

/* Marks all luxels LUXEL_UNKNOWN. */
void shadow_marks_unknown(const struct receiver *to, struct light_contribution *contribution);

/* Marks those LUXEL_EDGE that outlines cross; or all LUXEL_UNKNOWN, by the result of
 * planar_shadow_mark. */
void shadow_marks_set(const struct receiver *to, const struct face_samples *points,
                      enum planar_shadow result, const struct planar_shadow_cells *cells,
                      struct light_contribution *contribution);

#endif
