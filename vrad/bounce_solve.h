/* All bounces but the last, on a sparse lattice. */
#ifndef VRAD_BOUNCE_SOLVE_H
#define VRAD_BOUNCE_SOLVE_H

#include "common/core/env.h"
#include "vrad/hot_spots.h"

struct bounce_counts {
    int64_t points, rays, hot_rays; /* gathered, in all directions, to hot spots */
};

/* Leaves in `radiosity` the direct light and up to `bounces` bounces of it. Returns the number of
 * bounces that were followed until nothing was added. *counts grow by the rays cast. */
int bounce_solve(const struct env *env, struct radiosity *radiosity, const struct hot_spots *hot,
                 int bounces, struct bounce_counts *counts);

#endif
