/* clang-format off */
/* Displacements: grids of vertices that replace a flat side with four corners.
 *
 *   level/displacement.c        parsing the map's dispinfo blocks
 *   displacement.c              the flat faces that displacements start from, their records, and
 *                               positions of luxels on the triangles
 *   displacement_neighbours.c   neighbours at edges and corners, and vertices that may be drawn, so
 *                               that neighbours meet without cracks
 *
 * Corners are those of the face as it is written, beginning with the one at the start position: 0
 * is row 0, column 0; 1 the end of column 0; 2 the opposite corner; 3 the end of row 0. Edge 0 is
 * from corner 0 to 1, 1 from 1 to 2, 2 from 3 to 2, 3 from 0 to 3: each begins at the smaller
 * vertex number. */
/* clang-format on */
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
    /* displacements_find_allowed, one per vertex */
    bool *allowed;
    struct vec3 *points; /* final positions of the vertices */
};

/* Reads the displacements of a world brush and sets `displacement` of its sides. Sides with an
 * invalid displacement are reported and stay flat. False when no displacement is left. */
bool displacements_load(struct compile *compile, struct map_brush *brush);

/* Makes one face for each flat side of compile->displacement_brushes with a displacement, neither
 * merged nor cut. No leaf lists them: the engine itself finds the leaves of their vertices. */
struct face *faces_make_displacements(const struct compile *compile, struct tree *tree);

/* Turns the record of a face into that of a displacement, with its lightmap; appends the
 * displacement to those of the state. face->number must be set. */
void displacement_take_face(struct compile *compile, const struct face *face,
                            struct bsp_face *record);

/* Finds neighbours and the positions of vertices, once all displacements have their faces. */
void displacements_shape(struct compile *compile);

/* The vertices of triangle 0 <= `triangle` < 2 * (side - 1)^2, clockwise from above: cells are
 * split along alternating diagonals, as on a chessboard. */
void displacement_triangle(int side, int triangle, int corners[3]);

/* Writes displacements, vertices, triangle tags and sample positions. */
void displacements_emit(struct compile *compile);

/* Adds the vertices of a written displacement to `bounds`. */
void displacement_add_bounds(const struct compile *compile, int number, struct bounds *bounds);

/* Sets `faces`, one per face of the bsp, for the displacements that are visible from an area of the
 * world. */
void displacements_mark_area(const struct compile *compile, int area, bool *faces);

/* Position of vertex (row, column) on the flat side. */
struct vec3 displacement_base(const struct displacement *displacement, int row, int column);

/* The two corners of an edge, in the order of the vertices along it. */
extern const int displacement_edge_corners[DISP_EDGES][2];

/* Number of the vertex `along` steps from the beginning of the edge. */
int displacement_edge_vertex(const struct displacement *displacement, int edge, int along);

/* Steps along an edge that a span covers, and the step at which it begins. */
int displacement_span_steps(const struct displacement *displacement, int span);
int displacement_span_start(const struct displacement *displacement, int span);

/* The part of an edge that lies on a neighbour's. */
enum { SPAN_WHOLE, SPAN_FIRST_HALF, SPAN_LAST_HALF };

/* displacement_neighbours.c: fills edges and corners of the records. */
void displacements_find_neighbours(struct displacement *const *list, size_t count);

/* The same file: sets `allowed` and `points`. After the neighbours. */
void displacements_find_allowed(struct displacement *const *list, size_t count,
                                struct arena *arena);

#endif
