/* Bright places that rays in all directions seldom find: under a lamp near a wall, where the sun
 * falls into a dark room.
 *
 * Squares of luxels whose direct light goes over a cap are hot spots. What such a spot throws back
 * above the cap reaches a point by a ray that is aimed at it; rays of the point that happen to meet
 * the spot bring what is below the cap. Nothing is counted twice and nothing is left out, and few
 * rays do where many were needed. Of spots that give a point little, one ray stands for several.
 * Points near a spot see it large: for them it is a surface like others. */
#ifndef VRAD_HOT_SPOTS_H
#define VRAD_HOT_SPOTS_H

#include "vrad/radiosity.h"

struct hot_spot {
    struct vec3 center, normal;
    struct vec3 half_side[2];
    double power[3];   /* light above the cap, times area */
    double brightness; /* mean of power */
    int face;
};

enum { HOT_LANES = 16 };

/* What decides how much HOT_LANES spots in a row give to a point. */
struct hot_lanes {
    float center[3][HOT_LANES], normal[3][HOT_LANES];
    float strength[HOT_LANES]; /* brightness of the power, over pi; 0: no spot */
    float near[HOT_LANES];     /* square of the distance below which it is a surface like others */
    float reach[HOT_LANES]; /* square of that beyond which it is, too, since it gives so little */
    float mins[3], maxs[3]; /* where any of them is worth a ray */
};

struct hot_luxel {
    int spot;
    float excess[3]; /* light that leaves it above the cap */
};

struct hot_spots {
    const struct radiosity *radiosity; /* borrowed */
    struct hot_spot *spots;            /* stb_ds array */
    struct hot_lanes *lanes;           /* stb_ds array: spots HOT_LANES i to HOT_LANES (i + 1) */
    struct hot_luxel *luxels;          /* stb_ds array */
    int32_t *luxel_of;                 /* one a luxel of the map, an index or -1; NULL: no spots */
};

/* By the direct light of style 0 of the map. */
void hot_spots_find(const struct radiosity *radiosity, struct hot_spots *out);
void hot_spots_free(struct hot_spots *hot);

/* Spots of the same lanes, a bit each. */
struct hot_part {
    int lanes;
    uint32_t spots;
};

/* The spots that may matter inside a box. */
struct hot_view {
    const struct hot_spots *hot;
    struct hot_part *parts; /* stb_ds array, in a rising order */
};

/* `clusters` say where the box lies; none: anywhere. Free with hot_view_free. */
void hot_view_of_box(const struct hot_spots *hot, const struct bounds *box, const int *clusters,
                     int cluster_count, struct hot_view *out);
void hot_view_of_face(const struct hot_spots *hot, int face, struct hot_view *out);
void hot_view_free(struct hot_view *view);

/* What a ray from the point that met luxel `seen` of the map has to leave out, 3 numbers; NULL:
 * nothing. */
const float *hot_excess(const struct hot_view *view, size_t seen, struct vec3 point);

enum { HOT_AXES = 6 };

/* A point that takes light by the cosine with some axes. */
struct hot_receiver {
    struct vec3 position, start; /* rays leave from `start`, off the surface */
    struct vec3 axis[HOT_AXES];
    int axes;
    double least; /* what a ray is worth: spots that give less, of 255, share one; 0: 0.2 */
    uint64_t seed;
};

/* Adds to `out`, 3 floats an axis, what the receiver gets of the spots above the cap. Returns how
 * many rays that took. */
int hot_light(const struct hot_view *view, const struct hot_receiver *to, float *out);

#endif
