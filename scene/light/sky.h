/* A procedural sky in the colours of its light. */
#ifndef SCENE_LIGHT_SKY_H
#define SCENE_LIGHT_SKY_H

#include "common/bsp/bsp.h"
#include "common/geom/vec.h"

struct sky {
    double zenith[3], horizon[3]; /* 255 is white */
    bool has_sun;
    struct vec3 to_sun;
    double sun[3];
};

/* From the sun and sky light among the worldlights; plain blue without them. */
struct sky sky_of(const struct bsp_light_set *light);
void sky_at(const struct sky *sky, struct vec3 direction, float out[3]);

#endif
