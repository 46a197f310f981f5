/* The light of points of surfaces that have no luxels in the map. */
#ifndef VIEW_PACK_OWN_LIGHT_H
#define VIEW_PACK_OWN_LIGHT_H

#include "scene/shade/light_at.h"

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

/* Returns whether nobody sees the spot: it is within a solid, or within a closed model. */
bool spot_is_hidden(const struct map_scene *scene, const struct spot *spot, double inside);

#endif
