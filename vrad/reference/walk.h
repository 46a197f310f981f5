/* Internal to path tracing: 16 paths at a time, from surface to surface. */
#ifndef VRAD_REFERENCE_WALK_H
#define VRAD_REFERENCE_WALK_H

#include "vrad/luxels/radiosity.h"
#include "vrad/reference/light_choice.h"

struct emitters;
struct reference_options;
struct targets;

struct walk_job {
    const struct env *env;
    const struct scene *scene;
    const struct light_set *lights;
    const struct reference_options *options;
    const struct luxel_map *map;
    const struct radiosity *beyond;    /* where paths end on surfaces that are not near; or NULL */
    struct radiosity skybox_radiosity; /* for rays that cross the 3D skybox */
    struct vec3 sky;
    const struct emitters *emitters; /* in the place of their lights; NULL: none are */
    const struct targets *targets;   /* that paths aim at; NULL: they do not */
};

struct walk {
    const struct walk_job *job;
    float *light_weights;  /* TRACE_PACKET per light */
    float *target_weights; /* and per target, for the last vertices */
    float target_totals[TRACE_PACKET];
    uint32_t alive;
    struct trace_ray rays[TRACE_PACKET];
    int areas[TRACE_PACKET];
    int left[TRACE_PACKET];              /* further bounces, at most */
    struct light_place at[TRACE_PACKET]; /* their last vertices */
    int aims[TRACE_PACKET];              /* the targets of their rays; -1: of any direction */
    double densities[TRACE_PACKET];      /* of directions that are not aimed, at these rays */
    double throughput[TRACE_PACKET][3];  /* from the path's end to its start */
    double light[TRACE_PACKET][3];
    double emitted[TRACE_PACKET][3]; /* of emitters that the first rays hit; not in `light` */
    bool is_first;                   /* the rays are the first */
    uint64_t seeds[TRACE_PACKET];
    uint64_t drawn; /* random numbers so far */
    const double (
        *scatter)[3]; /* choose the next direction and the light of each; NULL: random numbers do */
};

/* Light that comes straight to a place. */
struct walk_light {
    struct vec3 way, direction; /* the ray, from the start of the place; unit, to the light */
    const double *colour;
    double attenuation; /* of the colour, on a surface that faces it: divided by the density of the
                           choice */
    double scale;       /* the same with the cosine at the place */
    bool is_sun;
};

double walk_draw(struct walk *walk, int lane);
void walk_set_ray(struct trace_ray *ray, struct vec3 from, struct vec3 way);

/* Samples a light of the style for the place of a lane, by walk->light_weights; takes a given one;
 * and samples an emitter that rays do not hit. Return false when there is none. `random` and
 * `shares` as in lights_pick. */
bool walk_sample_light(struct walk *walk, int lane, int style, double random, const float *shares,
                       struct walk_light *out);
void walk_take_light(struct walk *walk, int lane, const struct light *light,
                     struct walk_light *out);
bool walk_sample_emitter(struct walk *walk, int lane, struct walk_light *out);

/* Returns the lanes that light of walk_sample_light or walk_sample_emitter reaches. */
uint32_t walk_sees(const struct walk *walk, uint32_t lanes,
                   const struct walk_light lights[TRACE_PACKET]);

/* Weighs the targets for the places of `lanes`. */
void walk_weigh_targets(struct walk *walk, uint32_t lanes);

/* Aims a ray of a lane, which has a direction at random, at a target instead, or leaves it as it
 * is: its direction is cosine-weighted, or with `half_uniform` half of them are uniform. Returns
 * false when the ray does not leave the surface. */
bool walk_aim(struct walk *walk, int lane, bool half_uniform, struct vec3 *way);

/* Continues the paths from what their rays have hit; traces them first. */
void walk_step_from(struct walk *walk, const struct scene_hit hits[TRACE_PACKET]);
void walk_step(struct walk *walk);

#endif
