/* Points that look around: the light that falls on them from the surfaces that they see. */
#ifndef VRAD_BOUNCE_GATHER_H
#define VRAD_BOUNCE_GATHER_H

#include "vrad/secondary/hot_light.h"

enum { GATHER_RAYS = 1024, GATHER_POINTS = 16, GATHER_PARTS = 16 };

/* A ray of a table: a direction around z, and where on the point's square it starts. */
struct gather_ray {
    float direction[3];
    float jitter[2]; /* -0.5 .. 0.5 */
};

enum gather_kind {
    GATHER_PLAIN,  /* cosine-weighted */
    GATHER_BUMPED, /* half of them uniform, so that no bump map gives a ray near the surface a great
                      weight */
    GATHER_SPHERE, /* uniform, all around */
};

/* Some sets of rays that fill the hemisphere evenly, in an order by direction that is the same for
 * all sets: rays of the same number go one way. A point picks one of them. GATHER_PARTS parts of
 * the hemisphere that weigh the same follow each other. */
struct gather_table {
    int rays; /* a power of two, 16 .. GATHER_RAYS */
    enum gather_kind kind;
    int variants;           /* a power of two */
    struct gather_ray *set; /* [variants][rays] */
};

void gather_table_init(struct gather_table *table, int rays, enum gather_kind kind);
void gather_table_free(struct gather_table *table);

struct gather_point {
    size_t place; /* from 1 on, to recall what it saw by (gather_recall.c); 0: it is not recalled */
    bool in_air;  /* on no surface: it looks all around, by a table for that */
    struct vec3 position;  /* on the surface */
    struct vec3 jitter[2]; /* rays start at position + (-0.5 .. 0.5) of each; or zero */
    struct vec3 face_normal;
    struct vec3 normal; /* smoothed: light counts by its cosine */
    int slots;          /* 1, or LUXEL_SLOTS with the directions of bump */
    struct vec3 bump[LUXEL_BUMPS];
    int area; /* of the map */
    uint64_t seed;
    double min;                 /* light that a ray to a hot spot is worth, see hot_spots.h */
    const struct hot_view *hot; /* the spots to aim at; NULL: they are surfaces like others */
};

/* A luxel as a gather point, with its square as the jitter where all of it counts. */
struct gather_point gather_point_at(const struct radiosity *radiosity, int face, int luxel,
                                    const struct hot_view *hot);

/* The rays of the point, in order, around z. */
const struct gather_ray *gather_set(const struct gather_table *table,
                                    const struct gather_point *point);

/* What each ray of the points of one face or leaf (at most GATHER_POINTS) sees, the table's rays a
 * point: radiosity_seen, with GATHER_COOL where its light above the cap does not come by the ray.
 */
void gather_look(const struct radiosity *radiosity, const struct gather_table *table,
                 const struct gather_point *points, int count, uint32_t *seen);
#define GATHER_COOL 0x80000000u
/* The same by rays, of whatever was seen before. */
void gather_look_anew(const struct radiosity *radiosity, const struct gather_table *table,
                      const struct gather_point *points, int count, uint32_t *seen);

/* The light that falls on the point by what its rays saw, 3 floats a slot, without what hot spots
 * give above the cap; `doubt` has the variance of its brightness, one a slot. Uniform light gives
 * its exact value. Points with slots need a bumped table, others a plain one. */
void gather_light(const struct radiosity *radiosity, const struct gather_table *table,
                  const struct gather_point *point, const uint32_t *seen, float *out, float *doubt);

/* Adds to `out`, 3 floats a slot, the light of the spots above the cap to the point, whose luxel
 * lies in the cell. Returns how many rays that took. */
int gather_hot(const struct gather_point *point, const struct hot_cell *cell, float *out);

#endif
