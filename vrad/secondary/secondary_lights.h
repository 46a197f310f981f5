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
struct hot_spot {
    float center[3], normal[3];
    float strength;    /* brightness of the power, over pi */
    float near, reach; /* see hot_lanes */
    float half_side[2][3];
    float power[3]; /* light above the cap, times area, over pi */
};

enum { HOT_LANES = 16 };

/* What decides how much HOT_LANES spots in a row give to a point. */
struct hot_lanes {
    float center[3][HOT_LANES], normal[3][HOT_LANES];
    float strength[HOT_LANES]; /* brightness of the power, over pi; 0: no spot */
    float near[HOT_LANES];     /* square of the distance below which it is a surface like others */
    float reach[HOT_LANES]; /* square of that beyond which it is, too, since it gives so little */
};

/* The spots of a face of the map, which follow each other. */
struct hot_face {
    int face, first, end;   /* spots first to end - 1 */
    float mins[3], maxs[3]; /* where any of them is worth a ray */
};

/* Which of 64 luxels of the map are hot, and how many are before them: small, since every ray asks.
 */
struct hot_marks {
    uint64_t hot;
    uint32_t before;
};

struct hot_luxel {
    int spot;
    float excess[3]; /* light that leaves it above the cap */
};

struct hot_spots {
    const struct radiosity *radiosity; /* borrowed */
    const struct hot_lane_work *work;  /* for this processor */
    struct hot_spot *spots;            /* stb_ds array */
    struct hot_lanes *lanes;           /* stb_ds array: spots HOT_LANES i to HOT_LANES (i + 1) */
    struct hot_face *faces;            /* stb_ds array, in a rising order */
    uint64_t *visible;        /* hot_words a cluster: a bit for each of `faces` that it sees */
    struct hot_luxel *luxels; /* those of the map that are hot, from the heap */
    struct hot_marks *marks;  /* one for 64 luxels of the map; NULL: no spots */
};

/* By the direct light of style 0 of the map. */
void hot_spots_find(const struct radiosity *radiosity, struct hot_spots *out);
void hot_spots_free(struct hot_spots *hot);

static inline bool hot_is_marked(const struct hot_spots *hot, size_t luxel)
{
    return hot->marks && hot->marks[luxel / 64].hot >> luxel % 64 & 1;
}

/* Of a luxel that is marked. */
static inline struct hot_luxel *hot_luxel_at(const struct hot_spots *hot, size_t luxel)
{
    const struct hot_marks *marks = &hot->marks[luxel / 64];
    uint64_t before = marks->hot & (((uint64_t)1 << luxel % 64) - 1);
    return &hot->luxels[marks->before + (uint32_t)__builtin_popcountll(before)];
}

/* Words for a bit a face with spots. */
static inline size_t hot_words(const struct hot_spots *hot)
{
    return ((size_t)arrlenu(hot->faces) + 63) / 64;
}

/* The axes of a receiver, at most. */
enum { HOT_AXES = 6 };

#endif
