/* The materials of a page: colours, and images as JPEG or PNG. */
#ifndef VIEW_PACK_MATERIALS_H
#define VIEW_PACK_MATERIALS_H

#include "scene/materials/texture_file.h"
#include "scene/mesh/mesh.h"
#include "view/pack/data.h"
#include "view/view.h"

struct view_materials {
    struct view_data *data;
    struct assets *assets; /* of Quake 3's shaders */
    struct material_row {
        struct scene_material material;
        int stages; /* in the array below; -1: none */
    } *list;        /* stb_ds array, each once */
    struct shader_row {
        char *key;
        int value;   /* in stages; -1: an image with light says all */
    } *shaders;      /* stb_ds map, by the names of shaders */
    json_t **stages; /* stb_ds array: what they add to the row of a material */
    struct stage_image {
        char *key;
        struct texture *value;
    } *stage_images;           /* stb_ds map */
    struct image_files images; /* in the data of the page */
    json_t *rows;
};

/* Adds head.materials. */
void view_materials_open(struct view_data *data, const struct view_options *options,
                         struct assets *assets, struct view_materials *out);
void view_materials_free(struct view_materials *materials);

/* Returns the number of the material in head.materials. `shader` is the name of a shader of Quake
 * 3, whose stages are added, or NULL. */
int view_materials_add(struct view_materials *materials, const struct scene_material *material,
                       const char *shader);

#endif
