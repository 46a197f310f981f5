/* The materials of a page: colours, and images as JPEG or PNG. */
#ifndef VIEW_PACK_MATERIALS_H
#define VIEW_PACK_MATERIALS_H

#include "render/scene/mesh.h"
#include "view/pack/data.h"
#include "view/view.h"

/* How a surface is drawn. */
enum draw_kind { DRAW_OPAQUE, DRAW_MASKED, DRAW_BLENDED };

struct view_materials {
    const struct view_options *options;
    struct view_data *data;
    struct render_material *list; /* stb_ds array, each once */
    struct image_row {
        const struct texture *key;
        int value;
    } *images; /* stb_ds map */
    json_t *rows;
};

/* Adds head.materials. */
void view_materials_open(struct view_data *data, const struct view_options *options,
                         struct view_materials *out);
void view_materials_free(struct view_materials *materials);

/* Returns the number of the material in head.materials. */
int view_materials_add(struct view_materials *materials, const struct render_material *material);

enum draw_kind view_draw_kind(const struct render_material *material, float opacity);

#endif
