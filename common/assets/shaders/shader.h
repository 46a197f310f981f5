/* Quake 3 shaders: the properties that a compiler takes from a script, or from the image alone.
 *
 * Names have no extension and "textures/" in front, as in a BSP. */
#ifndef ASSETS_SHADERS_SHADER_H
#define ASSETS_SHADERS_SHADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/bsp/flags.h"
#include "common/geom/vec.h"

/* Flags for the compiler only (surfaceparm lightgrid, directives ...). */
enum shader_compile {
    SHADER_LIGHT_GRID = 1,
    SHADER_UNSUPPORTED = 2,       /* of a surfaceparm: it is reported, and has no effect */
    SHADER_FOG_PARMS = 4,         /* has fogparms: its brushes are fog volumes */
    SHADER_TWO_SIDED = 8,         /* cull none */
    SHADER_FORCE_META = 16,       /* q3map_forceMeta */
    SHADER_NO_TJUNCTIONS = 32,    /* q3map_notjunc */
    SHADER_NO_CLIP = 64,          /* q3map_noClip */
    SHADER_CLIP_MODEL = 128,      /* q3map_clipModel */
    SHADER_NO_FOG = 256,          /* q3map_noFog */
    SHADER_AUTOSPRITE = 512,      /* deformVertexes autosprite: no shadow, no T-junctions */
    SHADER_GLOBAL_TEXTURE = 1024, /* q3map_globalTexture */
    SHADER_NO_VERTEX_SHADOWS = 2048,
    SHADER_PATCH_SHADOWS = 4096, /* q3map_patchShadows */
    SHADER_NO_VERTEX_LIGHT = 8192,
    SHADER_INDEXED = 16384, /* q3map_terrain, q3map_indexed: an index map chooses the shader */
    SHADER_POLYGON_OFFSET = 32768,
    SHADER_HAS_LIGHTMAP = 65536, /* a stage draws $lightmap, or no script defines the shader */
    SHADER_NONPLANAR =
        524288,              /* planes share a lightmap: q3map_nonPlanar, q3map_lightmapMergable */
    SHADER_INVERT = 4194304, /* q3map_invert */
    SHADER_NO_DIRTY = 16777216,
    SHADER_CLAMPS = 33554432, /* a stage shows its image once (clampMap) */
    SHADER_TURNS = 67108864,  /* a stage turns or stretches its image about the middle */
    SHADER_VOLUME =
        134217728, /* its brushes change vertices inside of them (q3map_alphaMod volume) */
};

/* Suns: q3map_sun, q3map_sunExt, sun. */
struct shader_sun {
    struct vec3 colour;    /* as written, scaled so that its largest component is 1 */
    struct vec3 direction; /* unit, towards the sun */
    double intensity;
    double deviance; /* half-width of the disk in degrees */
    int samples;
};

/* q3map_floodLight: light that comes from everywhere in the open. */
struct shader_flood {
    struct vec3 colour; /* of any scale */
    double distance;    /* units; 0: none */
    double intensity;   /* of 255 */
};

/* Sky light: q3map_skyLight. */
struct shader_sky_light {
    double value;
    int iterations;         /* 1 to 64 */
    double lowest, highest; /* horizons, degrees */
};

/* Changes of vertices when a map is compiled: q3map_tcGen, tcMod, alphaMod ... */
enum shader_change_kind {
    SHADER_TEXTURE_VECTORS, /* s and t are dot products of the position and two vectors */
    SHADER_TEXTURE_ROTATE,  /* by degrees, counter-clockwise about 0 0 */
    SHADER_TEXTURE_SCALE,
    SHADER_TEXTURE_MOVE,
    SHADER_COLOUR_SET,
    SHADER_COLOUR_SCALE,
    SHADER_COLOUR_DOT,         /* scaled by the dot product of the normal and a vector */
    SHADER_COLOUR_DOT_SQUARED, /* scaled by the square of that */
    SHADER_COLOUR_VOLUME,      /* the other changes apply to vertices inside of its brushes */
};

struct shader_change {
    enum shader_change_kind kind;
    bool alpha;        /* colours: of alpha, otherwise of red, green and blue */
    double numbers[6]; /* colours from 0 to 1; vectors of s and t in repeats per unit */
    double range[2];   /* dot products that count as 0 and 1 */
};

struct shader {
    const char *name;  /* as first requested */
    int surface_flags; /* enum shader_surface */
    int contents;      /* enum shader_contents: 0 for hint and skip, 1 plain */
    int compile_flags; /* enum shader_compile */
    /* Bits that only the game knows (dialect.h), as a BSP has them. */
    int own_surface, own_contents;
    bool has_script;
    bool built_in;    /* defined by its name alone */
    bool missing;     /* neither a script nor an image; assets_shader reports it once */
    const char *file; /* script that defines it, and the line of its name; NULL without one */
    int line;

    /* The image that gives size, colour and alpha; q3map_textureSize overrides its size; 64 x 64
     * without one. */
    const char *image;       /* file as found, or NULL */
    const char *light_image; /* image for colour and light filters: q3map_lightimage, else image */
    int width, height;
    /* The first stage with an image of its own: the image's name (NULL: none); whether its alpha is
     * tested, its alpha blends it over the background, or it is blended in another way. */
    const char *stage_image;
    bool stage_alpha_tested, stage_blended, stage_added;
    struct vec3 average; /* colour of light that it reflects and emits, 0..1: the alpha-weighted
                            mean of the image, or q3map_lightRGB */
    bool own_colour;     /* the latter */

    /* Light. */
    double surface_light;       /* 0: none */
    double light_subdivide;     /* units; 0: the default */
    double backsplash;          /* fraction; -1: the default (0.05) */
    double backsplash_distance; /* units, default 23 */
    double bounce_scale;        /* default 1 */
    double vertex_scale;        /* default 1 */
    int light_style;
    double lightmap_sample_size;         /* units per luxel; 0: the map's */
    double lightmap_sample_offset;       /* units in front of the surface where luxels take light */
    struct vec3 lightmap_axis;           /* 0 0 0: the surface's own */
    double lightmap_brightness;          /* default 1 */
    double lightmap_gamma;               /* default 1 */
    double lightmap_filter_radius;       /* units; 0: none */
    struct shader_flood flood;           /* of its surfaces alone */
    double shade_angle;                  /* degrees; 0: flat */
    struct shader_sun *suns;             /* stb_ds array */
    struct shader_sky_light *sky_lights; /* stb_ds array */
    struct vec3 fog_direction;           /* q3map_fogDir, 0 0 0: none */

    /* Geometry. */
    double tess_size;    /* q3map_tessSize; 0: none */
    double subdivisions; /* of patches; 0: the map's */
    double offset;       /* q3map_offset */
    const char *back_shader, *clone_shader, *remap_shader, *base_shader,
        *flare_shader; /* or NULL */
    /* Arguments of each q3map_surfaceModel and q3map_foliage: stb_ds arrays. */
    const char *const *surface_models, *const *foliage;
    struct shader_change *changes; /* of its vertices, in order: an stb_ds array */
};

#endif
