#include "ballance/compile/maker.h"
#include "common/core/strings.h"
#include "common/diag/codes/map_to_ballance.def"

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
