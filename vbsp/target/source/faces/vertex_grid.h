/* A spatial hash of the corners of windings, to find windings with close corners. */
#ifndef VBSP_SOURCE_FACES_VERTEX_GRID_H
#define VBSP_SOURCE_FACES_VERTEX_GRID_H

#include <stdint.h>

#include "common/geom/winding.h"

/* A corner in the chain of its slot. */
struct indexed_corner {
    int number; /* of its winding */
    int next;   /* or -1 */
};

/* Zero-initialised it is empty. */
struct vertex_grid {
    struct indexed_corner *corners; /* stb_ds array */
    uint64_t *cells;                /* stb_ds array, one per corner */
    int *slots;                     /* stb_ds array: chains, by the hash of the cell */
    bool *gone;                     /* stb_ds array, one per number */
    int *near;                      /* stb_ds array, scratch */
};

/* Adds a winding; numbers must count up from 0. */
void vertex_grid_add(struct vertex_grid *index, const struct winding *winding);
void vertex_grid_remove(struct vertex_grid *index, int number);

/* The numbers, ascending, of all windings with a corner within `reach` of a corner of the winding
 * on each axis, and perhaps of some others; an stb_ds array that is valid until the next call. */
const int *vertex_grid_near(struct vertex_grid *index, const struct winding *winding, double reach);
void vertex_grid_free(struct vertex_grid *index);

#endif
