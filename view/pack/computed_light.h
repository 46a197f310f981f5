/* Luxels for surfaces that have none in the map, of models and of what leaves light: fine where
 * their light changes. */
#ifndef VIEW_PACK_COMPUTED_LIGHT_H
#define VIEW_PACK_COMPUTED_LIGHT_H

#include "scene/shade/light_atlas.h"

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
