/* Turns a compiled Quake 3 map back into the text of a .map. */
#ifndef BSP_EXPORT_MAP_EXPORT_H
#define BSP_EXPORT_MAP_EXPORT_H

#include "common/bsp/bsp.h"
#include "common/diag/diag.h"

/* Ways in which a face says how its texture lies. Classic ones cannot shear a texture. */
enum map_form { MAP_FORM_PRIMITIVES, MAP_FORM_VALVE, MAP_FORM_CLASSIC };

/* Sets the size in texels of the image of a shader. */
typedef void map_image_size(void *context, const char *shader, int size[2]);

struct map_export_options {
    enum map_form form;
    map_image_size *image_size; /* NULL: all are 64 x 64 */
    void *context;
    const char *lights; /* text of entities to add, or NULL: lights that are not in the BSP */
    size_t lights_size;
};

struct map_export_counts {
    size_t entities, brushes, patches;
    size_t flat_brushes;    /* left out: their sides enclose nothing */
    size_t hidden_sides;    /* not drawn: of the caulk shader, or textured by default */
    size_t sheared_sides;   /* their texture is sheared, which the form cannot express */
    size_t mixed_brushes;   /* solid, with a visible side that is not: compilers may disagree */
    size_t loose_triangles; /* left out: of no brush, as those of models and decals */
};

/* Appends the map. Brushes are without bevels and at the place of their entity, which gets a brush
 * with the origin shader if it has an origin; the texture of a side is that of the triangles drawn
 * on it. Fails (reported) when the entities of the BSP are not valid text. */
NODISCARD enum status map_export(const struct bsp *bsp, const struct map_export_options *options,
                                 const char *name, struct diag *diag, struct bytes *out,
                                 struct map_export_counts *counts);

#endif
