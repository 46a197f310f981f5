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
    double scale;              /* of the intensity: the light without occluders, divided by the
                                  probability of the choice */
};

/* `lanes` of up to TRACE_PACKET places. `random`: a number of [0, 1) for each of them. `weights`
 * has room for TRACE_PACKET numbers per light. */
void lights_choose(const struct scene *scene, const struct light_set *lights, uint32_t lanes,
                   const struct light_place places[TRACE_PACKET], const double random[TRACE_PACKET],
                   float *weights, struct light_choice out[TRACE_PACKET]);

#endif
