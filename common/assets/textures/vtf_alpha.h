/* The alpha of a VTF: what shadows of textures need, and nothing else. */
#ifndef ASSETS_TEXTURES_VTF_ALPHA_H
#define ASSETS_TEXTURES_VTF_ALPHA_H

#include <stdbool.h>
#include <stddef.h>

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
