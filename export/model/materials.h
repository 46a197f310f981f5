/* Internal: the materials of a model, with their images. */
#ifndef EXPORT_MODEL_MATERIALS_H
#define EXPORT_MODEL_MATERIALS_H

#include "export/bake/bake.h"
#include "export/model/model.h"
#include "scene/materials/texture_file.h"
#include "scene/scene.h"
#include "scene/shade/light_atlas.h"

/* Internal: pages of light as images. */

struct material_row {
    struct material_key {
        const char *name; /* the one of `names` */
        const struct texture *base, *second;
        float colour[4];
        int page, alpha;
        bool two_sided, unlit, own_light, baked, coloured;
    } key;
    int value;
};

struct name_row {
    char *key;
    int value;
};

struct material_builder {
    const struct map_scene *map;
    const struct light_atlas *atlas;
    const struct bake *bake;           /* set by who builds the model */
    const struct surface_order *order; /* the same */
    struct export_model *scene;
    struct material_row *known; /* stb_ds maps */
    struct image_files images;
    struct name_row *names, *image_names;
};

/* Adds the pages of the atlas, and sets how much light their largest number stands for: the power
 * of two that the brightest luxel asks for, as far as the form goes. */
void export_light_pages(struct material_builder *materials);

/* Adds the image of all surfaces in their light, if that is baked so. */
void export_baked_image(struct material_builder *materials);

void material_builder_open(const struct map_scene *map, const struct export_settings *settings,
                           const struct light_atlas *atlas, struct export_model *scene,
                           struct material_builder *out);
void material_builder_free(struct material_builder *builder);

/* Returns the number of the material of a surface of the mesh, which the map calls `name`; -1 when
 * nothing of it is seen. `page` is that of its light, -1: none. */
int material_builder_add(struct material_builder *builder, const struct surface *surface,
                         const char *name, int page);
/* A plain one. */
int material_builder_plain(struct material_builder *builder, const char *name,
                           const float colour[4]);

#endif
