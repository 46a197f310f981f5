/* Small work on draw surfaces that several parts share. */
#ifndef VBSP_QUAKE3_SURFACES_SURFACE_TOOLS_H
#define VBSP_QUAKE3_SURFACES_SURFACE_TOOLS_H

#include "common/geom/plane.h"
#include "vbsp/target/quake3/surfaces/surface.h"

/* Whether it is drawn with light from a page: it draws one, and no parameter forbids it. */
bool shader_wants_lightmap(const struct shader *shader);

/* One with the same words, and no vertices or indices. */
struct draw_surface draw_surface_like(const struct draw_surface *surface);
struct draw_surface draw_surface_copy(const struct draw_surface *surface);
struct bounds
draw_surface_bounds(const struct draw_surface *surface); /* of patches: the controls' */
double
draw_surface_area(const struct draw_surface *surface); /* of polygons and triangles; else 0 */
struct draw_vertex draw_vertex_lerp(const struct draw_vertex *a, const struct draw_vertex *b,
                                    double t);
void draw_surfaces_free(struct draw_surface *surfaces); /* the array and all in it */

/* Cuts a convex polygon (stb_ds array) by a plane: appends what is in front to *front and the rest
 * to *behind, either of which may be NULL. Points within `near` are on both sides; what has no
 * point farther from the plane is nothing, but a polygon in the plane is behind. */
void draw_polygon_clip(const struct draw_vertex *polygon, const struct plane *plane, double near,
                       struct draw_vertex **front, struct draw_vertex **behind);

#endif
