/* Inside the luxel map: what of a surface nobody sees. Other brushes cover it; in Quake 3 maps,
 * whose surfaces are hulls of what is seen of them, and rectangles that several share, it runs on
 * into solid leaves; and it runs on behind curves, where nothing need be solid: there their backs,
 * which nobody sees, tell. */
#ifndef VRAD_LUXELS_LUXEL_HIDDEN_H
#define VRAD_LUXELS_LUXEL_HIDDEN_H

#include "vrad/luxels/luxel.h"

/* Whether another solid covers the surface at the point. */
bool luxel_point_is_hidden(const struct scene *scene, struct vec3 point, struct vec3 normal);
/* The same where leaf_tree_around has found a node for the place. */
bool luxel_point_is_hidden_below(const struct scene *scene, int node, struct vec3 point,
                                 struct vec3 normal);

enum { LUXEL_IN_OPEN = 1, LUXEL_IN_SOLID = 2 };

/* In what leaves the square of luxel (s, t) lies, raised to where rays start: those that are solid
 * as a whole, others, or both. Of bent faces it is those of the box around nine points, which may
 * say both for nothing. Always open in scenes whose `solid_leaves` is not set. */
unsigned luxel_leaves(const struct luxel_map *map, const struct face_light *face, double s,
                      double t);

/* The same of a box, and what lies just outside it, in any map. */
unsigned box_leaves(const struct bsp *bsp, const struct bounds *box);

/* Whether what the point of a surface sees is, for a good part, backs of the scene's one-sided
 * triangles. */
bool luxel_point_is_backfacing(const struct luxel_map *map, struct vec3 point, struct vec3 normal);

/* Where it looks, for all points of a map: backface_directions. */
struct vec3 *luxel_backface_directions(struct arena *arena);

enum luxel_backface {
    LUXEL_BACKFACING = 1, /* its middle is */
    LUXEL_BACKFACE_BORDER =
        2, /* that of a neighbour is not what its own is: points are to be tested */
};

/* A byte of enum luxel_backface a luxel of the face; free with memory_free. */
unsigned char *luxel_backface_test(const struct luxel_map *map, const struct face_light *face);

#endif
