/* The surface of a model that stands in a map, where its texels are. */
#ifndef VRAD_PROPS_TEXEL_SURFACE_H
#define VRAD_PROPS_TEXEL_SURFACE_H

#include "common/assets/models/model.h"
#include "common/geom/transform.h"
#include "vrad/props/texel_raster.h"

/* The triangles that a static prop shows of the model, and where their corners lie in an image. */
struct texel_triangles {
    const struct model *model;
    int32_t *numbers;       /* of the model's triangles; stb_ds array */
    float (*corners)[3][2]; /* one a number */
};

/* Free with texel_triangles_free. */
void texel_triangles_of(const struct model *model, struct texel_triangles *out);
void texel_triangles_free(struct texel_triangles *triangles);

struct texel_place {
    struct vec3 position; /* in the map, on the round surface that the normals mean */
    struct vec3 normal;   /* unit */
    double width;         /* units that a texel is wide there */
};

/* Where a texel of the image is that the triangles were laid on. False when its place is no number.
 */
bool texel_place_of(const struct texel_triangles *triangles, const struct transform *transform,
                    const struct texel_image *image, const struct texel *texel,
                    struct texel_place *out);

#endif
