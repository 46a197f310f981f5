/* Inside the light of Quake 3 maps: what its steps hand on.
 *
 *   looks.c      what shaders mean to light
 *   smooth.c     normals of bends
 *   layout.c     surfaces -> receivers of light: which luxels lie where
 *   joined.c     neighbours that share a rectangle
 *   bent.c       receivers that are no flat polygons, as grids
 *   blockers.c   surfaces and brushes -> the scene that rays meet
 *   sources.c    entities, glowing surfaces, suns and skies -> lights
 *   tone.h       light -> bytes
 *   pages.c      luxels -> pages of 128 x 128
 *   vertices.c   the light at vertices
 *   grid.c       the light in the air
 *   lamps_left.c which lamps stay in the entities */
#ifndef VRAD_QUAKE3_PARTS_H
#define VRAD_QUAKE3_PARTS_H

#include "common/assets/shader.h"
#include "common/bsp/patch_surface.h"
#include "common/bsp/surface_notes.h"
#include "vrad/light.h"
#include "vrad/luxel.h"
#include "vrad/point_light.h"
#include "vrad/vrad.h"

enum { PAGE_SIDE = 128 };

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
    int page, place[2]; /* where it lies once packed */
    bool plain;         /* one colour: a single luxel stands for all */
    float *colours;     /* 3 a luxel, as they go into the file, on the heap */
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

/* Colours of receivers, then pages, and where the surfaces have theirs. */
void quake3_store_luxels(struct quake3_light *q);
void quake3_light_vertices(struct quake3_light *q, const struct point_lighter *lighter);
void quake3_light_grid(struct quake3_light *q, const struct point_lighter *lighter);

/* What of the bytes' tone the options say. */
struct tone {
    double scale, gamma;
};
struct tone quake3_tone(const struct vrad_options *options);
/* Light, 255 being white, as a byte a channel: what is brighter keeps its hue. */
void quake3_bytes(const struct tone *tone, const float light[3], uint8_t out[3]);

#endif
