/* Textures as a picture needs them: filtered, at any size. */
#ifndef RENDER_SCENE_TEXTURE_H
#define RENDER_SCENE_TEXTURE_H

#include "common/assets/textures/vtf.h"

enum { TEXTURE_LEVELS = 16 };

struct texture_level {
    int width, height;
    uint8_t *rgba;
};

/* Level 0 is the picture, each further one has half its sides. */
struct texture {
    struct texture_level levels[TEXTURE_LEVELS];
    int count;
    float linear[256]; /* light that a byte stands for, 0 .. 1 */
};

/* Takes the pixels over; *image is empty afterwards. */
struct texture *texture_new(struct vtf_image *image);
void texture_free(struct texture *texture); /* NULL is fine */

/* Linear colour and alpha at (u, v), 0 .. 1 over the picture, which repeats. `footprint` is how
 * much of (u, v), as a root of an area, the asker covers: what is smaller is blurred. */
void texture_at(const struct texture *texture, double u, double v, double footprint, float out[4]);

#endif
