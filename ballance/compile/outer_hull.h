/* The outer hull of solids: what remains of their sides outside of all others, as a closed surface
 * of triangles. Nothing is removed as the outside of a level: cavities keep their surfaces.
 *
 * Solids are cut against each other in doubles. What follows works on edges, so that a closed
 * surface stays closed whatever rounding does: points within OUTER_WELD become one vertex, which is
 * a float; each edge gets the vertices within OUTER_WELD of it, the same from both sides; of the
 * parts of one area the edges that two of them share cancel; vertices that the others needed, but
 * that no edge bends at, are removed from all areas. */
#ifndef BALLANCE_COMPILE_OUTER_H
#define BALLANCE_COMPILE_OUTER_H

#include "common/geom/plane.h"

/* In map units, for levels within 2048 units of the origin; farther out floats are coarser, and the
 * distance is larger. Should the surface not be closed with it, larger ones are tried. */
#define OUTER_WELD 0.001

struct outer_side {
    struct plane plane; /* faces out of the solid */
    int group; /* sides of a group that are coplanar and touch become one area; below 0: there is
                  nothing to draw, but others are hidden behind it */
};

struct outer_triangle {
    int corners[3]; /* vertices, clockwise seen from the front */
    int plane, group;
};

struct outer_hull {
    struct vec3 *vertices; /* stb_ds arrays; coordinates are floats */
    struct plane *planes;
    struct outer_triangle *triangles; /* those of an area are consecutive */
    size_t hidden;                    /* areas that are not drawn: the surface is open there */
    size_t open_edges;                /* that do not have as many faces on both sides */
    size_t degenerate;                /* triangles without area: nothing else closes the surface */
};

struct outer_builder;

struct outer_builder *outer_begin(void);

enum outer_solid { OUTER_SOLID, OUTER_SOLID_UNBOUNDED, OUTER_SOLID_EMPTY };

/* Adds a solid; group numbers are below 2^30. Where sides of two solids coincide, that of the first
 * is kept. One that encloses no space, or is not enclosed, is not added. */
enum outer_solid outer_add(struct outer_builder *builder, const struct outer_side *sides,
                           size_t count);

/* Makes the hull, and frees the builder. */
void outer_finish(struct outer_builder *builder, struct outer_hull *out);
void outer_free(struct outer_hull *hull);

#endif
