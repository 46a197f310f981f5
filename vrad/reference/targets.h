/* Bright parts of surfaces, which paths aim at: they find gaps that directions at random miss.
 *
 * A target is a rectangle of a flat face. A path aims at a uniform point of one that is chosen in
 * proportion to a weight, and counts only if it arrives in that rectangle; so the density of its
 * directions is known at each point where a path arrives, and both techniques are combined by the
 * balance heuristic (E. Veach and L. J. Guibas 1995). */
#ifndef VRAD_REFERENCE_TARGETS_H
#define VRAD_REFERENCE_TARGETS_H

#include "vrad/luxels/luxel.h"
#include "vrad/reference/light_choice.h"

struct emitters;

struct target {
    struct vec3 center, normal, side[2]; /* half the sides */
    double area;
    double power; /* radiosity times area */
};

/* The cells of a face; of those without a target the number is -1. */
struct target_grid {
    struct vec3 origin, axis[2]; /* unit */
    struct vec3 normal;
    double cell[2];
    int columns, rows; /* 0: it has no targets */
    int first;         /* in `numbers` */
};

struct targets {
    struct target *list;       /* stb_ds array */
    struct target_grid *grids; /* one per face */
    int *numbers;              /* stb_ds array: by cell */
    int face_count;
};

/* Chooses those of the brightest surfaces, by the map's direct light of style 0 and the emitters.
 * Free with targets_free. */
void targets_make(const struct luxel_map *map, const struct emitters *emitters,
                  struct targets *out);
void targets_free(struct targets *targets);

/* Weights of the targets for the places of `lanes`, TRACE_PACKET numbers each, and their sums. */
void targets_weigh(const struct targets *targets, uint32_t lanes,
                   const struct light_place places[TRACE_PACKET], float *weights,
                   float totals[TRACE_PACKET]);

/* Chooses a target for a lane, which has a total, and a point of it. */
int targets_sample(const struct targets *targets, int lane, const float *weights, float total,
                   const double random[3], struct vec3 *point);

/* The target at a point of a face; -1: none. */
int targets_at(const struct targets *targets, int face, struct vec3 point);

#endif
