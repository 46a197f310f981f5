/* Triangulates polygons, smooths normals, and merges triangles into as few surfaces as the engine's
 * limits allow. */
#ifndef VBSP_QUAKE3_META_META_H
#define VBSP_QUAKE3_META_META_H

#include "vbsp/target/quake3/surfaces/surface.h"

/* Limits per surface. The engine's own: 64 vertices in a planar one, below 1000 and 6000 indices in
 * any. */
struct meta_limits {
    int lightmapped_vertices; /* 3 or more; 64 */
    int vertices;             /* 3 or more; 999 */
    int indices;              /* 3 or more; 5997 */
    int luxels;               /* along a side of a lightmap page, for merged surfaces; 126 */
    double sample_size;       /* default units per luxel; 16 */
};

#define META_LIMITS ((struct meta_limits){64, 999, 5997, 126, 16})

/* Triangulates a convex polygon, maximising the smallest angle and without degenerate triangles,
 * though points lie on its edges. Indices are clockwise. A polygon without area gets no triangle.
 * Surfaces with indices and other types are unchanged. */
void surface_triangulate(struct draw_surface *surface);
/* The same with the largest triangle first. */
void surface_triangulate_largest(struct draw_surface *surface);

/* Splits a surface of triangles that exceeds the limits; appends the parts. Consumes it. */
void surface_split(struct draw_surface *surface, const struct meta_limits *limits,
                   struct draw_surface **out);

/* Averages normals at corners that several surfaces share if they differ by less than the smoothing
 * angle (keys.shade_angle, else the shader's, else `otherwise`; degrees; below 0: never). Across
 * shaders and entities, but only within one model. */
void surfaces_smooth(struct draw_surface *surfaces, size_t count, double otherwise);

/* Merges triangles and polygons (SURFACE_PLANAR, SURFACE_MESH) into surfaces of one shader, fog,
 * model and keys. Lightmapped ones stay on one plane if they are flat, else on one axial direction,
 * become SURFACE_PLANAR with at most limits->lightmapped_vertices (keeping planar and normal) and
 * are connected by corners; others become SURFACE_MESH. Patches and flares are passed through. The
 * array is replaced, and merged surfaces are freed. Independent of the number of threads; in order
 * of each surface's first triangle. */
void surfaces_join(struct draw_surface **surfaces, const struct meta_limits *limits);

#endif
