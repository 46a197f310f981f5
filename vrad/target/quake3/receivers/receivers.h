/* Surfaces -> receivers of light with luxels. Touching flat surfaces of one plane are merged into
 * one lightmap chart, curved ones get a grid, and patches have luxels along their rows. */
#ifndef VRAD_QUAKE3_RECEIVERS_RECEIVERS_H
#define VRAD_QUAKE3_RECEIVERS_RECEIVERS_H

#include "common/bsp/patch_surface.h"
#include "vrad/target/quake3/level/level.h"

/* One per surface of the bsp. */
struct lit_surface {
    struct quake3_material *material;
    int model;
    int receiver;               /* with its luxels, or -1 */
    struct patch_surface patch; /* points NULL: not a patch */
};

struct receiver {
    struct luxel_receiver light;
    int *surfaces;       /* stb_ds array */
    bool stored;         /* in a page; else its light is for vertices only */
    int axis;            /* flat or curved: projection axis; -1: a patch */
    double size;         /* units per luxel */
    double lift;         /* units in front of the surface where light is taken */
    double first[2];     /* coordinates of luxel 0, 0, in luxels */
    uint64_t *used_mask; /* bits of used luxels: rows as in struct pack_shape */
    int page, place[2];  /* position after packing */
    bool plain;          /* one colour: a single luxel is enough */
    float *colours;      /* 3 per luxel, before encoding, on the heap */
};

/* --- layout.c --- */

/* Fills surfaces and receivers. */
void quake3_lay_out(struct quake3_light *q);
/* The two axes of the map that luxels run along, for a projection axis. */
void quake3_luxel_axes(int axis, int out[2]);
struct bounds quake3_receiver_box(const struct quake3_light *q, const struct receiver *receiver);
/* The plane of a flat surface; false when it is a patch, or curved. */
bool quake3_flat_plane(const struct quake3_light *q, int surface, struct vec3 *normal,
                       double *dist);
/* Luxel coordinates of a vertex of a surface with a receiver; of patches: of control point
 * `index`. */
void quake3_luxel_at(const struct quake3_light *q, int surface, int index, double st[2]);
bool quake3_is_used(const struct receiver *receiver, int luxel);
/* Marks the other luxels as hidden, to save their lighting. */
void quake3_skip_unused(const struct quake3_light *q, struct luxel_map *map);
void quake3_receivers_free(struct quake3_light *q);

/* --- merge.c --- */

/* The receivers of all luxels: the fronts, then the back sides of surfaces that are drawn from both
 * (q->backs has their fronts). An stb_ds array. */
struct luxel_receiver *quake3_luxel_receivers(struct quake3_light *q);
/* Adds the direct light of the back sides to that of the fronts. */
void quake3_add_backs(struct quake3_light *q);

/* Merges receivers of touching flat surfaces in one plane. */
void quake3_merge_flat(struct quake3_light *q);
/* smooth.c: smooths the vertex normals of surfaces with a smoothing angle. */
void quake3_smooth(struct quake3_light *q);

#endif
