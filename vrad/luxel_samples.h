/* Points of a luxel at which light is measured. */
#ifndef VRAD_LUXEL_SAMPLES_H
#define VRAD_LUXEL_SAMPLES_H

#include "vrad/luxel.h"

/* LUXEL_COARSE points catch nearly all of smooth light and show where it is not smooth; there more
 * take their place, at most LUXEL_FINE. */
enum { LUXEL_COARSE = 4, LUXEL_FINE = 128 };

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

/* The one sample of a luxel that has but one. */
void luxel_middle(const struct face_light *face, const struct luxel *at, struct luxel_sample *out);

/* A number of its own for each luxel of the map, to seed its random patterns. */
static inline uint64_t luxel_seed(const struct luxel_map *map, const struct face_light *face,
                                  int luxel)
{
    return (uint64_t)(face - map->faces) << 32 | (uint32_t)luxel;
}

#endif
