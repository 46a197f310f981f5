/* Which triangle of a model each texel of an image shows, and where on it. */
#ifndef VRAD_PROPS_TEXEL_RASTER_H
#define VRAD_PROPS_TEXEL_RASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXEL_SIDE_MAX = 2048, TEXEL_NONE = -1 };

struct texel {
    int32_t triangle; /* TEXEL_NONE: no triangle reaches into it */
    float share[3];   /* of the triangle's corners, where it comes nearest to the texel's middle */
};

struct texel_image {
    int width, height;
    struct texel *texels; /* row after row, v = 0 first; from memory_alloc */
    size_t reached;       /* texels that a triangle reaches into */
    size_t middles;       /* whose middle lies well inside of a triangle ... */
    size_t shared;        /* ... and of these, well inside of more than one */
    size_t lost;          /* triangles whose coordinates are no numbers, or are huge */
    bool is_flat;         /* the triangles together have no area to speak of */
};

/* Lays triangles, corners u and v in images, on an image of up to TEXEL_SIDE_MOST texels a side.
 * Every texel that a triangle reaches into by more than a thousandth is its own: the first of those
 * that hold its middle, else that of the nearest one. Coordinates outside of 0 .. 1 wrap. Where
 * triangles cover the image many times over, the last ones may be left out. Free with
 * texel_image_free. */
void texel_raster(const float (*corners)[3][2], size_t count, int width, int height,
                  struct texel_image *out);
/* What another point of a texel shows, `at` being 0 .. 1 over the texel: the triangle of the texel
 * or of one beside it that holds the point, else the texel's where it comes nearest. `corners` as
 * they were laid on the image. */
struct texel texel_point(const float (*corners)[3][2], const struct texel_image *image,
                         size_t index, const double at[2]);

void texel_image_free(struct texel_image *image);

#endif
