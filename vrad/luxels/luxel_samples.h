/* Points of a luxel at which light is measured. */
#ifndef VRAD_LUXELS_LUXEL_SAMPLES_H
#define VRAD_LUXELS_LUXEL_SAMPLES_H

#include "vrad/luxels/luxel.h"

/* LUXEL_COARSE points catch nearly all of smooth light and show where it is not smooth; there more
 * take their place, at most LUXEL_FINE. */
enum { LUXEL_COARSE = 4, LUXEL_FINE = 128 };

/* The first and the second coordinates of LUXEL_COARSE samples in the unit square: even along each
 * axis and both diagonals, so that light that changes straight across the luxel comes out exact,
 * without noise. */
#define LUXEL_COARSE_PATTERN {{0.125, 0.375, 0.625, 0.875}, {0.625, 0.125, 0.875, 0.375}}

struct luxel_sample {
    float point[3];  /* on the surface */
    float origin[3]; /* of rays: SCENE_RAY_OFFSET above it */
};

/* Even points of the part of the luxel's square that counts; `wanted` is 1, LUXEL_COARSE or
 * a larger power of two, and `samples` has room for it. Rim luxels have one, hidden ones none.
 * Returns how many. */
int luxel_samples(const struct luxel_map *map, const struct scene *scene,
                  const struct face_light *face, int luxel, int wanted,
                  struct luxel_sample *samples);

/* Samples side by side. */
struct luxel_rows {
    float *point[3], *origin[3];
    float *st[2]; /* their luxel coordinates */
};

/* The same of a luxel on a flat face, into the first places of the rows. */
int luxel_rows(const struct luxel_map *map, const struct scene *scene,
               const struct face_light *face, int luxel, int wanted, const struct luxel_rows *rows);

/* The first points of sample_scrambled in the unit square; `wanted` is a power of two, at most
 * LUXEL_FINE. */
void luxel_pattern(int wanted, uint64_t scramble, double *restrict u, double *restrict v);

/* The one sample of a luxel that has but one. */
void luxel_middle(const struct face_light *face, const struct luxel *at, struct luxel_sample *out);

/* A number of its own for each luxel of the map, to seed its random patterns. */
static inline uint64_t luxel_seed(const struct luxel_map *map, const struct face_light *face,
                                  int luxel)
{
    return (uint64_t)(face - map->faces) << 32 | (uint32_t)luxel;
}

#endif
