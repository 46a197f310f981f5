/* The rays by which points in the open look all around: a few to begin with, then the rest. */
#ifndef VRAD_AMBIENT_AMBIENT_RAYS_H
#define VRAD_AMBIENT_AMBIENT_RAYS_H

#include "vrad/bounce/final_gather.h"

enum { AMBIENT_FIRST = GATHER_PARTS };

/* Tables of the same variants: a seed picks rays that are the parts of one even set. */
struct ambient_rays {
    struct gather_table first; /* AMBIENT_FIRST: one of each part */
    struct gather_table rest;
};

/* Of `rays` in all, a power of two from 2 * AMBIENT_FIRST to GATHER_RAYS. Free with
 * ambient_rays_free. */
void ambient_rays_make(int rays, struct ambient_rays *out);
void ambient_rays_free(struct ambient_rays *rays);

/* Three channels, and the weight that they have: compilers do not pack these by themselves. */
typedef float cube_light __attribute__((vector_size(16)));

/* What rays bring to the sides of a cube, +x -x +y -y +z -z. */
struct cube_sum {
    cube_light light[6];
};

/* Adds what the rays of a seed have seen, by gather_trace; with `cool`, without what hot spots that
 * are aimed at give above the cap. */
void cube_sum_add(const struct radiosity *radiosity, const struct secondary_lights *secondary,
                  bool cool, const struct gather_table *table, uint64_t seed, const uint32_t *seen,
                  struct cube_sum *sum);
/* The light on a side. */
void cube_sum_light(const struct cube_sum *sum, int side, float out[3]);

#endif
