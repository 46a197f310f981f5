/* Light: from the lights of a BSP to its lightmaps, ambient cubes and worldlights. */
#ifndef VRAD_VRAD_H
#define VRAD_VRAD_H

#include "common/assets/assets.h"
#include "common/bsp/bsp.h"
#include "common/core/env.h"

struct prop_options {
    bool lighting;        /* light the vertices of static props */
    bool triangles;       /* static props block light by what is drawn, not by their hulls */
    bool normals;         /* show the normals of static props instead of their light */
    bool only_static;     /* direct light of static props, and nothing else */
    bool no_self_shadows; /* of static props */
    bool no_detail;       /* detail props stay as they are */
    bool only_detail;     /* detail props and ambient light, and nothing else */
};

struct vrad_options {
    bool ldr, hdr; /* neither: ldr */
    bool fast, final;
    int bounce;            /* most bounces; 0: direct light only */
    double smooth_degrees; /* normals blend below this angle where there are no smoothing groups */
    double extra_sky;      /* multiplier of sky samples; 0: by fast and final */
    bool no_sky_recurse;   /* the sky_camera room casts no shadows on the map */
    bool no_extra;         /* no supersampling */
    bool fast_ambient;
    double soft_sun_degrees; /* > 0: overrides SunSpreadAngle */
    struct prop_options props;
    const char *lights_file; /* an extra .rad file, or NULL */
    const char *map_rad;     /* MAP.rad beside the map, or NULL */
};

extern const struct vrad_options vrad_defaults;

NODISCARD enum status vrad_run(const struct env *env, const struct vrad_options *options,
                               struct assets *assets, struct bsp *bsp);

#endif
