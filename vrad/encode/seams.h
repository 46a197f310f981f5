/* Seams: where faces meet that are one surface to the eye, their lightmaps have to say the same.
 *
 * Each luxel holds the mean over the part of its square that lies on its face, so that the two
 * faces know the light a quarter of a luxel to either side of the edge, where a picture shows the
 * luxels' light on the edge itself: where light changes there is a step. */
#ifndef VRAD_ENCODE_SEAMS_H
#define VRAD_ENCODE_SEAMS_H

#include "vrad/luxels/luxel.h"

struct seam_list;

/* Changes the light (map->faces[].direct) of luxels along the map's seams (seam_pairs.h; they hang
 * on no light, so they serve for one light after the other) so that both lightmaps,
 * interpolated as a renderer does, agree on the edge: least squares of the changes, weighed by
 * area, which keeps the sum of the light. A step that is steeper than the light beside it, as where
 * a shadow ends right at the edge, stays for what is over that. Counts "seam constraints" on
 * env->progress. */
void seams_match(const struct env *env, const struct seam_list *list, struct luxel_map *map);

#endif
