/* Irradiance at single points, such as vertices of props: direct light of local lights and suns,
 * and indirect light of the sky and the map's surfaces. */
#ifndef VRAD_AMBIENT_IRRADIANCE_POINT_H
#define VRAD_AMBIENT_IRRADIANCE_POINT_H

#include "vrad/luxels/radiosity.h"
#include "vrad/scene/prop_view.h"
#include "vrad/secondary/next_event.h"

struct light_set;

enum { IRRADIANCE_RAYS_MAX = 1024, IRRADIANCE_STYLES = 64 };

/* Light along rays from a point by paths, not by the luxels that the rays hit. The first rays have
 * the given directions and hits, `count` of at most TRACE_PACKET; `scatter` chooses the direction
 * in which each goes on, as a point of the unit square. `out` gets 3 numbers for each. */
struct irradiance_paths {
    const void *context;
    void (*light)(const void *context, struct vec3 position, const struct vec3 *directions,
                  const struct scene_hit *hits, const double (*scatter)[3], int count,
                  uint64_t seed, double out[TRACE_PACKET][3]);
    bool everywhere; /* ground truth: for all rays; otherwise for those that hit a surface so near
                        that its luxels are too coarse */
};

struct irradiance_sampler {
    const struct radiosity *radiosity;        /* of the surfaces and the sky; NULL: none */
    const struct secondary_lights *secondary; /* in the radiosity; or NULL */
    const struct irradiance_paths *paths;     /* instead of the radiosity of some hits; or NULL */
    const struct scene *scene;
    const struct light_set *lights;
    int rays; /* per point, in all directions: a power of two, 32 .. IRRADIANCE_RAYS_MAX; 0: none */
    int most_rays; /* the same for points whose light would be too noisy; 0: as `rays` */
    int sun_rays;  /* a power of two; 1 when the sun is a point */
};

struct irradiance_point {
    struct vec3 position; /* origin of the rays */
    struct vec3 normal;   /* unit: light is weighted by its cosine. Zero: all directions weigh the
                             same, as for a leaf of foliage */
    bool no_shadows;      /* lights reach it through solids; not suns */
    bool no_sun_shadows;  /* but these do */
    bool even_indirect;   /* indirect light from all directions weighs the same nonetheless */
    bool on_luxels;       /* lights end as they do for luxels */
    bool no_local;        /* of suns and the sky alone */
    /* Asked whether the sky can be seen in a direction in which no surface is in the way, as on the
     * edge of a solid; NULL: it can. */
    bool (*opens)(const void *context, struct vec3 direction);
    const void *context; /* of `opens` */
    struct prop_viewer viewer;
    const struct culled_lights
        *secondary; /* culled secondary lights, for a point with a normal; or NULL */
    int cluster;
    uint64_t seed;
    size_t cache_slot; /* slot + 1 in the ray hit cache (ray_hit_cache.h); 0: not cached */
};

struct point_irradiance {
    float direct[3];   /* of local lights and suns, style 0; 255 is white */
    float indirect[3]; /* of the surfaces and the sky */
    double inside;     /* share of the indirect rays that hit the back of a solid */
    struct vec3 away;  /* the negated sum of those rays' directions */
};

/* `styles`: IRRADIANCE_STYLES * 3 floats, to which the light of other styles is added (at most one
 * bounce), or NULL. */
void irradiance_at_point(const struct irradiance_sampler *sampler,
                         const struct irradiance_point *point, float *styles,
                         struct point_irradiance *out);

#endif
