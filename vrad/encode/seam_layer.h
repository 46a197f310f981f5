/* Matches the light of a group of faces along their seams: see seams.h. */
#ifndef VRAD_ENCODE_SEAM_LAYER_H
#define VRAD_ENCODE_SEAM_LAYER_H

#include "vrad/encode/seams.h"

/* Adjusts the direct light of the faces of a group, and of their borders, and of no others. Returns
 * the number of constraints. */
size_t seam_group_match(const struct luxel_map *map, const struct seam_list *list,
                        const struct seam_groups *groups, size_t group);

#endif
