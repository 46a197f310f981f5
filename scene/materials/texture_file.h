/* Textures as files that other programs read. */
#ifndef SCENE_MATERIALS_TEXTURE_FILE_H
#define SCENE_MATERIALS_TEXTURE_FILE_H

#include "common/core/bytes.h"
#include "scene/materials/texture.h"

struct texture_file_options {
    int size;    /* larger images are stored at half their size, or a quarter ... */
    int quality; /* of JPEGs: 1 .. 100 */
};

/* Returns whether some of what is stored of the texture is not opaque. */
bool texture_file_has_alpha(const struct texture *texture,
                            const struct texture_file_options *options);

/* Appends the texture: as PNG if `alpha` is wanted and some of it is not opaque, else as JPEG.
 * Returns true for a JPEG. */
bool texture_file_write(const struct texture *texture, const struct texture_file_options *options,
                        bool alpha, struct bytes *out);

#endif
