/* Polygons made triangles, smoothed, and joined to as few surfaces as the engine's limits let. */
#ifndef VBSP_QUAKE3_META_META_H
#define VBSP_QUAKE3_META_META_H

#include "vbsp/target/quake3/surfaces/surface.h"

/* Of one surface. The engine's own: 64 vertices in a planar one, below 1000 and 6000 indices in
 * any. */
struct meta_limits {
    int lightmapped_vertices; /* 3 or more; 64 */
    int vertices;             /* 3 or more; 999 */
    int indices;              /* 3 or more; 5997 */
    int luxels;               /* along a side of a page, that joined surfaces may need; 126 */
    double sample_size;       /* units a luxel of surfaces that have none; 16 */
};

#define META_LIMITS ((struct meta_limits){64, 999, 5997, 126, 16})

/* Gives a convex polygon its triangles: those with the best smallest angle, none without area,
 * though points lie on its edges. Three points of it are in each triangle, clockwise. A polygon
 * without area is left with no triangle. Surfaces with indices and other types are left alone. */
void surface_triangulate(struct draw_surface *surface);

/* Cuts a surface of triangles that is beyond the limits; appends the parts. Consumes it. */
void surface_split(struct draw_surface *surface, const struct meta_limits *limits,
                   struct draw_surface **out);

/* Turns normals at corners that several surfaces (of a shade angle) share to their mean, where they
 * differ by less than the angle (keys.shade_angle, else the shader's, else `otherwise`; degrees;
 * below 0: never). Meets across shaders and entities; only within one model. */
void surfaces_smooth(struct draw_surface *surfaces, size_t count, double otherwise);

/* Joins what has triangles or is a polygon (SURFACE_PLANAR, SURFACE_MESH) to surfaces of one
 * shader, fog, model and keys. Lightmapped ones stay on one plane when they are flat, else
 * on one side of the world's axes, become SURFACE_PLANAR with at most limits->lightmapped_vertices
 * (planar and normal as they are) and hang together by corners; others become SURFACE_MESH. Patches
 * and flares are passed through. The array is replaced: what was joined is freed. Same result for
 * any number of threads; the order is that of each surface's first triangle. */
void surfaces_join(struct draw_surface **surfaces, const struct meta_limits *limits);

#endif
