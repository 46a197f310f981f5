/* Internal: the materials of a model, with their images. */
#ifndef EXPORT_SCENE_MATERIALS_H
#define EXPORT_SCENE_MATERIALS_H

#include "export/scene/scene.h"
#include "render/pack/light_atlas.h"
#include "render/pack/texture_file.h"
#include "render/shade/render_map.h"

struct material_row {
    struct material_key {
        const char *name; /* the one of `names` */
        const struct texture *base, *second;
        float colour[4];
        int page, alpha;
        bool two_sided, unlit, own_light;
    } key;
    int value;
};

struct image_row {
    struct image_key {
        const struct texture *texture;
        bool alpha;
    } key;
    int value;
};

struct name_row {
    char *key;
    int value;
};

struct material_builder {
    const struct render *render;
    const struct light_atlas *atlas;
    struct export_scene *scene;
    struct texture_file_options files;
    struct material_row *known; /* stb_ds maps */
    struct image_row *images;
    struct name_row *names, *image_names;
};

void material_builder_open(const struct render *render, const struct export_settings *settings,
                           const struct light_atlas *atlas, struct export_scene *scene,
                           struct material_builder *out);
void material_builder_free(struct material_builder *builder);

/* Returns the number of the material of a surface of the mesh, which the map calls `name`; -1 when
 * nothing of it is seen. `page` is that of its light, -1: none. */
int material_builder_add(struct material_builder *builder, const struct surface *surface,
                         const char *name, int page);
/* A plain one. */
int material_builder_plain(struct material_builder *builder, const char *name,
                           const float colour[4]);

/* Adds an image under a name like this one. Takes the file. */
int export_image_add(struct export_scene *scene, struct name_row **names, const char *name,
                     bool jpeg, struct bytes file);

#endif
