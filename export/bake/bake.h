/* Internal: the light of a map in the colours of its model, so that programs that know no lightmaps
 * show it as pictures do: as an image of all surfaces, or as colours of vertices.
 *
 * Surfaces are seen from straight in front and without fog. */
#ifndef EXPORT_BAKE_BAKE_H
#define EXPORT_BAKE_BAKE_H

#include "export/export.h"
#include "scene/light/gamma.h"
#include "scene/mesh/mesh.h"
#include "scene/shade/material_at.h"

/* --- a point of a triangle, as it looks from straight in front --- */

/* Returns the hit of a point by the weights of the corners. */
struct surface_hit look_hit(const struct map_scene *map, uint32_t triangle,
                            const double weights[3]);
/* The light alone, linear, 0 .. 1. */
void look_light(const struct map_scene *map, const struct tone *tone, const struct surface_hit *hit,
                float out[3]);

struct bake {
    const struct map_scene *map;
    enum export_bake form;
    struct tone tone;
    /* EXPORT_BAKE_ATLAS */
    float (*places)[3][2]; /* of the corners of each triangle of the mesh, 0 .. 1 */
    unsigned char *pixels; /* side * side, four bytes each: colour, and alpha */
    int side;
    bool has_alpha; /* some pixels are not opaque */
    /* EXPORT_BAKE_VERTEX */
    double step; /* longest edge of a triangle, in units of the map */
};

/* Fails (reported) when the surfaces do not fit on the image, or have too many vertices. Free it
 * also after a failure. */
NODISCARD enum status bake_open(const struct map_scene *map, const struct export_settings *settings,
                                const struct surface_order *order, struct bake *out);
void bake_free(struct bake *bake);

#endif
