/* PPL: the light of a static prop texel by texel, as a file in the pakfile: texelslighting_N.ppl, N
 * being the number of the prop. An image a LOD, in the texture coordinates of the model.
 * (Format: docs/formats/ppl.md.) */
#ifndef VRAD_PROPS_PPL_H
#define VRAD_PROPS_PPL_H

#include <stdbool.h>

#include "common/core/bytes.h"

enum { PPL_PIXEL = 3, PPL_SIDE_MAX = 65535 };

struct ppl_image {
    uint32_t lod;
    int width, height;           /* 1 .. PPL_SIDE_MOST */
    const unsigned char *pixels; /* red, green, blue, on the scale of vhv.h; row after row, v = 0
                                    first; borrowed */
};

struct ppl {
    uint32_t checksum;        /* of the MDL */
    struct ppl_image *images; /* stb_ds array */
};

/* Appends the file. Images of one size that borrow the same pixels share them in the file too.
 * False, and nothing appended, when a size is out of range or the file would have 4 GiB or more. */
bool ppl_encode(const struct ppl *ppl, struct bytes *out);

/* False, and *out empty, for other versions and formats of pixels, and when anything does not lie
 * in the file or a length does not fit its image. Images may share pixels: together they may have
 * more than the file has bytes. Free with ppl_free. */
bool ppl_decode(const struct bytes *file, struct ppl *out);

/* The image of LOD 0, or NULL. */
const struct ppl_image *ppl_finest(const struct ppl *ppl);

void ppl_free(struct ppl *ppl);

#endif
