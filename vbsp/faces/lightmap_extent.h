/* Lightmap extents of a face. */
#ifndef VBSP_FACES_LIGHTMAP_EXTENT_H
#define VBSP_FACES_LIGHTMAP_EXTENT_H

#include "common/bsp/bsp.h"
#include "common/geom/vec.h"

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

#endif
