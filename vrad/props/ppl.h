/* PPL: texel lighting of a static prop, a file in the pakfile: texelslighting_N.ppl for prop N,
 * with one image per LOD in the texture coordinates of the model. (Format: docs/formats/ppl.md.) */
#ifndef VRAD_PROPS_PPL_H
#define VRAD_PROPS_PPL_H

#include <stdbool.h>

#include "common/core/bytes.h"

enum { PPL_PIXEL = 3, PPL_SIDE_MAX = 65535 };

struct ppl_image {
    uint32_t lod;
    int width, height; /* 1 .. PPL_SIDE_MAX */
    const unsigned char
        *pixels; /* red, green, blue, on the scale of vhv.h; row by row, v = 0 first; borrowed */
};

struct ppl {
    uint32_t checksum;        /* of the MDL */
    struct ppl_image *images; /* stb_ds array */
};

/* Appends the file. Images of the same size and pixels share them in the file. False, and nothing
 * appended, when a size is out of range or the file would have 4 GiB or more. */
bool ppl_encode(const struct ppl *ppl, struct bytes *out);

/* False, and *out empty, for other versions and pixel formats, and when an offset is out of range
 * or a length does not fit its image. Images may share pixels: together they may have more than the
 * file has bytes. Free with ppl_free. */
bool ppl_decode(const struct bytes *file, struct ppl *out);

/* The image of LOD 0, or NULL. */
const struct ppl_image *ppl_finest(const struct ppl *ppl);

void ppl_free(struct ppl *ppl);

#endif
