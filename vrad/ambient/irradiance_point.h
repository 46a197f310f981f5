/* The light at single points, such as vertices of props: from lamps, the sun and the sky, and what
 * the surfaces of the map throw back. */
#ifndef VRAD_AMBIENT_IRRADIANCE_POINT_H
#define VRAD_AMBIENT_IRRADIANCE_POINT_H

#include "vrad/lights/light.h"
#include "vrad/luxels/radiosity.h"
#include "vrad/scene/prop_view.h"
#include "vrad/secondary/next_event.h"

enum { IRRADIANCE_RAYS_MAX = 1024, IRRADIANCE_STYLES = 64 };

struct irradiance_sampler {
    const struct radiosity *radiosity; /* what leaves the surfaces and the sky; NULL: nothing */
    const struct secondary_lights *secondary; /* of them; or NULL */
    const struct scene *scene;
    const struct light_set *lights;
    int rays;     /* of a point, all around: a power of two, 32 .. POINT_RAYS_MOST; 0: none */
    int sun_rays; /* a power of two; 1 when the sun is a point */
};

struct irradiance_point {
    struct vec3 position; /* where rays start */
    struct vec3 normal;   /* unit: light counts by its cosine. Zero: all directions count alike, as
                             for a leaf that turns everywhere */
    bool even_indirect;   /* light from around counts alike even so */
    struct prop_viewer viewer;
    const struct culled_lights
        *secondary; /* the spots to aim at, for a point with a normal; or NULL */
    int cluster;
    uint64_t seed;
    size_t place; /* from 1 on, to recall what its rays around met (ray_hit_cache.h); 0: they are cast */
};

struct point_irradiance {
    float direct[3];   /* of lamps and the sun, style 0; 255 is white */
    float indirect[3]; /* of the surfaces and the sky */
    double inside;     /* share of the rays around that see the back of a solid */
    struct vec3 away;  /* the sum of those rays, turned round */
};

/* `styles`: IRRADIANCE_STYLES * 3 floats to add the light of other styles to, which bounced once at
 * most; NULL leaves it out. */
void irradiance_at_point(const struct irradiance_sampler *sampler,
                         const struct irradiance_point *point, float *styles,
                         struct point_irradiance *out);

#endif
