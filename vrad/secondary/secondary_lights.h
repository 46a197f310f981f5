/* Bright places that rays in all directions seldom find: under a lamp near a wall, where the sun
 * falls into a dark room.
 *
 * Squares of luxels whose direct light goes over a cap are hot spots. What such a spot throws back
 * above the cap reaches a point by a ray that is aimed at it; rays of the point that happen to meet
 * the spot bring what is below the cap. Nothing is counted twice and nothing is left out, and few
 * rays do where many were needed. Of spots that give a point little, one ray stands for several.
 * Points near a spot see it large: for them it is a surface like others. */
#ifndef VRAD_SECONDARY_SECONDARY_LIGHTS_H
#define VRAD_SECONDARY_SECONDARY_LIGHTS_H

#include "common/core/array.h"
#include "vrad/luxels/radiosity.h"

/* What weighing takes stands first. */
struct secondary_light {
    float center[3], normal[3];
    float strength;    /* brightness of the power, over pi */
    float near, reach; /* see secondary_lanes */
    float half_side[2][3];
    float power[3]; /* light above the cap, times area, over pi */
};

enum { SECONDARY_LANES = 16 };

/* What decides how much SECONDARY_LANES spots in a row give to a point. */
struct secondary_lanes {
    float center[3][SECONDARY_LANES], normal[3][SECONDARY_LANES];
    float strength[SECONDARY_LANES]; /* brightness of the power, over pi; 0: no spot */
    float
        near[SECONDARY_LANES]; /* square of the distance below which it is a surface like others */
    float reach[SECONDARY_LANES]; /* square of that beyond which it is, too, since it gives so
                                     little */
};

/* The spots of a face of the map, which follow each other. */
struct secondary_face {
    int face, first, end;   /* spots first to end - 1 */
    float mins[3], maxs[3]; /* where any of them is worth a ray */
};

/* Which of 64 luxels of the map are hot, and how many are before them: small, since every ray asks.
 */
struct secondary_marks {
    uint64_t set;
    uint32_t before;
};

struct secondary_luxel {
    int light;
    float residual[3]; /* light that leaves it above the cap */
};

struct secondary_lights {
    const struct radiosity *radiosity;     /* borrowed */
    const struct secondary_lane_ops *work; /* for this processor */
    struct secondary_light *lights;        /* stb_ds array */
    struct secondary_lanes
        *lanes; /* stb_ds array: spots SECONDARY_LANES i to SECONDARY_LANES (i + 1) */
    struct secondary_face *faces; /* stb_ds array, in a rising order */
    uint64_t *visible; /* secondary_words a cluster: a bit for each of `faces` that it sees */
    struct secondary_luxel *luxels; /* those of the map that are hot, from the heap */
    struct secondary_marks *marks;  /* one for 64 luxels of the map; NULL: no spots */
};

/* By the direct light of style 0 of the map. */
void secondary_lights_find(const struct radiosity *radiosity, struct secondary_lights *out);
void secondary_lights_free(struct secondary_lights *secondary);

static inline bool secondary_is_marked(const struct secondary_lights *secondary, size_t luxel)
{
    return secondary->marks && secondary->marks[luxel / 64].set >> luxel % 64 & 1;
}

/* Of a luxel that is marked. */
static inline struct secondary_luxel *secondary_luxel_at(const struct secondary_lights *secondary,
                                                         size_t luxel)
{
    const struct secondary_marks *marks = &secondary->marks[luxel / 64];
    uint64_t before = marks->set & (((uint64_t)1 << luxel % 64) - 1);
    return &secondary->luxels[marks->before + (uint32_t)__builtin_popcountll(before)];
}

/* Words for a bit a face with spots. */
static inline size_t secondary_words(const struct secondary_lights *secondary)
{
    return ((size_t)arrlenu(secondary->faces) + 63) / 64;
}

/* The axes of a receiver, at most. */
enum { SECONDARY_AXES = 6 };

#endif
