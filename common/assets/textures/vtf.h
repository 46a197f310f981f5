/* Decodes VTF, the textures of Source: header with size and reflectivity, pixels, alpha. */
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

/* Returns false when the bytes are not a VTF or the header is truncated or invalid. */
bool vtf_read_header(const void *data, size_t size, struct vtf_header *out);

/* Number of pictures of a frame: 6 or, with the sphere map of versions before 7.5, 7 for a cubemap,
 * else 1. `size` is that of the file: some old cubemaps have no sphere map. */
int vtf_face_count(const void *data, size_t size, const struct vtf_header *header);

/* Pixels of a VTF.
 *
 * All plain colour formats, DXT1, 3 and 5, and half-precision floats are decoded; normal map
 * formats are not. (Formats: the page on VTF of the developer wiki; each was checked against one
 * picture that was stored in all of them.) */
struct vtf_image {
    int width, height;
    uint8_t *rgba; /* from memory_alloc, top row first */
};

/* One picture of a texture. */
struct vtf_place {
    int mip, frame, face;
};

/* Decodes a picture. Returns false, with *out empty, when the bytes are not a VTF, are truncated,
 * have no such picture or have an unsupported format. Free *out with vtf_image_free. Light is shown
 * as bytes, at most white. */
bool vtf_read_picture(const void *data, size_t size, struct vtf_place place, struct vtf_image *out);

/* Decodes a picture of a format of floats: 4 * width * height numbers of linear light (1 is white)
 * and alpha, from memory_alloc. Returns NULL as vtf_read_picture fails, and for other formats. */
float *vtf_read_light(const void *data, size_t size, struct vtf_place place, int *width,
                      int *height);

/* Decodes the first frame of a texture that is no cubemap and has no floats: the largest mip level
 * with no side above `max` pixels, else the smallest. Fails as vtf_read_picture does. */
bool vtf_read_image(const void *data, size_t size, int max, struct vtf_image *out);
void vtf_image_free(struct vtf_image *image);

/* Alpha of a VTF, as alpha-tested shadows need it. */
struct vtf_alpha {
    int width, height;
    unsigned char *texels; /* width * height, top row first; 255 is opaque; heap */
};

/* Decodes the largest mip level of the first frame. Returns false when the bytes are not a VTF or
 * truncated, for a cubemap, and for a format without alpha; RGBA8888, ABGR8888, ARGB8888, BGRA8888,
 * BGRA5551, BGRA4444, IA88, A8, DXT1, DXT3, DXT5, RGBA16161616 and RGBA16161616F have alpha. */
bool vtf_alpha_read(const void *data, size_t size, struct vtf_alpha *out);

#endif
