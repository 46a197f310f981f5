/* Windings by their corners: which of many have a corner near one of another's. */
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
    uint64_t *cells;                /* stb_ds array, one a corner */
    int *slots;                     /* stb_ds array: chains, by the hash of the cell */
    bool *gone;                     /* stb_ds array, one a number */
    int *near;                      /* stb_ds array, scratch */
};

/* Numbers count up from 0. */
void vertex_grid_add(struct vertex_grid *index, const struct winding *winding);
void vertex_grid_remove(struct vertex_grid *index, int number);

/* The numbers, ascending, of all windings that have a corner within `reach` of one of the winding's
 * on each axis, and perhaps of some others; a stb_ds array that is good until the next call. */
const int *vertex_grid_near(struct vertex_grid *index, const struct winding *winding, double reach);
void vertex_grid_free(struct vertex_grid *index);

#endif
