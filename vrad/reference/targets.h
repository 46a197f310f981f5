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
    int first;         /* number of the first */
};

enum { TARGET_BLOCK = 16, MAX_TARGETS = 128 };

/* The numbers of the weights, for all targets by coordinate: up to a whole number of blocks. */
struct target_rows {
    float center[3][MAX_TARGETS], normal[3][MAX_TARGETS];
    float power[MAX_TARGETS], size[MAX_TARGETS], reach[MAX_TARGETS];
};

struct targets {
    struct target *list; /* stb_ds array */
    struct target_rows rows;
    int blocks;                /* of TARGET_BLOCK targets */
    struct target_grid *grids; /* one per face */
    int *numbers;              /* stb_ds array: by cell */
    float *radiosities;        /* by cell: roughly; and the mean of all */
    float radiosity;
    struct target_grid *places; /* one per face, of coarser cells: what sees the targets */
    int place_count;            /* of these cells */
    float *shares; /* of the weights, blocks * TARGET_BLOCK by cell of `places`: roughly how much of
                      each target it sees; NULL: not known */
    int face_count;
};

/* Chooses those which send most light away from what is near them, by the map's light of style 0
 * and the emitters. Free with targets_free. */
void targets_make(const struct luxel_map *map, const struct emitters *emitters,
                  struct targets *out);

/* Finds what cells see of the targets, by about so many rays. */
void targets_find_shares(const struct env *env, const struct scene *scene, double rays,
                         struct targets *targets);
void targets_free(struct targets *targets);

/* Weights of the targets for a place. */
struct target_weights {
    float weights[MAX_TARGETS];
    float sums[MAX_TARGETS / TARGET_BLOCK]; /* by block */
    float total;
};

/* `cell`: of targets_place; -1: none. */
void targets_weigh(const struct targets *targets, const struct light_place *place, int cell,
                   struct target_weights *out);

/* Chooses a target by weights with a total, and a point of it. */
int targets_sample(const struct targets *targets, const struct target_weights *weights,
                   const double random[3], struct vec3 *point);

/* The cell of `places` at a point of a face, and the target there; -1: none. */
int targets_place(const struct targets *targets, int face, struct vec3 point);
int targets_at(const struct targets *targets, int face, struct vec3 point);

/* Roughly the radiosity there, and at least the mean of the map. */
double targets_radiosity(const struct targets *targets, int face, struct vec3 point);

#endif
