/* Hot spots as the points of a small part of a face see them.
 *
 * No point of a cell gets more of a spot than a bound, which the box around the cell gives. Few
 * spots give much: these a point weighs one by one. Of the many others it draws some, as often as
 * their bounds say, and weighs those alone. */
#ifndef VRAD_SECONDARY_LIGHT_CELLS_H
#define VRAD_SECONDARY_LIGHT_CELLS_H

#include "vrad/secondary/culled_lights.h"

struct light_cell {
    bool built;
    struct secondary_lanes *sure; /* stb_ds array: spots to weigh one by one */
    int *sure_lights;             /* stb_ds array, SECONDARY_LANES a lanes: which ones */
    int *drawn;                   /* stb_ds array: spots to draw from, in a rising order */
    float *up_to;                 /* as long: the bounds of the spots up to this one, summed */
    int *first; /* stb_ds array: the spot that the sum of LIGHT_CELL_STRIDE i falls into */
};

/* Light of 255. */
#define LIGHT_CELL_STRIDE 0.3f

/* The cells of a face, each of which is made when it is first asked for: of one thread at a time.
 */
struct light_cells {
    const struct culled_lights *view; /* borrowed, as what it points to */
    int face;
    int columns, rows;        /* of cells */
    int width, height;        /* of a cell, in luxels */
    struct light_cell *cells; /* columns * rows, from the heap */
};

/* Free with light_cells_free. */
void light_cells_open(const struct culled_lights *view, int face, struct light_cells *out);
void light_cells_free(struct light_cells *cells);

/* The cell of a luxel of the face. */
const struct light_cell *light_cells_at(struct light_cells *cells, int luxel);

#endif
