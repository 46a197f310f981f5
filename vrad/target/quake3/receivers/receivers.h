/* Surfaces -> receivers of light: which luxels lie where. Flat surfaces of one plane that touch
 * share a rectangle, bent ones have a grid over them, and patches have luxels along their rows. */
#ifndef VRAD_QUAKE3_RECEIVERS_RECEIVERS_H
#define VRAD_QUAKE3_RECEIVERS_RECEIVERS_H

#include "common/bsp/patch_surface.h"
#include "vrad/target/quake3/level/level.h"

/* One a surface of the bsp. */
struct lit_surface {
    struct quake3_material *material;
    int model;
    int receiver;               /* that has its luxels, or -1 */
    struct patch_surface patch; /* points NULL: it is no patch */
};

struct receiver {
    struct luxel_receiver light;
    int *surfaces;       /* stb_ds array */
    bool stored;         /* in a page; else its light goes to vertices alone */
    int axis;            /* flat or bent: the axis that it is seen along; -1: a patch */
    double size;         /* units per luxel */
    double first[2];     /* coordinates of luxel 0, 0, in luxels */
    uint64_t *used_mask; /* bits of luxels that are looked at: rows as of struct pack_shape */
    int page, place[2];  /* where it lies once packed */
    bool plain;          /* one colour: a single luxel stands for all */
    float *colours;      /* 3 per luxel, as they go into the file, on the heap */
};

/* --- layout.c --- */

/* Fills surfaces and receivers. */
void quake3_lay_out(struct quake3_light *q);
/* The two axes of the map that luxels run along, of a receiver that is seen along `axis`. */
void quake3_luxel_axes(int axis, int out[2]);
struct bounds quake3_receiver_box(const struct quake3_light *q, const struct receiver *receiver);
/* The plane of a flat surface; false when it is a patch, or bent. */
bool quake3_flat_plane(const struct quake3_light *q, int surface, struct vec3 *normal,
                       double *dist);
/* Luxel coordinates of a vertex of a surface that has a receiver. Of patches: of control point
 * `index`. */
void quake3_luxel_at(const struct quake3_light *q, int surface, int index, double st[2]);
bool quake3_is_used(const struct receiver *receiver, int luxel);
/* Marks the others as hidden, so that nothing is spent on their light. */
void quake3_skip_unused(const struct quake3_light *q, struct luxel_map *map);
void quake3_receivers_free(struct quake3_light *q);

/* merge.c: joins receivers of flat surfaces that lie in one plane and touch. */
void quake3_merge_flat(struct quake3_light *q);
/* curved_grid.c: the grid of a receiver that is not flat. */
void quake3_build_curved_grid(struct quake3_light *q, struct receiver *receiver);
/* smooth.c: gives vertices of surfaces with a shade angle the normals of the bend. */
void quake3_smooth(struct quake3_light *q);

#endif
