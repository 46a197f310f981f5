/* Path-traced ground truth: bounced and sky light by paths through the map, without caching,
 * interpolation or lookups in lightmaps. */
#ifndef VRAD_REFERENCE_REFERENCE_H
#define VRAD_REFERENCE_REFERENCE_H

#include "vrad/luxels/radiosity.h"

struct light_set;

struct reference_options {
    int paths;        /* per luxel: rounded up to a multiple of 16 */
    int bounces;      /* maximum per path; 0: direct sky light only */
    int prop_bounces; /* a static prop reflects light after at most so many bounces */
    double error;     /* > 0: relative standard error at which a luxel gets no more paths */
    bool no_aim;      /* paths do not aim at bright surfaces: more error, the same light */
    uint64_t seed;    /* runs with other seeds have independent errors */
};

/* Luxels that are darker than this, of 255, have their errors relative to it. */
#define REFERENCE_FLOOR 0.25

struct luxel_errors;

/* Fills `indirect` of every lit face that is not kept with the reflected and the sky light of style
 * 0, and replaces its direct light, style by style: by the means of paths from random points of
 * each luxel, which are unbiased. Texture lights are areas. Each vertex samples one local light or
 * sun by importance, and paths aim at bright surfaces half of the time. `errors` gets the standard
 * errors (luxel_errors.h); NULL: they are not kept. */
void reference_light(const struct env *env, const struct scene *scene,
                     const struct light_set *lights, const struct reference_options *options,
                     struct luxel_map *map, struct luxel_errors *errors);

/* Light along rays from single points, such as those of props; the map needs no bounced light.
 * Texture lights are the points of their patches, and paths do not aim.
 * With `beyond` a path ends on the first surface that is not near (radiosity_is_near) and takes its
 * radiosity. Borrows all arguments but `options`; free with reference_points_free, which accepts
 * NULL. */
struct reference_points;
struct reference_points *reference_points_new(const struct scene *scene,
                                              const struct light_set *lights,
                                              const struct reference_options *options,
                                              const struct luxel_map *map,
                                              const struct radiosity *beyond);
void reference_points_free(struct reference_points *points);

/* Light along the rays of a point: the function of struct irradiance_paths
 * (ambient/irradiance_point.h). The paths of a ray are options->paths / 1024, at least 1. */
void reference_at_point(const void *context, struct vec3 position, const struct vec3 *directions,
                        const struct scene_hit *hits, const double (*scatter)[3], int count,
                        uint64_t seed, double out[TRACE_PACKET][3]);

#endif
