/* The vrad stage: lights a BSP, which gets lightmaps, ambient cubes and worldlights. */
#ifndef VRAD_VRAD_H
#define VRAD_VRAD_H

#include "common/assets/assets.h"
#include "common/bsp/bsp.h"
#include "common/env.h"
#include "common/stage/stage.h"

/* Which props are lit, and how. */
struct prop_options {
    bool lighting;    /* vertex lighting of static props */
    bool normals;     /* write the normals of static props in the place of their light */
    bool only_static; /* direct light of static props, and nothing else */
    bool no_detail;   /* keep the lighting of detail props */
    bool only_detail; /* detail props and ambient light, and nothing else */
};

struct surface_notes;
struct sample_options;     /* luxels/sample_options.h */
struct prop_ray_options;   /* props/prop_ray_options.h */
struct prop_scene_options; /* scene/prop_scene_options.h */
struct tone_options;       /* target/quake3/pages/tone_options.h */
struct dirt_options;       /* target/quake3/level/dirt_options.h */

/* The sets of lighting that a file has, LDR and HDR. */
enum light_sides { SIDE_LDR = 1, SIDE_HDR = 2, SIDES_BOTH = SIDE_LDR | SIDE_HDR };

/* Light that comes from everywhere in the open, of which the world's key _floodlight tells more. */
struct flood_options {
    bool on;          /* also without the key */
    bool low_quality; /* fewer rays */
};

#define VERTEX_LIT 2

/* Options of Quake 3 maps only. */
struct quake3_options {
    const struct tone_options *tone;
    bool srgb_textures, srgb_colours; /* of images; of entities and directives: made linear */
    /* Multipliers of lights. */
    double point_scale, spherical_scale, spot_scale, area_scale;
    double backsplash[2]; /* multiplier; distance in units, negative: as the shader says */
    double vertex_scale;
    double grid_scale, grid_ambient_scale;
    double grid_directionality, grid_ambient_directionality; /* 0 to 1 */
    double sample_size;                                      /* units per luxel; 0: 16 */
    double min_sample_size;                                  /* of all surfaces; 0: none */
    double sample_scale;                                     /* multiplies them */
    double shade_degrees; /* smoothing angle of surfaces whose shader has none; 0: none */
    const struct surface_notes *notes; /* vbsp's notes on the surfaces, or NULL */
    int samples;                       /* N x N supersampling at shadow edges; 0: the default */
    int super;                         /* N x N supersampling of all luxels; 0: none */
    bool faster; /* one sample per luxel, unless `samples` asks for more at shadow edges */
    bool filter; /* blurs the luxels */
    bool dark;   /* luxels beside their surface are as dark as the darkest around them */
    bool no_grid, bounce_grid;
    double vertex_level;  /* of 1, of all vertices; -1: 1; VERTEX_LIT: they are lit */
    bool no_lightmaps;    /* keeps the pages and what refers to them */
    double bounce_scale;  /* multiplies what surfaces reflect */
    double bounce_colour; /* 1: with their colours; 0: in grey */
    bool bounce_only;     /* drops direct light in the end */
    bool fast_bounce;     /* bounces as with vrad_options.fast */
    bool patch_shadows; /* patches cast shadows, as those of shaders and entities that ask for it */
    const struct dirt_options *dirt;
    struct flood_options flood;
    bool no_trace;    /* lights reach everything */
    bool no_surfaces; /* patches and models cast no shadows, skies do not shine */
    bool linear;      /* entities' lights without a flag have linear falloff, those with one have
                         not */
    int half_lambert; /* 1: local lights by half Lambert instead of the cosine */
    bool sun_only;
    bool one_sky;      /* the light of each sky shines through all of them */
    bool no_styles;    /* styles are ignored */
    bool custom_parms; /* for who opens the assets (shader_parms.custom) */
    bool deluxe;       /* write a deluxemap after each lightmap page */
    int deluxe_mode;   /* axes of directions; 0: of the map; 1: of the texture and the surface */
    bool external;     /* write lightmap pages as image files beside the map, and a shader script */
    int lightmap_size; /* side of a lightmap page in luxels; other than 128 implies `external`; 0:
                          128 */
    const char *lightmap_folder; /* of external pages, beside the map; NULL: as the map */
    const char *map_path; /* path of the BSP to write, for the files beside it; NULL or "-": none */
};

struct vrad_options {
    bool ldr, hdr; /* neither: ldr */
    bool fast, final;
    bool preview;          /* coarse bounced light, for a first picture: with fast, fast_ambient */
    int bounce;            /* maximum number of bounces; 0: direct light only */
    double smooth_degrees; /* smoothing angle of faces that are in no smoothing group */
    bool no_sky_recurse;   /* the 3D skybox casts no shadows on the map */
    const struct sample_options *samples;
    bool fast_ambient;
    double soft_sun_degrees; /* > 0: overrides SunSpreadAngle */
    struct prop_options props;
    const struct prop_ray_options *prop_rays;
    const struct prop_scene_options *prop_scene;
    const char *lights_file; /* an extra .rad file, or NULL */
    const char *map_rad;     /* MAP.rad beside the map, or NULL */
    double chop, disp_chop;  /* maximum side of a surface-light patch, in luxels */
    double luxel_density; /* maximum density: luxels per unit, above 1 units per luxel; 0: that of
                             the map */
    bool finite_falloff;  /* lights with a _fifty_percent_distance end at their zero percent one */
    double min_emission;  /* minimum emission of a material that is a surface light: mean of the
                             channels */
    double sky_scale;     /* multiplies the sky's ambient light */
    bool texture_shadows; /* alpha-tested and translucent shadows; needs the game's content */
    double occlusion, occlusion_radius; /* strength, 0: none; radius in units */
    int occlusion_rays;                 /* of each luxel; 0: 64 */
    bool ambient_occlusion;             /* strength 1 where `occlusion` is 0 */
    bool no_occlusion;                  /* whatever these say */
    int reference;          /* path-traced ground truth with so many paths per luxel; 0: off */
    double reference_error; /* > 0: in percent: the same with as many as a luxel needs, and
                               `reference` or a large number at most */
    bool physical;     /* Quake 3: surface lights by the rendering equation next to them as well;
                          implied by `reference` */
    bool no_seams;     /* no matching of luxels along seams between faces */
    bool direct_apart; /* direct light of style 0 in a lightmap of its own */
    /* Of the lightmaps only: see struct lightmap_options. */
    double scale, ambient[3], coring;
    bool red_errors, debug_extra;
    struct quake3_options quake3;
};

extern const struct vrad_options vrad_defaults;

/* Maximum number of paths per luxel; 0: light is not traced by paths. */
int vrad_reference_paths(const struct vrad_options *options);

/* Their table, for the programs and for other ranks. `base` is the offset of a struct vrad_options
 * in the values. */
struct option_group;
struct option_group vrad_option_group(size_t base);

/* The stage: its work is that of vrad_run alone. */
extern const struct stage vrad_stage;

/* The surroundings of a long run. Nothing here changes the result. */
struct vrad_session {
    struct stage_session stage;
    const struct bsp_format *format; /* of a BSP that was not read from a file; NULL: that of the
                                        file. Other ranks get the BSP in it */
    /* For the cache of the run (env.cache). */
    struct fs *content;                 /* fs_trace: env.fs, through which the assets read too, so
                                           that it has all that the light depends on; or NULL: the
                                           light is not kept */
    unsigned char options[SHA256_SIZE]; /* stage_options_key */
    unsigned char description[SHA256_SIZE]; /* of that of the game which the BSP is made for; or 0:
                                               it has none */
    const struct bytes *names;   /* what earlier stages, whose results came from the cache,
                                    would have asked the assets for; NULL: they ran */
    bool has_reported;           /* the assets would have reported something of them */
    struct diag *shader_reports; /* set: in place of assets_report_shaders; owned */
};

struct bsp_format;

/* `session` may be NULL. The work is shared with the other ranks of env->ranks, if there are any
 * (common/farm/farm.h): they do vrad_work, stage "vrad". `assets` is not used then but to open the
 * same content again. The bytes do not depend on that, nor depend on resuming. The file of a run
 * that succeeds is to be removed when the result is written. */
NODISCARD enum status vrad_run(const struct env *env, const struct vrad_options *options,
                               struct vrad_session *session, struct assets *assets,
                               struct bsp *bsp);

/* A farm_stage.work. */
void vrad_work(const struct env *env, struct byte_reader *inputs);

#endif
