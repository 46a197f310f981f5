/* Internal: functions that fill a mesh. */
#ifndef SCENE_MESH_MESH_INTERNAL_H
#define SCENE_MESH_MESH_INTERNAL_H

#include <stdint.h>

#include "common/core/portable_math.h"
#include "common/geom/transform.h"
#include "scene/mesh/mesh.h"

/* Light of Quake 3, which is stored in the colours of the screen. */

/* The engine brightens light by two bits (overbright), preserving hue, and multiplies colours in
 * screen space. */
#define COLOUR_BRIGHTENED 4
#define COLOUR_GAMMA      2.2

/* Linear light of a colour that is brightened; 255 is white. */
static inline void colour_light(const uint8_t from[3], double bright, float out[3])
{
    double max = portable_fmax(portable_fmax(from[0], from[1]), from[2]) * bright / 255;
    double scale = bright / 255 / (max > 1 ? max : 1);
    for (int k = 0; k < 3; k++)
        out[k] = (float)(255 * portable_pow(from[k] * scale, COLOUR_GAMMA));
}

/* Adds a triangle of the FACE class; computes its normal and density. Corners are clockwise seen
 * from the front. */
void mesh_add(struct mesh *mesh, const struct vec3 points[3], struct triangle triangle);
/* Adds a triangle of the SKY class; fog as that of a surface. */
void mesh_add_sky(struct mesh *mesh, const struct vec3 points[3], int fog);
/* Return the number of the added surface or material. */
uint32_t mesh_add_surface(struct mesh *mesh, struct surface surface);
int mesh_add_material(struct mesh *mesh, struct scene_material material);

void mesh_add_faces(const struct mesh_source *source, struct mesh *mesh);
void mesh_add_props(const struct mesh_source *source, struct mesh *mesh);
void mesh_add_quake3(const struct mesh_source *source, struct mesh *mesh);
void mesh_add_items(const struct mesh_source *source, struct mesh *mesh);

#endif
