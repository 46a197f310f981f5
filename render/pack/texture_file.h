/* Textures as files that other programs read. */
#ifndef RENDER_PACK_TEXTURE_FILE_H
#define RENDER_PACK_TEXTURE_FILE_H

#include "common/core/bytes.h"
#include "render/scene/texture.h"

struct texture_file_options {
    int size;    /* larger images are stored at half their size, or a quarter ... */
    int quality; /* of JPEGs: 1 .. 100 */
};

/* Appends the texture: as PNG if `alpha` is wanted and some of it is not opaque, else as JPEG.
 * Returns true for a JPEG. */
bool texture_file_write(const struct texture *texture, const struct texture_file_options *options,
                        bool alpha, struct bytes *out);

#endif
