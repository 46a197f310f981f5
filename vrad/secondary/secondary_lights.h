/* Secondary lights: small bright places that rays in all directions seldom hit, such as a wall near
 * a light or sunlight in a dark room.
 *
 * Squares of luxels whose direct radiosity exceeds a clamp become secondary lights. Rays that
 * happen to hit one count its clamped radiosity only; the residual above the clamp reaches a point
 * by next-event estimation (next_event.h), which compensates the bias. So far fewer rays are needed
 * for the same noise. Lights of little gain share rays. To points near a light it is a surface like
 * others. */
#ifndef VRAD_SECONDARY_SECONDARY_LIGHTS_H
#define VRAD_SECONDARY_SECONDARY_LIGHTS_H

#include "common/core/array.h"
#include "vrad/luxels/luxel_set.h"
#include "vrad/luxels/radiosity.h"

/* The fields that weighting reads come first. */
struct secondary_light {
    float center[3], normal[3];
    float strength;    /* brightness of the power, over pi */
    float near, reach; /* see secondary_lanes */
    float half_side[2][3];
    float power[3]; /* residual radiosity, times area, over pi */
};

enum { SECONDARY_LANES = 16 };

/* The fields that determine the gain of SECONDARY_LANES consecutive lights. */
struct secondary_lanes {
    float center[3][SECONDARY_LANES], normal[3][SECONDARY_LANES];
    float strength[SECONDARY_LANES]; /* brightness of the power, over pi; 0: unused lane */
    float
        near[SECONDARY_LANES]; /* squared distance below which the light is a surface like others */
    float reach[SECONDARY_LANES]; /* squared distance beyond which its gain is too small, and it is
                                     one again */
};

/* The consecutive lights of one face of the map. */
struct secondary_face {
    int face, first, end;   /* lights first to end - 1 */
    float mins[3], maxs[3]; /* where any of them is worth a ray */
};

struct secondary_luxel {
    int light;
    float residual[3]; /* radiosity above the clamp */
};

struct secondary_lights {
    const struct radiosity *radiosity;     /* borrowed */
    const struct secondary_lane_ops *work; /* for the CPU */
    struct secondary_light *lights;        /* stb_ds array */
    struct secondary_lanes
        *lanes; /* stb_ds array: lights SECONDARY_LANES i to SECONDARY_LANES (i + 1) */
    struct secondary_face *faces; /* stb_ds array, in ascending order */
    uint64_t *visible; /* secondary_words per cluster: one bit for each of `faces` that it sees */
    struct secondary_luxel *luxels; /* luxels of the lights, on the heap */
    struct luxel_set marks;         /* the luxels that belong to a light */
};

/* From the direct light of style 0 of the map. */
void secondary_lights_find(const struct radiosity *radiosity, struct secondary_lights *out);
void secondary_lights_free(struct secondary_lights *secondary);

static inline bool secondary_is_marked(const struct secondary_lights *secondary, size_t luxel)
{
    return luxel_set_has(&secondary->marks, luxel);
}

/* Of a luxel that is marked. */
static inline struct secondary_luxel *secondary_luxel_at(const struct secondary_lights *secondary,
                                                         size_t luxel)
{
    return &secondary->luxels[luxel_set_rank(&secondary->marks, luxel)];
}

/* 64-bit words for one bit per face with lights. */
static inline size_t secondary_words(const struct secondary_lights *secondary)
{
    return ((size_t)arrlenu(secondary->faces) + 63) / 64;
}

/* Maximum number of axes of a receiver. */
enum { SECONDARY_AXES = 6 };

#endif
