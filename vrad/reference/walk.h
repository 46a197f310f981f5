/* Internal to path tracing: 16 paths at a time, from surface to surface. */
#ifndef VRAD_REFERENCE_WALK_H
#define VRAD_REFERENCE_WALK_H

#include "vrad/luxels/radiosity.h"
#include "vrad/reference/light_choice.h"
#include "vrad/reference/targets.h"

struct emitters;
struct reference_options;

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

/* The last vertices of the paths. */
struct walk_ends {
    uint32_t alive;
    struct light_place at[TRACE_PACKET];
    int areas[TRACE_PACKET];
    int faces[TRACE_PACKET];            /* -1: of none */
    int left[TRACE_PACKET];             /* further bounces, at most */
    double throughput[TRACE_PACKET][3]; /* from the path's end to its start */
};

/* The rays from a vertex: in a direction at random, and at a target. What both find of the light of
 * surfaces is weighed by the balance heuristic; then the path goes on from one of them. */
enum { WALK_SCATTERED, WALK_AIMED, WALK_RAYS };

struct walk_rays {
    struct trace_ray rays[TRACE_PACKET];
    int targets[TRACE_PACKET];      /* -1: not aimed */
    double densities[TRACE_PACKET]; /* of scattered rays in this direction; 0: they are all */
};

struct walk {
    const struct walk_job *job;
    float *light_weights;                  /* TRACE_PACKET per light */
    struct target_weights *target_weights; /* one per lane, for the last vertices */
    struct walk_ends ends;
    struct walk_rays rays[WALK_RAYS];
    uint32_t scattered;                         /* lanes that have a scattered ray, */
    uint32_t aimed;                             /* and an aimed one */
    int roots[TRACE_PACKET];                    /* what the first rays of the paths were */
    double light[WALK_RAYS][TRACE_PACKET][3];   /* along the first rays */
    double emitted[WALK_RAYS][TRACE_PACKET][3]; /* of emitters that they hit; not in `light` */
    bool is_first;                              /* the rays are the first */
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
/* The next of them in order, which an initializer's calls have not. */
void walk_draw_many(struct walk *walk, int lane, int count, double *out);
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

/* Sets the rays of a lane: one in the given direction, of the cosine-weighted ones or with
 * `half_uniform` of those half of which are uniform, and one at a target, whose direction it
 * returns. Neither leaves the surface when that is false. */
bool walk_set_rays(struct walk *walk, int lane, bool half_uniform, struct vec3 way,
                   struct vec3 *aimed);

/* Continues the paths from what their scattered rays have hit; traces these first. */
void walk_step_from(struct walk *walk, const struct scene_hit hits[TRACE_PACKET]);
void walk_step(struct walk *walk);

#endif
