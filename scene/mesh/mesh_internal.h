/* Internal: functions that fill a mesh. */
#ifndef SCENE_MESH_MESH_INTERNAL_H
#define SCENE_MESH_MESH_INTERNAL_H

#include "common/geom/transform.h"
#include "scene/mesh/mesh.h"

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
