/* Texture and lightmap coordinates of points on a face of Source, whose texinfo has a texture. */
#ifndef SCENE_MESH_FACE_COORDINATES_H
#define SCENE_MESH_FACE_COORDINATES_H

#include "common/bsp/bsp.h"
#include "common/geom/vec.h"

/* 0 to 1 across the texture. */
void face_texture_at(const struct bsp *bsp, const struct bsp_face *face, struct vec3 p,
                     float out[2]);

/* In luxels; luxel (0, 0) is centred on 0, 0. */
void face_luxel_at(const struct bsp *bsp, const struct bsp_face *face, struct vec3 p, float out[2]);

/* The texture coordinates of the corners of a displacement, which are those of the flat face, from
 * the start corner on. */
void face_texture_corners(const struct bsp *bsp, const struct bsp_face *face, float uv[4][2]);

/* Interpolates those at u (columns) and v (rows), 0 to 1. */
void face_texture_between(const float uv[4][2], float u, float v, float out[2]);

#endif
