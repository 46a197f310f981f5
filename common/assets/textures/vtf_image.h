/* The pixels of a VTF.
 *
 * All plain colour formats and DXT1, 3 and 5; not those of normal maps, of high dynamic range, and
 * cubemaps. (Formats: the page on VTF of the developer wiki; each was checked against one picture
 * that was stored in all of them.) */
#ifndef ASSETS_TEXTURES_VTF_IMAGE_H
#define ASSETS_TEXTURES_VTF_IMAGE_H

#include "common/assets/textures/vtf.h"

struct vtf_image {
    int width, height;
    uint8_t *rgba; /* from memory_alloc, row after row, the top one first */
};

/* Decodes the first picture of the first frame: the largest mip of which no side is longer than
 * `most` pixels, else the smallest that there is. False, and *out empty, when the bytes are no VTF,
 * are cut short, or have a format that is not decoded. Free *out with vtf_image_free. */
bool vtf_read_image(const void *data, size_t size, int most, struct vtf_image *out);
void vtf_image_free(struct vtf_image *image);

#endif
