/* VTF, the textures of Source: the header with size and reflectivity, pixels, alpha. */
#ifndef ASSETS_TEXTURES_VTF_H
#define ASSETS_TEXTURES_VTF_H

#include "common/core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vtf_header {
    int major, minor;
    int width, height, depth, frames, mips, format;
    uint32_t flags;
    float reflectivity[3]; /* linear */
};

/* False when the bytes are no VTF or the header is cut short or absurd. */
bool vtf_read_header(const void *data, size_t size, struct vtf_header *out);

/* Its pixels.
 *
 * All plain colour formats and DXT1, 3 and 5; not those of normal maps, of high dynamic range, and
 * cubemaps. (Formats: the page on VTF of the developer wiki; each was checked against one picture
 * that was stored in all of them.) */
struct vtf_image {
    int width, height;
    uint8_t *rgba; /* from memory_alloc, row after row, the top one first */
};

/* Decodes the first picture of the first frame: the largest mip of which no side is longer than
 * `most` pixels, else the smallest that there is. False, and *out empty, when the bytes are no VTF,
 * are cut short, or have a format that is not decoded. Free *out with vtf_image_free. */
bool vtf_read_image(const void *data, size_t size, int max, struct vtf_image *out);
void vtf_image_free(struct vtf_image *image);

/* Its alpha: what shadows of textures need, and nothing else. */
struct vtf_alpha {
    int width, height;
    unsigned char *texels; /* width * height, row after row from the top; 255 is opaque; heap */
};

/* Decodes the largest picture of the first frame. False when the bytes are no VTF, when the picture
 * is not all there, when it is a cubemap, or when its format has no alpha: RGBA8888, ABGR8888,
 * ARGB8888, BGRA8888, BGRA5551, BGRA4444, IA88, A8, DXT1, DXT3, DXT5, RGBA16161616 and
 * RGBA16161616F have. Free with vtf_alpha_free. */
bool vtf_alpha_read(const void *data, size_t size, struct vtf_alpha *out);
void vtf_alpha_free(struct vtf_alpha *alpha);

#endif
