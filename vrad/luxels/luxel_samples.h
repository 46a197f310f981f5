/* Sample points of a luxel. */
#ifndef VRAD_LUXELS_LUXEL_SAMPLES_H
#define VRAD_LUXELS_LUXEL_SAMPLES_H

#include "vrad/luxels/luxel.h"

/* LUXEL_COARSE points are enough for nearly all of smooth light and detect where it is not smooth;
 * there up to LUXEL_FINE are used. */
enum { LUXEL_COARSE = 4, LUXEL_FINE = 128 };

/* The coordinates of LUXEL_COARSE samples in the unit square: even along both axes and both
 * diagonals, so that a linear gradient is integrated exactly, without noise. */
#define LUXEL_COARSE_PATTERN {{0.125, 0.375, 0.625, 0.875}, {0.625, 0.125, 0.875, 0.375}}

struct luxel_sample {
    float point[3];  /* on the surface */
    float origin[3]; /* of rays: SCENE_RAY_OFFSET above it */
};

/* Evenly distributed points on the visible part of the luxel's square; `wanted` is 1, LUXEL_COARSE
 * or a larger power of two, and the capacity of `samples`. Border luxels have one, hidden ones
 * none. Returns the count. */
int luxel_samples(const struct luxel_map *map, const struct scene *scene,
                  const struct face_light *face, int luxel, int wanted,
                  struct luxel_sample *samples);

/* The same with another pattern than that of the luxel's own seed; border luxels have as many on
 * the nearest part of the face, a quarter of a luxel wide. */
int luxel_samples_seeded(const struct luxel_map *map, const struct scene *scene,
                         const struct face_light *face, int luxel, uint64_t seed, int wanted,
                         struct luxel_sample *samples);

/* Samples by coordinate. */
struct luxel_rows {
    float *point[3], *origin[3];
    float *st[2]; /* their luxel coordinates */
};

/* The same for a luxel on a flat face, into the first places of the rows. */
int luxel_rows(const struct luxel_map *map, const struct scene *scene,
               const struct face_light *face, int luxel, int wanted, const struct luxel_rows *rows);

/* The first points of sample_scrambled in the unit square; `wanted` is a power of two, at most
 * LUXEL_FINE. */
void luxel_pattern(int wanted, uint64_t scramble, double *restrict u, double *restrict v);

/* The sample of a luxel that has only one. */
void luxel_middle(const struct face_light *face, const struct luxel *at, struct luxel_sample *out);

/* A unique number of each luxel of the map, to seed random patterns. */
static inline uint64_t luxel_seed(const struct luxel_map *map, const struct face_light *face,
                                  int luxel)
{
    return (uint64_t)(face - map->faces) << 32 | (uint32_t)luxel;
}

#endif
