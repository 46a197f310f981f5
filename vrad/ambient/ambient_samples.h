/* The ambient samples of a leaf: which places are none, the rays of candidates, and the choice
 * among many of them. */
#ifndef VRAD_AMBIENT_AMBIENT_SAMPLES_H
#define VRAD_AMBIENT_AMBIENT_SAMPLES_H

#include "vrad/bounce/final_gather.h"
#include "vrad/luxels/luxel.h"

/* --- places below displacements: empty leaves by the tree, but never visible --- */

/* The space that a displacement may cover: itself, its base face and a margin. */
struct below_terrain_box {
    struct bounds bounds;
    struct vec3 normal; /* of the base face */
};

/* Zero-initialised: none. */
struct below_terrain {
    struct below_terrain_box *boxes; /* stb_ds array */
};

/* Free with below_terrain_free. */
void below_terrain_find(const struct luxel_map *map, struct below_terrain *out);
void below_terrain_free(struct below_terrain *below_terrain);

/* Returns true if the point lies below a displacement: a ray along the normal of its base face hits
 * a back side first. */
bool below_terrain_contains(const struct below_terrain *below_terrain, const struct scene *scene,
                            struct vec3 point);

/* --- rays in all directions: a first set for candidates, and the rest --- */

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

/* --- the choice: points that lie apart and differ in light --- */

enum {
    CHOICE_CANDIDATES = 128, /* maximum */
    CHOICE_PICKS = 16,       /* maximum */
    CHOICE_LIGHTS = 20,      /* 6 sides of 3 channels, padded with zeros */
};

struct choice_point {
    float place[3];
    float light[CHOICE_LIGHTS]; /* 255 is white; the last two are 0 */
};

/* Predicts the light of the points from `known` to `count` from those before: their mean, weighted
 * by the inverse square of the distance. At least one is known. */
void choice_predict(struct choice_point *points, int known, int count);

/* Picks at most `max` points and writes their numbers into `picked`; returns the count. Adds the
 * points in order, and whenever there are more than that drops one of the two that are most alike.
 */
int choice_pick(const struct choice_point *points, int count, int max, int *picked);

#endif
