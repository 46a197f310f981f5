/* Groups of faces that seams connect: what is matched in one of them leaves the others alone. */
#ifndef VRAD_ENCODE_SEAM_GROUPS_H
#define VRAD_ENCODE_SEAM_GROUPS_H

#include "vrad/encode/seam_pairs.h"

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

#endif
