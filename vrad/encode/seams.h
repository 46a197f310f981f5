/* Makes lightmaps match along seams, where faces meet that appear as one surface.
 *
 * Each luxel holds the mean over the part of its square that lies on its face, so that the two
 * faces know the light at a quarter of a luxel to either side of the edge, but texture filtering
 * shows these values on the edge itself: where light changes there is a step. */
#ifndef VRAD_ENCODE_SEAMS_H
#define VRAD_ENCODE_SEAMS_H

#include "vrad/encode/seam_pairs.h"
#include "vrad/luxels/luxel.h"

/* --- groups of faces that seams connect: what is matched in one of them leaves the others alone
 * --- */

struct seam_groups {
    size_t count;
    /* Of each group its faces in ascending order, and its points in the order of the list. The
     * arrays of firsts have one more. */
    size_t *first_face, *first_point;
    int *faces, *points;
    int *local; /* of each face of the map: its number in its group */
};

/* The groups with most points come first. Faces without a point are in none. Free with
 * seam_groups_free. */
void seam_groups_find(const struct luxel_map *map, const struct seam_list *list,
                      struct seam_groups *out);
void seam_groups_free(struct seam_groups *groups);

/* --- matching --- */

/* Adjusts the light (map->faces[].direct) of luxels along the map's seams (seam_pairs.h; they are
 * independent of the light, so one list serves several runs) so that both lightmaps agree on the
 * edge after bilinear filtering, and where both have the light of their borders (border.h) also
 * after cubic filtering, for which that light is adjusted as well: least squares of the offsets,
 * weighted by area, which preserves the sum of the light. Of a step steeper than the light beside
 * it, such as a shadow that ends exactly at the edge, the excess remains. Counts "seam constraints"
 * on env->progress. */
void seams_match(const struct env *env, const struct seam_list *list, struct luxel_map *map);

#endif
