/* Positions of texels on the surface of a model in a map. */
#ifndef VRAD_PROPS_TEXEL_SURFACE_H
#define VRAD_PROPS_TEXEL_SURFACE_H

#include "common/assets/models/model.h"
#include "common/geom/transform.h"
#include "vrad/props/texel_raster.h"

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
