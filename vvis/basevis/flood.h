/* The flood: finds the portals that may be seen through a portal, by cheap tests. */
#ifndef VVIS_BASEVIS_FLOOD_H
#define VVIS_BASEVIS_FLOOD_H

#include <stdint.h>

#include "common/simd/cpu_features.h"
#include "vvis/graph/portals.h"

/* For both directions of a portal, the portals that may be in front by boxes and planes. */
struct front_rows {
    uint64_t *rows[2];
    uint64_t *unsure; /* the windows must be tested */
};

/* The scratch memory of one thread. */
struct flood {
    const struct portals *portals;
    double radius;           /* > 0: ignore portals farther away */
    int64_t max;             /* frustum tests per portal before the flood continues unculled */
    struct front_rows front; /* of the current portal and its reverse */
    uint32_t *visited;       /* per cluster: the last flood that visited it */
    uint32_t number;         /* of the current flood */
    int *stack;              /* clusters to visit */
    int64_t tests, unculled; /* counts: frustum tests, unculled floods */
};

/* Compiled once per instruction set: files in vvis/basevis/lanes. */
typedef void front_rows_function(const struct portal_lanes *portals, size_t pair,
                                 struct front_rows *out);

/* Tests the windows of the unsure portals in the row of portal p, and clears those that do not
 * face it. */
typedef void face_row_function(const struct portals *portals, size_t p, const uint64_t *unsure,
                               uint64_t *row);

/* Sets in `row`, initially 0, the portals that may be seen through p. A line through p continues
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
