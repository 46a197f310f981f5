#include "view/pack/materials.h"

#include "common/core/array.h"
#include "render/pack/texture_file.h"

void view_materials_open(struct view_data *data, const struct view_options *options,
                         struct view_materials *out)
{
    *out = (struct view_materials){.options = options, .data = data, .rows = json_array()};
    json_object_set_new(data->head, "materials", out->rows);
}

void view_materials_free(struct view_materials *materials)
{
    arrfree(materials->list);
    hmfree(materials->images);
}

/* --- images --- */

/* Alpha is kept where the material uses it. */
static int image_of(struct view_materials *materials, const struct texture *texture, bool alpha)
{
    if (!texture)
        return -1;
    ptrdiff_t at = hmgeti(materials->images, texture);
    if (at >= 0)
        return materials->images[at].value;
    const struct texture_file_options options = {materials->options->texture_size,
                                                 materials->options->quality};
    struct bytes file = {0};
    bool jpeg = texture_file_write(texture, &options, alpha, &file);
    int number = view_data_image(materials->data, &file, jpeg ? "image/jpeg" : "image/png");
    bytes_free(&file);
    hmput(materials->images, texture, number);
    return number;
}

/* --- materials --- */

static bool same_material(const struct render_material *a, const struct render_material *b)
{
    return a->base == b->base && a->second == b->second && a->colour[0] == b->colour[0] &&
           a->colour[1] == b->colour[1] && a->colour[2] == b->colour[2] &&
           a->alpha_tested == b->alpha_tested && a->translucent == b->translucent;
}

int view_materials_add(struct view_materials *materials, const struct render_material *material)
{
    for (ptrdiff_t i = 0; i < arrlen(materials->list); i++)
        if (same_material(&materials->list[i], material))
            return (int)i;
    const double colour[3] = {(double)material->colour[0], (double)material->colour[1],
                              (double)material->colour[2]};
    json_t *row = json_object();
    bool alpha = material->alpha_tested || material->translucent;
    json_object_set_new(row, "colour", view_numbers(colour, 3));
    json_object_set_new(row, "image", json_integer(image_of(materials, material->base, alpha)));
    json_object_set_new(row, "second", json_integer(image_of(materials, material->second, alpha)));
    json_object_set_new(row, "masked", json_boolean(material->alpha_tested));
    json_object_set_new(row, "blended", json_boolean(material->translucent));
    json_array_append_new(materials->rows, row);
    arrput(materials->list, *material);
    return (int)arrlen(materials->list) - 1;
}

enum draw_kind view_draw_kind(const struct render_material *material, float opacity)
{
    if (opacity * material->opacity < 1)
        return DRAW_BLENDED;
    if (!material->base)
        return DRAW_OPAQUE;
    return material->alpha_tested  ? DRAW_MASKED
           : material->translucent ? DRAW_BLENDED
                                   : DRAW_OPAQUE;
}
