/* Positions of texels on the surface of a model in a map. */
#ifndef VRAD_PROPS_TEXEL_SURFACE_H
#define VRAD_PROPS_TEXEL_SURFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/assets/models/model.h"
#include "common/geom/transform.h"

/* Rasterises a model's triangles: the triangle of each texel, and the position on it. */

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

/* The triangles of a model that a static prop shows, and their corners in texture space. */
struct texel_triangles {
    const struct model *model;
    int32_t *numbers;       /* of the model's triangles; stb_ds array */
    float (*corners)[3][2]; /* one per number */
};

/* Free with texel_triangles_free. */
void texel_triangles_of(const struct model *model, struct texel_triangles *out);
void texel_triangles_free(struct texel_triangles *triangles);

struct texel_place {
    struct vec3 position; /* in the map, on the smooth surface that the normals describe */
    struct vec3 normal;   /* unit */
    double width;         /* of a texel there, in units */
};

/* The position of a texel of the rasterised image. False when it is not finite. */
bool texel_place_of(const struct texel_triangles *triangles, const struct transform *transform,
                    const struct texel_image *image, const struct texel *texel,
                    struct texel_place *out);

#endif
