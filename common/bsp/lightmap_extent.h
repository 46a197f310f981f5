/* Lightmap extents of a flat face.
 *
 * A lightmap reaches from the luxel at or below the face's lowest lightmap coordinate to the one at
 * or above its highest. With a border it has one more luxel on each side, for filters that take
 * four luxels along each axis: a cubic one never leaves the lightmap then. No record says that a
 * face has a border: its extents do. Displacements have none: their luxels are spread over all of
 * the surface, so that the outermost ones always lie on its edges. */
#ifndef BSP_LIGHTMAP_EXTENT_H
#define BSP_LIGHTMAP_EXTENT_H

#include "common/bsp/bsp.h"
#include "common/geom/vec.h"

enum { LIGHTMAP_BORDER = 1 }; /* luxels on each side */

/* A lightmap coordinate of a point of the vertex lump, in luxels. Single precision, term by term,
 * as readers of the file compute it: a coordinate on a luxel boundary must round the same way for
 * them. */
static inline float lightmap_coordinate(const float axis[4], const float point[3])
{
    float value = point[0] * axis[0];
    value += point[1] * axis[1];
    value += point[2] * axis[2];
    return value + axis[3];
}

static inline void lightmap_point(struct vec3 p, float out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = (float)p.e[i];
}

/* The lightmap that a face needs, and the border around it. */
struct lightmap_extent {
    int32_t mins[2], size[2]; /* as in struct bsp_face, without the border */
    int border;               /* 0, or LIGHTMAP_BORDER */
};

/* Returns the extents of a face, whose texinfo must be valid, or of one without: those of the
 * record. A face has a border when its extents are larger than it needs by exactly one luxel on
 * each side, to rounding. */
struct lightmap_extent lightmap_extent_of(const struct bsp *bsp, const struct bsp_face *face);

#endif
