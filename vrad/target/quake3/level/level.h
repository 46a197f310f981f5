/* What the shaders and entities of a Quake 3 map say of its light, and what all steps of lighting
 * it share. */
#ifndef VRAD_QUAKE3_LEVEL_LEVEL_H
#define VRAD_QUAKE3_LEVEL_LEVEL_H

#include "common/assets/shaders/shader.h"
#include "common/bsp/sidecar/surface_notes.h"
#include "vrad/lights/light.h"
#include "vrad/luxels/luxel.h"
#include "vrad/vrad.h"

enum look_blocking {
    LOOK_BLOCKS,
    LOOK_PASSES, /* light goes through as if nothing was there */
    LOOK_VEILS,  /* lets a part through, by its image */
    LOOK_IS_SKY,
};

/* What light heeds of a shader. */
struct look {
    const struct shader *shader; /* NULL without assets */
    enum look_blocking blocking;
    bool drawn;       /* surfaces of it are seen, and lit */
    bool lightmapped; /* wants luxels of its own in a page, not light at its vertices */
    int veil;         /* texture of the scene's veils, for LOOK_VEILS */
    float reflectivity[3];
};

struct quake3_light {
    const struct env *env;
    const struct vrad_options *options;
    struct assets *assets; /* or NULL */
    struct bsp *bsp;
    struct entity_list entities;
    struct arena arena;
    struct look *looks;           /* one a shader of the bsp */
    struct lit_surface *surfaces; /* one a surface */
    struct receiver *receivers;   /* stb_ds array */
    struct vec3 *origins;         /* one a model: where its entity stands */
    unsigned char *casts;         /* one a model: it casts shadows */
    struct scene scene;
    struct luxel_map map;
    struct light_set lights;
    int page_side;                          /* luxels */
    const char *map_name;                   /* without folder and extension; NULL: no place */
    bool external;                          /* all pages lie outside of the file */
    struct outside_page *outside;           /* stb_ds array */
    struct outside_shader *outside_shaders; /* stb_ds array */
    struct bytes outside_script;            /* of these */
    struct vec3 ambient;                    /* everywhere, of 255 */
    struct vec3 min, min_grid, min_vertex;  /* no luxel, point of the grid, vertex has less */
};

/* --- looks.c --- */

/* Fills looks. Veils are added with the scene. */
void quake3_find_looks(struct quake3_light *q);
/* What the maker of the map noted of a surface, or NULL. */
const struct surface_note *quake3_note(const struct quake3_light *q, int surface);

/* --- entities.c --- */

/* Where models stand, and which of them cast shadows. */
void quake3_place_models(struct quake3_light *q);
/* As written: in maps of the past light falls off with it. */
struct vec3 quake3_colour_of(const struct entity *entity);
/* The keys of the world that add to all light, or keep it up. */
void quake3_read_world(struct quake3_light *q);
/* Writes the entities back into the bsp. */
void quake3_write_entities(struct quake3_light *q);
/* Takes lamps that have been baked out of the entities, if the map says so (_keepLights 0). */
void quake3_drop_lamps(struct quake3_light *q);

#endif
