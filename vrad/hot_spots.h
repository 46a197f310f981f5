/* Bright places that rays in all directions seldom find: under a lamp near a wall, where the sun
 * falls into a dark room.
 *
 * Squares of luxels whose direct light goes over a cap are hot spots. What such a spot throws back
 * above the cap reaches a point by one ray that is aimed at it; rays of the point that happen to
 * meet the spot bring what is below the cap. Nothing is counted twice and nothing is left out, and
 * few rays do where many were needed. Points near a spot see it large: for them it is a surface
 * like others. */
#ifndef VRAD_HOT_SPOTS_H
#define VRAD_HOT_SPOTS_H

#include "vrad/radiosity.h"

struct hot_spot {
    struct vec3 center, normal;
    struct vec3 half_side[2];
    double power[3];   /* light above the cap, times area */
    double brightness; /* mean of power */
    double near;       /* square of the distance below which it is a surface like others */
    int face;
};

/* Beyond it a spot is not worth a ray. */
struct hot_reach {
    float center[3], square;
};

enum { HOT_GROUP = 16 };

/* Where any of HOT_GROUP spots in a row is worth one. */
struct hot_group {
    float mins[3], maxs[3];
};

struct hot_luxel {
    int spot;
    float excess[3]; /* light that leaves it above the cap */
};

struct hot_spots {
    const struct radiosity *radiosity; /* borrowed */
    struct hot_spot *spots;            /* stb_ds array */
    struct hot_reach *reaches;         /* stb_ds array, one a spot */
    struct hot_group *groups;          /* stb_ds array */
    struct hot_luxel *luxels;          /* stb_ds array */
    int32_t *luxel_of;                 /* one a luxel of the map, an index or -1; NULL: no spots */
};

/* By the direct light of style 0 of the map. */
void hot_spots_find(const struct radiosity *radiosity, struct hot_spots *out);
void hot_spots_free(struct hot_spots *hot);

/* The spots that may matter inside a box. */
struct hot_view {
    const struct hot_spots *hot;
    int *spots; /* stb_ds array, in a rising order */
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
    uint64_t seed;
};

/* Adds to `out`, 3 floats an axis, what the receiver gets of the spots above the cap. Returns how
 * many rays that took. */
int hot_light(const struct hot_view *view, const struct hot_receiver *to, float *out);

#endif
