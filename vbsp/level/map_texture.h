/* Texture axes of the forms in which a .map tells them. `normal` is the face's own, unit. */
#ifndef VBSP_LEVEL_MAP_TEXTURE_H
#define VBSP_LEVEL_MAP_TEXTURE_H

#include "vbsp/level/level.h"

/* The numbers that a classic face has after its material. */
struct map_classic_mapping {
    double shift[2]; /* texels */
    double rotate;   /* degrees */
    double scale[2]; /* units a texel; 0 means 1 */
};

/* The axes lie in the plane of the world's axes that the face looks along most; of two that are
 * within 1e-4 of each other the one that comes first in z, x, y (compiled maps tell 6.4e-6 from
 * 2.4e-4). */
void map_axes_classic(struct vec3 normal, const struct map_classic_mapping *mapping,
                      struct map_side *out);

/* `rows` times (s, t, 1) are images, s and t being lengths along two axes in the plane of the face:
 * s level, t downwards. Of a face that looks straight up or down, s is y and t is x or -x. */
void map_axes_primitive(struct vec3 normal, const double rows[2][3], struct map_side *out);

/* Axes as a face has them that tells none that make sense. */
void map_axes_default(struct vec3 normal, struct map_side *out);

#endif
