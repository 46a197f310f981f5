/* Next-event estimation: the light of secondary lights at a point, which of them matter inside a
 * box, and which are evaluated in a cell. */
#ifndef VRAD_SECONDARY_NEXT_EVENT_H
#define VRAD_SECONDARY_NEXT_EVENT_H

#include "vrad/secondary/secondary_lights.h"

/* Light culling: the secondary lights that may matter inside a box, and the residual that rays from
 * its points leave to them. */

/* Lights of one lane group, one bit each. */
struct culled_lanes {
    int lanes;
    uint32_t lights;
};

struct culled_lights {
    const struct secondary_lights *secondary;
    struct culled_lanes *parts; /* stb_ds array, in ascending order */
};

/* `clusters` are those of the box; none: it may lie anywhere. Free with culled_lights_free. */
void culled_lights_of_box(const struct secondary_lights *secondary, const struct bounds *box,
                          const int *clusters, int cluster_count, struct culled_lights *out);
void culled_lights_of_face(const struct secondary_lights *secondary, int face,
                           struct culled_lights *out);
void culled_lights_free(struct culled_lights *view);

/* Like secondary_residual, for a luxel that is marked. */
const float *secondary_residual_of(const struct culled_lights *view, size_t seen,
                                   struct vec3 point);

/* The part of the radiosity of luxel `seen` that a ray from the point must leave to next-event
 * estimation, 3 numbers; NULL: nothing. */
static inline const float *secondary_residual(const struct culled_lights *view, size_t seen,
                                              struct vec3 point)
{
    return secondary_is_marked(view->secondary, seen) ? secondary_residual_of(view, seen, point)
                                                      : NULL;
}

/* Light importance sampling per cell: a cell is a small part of a face.
 *
 * The box around a cell bounds the gain that any of its points gets from a secondary light. The few
 * lights with high bounds are evaluated at every point. Of the many others some are sampled in
 * proportion to their bounds, and only those are evaluated. */

struct light_cell {
    bool built;
    struct secondary_lanes *sure; /* stb_ds array: lights that are always evaluated */
    int *sure_lights;             /* stb_ds array, SECONDARY_LANES per lane group: their numbers */
    int *drawn;                   /* stb_ds array: lights to sample, in ascending order */
    float *up_to;                 /* as long: the running sum of their bounds */
    int *first; /* stb_ds array: the light into which the sum i * LIGHT_CELL_STRIDE falls */
};

/* The cells of a face, each built on first use. Not thread-safe. */
struct light_cells {
    const struct culled_lights *view; /* borrowed, with its lights */
    int face;
    int columns, rows;        /* number of cells */
    int width, height;        /* of a cell, in luxels */
    struct light_cell *cells; /* columns * rows, on the heap */
};

/* Free with light_cells_free. */
void light_cells_open(const struct culled_lights *view, int face, struct light_cells *out);
void light_cells_free(struct light_cells *cells);

/* The cell that contains a luxel of the face. */
const struct light_cell *light_cells_at(struct light_cells *cells, int luxel);

/* --- estimation --- */

/* A point that receives light by the cosine with one or more axes. */
struct next_event_receiver {
    struct vec3 position, start; /* `start`: origin of the rays, off the surface */
    struct vec3 axis[SECONDARY_AXES];
    int axes;
    double min; /* gain that is worth a ray, of 255: lights with less share one; 0: 0.2 */
    uint64_t seed;
};

/* Adds the residuals of the secondary lights at the receiver to `out`, 3 floats per axis. Returns
 * the number of rays. */
int next_event_light(const struct culled_lights *view, const struct next_event_receiver *to,
                     float *out);

/* Like next_event_light, for the position of a luxel of the cell: with its normal, or with several
 * axes if the face is bumped. */
int next_event_cell_light(const struct culled_lights *view, const struct light_cell *cell,
                          const struct next_event_receiver *to, float *out);

#endif
