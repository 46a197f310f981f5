/* Materials of a BM file: names of textures, the table beside the map, and files of textures. */
#include "ballance/level/level_maker.h"
#include "common/bsp/engine.h"
#include "common/bsp/engine_content.h"

#include "ballance/bmx/material_table.h"
#include "ballance/bmx/names.h"
#include "common/assets/textures/image.h"
#include "common/core/array.h"
#include "common/core/strings.h"

/* Images in the place of textures that are not in the file. */

/* Pixels: of the image, and of a square of it. Every other square is darker. */
enum { SIDE = 32, SQUARE = 4 };
#define DARKER 0.8f

static void add_pixel(struct bytes *image, const float rgb[3], float shade)
{
    for (int k = 2; k >= 0; k--) {
        float value = rgb[k] > 0 ? rgb[k] < 1 ? rgb[k] : 1 : 0;
        bytes_u8(image, (uint8_t)(shade * value * 255 + 0.5f));
    }
}

static struct bytes draw(const float rgb[3], bool is_plain)
{
    static const uint8_t head[18] = {0, 0, 2, [12] = SIDE, [14] = SIDE, [16] = 24}; /* a TGA */
    struct bytes image = {0};
    bytes_append(&image, head, sizeof head);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            add_pixel(&image, rgb, is_plain || (x / SQUARE + y / SQUARE) % 2 ? 1 : DARKER);
    return image;
}

static const char *path_of(struct level_maker *maker, const float rgb[3], bool is_plain)
{
    struct bytes pixel = {0};
    add_pixel(&pixel, rgb, 1);
    const char *path =
        arena_printf(&maker->scratch, "textures/bmx/%s/_%s%02x%02x%02x.tga", maker->name,
                     is_plain ? "plain" : "", pixel.data[2], pixel.data[1], pixel.data[0]);
    bytes_free(&pixel);
    return path;
}

const char *maker_stand_in(struct level_maker *maker, const struct bmx_material *material)
{
    const bool is_plain = !material->use_texture;
    const char *path = path_of(maker, material->diffuse, is_plain);
    if (!maker->names)
        sh_new_strdup(maker->names);
    if (shgeti(maker->names, path) >= 0)
        return maker->files->list[shget(maker->names, path)].path;
    struct bytes image = draw(material->diffuse, is_plain);
    shput(maker->names, path, arrlenu(maker->files->list));
    return maker_add_file(maker, path, &image);
}

/* Shader scripts of the materials of a level that is to be played in Quake 3. */

/* The sun stands over the level from the south-east, as that of Ballance does. */
#define SUN "1 0.98 0.92 40 305 50"

static void write_sky(const struct level_maker *maker, struct bytes *text)
{
    bytes_append_text(text,
                      "textures/bmx/%s/_sky\n{\n\tsurfaceparm sky\n\tsurfaceparm noimpact\n"
                      "\tsurfaceparm nolightmap\n\tsurfaceparm nomarks\n\tq3map_sun " SUN "\n"
                      "\tq3map_skylight 25 3\n\tskyParms - 512 -\n\t{\n\t\tmap $whiteimage\n"
                      "\t\trgbGen const ( 0.45 0.62 0.85 )\n\t}\n}\n",
                      maker->name);
}

/* A stage with the image, or with the colour of a material without one. */
static void write_image(const struct bmx_material *material, const char *image, const char *blend,
                        bool lit, struct bytes *text)
{
    bytes_append_text(text, "\t{\n\t\tmap %s\n%s", image ? image : "$whiteimage", blend);
    if (image)
        bytes_append_text(text, "\t\trgbGen %s\n\t}\n", lit ? "exactVertex" : "identity");
    else
        bytes_append_text(text, "\t\trgbGen const ( %g %g %g )\n\t}\n",
                          (double)material->diffuse[0], (double)material->diffuse[1],
                          (double)material->diffuse[2]);
}

static void write_stages(const struct bmx_material *material, const char *image, struct bytes *text)
{
    if (material->alpha_blend) {
        write_image(material, image, "\t\tblendFunc blend\n", true, text);
    } else if (material->alpha_test) {
        write_image(material, image, "\t\talphaFunc GT0\n\t\tdepthWrite\n", false, text);
        bytes_append_text(text, "\t{\n\t\tmap $lightmap\n\t\trgbGen identity\n"
                                "\t\tblendFunc filter\n\t\tdepthFunc equal\n\t}\n");
    } else {
        bytes_append_text(text, "\t{\n\t\tmap $lightmap\n\t\trgbGen identity\n\t}\n");
        write_image(material, image, "\t\tblendFunc filter\n", false, text);
    }
}

static void write_shader(const struct level_maker *maker, size_t number, struct bytes *text)
{
    const struct bmx_material *material = &maker->bmx->materials[number];
    const char *image = maker->images[number];
    bytes_append_text(text, "%s\n{\n", maker->materials[number]);
    if (image)
        bytes_append_text(text, "\tqer_editorimage %s\n", image);
    if (material->two_sided)
        bytes_append_text(text, "\tcull none\n");
    if (material->alpha_blend)
        bytes_append_text(text, "\tsurfaceparm trans\n\tsurfaceparm nolightmap\n");
    else if (material->alpha_test)
        bytes_append_text(text, "\tsurfaceparm trans\n\tsurfaceparm alphashadow\n");
    write_stages(material, image, text);
    bytes_append_text(text, "}\n");
}

static void add_stand_ins(struct level_maker *maker)
{
    for (size_t i = 0; i < arrlenu(maker->materials); i++)
        if (!maker->images[i] && maker->bmx->materials[i].use_texture)
            maker->images[i] = maker_stand_in(maker, &maker->bmx->materials[i]);
}

void maker_add_shaders(struct level_maker *maker)
{
    struct bytes text = {0};
    add_stand_ins(maker);
    write_sky(maker, &text);
    bytes_append_text(&text, "%s\n{\n\t{\n\t\tmap $lightmap\n\t\trgbGen identity\n\t}\n}\n",
                      maker_material(maker, -1));
    for (size_t i = 0; i < arrlenu(maker->materials); i++)
        write_shader(maker, i, &text);
    maker_add_file(maker, arena_printf(&maker->scratch, "scripts/bmx_%s.shader", maker->name),
                   &text);
}

/* --- bmx materials --- */

/* With "textures/bmx/", the level and the material, names are below the 64 of Quake 3. */
enum { MATERIAL_NAME_MAX = 26 };

/* Materials share textures, and each gets a file: bytes of all. */
#define COPIED_MAX ((uint64_t)256 << 20)

static const char *ending_of(const char *file)
{
    const char *dot = strrchr(file, '.');
    return dot ? dot : "";
}

/* Sets the size of a texture whose file is known, else the usual one. */
static void set_size(struct material_image *image, const struct bytes *data)
{
    int width, height;
    bool known = data && image_size(data->data, data->size, &width, &height);
    image->size[0] = known ? (uint32_t)width : MATERIAL_TABLE_TEXTURE_SIZE;
    image->size[1] = known ? (uint32_t)height : MATERIAL_TABLE_TEXTURE_SIZE;
}

/* Adds the file of a packed texture under the name of a material with it. Returns its path, or NULL
 * without one. */
static const char *add_texture_file(struct level_maker *maker, struct material_table *table,
                                    const struct bmx_file *files, size_t material)
{
    const struct bmx_material *from = &maker->bmx->materials[material];
    if (!from->use_texture || maker->bmx->textures[from->texture].is_external)
        return NULL;
    const char *name =
        bmx_text_utf8(&maker->bmx->textures[from->texture].file_name, &maker->scratch);
    const struct bmx_file *file = bmx_find_file(files, name);
    if (file && maker->copied + file->data->size > COPIED_MAX)
        maker_lose(maker, LOSS_TEXTURE, "%s", name);
    if (!file || maker->copied + file->data->size > COPIED_MAX)
        return NULL;
    maker->copied += file->data->size;
    const char *ending =
        bmx_plain_name(&maker->scratch, ending_of(name) + (*ending_of(name) == '.'), 8);
    const char *path = arena_printf(&maker->scratch, "%s.%s", maker->materials[material], ending);
    struct material_image *image = &table->images[from->texture];
    struct bytes data = {0};
    bytes_append(&data, file->data->data, file->data->size);
    if (!image->path)
        image->path = str_copy(path);
    return maker_add_file(maker, path, &data);
}

/* A game draws light in its own way: of a material it has the image, or the colour of one without,
 * and by a shader its transparency and its sides. */
static void judge_material(struct level_maker *maker, const struct bmx_material *material)
{
    bool shines = material->power > 0;
    for (int k = 0; k < 3; k++)
        shines |= material->specular[k] > 0 || material->emissive[k] > 0;
    bool flags = material->alpha_test || material->alpha_blend || material->two_sided;
    if (maker->options->playable && (shines || (flags && !maker->engine->has_shaders)))
        maker_lose(maker, LOSS_MATERIAL, "%s", bmx_text_utf8(&material->name, &maker->scratch));
}

static void add_textures(struct level_maker *maker, struct material_table *table,
                         const struct bmx_file *files)
{
    for (size_t i = 0; i < arrlenu(maker->bmx->textures); i++) {
        const struct bmx_texture *texture = &maker->bmx->textures[i];
        const char *name = bmx_text_utf8(&texture->file_name, &maker->scratch);
        const struct bmx_file *file = texture->is_external ? NULL : bmx_find_file(files, name);
        uint32_t number = material_table_add_texture(table, texture);
        set_size(&table->images[number], file ? file->data : NULL);
        if (texture->is_external)
            maker_lose(maker, LOSS_TEXTURE, "%s", name);
    }
}

/* Returns true when the game's own material has the same fields and texture. */
static bool is_like(const struct bmx *bmx, const struct bmx_material *a,
                    const struct material_table *stock, const struct bmx_material *b)
{
    const struct bmx_texture *texture = a->use_texture ? &bmx->textures[a->texture] : NULL;
    const struct bmx_texture *own = &stock->textures[b->texture];
    return texture && !bmx_text_compare(&a->name, &b->name) &&
           bmx_same_floats(a->ambient, b->ambient, 3) &&
           bmx_same_floats(a->diffuse, b->diffuse, 3) &&
           bmx_same_floats(a->specular, b->specular, 3) &&
           bmx_same_floats(a->emissive, b->emissive, 3) &&
           bmx_same_floats(&a->power, &b->power, 1) && a->alpha_test == b->alpha_test &&
           a->alpha_blend == b->alpha_blend && a->z_buffer == b->z_buffer &&
           a->two_sided == b->two_sided && texture->is_external &&
           !bmx_text_compare(&texture->name, &own->name) &&
           !bmx_text_compare(&texture->file_name, &own->file_name);
}

/* Returns the face name of the material if it is one of the game's own, else one of the level's. */
static const char *face_name(struct level_maker *maker, const struct material_table *stock,
                             const struct bmx_material *material)
{
    const char *own = bmx_text_utf8(&material->name, &maker->scratch);
    const char *known = arena_printf(&maker->scratch, "ballance/%s", own);
    int found = material_table_find(stock, known);
    if (found >= 0 && is_like(maker->bmx, material, stock, &stock->materials[found]))
        return known;
    const char *plain = bmx_plain_name(&maker->scratch, own, MATERIAL_NAME_MAX);
    return arena_printf(&maker->scratch, "bmx/%s/%s", maker->name,
                        bmx_unique_name(&maker->scratch, plain, MATERIAL_NAME_MAX, &maker->names));
}

void maker_add_materials(struct level_maker *maker)
{
    struct material_table table = {0}, stock = {0};
    struct bmx_file *files = bmx_files(maker->bmx);
    material_table_add_stock(&stock);
    add_textures(maker, &table, files);
    for (size_t i = 0; i < arrlenu(maker->bmx->materials); i++) {
        const struct bmx_material *material = &maker->bmx->materials[i];
        const char *face = face_name(maker, &stock, material);
        arrput(maker->materials, arena_printf(&maker->level->arena, "textures/%s", face));
        material_table_add_face(&table, face, material_table_add_material(&table, material));
        const char *image = add_texture_file(maker, &table, files, i);
        arrput(maker->images, image);
        if (image && !maker->engine->content->packs_in_pk3)
            maker_lose(maker, LOSS_PACK, "%s", image);
        judge_material(maker, material);
    }
    struct bytes text = {0};
    material_table_write(&table, &text);
    maker->files->table = arrlenu(maker->files->list);
    maker_add_file(maker, arena_printf(&maker->scratch, "%s.materials", maker->options->name),
                   &text);
    material_table_free(&table);
    material_table_free(&stock);
    arrfree(files);
}

const char *maker_material(const struct level_maker *maker, int material)
{
    return material < 0 ? "textures/bmx/none" : maker->materials[material];
}
