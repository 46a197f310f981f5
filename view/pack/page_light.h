/* The light of a page: the pages of the map's light atlas, and luxels for surfaces that have none
 * in the map, of models and of what leaves light: fine where their light changes. */
#ifndef VIEW_PACK_PAGE_LIGHT_H
#define VIEW_PACK_PAGE_LIGHT_H

#include "scene/shade/light_at.h"
#include "scene/shade/light_atlas.h"
#include "view/pack/data.h"

/* Adds the stream "luxels" (red, green, blue, exponent + 24 of 0 .. 31), and head.light: its side
 * and pages. */
void light_atlas_pack(const struct light_atlas *atlas, struct view_data *data);

/* The light of points of surfaces that have no luxels in the map. */

/* A point of a triangle of the mesh, by the weights of its corners. */
struct spot {
    uint32_t triangle;
    bool back; /* seen from behind */
    double weights[3];
};

struct vec3 spot_position(const struct map_scene *scene, uint32_t triangle,
                          const double weights[3]);

/* Computes the light of a spot as `scene` does for what it sees there. `inside` is the share of
 * the way to the middle of the triangle at which that is done: its corners may touch walls. */
void spot_light(const struct map_scene *scene, const struct spot *spot, double inside,
                float out[3]);

/* Of each triangle of the mesh: a square block of luxels, by the weights of its second corner (from
 * left to right) and of its third one (from top to bottom); or none, where the light of its corners
 * tells all. */
struct computed_light {
    int (*block_of)[2]; /* of its front, of its back; -1: none */
};

/* Adds blocks to an atlas that is not placed yet. */
void computed_light_add(const struct map_scene *scene, struct light_atlas *atlas,
                        struct computed_light *out);
void computed_light_free(struct computed_light *computed);

/* Returns whether the light of a surface differs on both sides, of which the back is seen too. */
bool computed_light_has_back(const struct surface *surface);

#endif
