/* Rays from ambient samples in all directions: a first set for candidates, and the rest. */
#ifndef VRAD_AMBIENT_AMBIENT_RAYS_H
#define VRAD_AMBIENT_AMBIENT_RAYS_H

#include "vrad/bounce/final_gather.h"

enum { AMBIENT_FIRST = GATHER_PARTS };

/* Two tables with the same variants: the sets of one seed complement each other. */
struct ambient_rays {
    struct gather_table first; /* AMBIENT_FIRST: one of each part */
    struct gather_table rest;
};

/* Makes tables of `rays` in all, a power of two from 2 * AMBIENT_FIRST to GATHER_RAYS. Free with
 * ambient_rays_free. */
void ambient_rays_make(int rays, struct ambient_rays *out);
void ambient_rays_free(struct ambient_rays *rays);

/* Three channels and their weight: compilers do not vectorise these by themselves. */
typedef float cube_light __attribute__((vector_size(16)));

/* Sums for the sides of a cube, +x -x +y -y +z -z. */
struct cube_sum {
    cube_light light[6];
};

/* Adds the radiosity at the ray hits of a seed (see gather_trace). `clamped`: without the residuals
 * of secondary lights. */
void cube_sum_add(const struct radiosity *radiosity, const struct secondary_lights *secondary,
                  bool clamped, const struct gather_table *table, uint64_t seed,
                  const uint32_t *seen, struct cube_sum *sum);
/* The irradiance of a side. */
void cube_sum_light(const struct cube_sum *sum, int side, float out[3]);

#endif
