/* Skies: a box of six images, and the clouds of Quake 3's shaders. */
#ifndef SCENE_MATERIALS_SKY_BOX_H
#define SCENE_MATERIALS_SKY_BOX_H

#include "common/assets/materials/sky_sides.h"
#include "common/geom/vec.h"
#include "scene/materials/layers.h"

struct sky_box {
    const struct texture *sides[SKY_SIDES]; /* all, or none but NULL */
    struct layer_list clouds;               /* the stages of the shader; may be empty */
    double cloud_height;                    /* in units, of a world with a radius of 4096 */
};

/* The brightness on the screen of a direction, 0 .. 1. `width`: of the sample, at distance 1. */
void sky_box_at(const struct sky_box *box, struct vec3 direction, double width, float out[3]);

/* The mean of light from above, and from the sides; 255 is white. */
void sky_box_means(const struct sky_box *box, double zenith[3], double horizon[3]);

#endif
