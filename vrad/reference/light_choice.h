/* Chooses lights for points by importance: in proportion to their light there without occluders. */
#ifndef VRAD_REFERENCE_LIGHT_CHOICE_H
#define VRAD_REFERENCE_LIGHT_CHOICE_H

#include "vrad/scene/scene.h"

struct light;
struct light_set;

/* A point of a surface. */
struct light_place {
    struct vec3 point, start; /* `start`: origin of its rays */
    struct vec3 normal;
    struct vec3 surface; /* the plane's normal */
    int cluster;         /* only lights that may reach it count; -1: all */
};

struct light_choice {
    const struct light *light; /* NULL: none reaches the point */
    struct vec3 way;           /* the ray: to a sun its direction, to others up to their place */
    struct vec3 direction;     /* unit, to the light */
    double scale;              /* of the intensity: the light without occluders, divided by the
                                  probability of the choice */
    double attenuation;        /* the same on a surface that faces the light */
};

struct light_filter {
    const bool *skipped; /* one per light; NULL: none is */
    bool all_styles;     /* not only style 0 */
};

/* Weighs the lights for `lanes` of up to TRACE_PACKET places: by their light there without
 * occluders. `weights` has room for TRACE_PACKET numbers per light. */
void lights_weigh(const struct scene *scene, const struct light_set *lights,
                  const struct light_filter *filter, uint32_t lanes,
                  const struct light_place places[TRACE_PACKET], float *weights);

/* A light for a place, as if nothing else could be chosen. */
void lights_take(const struct light *light, const struct light_place *place,
                 struct light_choice *out);

/* Chooses a light of a style for the place of a lane by a number of [0, 1), in proportion to the
 * weights; `shares` multiply these, one per light, or NULL. */
void lights_pick(const struct light_set *lights, const struct light_place *place, int lane,
                 double random, int style, const float *weights, const float *shares,
                 struct light_choice *out);

#endif
