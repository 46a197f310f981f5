/* State shared by the steps of lighting a Quake 3 map, with the materials and entity keys. */
#ifndef VRAD_QUAKE3_LEVEL_LEVEL_H
#define VRAD_QUAKE3_LEVEL_LEVEL_H

#include "common/assets/shaders/shader.h"
#include "common/bsp/sidecar/surface_notes.h"
#include "vrad/encode/occlusion.h"
#include "vrad/lights/light_set.h"
#include "vrad/luxels/luxel.h"
#include "vrad/vrad.h"

enum material_blocking {
    MATERIAL_OPAQUE,
    MATERIAL_TRANSPARENT, /* casts no shadows */
    MATERIAL_ALPHA,       /* alpha shadows or a light filter, by its image */
    MATERIAL_SKY,
};

/* The properties of a shader that matter for lighting. */
struct quake3_material {
    const struct shader *shader; /* NULL without assets */
    enum material_blocking blocking;
    bool by_alpha;       /* its shadow has the alpha of its image, otherwise its colour */
    bool drawn;          /* its surfaces are visible, and lit */
    bool lightmapped;    /* has lightmap luxels, not only vertex lighting */
    int alpha_texture;   /* texture of the scene's alpha shadows, for MATERIAL_ALPHA */
    struct vec3 average; /* the shader's, linear */
    float reflectivity[3];
};

/* A page of light of a style, beside that of style 0. */
struct style_page {
    int page, style;
    int number; /* of pages of light */
};

struct quake3_light {
    const struct env *env;
    const struct vrad_options *options;
    struct assets *assets; /* or NULL */
    struct bsp *bsp;
    struct entity_view *entities;
    struct arena arena;
    struct quake3_material *materials; /* one per shader of the bsp */
    struct lit_surface *surfaces;      /* one per surface */
    struct receiver *receivers;        /* stb_ds array */
    int *backs; /* stb_ds array: receivers whose back sides have luxels after all fronts */
    struct vec3 *origins; /* one per model: its entity's origin */
    unsigned char *casts; /* one per model: it casts shadows */
    struct scene scene;
    struct luxel_map map;
    struct light_set lights;        /* of luxels and vertices */
    struct light *grid_lights;      /* stb_ds array: those of the light grid alone */
    int page_side;                  /* of lightmap pages, in luxels */
    const char *map_name;           /* without folder and extension; NULL: no external files */
    bool external;                  /* all lightmap pages are external */
    bool takes_styles;              /* there is a place for light of styles */
    struct style_page *style_pages; /* stb_ds array: of styles in the file */
    struct external_page *external_pages;     /* stb_ds array */
    struct external_shader *external_shaders; /* stb_ds array */
    struct bytes external_script;             /* of these shaders */
    bool no_shader_sun;                       /* suns of shaders do not shine */
    struct vec3 ambient;                      /* everywhere, of 255 */
    struct open_light flood;                  /* floodlight everywhere; distance 0: none */
    bool has_flood;                           /* there, or of a shader */
    double max_light;                         /* of all, of 255 */
    struct vec3 min, min_grid, min_vertex; /* minimum light of luxels, grid points and vertices */
};

/* --- materials.c --- */

/* Fills the materials. Alpha textures are added with the scene. */
void quake3_find_materials(struct quake3_light *q);
/* vbsp's notes on a surface, or NULL. */
const struct surface_note *quake3_note(const struct quake3_light *q, int surface);

/* Light that is added to that of a surface: everywhere, and by its entity. */
struct vec3 quake3_ambient_of(const struct quake3_light *q, int surface);

/* --- entities.c --- */

extern const struct entity_query quake3_lights; /* entity_is_light */

/* Reads the origins of models, and which of them cast shadows. */
void quake3_place_models(struct quake3_light *q);
/* As written, in gamma space, for which old maps were tuned, unless the options say that it is
 * sRGB. */
struct vec3 quake3_colour_of(const struct quake3_light *q, const struct entity *entity);
/* The colour whose largest component is 1. */
struct vec3 quake3_unit_colour(struct vec3 colour);
/* Reads the worldspawn keys for ambient and minimum light. */
void quake3_read_world(struct quake3_light *q);
/* The floodlight of surfaces with the material alone; distance 0: none. */
struct open_light quake3_flood_of(const struct quake3_light *q,
                                  const struct quake3_material *material);
/* Reports keys that other compilers have and this one does not, once each (R069). */
void quake3_report_keys(struct quake3_light *q);
/* Adds the lights that an earlier run removed, from vbsp's notes. Without these it is reported that
 * they may be missing (R068). */
NODISCARD enum status quake3_restore_lights(struct quake3_light *q);
/* Removes baked lights from the entities, unless the map keeps them (_keepLights). */
void quake3_drop_baked_lights(struct quake3_light *q);

#endif
