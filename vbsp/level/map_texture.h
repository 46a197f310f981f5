/* Texture axes of the .map formats. `normal` is the unit normal of the face. */
#ifndef VBSP_LEVEL_MAP_TEXTURE_H
#define VBSP_LEVEL_MAP_TEXTURE_H

#include "vbsp/level/level.h"

/* The numbers after the material of a classic face. */
struct map_classic_mapping {
    double shift[2]; /* texels */
    double rotate;   /* degrees */
    double scale[2]; /* units per texel; 0 means 1 */
};

/* The axes of map_classic_base (common/geom/map_projection.h), turned. */
void map_axes_classic(struct vec3 normal, const struct map_classic_mapping *mapping,
                      struct map_side *out);

/* `rows` times (s, t, 1) are image coordinates, with s and t along the axes of map_primitive_base.
 */
void map_axes_primitive(struct vec3 normal, const double rows[2][3], struct map_side *out);

/* Default axes for a face without valid ones. */
void map_axes_default(struct vec3 normal, struct map_side *out);

#endif
