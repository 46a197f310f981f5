/* Final gather: the irradiance at points, by rays over the hemisphere. */
#ifndef VRAD_BOUNCE_FINAL_GATHER_H
#define VRAD_BOUNCE_FINAL_GATHER_H

#include "vrad/secondary/next_event.h"

enum { GATHER_RAYS = 1024, GATHER_POINTS = 16, GATHER_PARTS = 16 };

/* A ray of a table: a direction around z, and its origin on the point's square. */
struct gather_ray {
    float direction[3];
    float jitter[2]; /* -0.5 .. 0.5 */
};

enum gather_kind {
    GATHER_PLAIN,  /* cosine-weighted */
    GATHER_BUMPED, /* half of them uniform, so that rays near the surface get no great weight in
                      bump directions */
    GATHER_SPHERE, /* uniform, all around */
    GATHER_SQUARE, /* no directions: points (x, y) of the square from 0 to 1, for guided rays */
};

/* Several stratified sets of rays over the hemisphere, in the same order by direction: rays with
 * the same number are coherent. A point picks one of the sets. GATHER_PARTS consecutive parts of
 * the hemisphere have equal weight. */
struct gather_table {
    int rays; /* a power of two, 16 .. GATHER_RAYS */
    enum gather_kind kind;
    int variants;           /* a power of two */
    struct gather_ray *set; /* [variants][rays] */
};

void gather_table_init(struct gather_table *table, int rays, enum gather_kind kind);
void gather_table_free(struct gather_table *table);

struct gather_point {
    size_t cache_slot;     /* slot + 1 in the ray hit cache; 0: not cached */
    bool in_air;           /* on no surface: rays go in all directions, by a sphere table */
    struct vec3 position;  /* on the surface */
    struct vec3 jitter[2]; /* origins of rays: position + (-0.5 .. 0.5) of each; or zero */
    struct vec3 face_normal;
    struct vec3 normal; /* smoothed: light is weighted by its cosine */
    int slots;          /* 1, or LUXEL_SLOTS with the bump directions */
    struct vec3 bump[LUXEL_BUMPS];
    int area; /* of the map */
    uint64_t seed;
    const struct gather_ray *rays; /* instead of a set of the table; NULL: one of its sets */
    const float *weights;          /* of these rays, for plain tables: cosine over density */
    double min;                    /* gain that is worth a shadow ray, see next_event.h */
    const struct culled_lights *secondary; /* culled secondary lights; NULL: none are sampled */
};

/* A luxel as a gather point, with its square as the jitter where all of it counts. */
struct gather_point gather_point_at(const struct radiosity *radiosity, int face, int luxel,
                                    const struct culled_lights *secondary);

/* The frame of a point's rays, around its normal. */
void gather_axes(const struct gather_point *point, float axes[3][3]);

/* The rays of the point, in order, around z. */
const struct gather_ray *gather_set(const struct gather_table *table,
                                    const struct gather_point *point);

/* Traces the rays of points of one face or leaf (at most GATHER_POINTS). `seen` gets the hits, the
 * table's rays per point: radiosity_seen, with GATHER_CLAMPED where the residual is left to a
 * shadow ray. */
void gather_trace(const struct radiosity *radiosity, const struct gather_table *table,
                  const struct gather_point *points, int count, uint32_t *seen);
#define GATHER_CLAMPED 0x80000000u

/* The irradiance of the point from its ray hits, 3 floats per slot, with clamped secondary lights;
 * `variance` gets that of its brightness, one per slot. Uniform light gives its exact value. Points
 * with slots need a bumped table, others a plain one. */
void gather_light(const struct radiosity *radiosity, const struct gather_table *table,
                  const struct gather_point *point, const uint32_t *seen, float *out,
                  float *variance);

/* Adds the residuals of secondary lights at the point, whose luxel lies in the cell, to `out`, 3
 * floats per slot. Returns the number of shadow rays. */
int gather_secondary(const struct gather_point *point, const struct light_cell *cell, float *out);

#endif
