/* Textures with mipmaps, filtered at any size. */
#ifndef SCENE_MATERIALS_TEXTURE_H
#define SCENE_MATERIALS_TEXTURE_H

#include "common/assets/textures/vtf.h"

enum { TEXTURE_LEVELS = 16 };

struct texture_level {
    int width, height;
    uint8_t *rgba;
};

/* Level 0 is the image; each further level has half the width and height. */
struct texture {
    struct texture_level levels[TEXTURE_LEVELS];
    int count;
    float linear[256]; /* linear light of a byte, 0 .. 1 */
};

/* Takes ownership of the pixels; *image is empty afterwards. */
struct texture *texture_new(struct vtf_image *image);
void texture_free(struct texture *texture); /* may be NULL */

/* Samples linear colour and alpha at (u, v), 0 .. 1 over the image, which repeats. `footprint`
 * is the extent of the sample in (u, v), as the square root of its area; smaller details are
 * blurred. */
void texture_at(const struct texture *texture, double u, double v, double footprint, float out[4]);

#endif
