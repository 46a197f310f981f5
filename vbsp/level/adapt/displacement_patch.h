/* Displacements as patches of Quake 3. */
#ifndef VBSP_LEVEL_ADAPT_DISPLACEMENT_PATCH_H
#define VBSP_LEVEL_ADAPT_DISPLACEMENT_PATCH_H

#include "vbsp/level/map_source.h"

/* Appends patches of at most 5 x 5 control points whose curves run through all vertices of the
 * displacement of a side; they count texels (map_patch.mapped_in_texels) and look where the side
 * does. What is painted with alpha is lost. False, and nothing appended, where the block makes no
 * sense or the side has no four corners. */
bool displacement_patches(struct map_source *map, const struct map_solid *solid,
                          const struct map_side *side, struct map_patch **out);

#endif
