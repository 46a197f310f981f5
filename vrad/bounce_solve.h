/* All bounces but the last, on a sparse lattice. */
#ifndef VRAD_BOUNCE_SOLVE_H
#define VRAD_BOUNCE_SOLVE_H

#include "common/core/env.h"
#include "vrad/radiosity.h"

/* Leaves in `radiosity` the direct light and up to `bounces` bounces of it. Returns the number of
 * bounces that were followed until nothing was added. *ray_count grows by the rays cast. */
int bounce_solve(const struct env *env, struct radiosity *radiosity, int bounces,
                 int64_t *ray_count);

#endif
