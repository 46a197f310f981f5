/* One point that looks around: the light that falls on it from the surfaces that it sees. */
#ifndef VRAD_GATHER_H
#define VRAD_GATHER_H

#include "vrad/hot_spots.h"

enum { GATHER_RAYS = 1024 };

struct gather_point {
    struct vec3 position;  /* on the surface */
    struct vec3 jitter[2]; /* rays start at position + (-0.5 .. 0.5) of each; or zero */
    struct vec3 face_normal;
    struct vec3 normal; /* smoothed: light counts by its cosine */
    int slots;          /* 1, or LUXEL_SLOTS with the directions of bump */
    struct vec3 bump[LUXEL_BUMPS];
    int area; /* of the map */
    uint64_t seed;
    int rays;                   /* a power of two, 16 .. GATHER_RAYS */
    const struct hot_view *hot; /* the spots to aim at */
};

/* A luxel as a gather point, with its square as the jitter where all of it counts. */
struct gather_point gather_point_at(const struct radiosity *radiosity, int face, int luxel,
                                    int rays, const struct hot_view *hot);

/* The light that falls on the point from what its rays see, 3 floats a slot. Uniform light gives
 * its exact value. Returns how many rays were aimed at spots. */
int gather_light(const struct radiosity *radiosity, const struct gather_point *point, float *out);

/* What each ray of an unbumped point sees (radiosity_seen), with GATHER_COOL where its light above
 * the cap does not come by the ray; all weigh the same. */
void gather_seen(const struct radiosity *radiosity, const struct gather_point *point,
                 uint32_t *seen);
#define GATHER_COOL 0x80000000u

/* Adds to `out`, 3 floats a slot, the light of the spots above the cap; gather_light has it in.
 * Returns how many rays that took. */
int gather_hot(const struct gather_point *point, float *out);

#endif
