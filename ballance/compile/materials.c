#include "ballance/compile/maker.h"

#include "common/assets/textures/image.h"
#include "common/assets/textures/tga.h"
#include "common/assets/textures/vtf.h"
#include "common/core/strings.h"
#include "common/diag/codes/map_to_ballance.def"
#include "common/io/zip.h"

/* --- what is known of a file --- */

/* Reads the header: "BM", and at 18 width and height as 32-bit integers, the height negative when
 * the top row is first. */
static bool bmp_size(const struct bytes *file, int size[2])
{
    if (file->size < 26 || memcmp(file->data, "BM", 2) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        int64_t side = (int32_t)load_u32(file->data + 18 + 4 * i);
        side = side < 0 ? -side : side;
        if (side < 1 || side > 65536)
            return false;
        size[i] = (int)side;
    }
    return true;
}

/* The bytes of an image, as it goes into the file. */
struct texture_image {
    const char *file; /* name with an ending */
    struct bytes data;
    int size[2];
    bool has_alpha, is_cut_out; /* pixels that are not opaque; all of them fully transparent */
};

static void look_at_alpha(struct texture_image *image, const uint8_t *pixels)
{
    size_t count = (size_t)image->size[0] * (size_t)image->size[1];
    image->has_alpha = false;
    image->is_cut_out = true;
    for (size_t i = 0; i < count; i++) {
        image->has_alpha |= pixels[4 * i + 3] < 255;
        image->is_cut_out &= pixels[4 * i + 3] == 0 || pixels[4 * i + 3] == 255;
    }
    image->is_cut_out &= image->has_alpha;
}

/* Sets the size of the image in data, and what is known of its alpha. Returns false for files that
 * are no BMP, TGA, PNG or JPEG. */
static bool ballance_measure_image(struct texture_image *image)
{
    if (bmp_size(&image->data, image->size))
        return true;
    uint8_t *pixels =
        image_decode(image->data.data, image->data.size, &image->size[0], &image->size[1]);
    if (!pixels)
        return false;
    look_at_alpha(image, pixels);
    memory_free(pixels);
    return true;
}

/* Ballance cannot read a VTF. */
static bool convert_vtf(struct texture_image *image)
{
    struct vtf_image vtf;
    struct bytes tga = {0};
    if (!vtf_read_image(image->data.data, image->data.size, 65535, &vtf))
        return false;
    image->size[0] = vtf.width;
    image->size[1] = vtf.height;
    look_at_alpha(image, vtf.rgba);
    tga_encode(vtf.rgba, vtf.width, vtf.height, TGA_RGBA, &tga);
    vtf_image_free(&vtf);
    bytes_free(&image->data);
    image->data = tga;
    return true;
}

/* --- where it is --- */

/* Names of a file by that of a texture: beside the map, and in the game. */
static const struct {
    const char *folder, *ending;
} places[] = {{"textures/", ".bmp"}, {"textures/", ".tga"}, {"textures/", ".png"},
              {"textures/", ".jpg"}, {"", ".bmp"},          {"", ".tga"},
              {"", ".png"},          {"", ".jpg"},          {"materials/", ".vtf"}};

static bool load_place(struct ballance_maker *maker, const char *name, struct bytes *out)
{
    const char *folder = path_folder(&maker->arena, maker->level->file);
    if (!zip_name_is_safe(name)) /* a map of somebody else may not take files from elsewhere */
        return false;
    const char *path = arena_printf(&maker->arena, "%s/%s", folder, name);
    if (maker->env->fs->ops->kind(maker->env->fs, path) == FS_FILE &&
        fs_load_optional(maker->env->fs, maker->env->diag, path, out))
        return true;
    return maker->assets && assets_read(maker->assets, name, out);
}

/* Finds the image of a texture name beside the map or in the assets. Free data. */
static bool ballance_find_image(struct ballance_maker *maker, const char *texture,
                                struct texture_image *out)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        *out = (struct texture_image){0};
        const char *name =
            arena_printf(&maker->arena, "%s%s%s", places[i].folder, texture, places[i].ending);
        if (!load_place(maker, name, &out->data))
            continue;
        bool is_vtf = strcmp(places[i].ending, ".vtf") == 0;
        out->file = arena_printf(&maker->arena, "%s%s", path_name(texture),
                                 is_vtf ? ".tga" : places[i].ending);
        if (is_vtf ? convert_vtf(out) : ballance_measure_image(out)) {
            if (is_vtf)
                diag_report(maker->env->diag, DIAG_BMX_FROM_CONVERTED,
                            &(struct diag_where){.file = name}, "as %s", out->file);
            return true;
        }
        bytes_free(&out->data);
    }
    return false;
}

/* --- the table --- */

static void fill_unused(int **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        arrput(*list, -1);
}

/* Returns the table that is named like a file, or NULL when there is none. */
static const char *table_beside(struct ballance_maker *maker, const char *file)
{
    const char *dot = strrchr(path_name(file), '.');
    int length = (int)(dot ? (size_t)(dot - file) : strlen(file));
    const char *path = arena_printf(&maker->arena, "%.*s.materials", length, file);
    return fs_look_at(maker->env->fs, maker->env->diag, path) == FS_FILE ? path : NULL;
}

enum status ballance_open_table(struct ballance_maker *maker)
{
    const struct ballance_options *options = maker->options;
    const char *path = options->materials;
    material_table_add_stock(&maker->table);
    if (!path)
        path = table_beside(maker, maker->level->file);
    if (!path && options->output)
        path = table_beside(maker, options->output);
    if (path) {
        maker->table_folder = path_folder(&maker->arena, path);
        TRY(material_table_load(&maker->table, maker->env->fs, path, maker->env->diag));
    }
    fill_unused(&maker->table_materials, arrlenu(maker->table.materials));
    fill_unused(&maker->table_textures, arrlenu(maker->table.textures));
    return STATUS_OK;
}

/* --- tool textures --- */

static const struct {
    const char *name;
    enum face_kind kind;
} tools[] = {
    {"nodraw", FACE_HIDDEN},      {"caulk", FACE_HIDDEN},
    {"skip", FACE_NOTHING},       {"hint", FACE_NOTHING},
    {"clip", FACE_NOTHING},       {"weapclip", FACE_NOTHING},
    {"botclip", FACE_NOTHING},    {"playerclip", FACE_NOTHING},
    {"npcclip", FACE_NOTHING},    {"trigger", FACE_NOTHING},
    {"origin", FACE_NOTHING},     {"areaportal", FACE_NOTHING},
    {"skybox", FACE_NOTHING},     {"sky", FACE_NOTHING},
    {"fog", FACE_NOTHING},        {"invisible", FACE_NOTHING},
    {"blocklight", FACE_NOTHING}, {"hintskip", FACE_NOTHING},
    {"occluder", FACE_NOTHING},   {"invisibleladder", FACE_NOTHING},
};

/* Texture names of the level without the folder of Quake 3. */
static const char *plain_texture(const char *texture)
{
    return str_starts_nocase(texture, "textures/") ? texture + strlen("textures/") : texture;
}

static enum face_kind kind_of(const char *texture)
{
    if (!*texture || str_equal_nocase(texture, "bmx/none") ||
        str_equal_nocase(texture, "__TB_empty"))
        return FACE_BARE;
    const char *name = texture;
    if (str_starts_nocase(texture, "tools/tools"))
        name = texture + strlen("tools/tools");
    else if (str_starts_nocase(texture, "common/"))
        name = texture + strlen("common/");
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (str_equal_nocase(tools[i].name, name))
            return tools[i].kind;
    return FACE_DRAWN;
}

/* --- textures and materials of the model --- */

static bool has_file(const struct ballance_maker *maker, const char *file)
{
    for (size_t i = 0; i < arrlenu(maker->bmx->members); i++)
        if (str_equal_nocase(maker->bmx->members[i].name, file))
            return true;
    return false;
}

/* Adds a packed texture; its file gets a name of its own. */
static int add_packed(struct ballance_maker *maker, const char *name, const char *file,
                      const struct bytes *data)
{
    const char *dot = strrchr(file, '.'), *member = arena_printf(&maker->arena, "Texture/%s", file);
    for (int i = 2; has_file(maker, member); i++)
        member =
            arena_printf(&maker->arena, "Texture/%.*s_%d%s",
                         (int)(dot ? (size_t)(dot - file) : strlen(file)), file, i, dot ? dot : "");
    struct bmx_texture texture = {
        .name = bmx_text_make(ballance_name(maker, BMX_TEXTURE, name, false, NULL)),
        .file_name = bmx_text_make(member + strlen("Texture/"))};
    bmx_add_file(maker->bmx, member, data->data, data->size);
    arrput(maker->bmx->textures, texture);
    return (int)arrlen(maker->bmx->textures) - 1;
}

/* Loads the file of a packed texture of the table: by its path, else beside the table. */
static bool load_table_image(struct ballance_maker *maker, uint32_t number, struct bytes *out)
{
    const struct env *env = maker->env;
    const char *file = bmx_text_utf8(&maker->table.textures[number].file_name, &maker->arena);
    const char *names[] = {maker->table.images[number].path, file,
                           arena_printf(&maker->arena, "Texture/%s", file)};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path =
            names[i] ? arena_printf(&maker->arena, "%s/%s", maker->table_folder, names[i]) : NULL;
        if (path && env->fs->ops->kind(env->fs, path) == FS_FILE &&
            fs_load_optional(env->fs, env->diag, path, out))
            return true;
    }
    diag_report(env->diag, DIAG_BMX_FROM_TEXTURE, &(struct diag_where){.file = file},
                "not found beside the table");
    return false;
}

/* Returns the model's texture of one in the table, or -1. */
static int table_texture(struct ballance_maker *maker, uint32_t number)
{
    const struct bmx_texture *source = &maker->table.textures[number];
    const char *name = bmx_text_utf8(&source->name, &maker->arena);
    int *made = &maker->table_textures[number];
    struct bytes data = {0};
    if (*made >= 0)
        return *made;
    if (source->is_external) {
        struct bmx_texture texture = {
            .name = bmx_text_make(ballance_name(maker, BMX_TEXTURE, name, false, NULL)),
            .file_name = bmx_text_copy(&source->file_name),
            .is_external = source->is_external};
        arrput(maker->bmx->textures, texture);
        *made = (int)arrlen(maker->bmx->textures) - 1;
    } else if (load_table_image(maker, number, &data)) {
        *made = add_packed(maker, name, bmx_text_utf8(&source->file_name, &maker->arena), &data);
        bytes_free(&data);
    }
    return *made;
}

static int table_material(struct ballance_maker *maker, int number)
{
    const struct bmx_material *source = &maker->table.materials[number];
    int *made = &maker->table_materials[number];
    if (*made >= 0)
        return *made;
    struct bmx_material material = *source;
    int texture = source->use_texture ? table_texture(maker, source->texture) : -1;
    material.name = bmx_text_make(ballance_name(
        maker, BMX_MATERIAL, bmx_text_utf8(&source->name, &maker->arena), false, NULL));
    material.use_texture = texture >= 0 ? source->use_texture : 0;
    material.texture = texture >= 0 ? (uint32_t)texture : 0;
    arrput(maker->bmx->materials, material);
    *made = (int)arrlen(maker->bmx->materials) - 1;
    return *made;
}

/* Sets the pixels that axes count in: as the table says, else those of the packed file. */
static void table_size(struct ballance_maker *maker, int number, double size[2])
{
    const struct bmx_material *material = &maker->table.materials[number];
    struct texture_image image = {0};
    if (!material->use_texture)
        return;
    const uint32_t *stated = maker->table.images[material->texture].size;
    if (stated[0]) {
        size[0] = stated[0];
        size[1] = stated[1];
    } else if (!maker->table.textures[material->texture].is_external &&
               load_table_image(maker, material->texture, &image.data) &&
               ballance_measure_image(&image)) {
        size[0] = image.size[0];
        size[1] = image.size[1];
    }
    bytes_free(&image.data);
}

/* A material of no table, with the image of the texture's name. */
static int own_material(struct ballance_maker *maker, const char *texture, double size[2],
                        const struct diag_where *where)
{
    struct texture_image image = {0};
    struct bmx_material material = {.diffuse = {1, 1, 1}, .z_buffer = 1};
    char *name = arena_strdup(&maker->arena, texture);
    for (char *c = name; *c; c++)
        *c = *c == '/' || *c == '\\' ? '_' : *c;
    if (ballance_find_image(maker, texture, &image)) {
        material.use_texture = 1;
        material.texture = (uint32_t)add_packed(maker, name, image.file, &image.data);
        material.alpha_test = image.is_cut_out;
        material.alpha_blend = image.has_alpha && !image.is_cut_out;
        size[0] = image.size[0];
        size[1] = image.size[1];
        bytes_free(&image.data);
    } else {
        diag_report(maker->env->diag, DIAG_BMX_FROM_MATERIAL, where, "%s: white", texture);
    }
    material.name = bmx_text_make(ballance_name(maker, BMX_MATERIAL, name, false, NULL));
    arrput(maker->bmx->materials, material);
    return (int)arrlen(maker->bmx->materials) - 1;
}

const struct face_material *ballance_face(struct ballance_maker *maker, const char *texture,
                                          const struct diag_where *where)
{
    const char *name = plain_texture(texture), *key = arena_strlower(&maker->arena, name);
    ptrdiff_t at = shgeti(maker->faces, key);
    if (at >= 0)
        return &maker->faces[at].value;
    struct face_material face = {
        .material = -1, .size = {MATERIAL_TABLE_TEXTURE_SIZE, MATERIAL_TABLE_TEXTURE_SIZE}};
    int number = material_table_find(&maker->table, name);
    face.kind = number >= 0 ? FACE_DRAWN : kind_of(name);
    if (number >= 0) {
        face.material = table_material(maker, number);
        table_size(maker, number, face.size);
    } else if (face.kind == FACE_DRAWN) {
        face.material = own_material(maker, name, face.size, where);
    }
    if (!maker->faces)
        sh_new_strdup(maker->faces);
    shput(maker->faces, key, face);
    return &maker->faces[shgeti(maker->faces, key)].value;
}
