/* Displacements: grids of vertices that take the place of a flat side of four corners.
 *
 *   level/displacement.c       what the map says
 *   displacement.c              which sides carry one; the flat faces that they start from, and
 *                               their records; all lists in order
 *   displacement_neighbours.c   which displacements meet at edges and corners
 *   displacement_allowed.c      which vertices stay, so that neighbours fit without cracks
 *   displacement_samples.c      where the luxels lie on the triangles
 *
 * Corners are those of the face as it is written, from the one at the start position on: 0 is row
 * 0, column 0; 1 the end of column 0; 2 the far corner; 3 the end of row 0. Edges are 0 from corner
 * 0 to 1, 1 from 1 to 2, 2 from 3 to 2, 3 from 0 to 3: each begins at the smaller vertex number. */
#ifndef VBSP_SOURCE_DISPLACEMENTS_DISPLACEMENT_H
#define VBSP_SOURCE_DISPLACEMENTS_DISPLACEMENT_H

#include "vbsp/level/displacement.h"
#include "vbsp/target/source/faces/face.h"

struct displacement {
    struct map_displacement map;
    const struct map_brush *brush;
    const struct brush_side *side;
    struct vec3 corners[4]; /* as written */
    struct vec3 drawn[4];   /* before vertices were welded */
    struct bsp_displacement record;
    /* displacement_allowed.c, one a vertex */
    bool *allowed;
    struct vec3 *points; /* where the vertices lie in the end */
};

/* Reads the displacements of a world brush and sets `displacement` of its sides. Sides whose
 * displacement makes no sense are reported and stay flat. False when none is left. */
bool displacements_load(struct compile *compile, struct map_brush *brush);

/* The flat sides of compile->displacement_brushes that carry displacements: one face each, neither
 * merged nor cut. No leaf lists them: the engine finds where their vertices lie on its own. */
struct face *faces_make_displacements(const struct compile *compile, struct tree *tree);

/* Makes the record of a face that of a displacement, with its lightmap; appends it to
 * those of the state. face->number must be set. */
void displacement_take_face(struct compile *compile, const struct face *face,
                            struct bsp_face *record);

/* Finds neighbours and where the vertices lie, once all displacements have their faces. */
void displacements_shape(struct compile *compile);

/* The vertices of triangle 0 <= `triangle` < 2 * (side - 1)^2, clockwise from above: cells are
 * halved along one diagonal or the other, as on a chessboard. */
void displacement_triangle(int side, int triangle, int corners[3]);

/* Writes displacements, vertices, triangle tags and sample positions. */
void displacements_emit(struct compile *compile);

/* Adds the vertices of a written displacement to `bounds`. */
void displacement_add_bounds(const struct compile *compile, int number, struct bounds *bounds);

/* Sets `faces`, one a face of the bsp, of the displacements that are seen in an area of the world.
 */
void displacements_mark_area(const struct compile *compile, int area, bool *faces);

/* Where vertex (row, column) lies on the flat side. */
struct vec3 displacement_base(const struct displacement *displacement, int row, int column);

/* The two corners of an edge, in the order of the vertices along it. */
extern const int displacement_edge_corners[DISP_EDGES][2];

/* Number of the vertex `along` steps from the beginning of the edge. */
int displacement_edge_vertex(const struct displacement *displacement, int edge, int along);

/* Steps of the edge that a span of it has, and the step at which it begins. */
int displacement_span_steps(const struct displacement *displacement, int span);
int displacement_span_start(const struct displacement *displacement, int span);

/* Which part of an edge lies on a neighbour's. */
enum { SPAN_WHOLE, SPAN_FIRST_HALF, SPAN_LAST_HALF };

/* displacement_neighbours.c: fills edges and corners of the records. */
void displacements_find_neighbours(struct displacement *const *list, size_t count);

/* displacement_allowed.c: sets `allowed` and `points`. After the neighbours. */
void displacements_find_allowed(struct displacement *const *list, size_t count,
                                struct arena *arena);

/* displacement_samples.c: appends the places of (width + 1) * (height + 1) luxels. */
void displacement_samples(const struct displacement *displacement, int width, int height,
                          struct bytes *out);

#endif
