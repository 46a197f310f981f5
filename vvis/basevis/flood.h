/* The flood: which portals may be seen through a portal, for all that cheap tests tell. */
#ifndef VVIS_BASEVIS_FLOOD_H
#define VVIS_BASEVIS_FLOOD_H

#include <stdint.h>

#include "common/simd/cpu_features.h"
#include "vvis/graph/portals.h"

/* Of a pair of portals: what may be before each of its ways by boxes and planes. */
struct front_rows {
    uint64_t *ways[2];
    uint64_t *unsure; /* the windows have to be asked */
};

/* The scratch memory of one thread. */
struct flood {
    const struct portals *portals;
    double radius;           /* > 0: nothing farther away */
    int64_t max;             /* tests of a portal before a flood without frusta is taken */
    struct front_rows front; /* of the portal in hand and its way back */
    uint32_t *visited;       /* one a cluster: the last flood that came */
    uint32_t number;         /* of the flood */
    int *stack;              /* clusters to visit */
    int64_t tests, loose;    /* counts: portals against frusta, floods without */
};

/* What each instruction set has its own of: files in vvis/basevis/lanes. */
typedef void front_rows_function(const struct portal_lanes *portals, size_t pair,
                                 struct front_rows *out);

/* Asks the windows about what is unsure in the row of portal p, and clears what does not face it.
 */
typedef void face_row_function(const struct portals *portals, size_t p, const uint64_t *unsure,
                               uint64_t *row);

/* Sets in `row`, all 0 at first, the portals that may be seen through p. A line through p goes on
 * through a portal q of the next cluster, and from there through portals in front of the
 * separators of p and q. When that takes too many tests, only the sides of planes count. */
typedef void flood_portal_function(struct flood *flood, int p, uint64_t *row);

struct base_kernels {
    front_rows_function *front_rows;
    face_row_function *face_row;
    flood_portal_function *flood_portal;
};

const struct base_kernels *base_kernels_of(enum simd_level level);

#endif
