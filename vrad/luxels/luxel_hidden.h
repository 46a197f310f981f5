/* Internal to the luxel map: hidden parts of a surface. Other brushes cover it; in Quake 3 maps,
 * whose surfaces are convex hulls of visible parts and rectangles that several share, it extends
 * into solid leaves; and it extends behind curves and displacements, which need not be solid: there
 * visible back sides show it. */
#ifndef VRAD_LUXELS_LUXEL_HIDDEN_H
#define VRAD_LUXELS_LUXEL_HIDDEN_H

#include "vrad/luxels/luxel.h"

/* Returns true if another solid covers the surface at the point. */
bool luxel_point_is_hidden(const struct scene *scene, struct vec3 point, struct vec3 normal);
/* The same, given a node from leaf_tree_around. */
bool luxel_point_is_hidden_below(const struct scene *scene, int node, struct vec3 point,
                                 struct vec3 normal);

enum { LUXEL_IN_OPEN = 1, LUXEL_IN_SOLID = 2 };

/* The kinds of leaves that the square of luxel (s, t) touches, raised to the origins of rays: solid
 * ones, open ones, or both. On curved faces those of the box around nine points, which is
 * conservative. Always open in scenes without `solid_leaves`. */
unsigned luxel_leaves(const struct luxel_map *map, const struct face_light *face, double s,
                      double t);

/* The same for a box with a margin, in any map. */
unsigned box_leaves(const struct bsp *bsp, const struct bounds *box);

/* Back-face test: returns true if a good part of the hemisphere over the point shows back sides of
 * the scene's one-sided triangles. */
bool luxel_point_is_backfacing(const struct luxel_map *map, struct vec3 point, struct vec3 normal);

/* The ray directions of the test, for all points of a map: backface_directions. */
struct vec3 *luxel_backface_directions(struct arena *arena);

enum luxel_backface {
    LUXEL_BACKFACING = 1,      /* its middle is hidden */
    LUXEL_BACKFACE_BORDER = 2, /* a neighbour's result differs: points are tested */
};

/* One byte of enum luxel_backface per luxel of the face; free with memory_free. */
unsigned char *luxel_backface_test(const struct luxel_map *map, const struct face_light *face);

#endif
