/* Rasterises a model's triangles: the triangle of each texel, and the position on it. */
#ifndef VRAD_PROPS_TEXEL_RASTER_H
#define VRAD_PROPS_TEXEL_RASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXEL_SIDE_MAX = 2048, TEXEL_NONE = -1 };

struct texel {
    int32_t triangle; /* TEXEL_NONE: no triangle covers it */
    float share[3];   /* barycentric weights of the point nearest to the texel's middle */
};

struct texel_image {
    int width, height;
    struct texel *texels; /* row by row, v = 0 first; from memory_alloc */
    size_t reached;       /* texels that a triangle covers in part */
    size_t middles;       /* whose middle lies well inside of a triangle ... */
    size_t shared;        /* ... and of these, well inside of several */
    size_t lost;          /* triangles with invalid or huge coordinates */
    bool is_flat;         /* the triangles have next to no area */
};

/* Rasterises triangles, corners u and v in repetitions, to an image of up to TEXEL_SIDE_MAX texels
 * per side. Every texel that a triangle overlaps by more than a thousandth is covered: by the first
 * triangle that contains its middle, else by the nearest. Coordinates outside of 0 .. 1 wrap. Where
 * triangles cover the image many times over, the last ones may be left out. Free with
 * texel_image_free. */
void texel_raster(const float (*corners)[3][2], size_t count, int width, int height,
                  struct texel_image *out);
/* Another point of a texel, `at` being 0 .. 1 over the texel: on the triangle of the texel or a
 * neighbour that contains the point, else on the nearest point of the texel's own. `corners` as
 * they were rasterised. */
struct texel texel_point(const float (*corners)[3][2], const struct texel_image *image,
                         size_t index, const double at[2]);

void texel_image_free(struct texel_image *image);

#endif
