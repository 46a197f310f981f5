/* Inside the light of Quake 3 maps: what its steps hand on.
 *
 *   level/looks.c what shaders mean to light
 *   receivers/smooth.c normals of bends
 *   receivers/layout.c surfaces -> receivers of light: which luxels lie where
 *   receivers/merge.c neighbours that share a rectangle
 *   receivers/curved_grid.c receivers that are no flat polygons, as grids
 *   receivers/used_luxels.c which luxels of a rectangle are looked at
 *   scene/occluders.c surfaces and brushes -> the scene that rays meet
 *   scene/sources.c entities, glowing surfaces, suns and skies -> lights
 *   scene/emissive_pieces.c which pieces a glowing surface is cut into
 *   pages/tone.c light -> bytes
 *   pages/pages.c luxels -> pages
 *   pages/page_pack.h where in them
 *   pages/deluxe.c where light comes from
 *   pages/styles.c light of styles above 0
 *   pages/external_pages.c pages beside the file
 *   pages/external_shader.c the shaders that show those
 *   points/vertices.c the light at vertices
 *   points/grid.c the light in the air
 *   level/entities.c which lamps stay in the entities */
#ifndef VRAD_QUAKE3_PARTS_H
#define VRAD_QUAKE3_PARTS_H

#include "common/assets/shaders/shader.h"
#include "common/bsp/patch_surface.h"
#include "common/bsp/sidecar/surface_notes.h"
#include "vrad/ambient/point_light.h"
#include "vrad/lights/light.h"
#include "vrad/luxels/luxel.h"
#include "vrad/vrad.h"

enum { PAGE_SIDE = 128 }; /* of pages in the file */

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

/* One a surface of the bsp. */
struct lit_surface {
    struct look *look;
    int model;
    int receiver;               /* that has its luxels, or -1 */
    struct patch_surface patch; /* points NULL: it is no patch */
};

struct receiver {
    struct luxel_receiver light;
    int *surfaces;      /* stb_ds array */
    bool stored;        /* in a page; else its light goes to vertices alone */
    int axis;           /* flat or bent: the axis that it is seen along; -1: a patch */
    double size;        /* units a luxel */
    double first[2];    /* coordinates of luxel 0, 0, in luxels */
    uint64_t *needed;   /* bits of luxels that are looked at: rows as of struct pack_shape */
    int page, place[2]; /* where it lies once packed */
    bool plain;         /* one colour: a single luxel stands for all */
    float *colours;     /* 3 a luxel, as they go into the file, on the heap */
};

/* A page beside the file: a square image. */
struct outside_page {
    int page, style; /* the page that it is, or of whose luxels it has the light of a style */
    uint8_t *pixels; /* heap, 3 * side * side, from the top */
};

/* A shader that shows pages outside of the file. */
struct outside_shader {
    int from, page, style_count; /* shader of the bsp that it stands for */
    uint8_t styles[BSP_FACE_STYLES];
    int shader; /* its number; -1: it cannot be made */
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
    int page_side;                               /* luxels */
    const char *map_name;                        /* without folder and extension; NULL: no place */
    bool external;                               /* all pages lie outside of the file */
    struct outside_page *outside;                /* stb_ds array */
    struct outside_shader *outside_shaders;      /* stb_ds array */
    struct bytes outside_script;                 /* of these */
    struct vec3 ambient;                         /* everywhere, of 255 */
    struct vec3 least, least_grid, least_vertex; /* no luxel, point of the grid, vertex has less */
};

/* What the maker of the map noted of a surface, or NULL. */
const struct surface_note *quake3_note(const struct quake3_light *q, int surface);
/* Gives vertices of surfaces with a shade angle the normals of the bend. */
void quake3_smooth(struct quake3_light *q);
/* Fills looks. Veils are added with the scene. */
void quake3_find_looks(struct quake3_light *q);
/* Fills surfaces and receivers. */
void quake3_lay_out(struct quake3_light *q);
/* Joins receivers of flat surfaces that lie in one plane and touch. */
void quake3_join_flat(struct quake3_light *q);
/* The two axes of the map that luxels run along, of a receiver that is seen along `axis`. */
void quake3_luxel_axes(int axis, int out[2]);
struct bounds quake3_receiver_box(const struct quake3_light *q, const struct receiver *receiver);
/* The plane of a flat surface; false when it is a patch, or bent. */
bool quake3_flat_plane(const struct quake3_light *q, int surface, struct vec3 *normal,
                       double *dist);
/* The grid of a receiver that is not flat. */
void quake3_bend(struct quake3_light *q, struct receiver *receiver);
/* Finds the luxels of a receiver that has its rectangle that drawing its surfaces takes. */
void quake3_find_needed(struct quake3_light *q, struct receiver *receiver);
bool quake3_is_needed(const struct receiver *receiver, int luxel);
/* Marks the others as hidden, so that nothing is spent on their light. */
void quake3_skip_unneeded(const struct quake3_light *q, struct luxel_map *map);
/* Luxel coordinates of a vertex of a surface that has a receiver. Of patches: of control point
 * `index`. */
void quake3_luxel_at(const struct quake3_light *q, int surface, int index, double st[2]);
NODISCARD enum status quake3_build_scene(struct quake3_light *q);
/* Fills lights; the luxels are there. */
void quake3_find_lights(struct quake3_light *q);
/* The keys of the world that add to all light, or keep it up. */
void quake3_read_world(struct quake3_light *q);

/* Writes the entities back into the bsp. */
void quake3_write_entities(struct quake3_light *q);
/* Takes lamps that have been baked out of the entities, if the map says so (_keepLights 0). */
void quake3_drop_lamps(struct quake3_light *q);

/* Finds out whether there are pages outside of the file, and how large pages are. */
NODISCARD enum status quake3_open_outside(struct quake3_light *q);
/* The page that holds light of a style; made when it is not there. */
uint8_t *quake3_outside_page(struct quake3_light *q, int page, int style);
/* The shader that shows what `from` does, with the light of `page` and styles (style_count without
 * style 0) from outside pages. -1 when `from` has no light to be put in the place of. */
int quake3_outside_shader(struct quake3_light *q, int from, int page, const uint8_t *styles,
                          int style_count);
/* Writes pages and script beside the map, if there are any. */
NODISCARD enum status quake3_write_outside(struct quake3_light *q);
void quake3_free_outside(struct quake3_light *q);
/* Appends the text of a shader of the given name that shows what `from` does. `light` NULL: the
 * page is in the file; else its image. One image and `rgbGen` argument for each style. False, and
 * nothing is appended, when its script does not allow that. */
bool quake3_outside_text(struct quake3_light *q, const struct bsp_shader *from, const char *name,
                         const char *light, const char *const *styles, const char *const *waves,
                         int style_count, struct bytes *out);

/* Which of the styles of a receiver's luxels, by their place in its list, light it to be seen. */
int quake3_styles_of(const struct quake3_light *q, int receiver, int numbers[BSP_FACE_STYLES]);
/* Puts them into pages, once receivers have their places. */
void quake3_store_styles(struct quake3_light *q);
/* Gives a surface that has its page the shader that shows what of it lies outside of the file. */
void quake3_show_outside(struct quake3_light *q, int surface);

/* Tells in the keys of the world whether there are pages of directions; rewrites the entities. */
void quake3_note_deluxe(struct quake3_light *q);
/* Where light comes from at each luxel of a receiver that is bumped, 3 bytes a luxel: 127.5 is 0,
 * 255 is 1, along the axes of the map. */
void quake3_directions(const struct quake3_light *q, int receiver, uint8_t *out);

/* Colours of receivers, then pages, and where the surfaces have theirs. */
void quake3_store_luxels(struct quake3_light *q);
void quake3_light_vertices(struct quake3_light *q, const struct point_lighter *lighter);
void quake3_light_grid(struct quake3_light *q, const struct point_lighter *lighter);

/* What of the bytes' tone the options say. */
struct tone {
    double scale, gamma, after;
};
struct tone quake3_tone(const struct vrad_options *options);
/* Of pages outside: as bright as the engine makes those in the file. */
struct tone quake3_tone_outside(const struct vrad_options *options);
/* Light, 255 being white, as a byte a channel: what is brighter keeps its hue. */
void quake3_bytes(const struct tone *tone, const float light[3], uint8_t out[3]);

#endif
