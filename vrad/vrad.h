/* Light: from the lights of a BSP to its lightmaps, ambient cubes and worldlights. */
#ifndef VRAD_VRAD_H
#define VRAD_VRAD_H

#include "common/assets/assets.h"
#include "common/bsp/bsp.h"
#include "common/env.h"

struct prop_options {
    bool lighting;        /* light the vertices of static props */
    bool triangles;       /* static props block light by what is drawn, not by their hulls */
    bool normals;         /* show the normals of static props instead of their light */
    bool only_static;     /* direct light of static props, and nothing else */
    bool no_self_shadows; /* of static props */
    bool no_detail;       /* detail props stay as they are */
    bool only_detail;     /* detail props and ambient light, and nothing else */
};

struct surface_notes;

/* The sets of light that a file has: one for plain screens, and one for those that show more. */
enum light_sides { SIDE_LDR = 1, SIDE_HDR = 2, SIDES_BOTH = SIDE_LDR | SIDE_HDR };

/* What only maps of Quake 3 have. */
struct quake3_options {
    double gamma, point_scale, area_scale;
    double sample_size;   /* units a luxel; 0: 16 */
    double shade_degrees; /* surfaces whose normals turn by less are seen as one bend; 0: none */
    const struct surface_notes *notes; /* what the file has no room for, or NULL */
    int samples;                       /* the finest at shadow edges, each way; 0: the default */
    int super;                         /* the same, but for all luxels */
    bool faster; /* one sample a luxel, unless `samples` asks for more at edges */
    bool no_grid;
    bool deluxe;       /* a page of directions behind each page of light */
    bool external;     /* pages lie beside the map, as images that a script shows */
    int lightmap_size; /* luxels of a page each way; other than 128: as with `external`; 0: 128 */
    const char
        *map_path; /* what the BSP is written to, for what goes beside it; NULL or "-": none */
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
    double chop, disp_chop;  /* luxels: surface lights are cut while they are as long */
    double luxel_density;    /* most luxels a unit, above 1 its inverse; 0: as the map has them */
    double min_glow;         /* of a material that is a surface light, mean of the channels */
    double sky_scale;        /* multiplies the sky's ambient light */
    bool texture_shadows;    /* by the alpha of textures; needs the game's content */
    double region[6];        /* light only what lies in this box anew, mins and maxs; empty: all */
    double occlusion, occlusion_radius; /* strength, 0: none, and units */
    int reference;                      /* paths a luxel instead of all that is quick; 0: none */
    bool changed;      /* light only faces anew that changed lights reach; before `region` */
    bool no_seams;     /* light of faces that meet stays as each has it */
    bool direct_apart; /* direct light of style 0 in a map of its own */
    /* Of the lightmaps alone: see struct lightmap_options. */
    double scale, ambient[3], coring;
    bool red_errors, debug_extra;
    struct quake3_options quake3;
};

extern const struct vrad_options vrad_defaults;

NODISCARD enum status vrad_run(const struct env *env, const struct vrad_options *options,
                               struct assets *assets, struct bsp *bsp);

#endif
