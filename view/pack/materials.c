#include "view/pack/materials.h"

#include "common/assets/shaders/shader.h"
#include "common/core/array.h"
#include "common/diag/diag_json.h"
#include "scene/materials/stages.h"

/* Larger images of stages are left out. */
enum { LARGEST_IMAGE = 1024 };

void view_materials_open(struct view_data *data, const struct view_options *options,
                         struct assets *assets, struct view_materials *out)
{
    *out = (struct view_materials){.images = {.options = {options->texture_size, options->quality}},
                                   .data = data,
                                   .assets = assets,
                                   .rows = json_array()};
    sh_new_strdup(out->shaders);
    sh_new_strdup(out->stage_images);
    json_object_set_new(data->head, "materials", out->rows);
}

void view_materials_free(struct view_materials *materials)
{
    for (ptrdiff_t i = 0; i < arrlen(materials->stages); i++)
        json_decref(materials->stages[i]);
    for (ptrdiff_t i = 0; i < shlen(materials->stage_images); i++)
        texture_free(materials->stage_images[i].value);
    arrfree(materials->stages);
    shfree(materials->shaders);
    shfree(materials->stage_images);
    arrfree(materials->list);
    image_files_free(&materials->images);
}

/* --- images --- */

static int add_image(void *context, const struct texture *texture, bool jpeg, struct bytes *file)
{
    (void)texture;
    return view_data_image(context, file, jpeg ? "image/jpeg" : "image/png");
}

/* Alpha is kept where the material uses it. */
static int image_of(struct view_materials *materials, const struct texture *texture, bool alpha)
{
    return image_files_number(&materials->images, texture, alpha, add_image, materials->data);
}

/* --- stages --- */

/* The image of a stage: that of the material, or one that is read here. */
static int stage_image(struct view_materials *materials, const struct scene_material *material,
                       const struct shader *shader, const char *name)
{
    if (material->base && shader->stage_image && strcmp(shader->stage_image, name) == 0)
        return image_of(materials, material->base, true);
    ptrdiff_t at = shgeti(materials->stage_images, name);
    if (at < 0) {
        struct vtf_image image = {0};
        bool found =
            assets_image(materials->assets, name, &image.rgba, &image.width, &image.height);
        bool fits = found && image.width <= LARGEST_IMAGE && image.height <= LARGEST_IMAGE;
        if (found && !fits)
            memory_free(image.rgba);
        shput(materials->stage_images, name, fits ? texture_new(&image) : NULL);
        at = shgeti(materials->stage_images, name);
    }
    return image_of(materials, materials->stage_images[at].value, true);
}

static json_t *change_row(const struct stage_change *change)
{
    json_t *row = json_array();
    json_t *numbers = view_numbers(change->numbers, CHANGE_NUMBERS);
    json_array_append_new(row, diag_json_text(change->name));
    json_array_extend(row, numbers);
    json_decref(numbers);
    return row;
}

static json_t *wave_row(const struct stage_change *wave)
{
    return wave->name ? change_row(wave) : json_null();
}

static json_t *deform_row(const struct deform *deform)
{
    json_t *row = view_numbers(deform->way, 3), *wave = change_row(&deform->wave);
    json_array_append_new(row, json_real(deform->spread));
    json_array_extend(row, wave);
    json_decref(wave);
    return row;
}

static json_t *stage_row(const struct shader_stage *stage, json_t *images)
{
    json_t *row = json_object(), *changes = json_array();
    for (int i = 0; i < stage->change_count; i++)
        json_array_append_new(changes, change_row(&stage->changes[i]));
    json_object_set_new(row, "images", images);
    json_object_set_new(row, "frequency", json_real(stage->frequency));
    json_object_set_new(row, "lit", json_boolean(stage->lit || stage->vertex_light));
    json_object_set_new(row, "clamped", json_boolean(stage->clamped));
    json_object_set_new(row, "vertexAlpha", json_boolean(stage->vertex_alpha));
    json_object_set_new(row, "changes", changes);
    json_object_set_new(row, "alpha", stage->alpha ? diag_json_text(stage->alpha) : json_null());
    json_object_set_new(row, "wave", wave_row(&stage->brightness));
    if (stage->opacity.name)
        json_object_set_new(row, "opacity", wave_row(&stage->opacity));
    if (stage->shines)
        json_object_set_new(row, "shines", json_true());
    if (stage->doubled)
        json_object_set_new(row, "doubled", json_true());
    if (stage->reflects)
        json_object_set_new(row, "reflects", json_true());
    if (stage->has_colour)
        json_object_set_new(row, "colour", view_numbers(stage->colour, 3));
    if (stage->has_blend)
        json_object_set_new(row, "blend",
                            json_pack("[ii]", stage->blend.source, stage->blend.target));
    return row;
}

/* Adds the stages of a shader. Returns their number, or -1. */
static int add_stages(struct view_materials *materials, const struct scene_material *material,
                      const char *name)
{
    const struct shader_block *block = assets_shader_block(materials->assets, name);
    const struct shader *shader = assets_shader(materials->assets, name);
    struct arena arena = {0};
    struct stage_list list;
    int number = -1;
    if (block && stages_read(block, &arena, &list)) {
        json_t *rows = json_array();
        for (int i = 0; i < list.count; i++) {
            const struct shader_stage *stage = &list.stages[i];
            json_t *images = json_array();
            for (int k = 0; k < stage->image_count; k++)
                json_array_append_new(images, json_integer(stage_image(materials, material, shader,
                                                                       stage->images[k])));
            json_array_append_new(rows, stage_row(stage, images));
        }
        json_t *added = json_pack("{so}", "stages", rows), *deforms = json_array();
        for (int i = 0; i < list.deform_count; i++)
            json_array_append_new(deforms, deform_row(&list.deforms[i]));
        json_object_set_new(added, "deforms", deforms);
        arrput(materials->stages, added);
        number = (int)arrlen(materials->stages) - 1;
    }
    arena_free(&arena);
    return number;
}

static int stages_of(struct view_materials *materials, const struct scene_material *material,
                     const char *name)
{
    if (!name)
        return -1;
    ptrdiff_t at = shgeti(materials->shaders, name);
    if (at >= 0)
        return materials->shaders[at].value;
    int number = add_stages(materials, material, name);
    shput(materials->shaders, name, number);
    return number;
}

/* --- materials --- */

static bool same_material(const struct scene_material *a, const struct scene_material *b)
{
    return a->base == b->base && a->second == b->second && a->grid == b->grid &&
           a->colour[0] == b->colour[0] && a->colour[1] == b->colour[1] &&
           a->colour[2] == b->colour[2] && a->alpha_tested == b->alpha_tested &&
           a->translucent == b->translucent;
}

int view_materials_add(struct view_materials *materials, const struct scene_material *material,
                       const char *shader)
{
    const struct material_row added = {*material, stages_of(materials, material, shader)};
    for (ptrdiff_t i = 0; i < arrlen(materials->list); i++)
        if (same_material(&materials->list[i].material, material) &&
            materials->list[i].stages == added.stages)
            return (int)i;
    const double colour[3] = {(double)material->colour[0], (double)material->colour[1],
                              (double)material->colour[2]};
    json_t *row = json_object();
    bool alpha = material->alpha_tested || material->translucent || added.stages >= 0;
    json_object_set_new(row, "colour", view_numbers(colour, 3));
    json_object_set_new(row, "image", json_integer(image_of(materials, material->base, alpha)));
    json_object_set_new(row, "second", json_integer(image_of(materials, material->second, alpha)));
    json_object_set_new(row, "masked", json_boolean(material->alpha_tested));
    json_object_set_new(row, "blended", json_boolean(material->translucent));
    if (material->grid)
        json_object_set_new(row, "grid",
                            json_pack("[if]", image_of(materials, material->grid, false),
                                      (double)grid_mean(material->grid)));
    json_array_append_new(materials->rows, row);
    if (added.stages >= 0)
        json_object_update(row, materials->stages[added.stages]);
    arrput(materials->list, added);
    return (int)arrlen(materials->list) - 1;
}
