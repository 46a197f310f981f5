/* Vertex normals: smoothing groups, or the angle between faces. */
#ifndef VRAD_SCENE_NORMALS_H
#define VRAD_SCENE_NORMALS_H

#include "common/bsp/bsp.h"
#include "common/core/arena.h"
#include "common/geom/vec.h"

struct vertex_normals {
    const struct bsp *bsp;
    int *first;           /* one per face: its first normal */
    float (*normals)[3];  /* unit; one for each vertex of each face */
    unsigned char *phong; /* one per face: some normal differs from the plane's */
};

/* The normal of a face's plane, whatever its side byte is. */
struct vec3 bsp_face_normal(const struct bsp *bsp, const struct bsp_face *face);

/* The normal of a face at a vertex is the mean of its plane's and those of the faces at that vertex
 * that blend with it: if neither is in a smoothing group, those within `smooth_degrees`; else those
 * with a common group, unless one of the common ones is a hard group (the top eight). Displacements
 * blend with displacements only. The vertex normals lumps of the corpus agree for every normal. */
void vertex_normals_build(const struct bsp *bsp, double smooth_degrees, struct arena *arena,
                          struct vertex_normals *out);

/* The normal at a point of the face: interpolated between the middle, which has the plane's, and
 * the two vertices of the side that the point is nearest to. */
struct vec3 vertex_normals_at(const struct vertex_normals *normals, int face, struct vec3 point);

/* Stores them in the vertex normal lumps, without duplicates. */
void vertex_normals_store(const struct vertex_normals *normals, struct bsp *bsp);

#endif
