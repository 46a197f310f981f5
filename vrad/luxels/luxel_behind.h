/* Inside the luxel map: surfaces that run on behind a curve. Nothing need stand behind the curves
 * of Quake 3 maps, so that no solid tells what they hide; their backs, which nobody sees, do. */
#ifndef VRAD_LUXELS_LUXEL_BEHIND_H
#define VRAD_LUXELS_LUXEL_BEHIND_H

#include "vrad/luxels/luxel.h"

/* Whether what the point of a surface sees is, for a good part, backs of the scene's one-sided
 * triangles. */
bool luxel_point_is_behind(const struct luxel_map *map, struct vec3 point, struct vec3 normal);

/* Where it looks, for all points of a map: behind_ways. */
struct vec3 *luxel_behind_ways(struct arena *arena);

enum luxel_side {
    LUXEL_BEHIND = 1,  /* its middle is */
    LUXEL_BETWEEN = 2, /* that of a neighbour is not what its own is: points are to be tested */
};

/* A byte of enum luxel_side a luxel of the face; free with memory_free. */
unsigned char *luxel_sides(const struct luxel_map *map, const struct face_light *face);

#endif
