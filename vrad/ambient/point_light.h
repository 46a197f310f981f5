/* The light at single points, such as vertices of props: from lamps, the sun and the sky, and what
 * the surfaces of the map throw back. */
#ifndef VRAD_AMBIENT_POINT_LIGHT_H
#define VRAD_AMBIENT_POINT_LIGHT_H

#include "vrad/lights/light.h"
#include "vrad/luxels/radiosity.h"
#include "vrad/scene/prop_view.h"
#include "vrad/secondary/hot_light.h"

enum { POINT_RAYS_MAX = 1024, POINT_STYLES = 64 };

struct point_lighter {
    const struct radiosity *radiosity; /* what leaves the surfaces and the sky; NULL: nothing */
    const struct hot_spots *hot;       /* of them; or NULL */
    const struct scene *scene;
    const struct light_set *lights;
    int rays;     /* of a point, all around: a power of two, 32 .. POINT_RAYS_MOST; 0: none */
    int sun_rays; /* a power of two; 1 when the sun is a point */
};

struct light_point {
    struct vec3 position; /* where rays start */
    struct vec3 normal;   /* unit: light counts by its cosine. Zero: all directions count alike, as
                             for a leaf that turns everywhere */
    bool even_around;     /* light from around counts alike even so */
    struct prop_viewer viewer;
    const struct hot_view *hot; /* the spots to aim at, for a point with a normal; or NULL */
    int cluster;
    uint64_t seed;
    size_t place; /* from 1 on, to recall what its rays around met (recall.h); 0: they are cast */
};

struct point_light {
    float direct[3];  /* of lamps and the sun, style 0; 255 is white */
    float around[3];  /* of the surfaces and the sky */
    double inside;    /* share of the rays around that see the back of a solid */
    struct vec3 away; /* the sum of those rays, turned round */
};

/* `styles`: POINT_STYLES * 3 floats to add the light of other styles to, which bounced once at
 * most; NULL leaves it out. */
void point_light_at(const struct point_lighter *lighter, const struct light_point *point,
                    float *styles, struct point_light *out);

#endif
