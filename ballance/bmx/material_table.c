#include "ballance/bmx/material_table.h"

#include "ballance/bmx/dump_text.h"
#include "ballance/bmx/names.h"
#include "common/core/array.h"
#include "common/core/strings.h"

void material_table_free(struct material_table *table)
{
    for (size_t i = 0; i < arrlenu(table->materials); i++)
        bmx_text_free(&table->materials[i].name);
    for (size_t i = 0; i < arrlenu(table->textures); i++) {
        bmx_text_free(&table->textures[i].name);
        bmx_text_free(&table->textures[i].file_name);
        memory_free(table->images[i].path);
    }
    for (size_t i = 0; i < arrlenu(table->faces); i++)
        memory_free(table->faces[i].name);
    arrfree(table->materials);
    arrfree(table->textures);
    arrfree(table->images);
    arrfree(table->faces);
    *table = (struct material_table){0};
}

/* --- building --- */

/* Appends a texture, whose texts become the table's. */
static uint32_t put_texture(struct material_table *table, const struct bmx_texture *texture)
{
    arrput(table->textures, *texture);
    arrput(table->images, ((struct material_image){0}));
    return (uint32_t)arrlenu(table->textures) - 1;
}

static uint32_t put_material(struct material_table *table, const struct bmx_material *material)
{
    arrput(table->materials, *material);
    return (uint32_t)arrlenu(table->materials) - 1;
}

uint32_t material_table_add_texture(struct material_table *table, const struct bmx_texture *texture)
{
    struct bmx_texture copy = *texture;
    copy.name = bmx_text_copy(&texture->name);
    copy.file_name = bmx_text_copy(&texture->file_name);
    return put_texture(table, &copy);
}

uint32_t material_table_add_material(struct material_table *table,
                                     const struct bmx_material *material)
{
    struct bmx_material copy = *material;
    copy.name = bmx_text_copy(&material->name);
    return put_material(table, &copy);
}

/* Returns the name in the form that names are compared in. */
static char *face_key(const char *name)
{
    char *key = str_copy(name);
    for (char *c = key; *c; c++) {
        if (*c == '\\')
            *c = '/';
        else if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    }
    return key;
}

void material_table_add_face(struct material_table *table, const char *name, uint32_t material)
{
    struct material_face face = {face_key(name), material};
    arrput(table->faces, face);
}

int material_table_find(const struct material_table *table, const char *name)
{
    char *key = face_key(name);
    int found = -1;
    for (size_t i = arrlenu(table->faces); i-- > 0 && found < 0;)
        if (strcmp(table->faces[i].name, key) == 0)
            found = (int)table->faces[i].material;
    memory_free(key);
    return found;
}

/* --- the game's own --- */

/* Textures of surfaces that stand upright. */
static bool is_wall(const char *file)
{
    static const char *const walls[] = {
        "Brick.bmp",      "Column_beige.bmp", "Column_blue.bmp",   "Column_beige_fade.tga",
        "Floor_Side.bmp", "Modul03_Wall.bmp", "Stick_Stripes.bmp", "Modul30_d_Seiten.bmp"};
    for (size_t i = 0; i < sizeof walls / sizeof *walls; i++)
        if (strcmp(walls[i], file) == 0)
            return true;
    return false;
}

static void add_stock_material(struct material_table *table, const char *file)
{
    char *stem = str_copy_part(file, strlen(file) - 4);
    bool blends = str_ends_nocase(file, ".tga"); /* only these have an alpha channel */
    float white = is_wall(file) ? 1 : 0;
    struct bmx_texture texture = {
        .name = bmx_text_make(stem), .file_name = bmx_text_make(file), .is_external = 1};
    struct bmx_material material = {.name = bmx_text_make(stem),
                                    .diffuse = {1, 1, 1},
                                    .emissive = {white, white, white},
                                    .alpha_blend = blends,
                                    .z_buffer = 1,
                                    .use_texture = 1,
                                    .texture = put_texture(table, &texture)};
    struct bytes face = {0};
    bytes_append_text(&face, "ballance/%s", stem);
    bytes_u8(&face, 0);
    material_table_add_face(table, (const char *)face.data, put_material(table, &material));
    bytes_free(&face);
    memory_free(stem);
}

void material_table_add_stock(struct material_table *table)
{
    const char *file;
    for (unsigned i = 0; (file = bmx_stock_texture(i)); i++)
        if (str_ends_nocase(file, ".bmp") || str_ends_nocase(file, ".tga"))
            add_stock_material(table, file);
}

/* --- reading --- */

/* Takes the text of a line that holds nothing else. */
static char *take_line(struct dump_reader *in)
{
    struct arena arena = {0};
    struct bmx_text text = dump_text(in);
    char *line = str_copy(bmx_text_utf8(&text, &arena));
    dump_end_line(in);
    bmx_text_free(&text);
    arena_free(&arena);
    return line;
}

/* The largest side that an image may have. */
enum { SIZE_MAX_PIXELS = 65536 };

static void take_size(struct dump_reader *in, uint32_t size[2])
{
    for (int i = 0; i < 2; i++) {
        size[i] = (uint32_t)dump_number(in, SIZE_MAX_PIXELS);
        if (!size[i])
            dump_fail(in, "a size must not be 0");
    }
    dump_end_line(in);
}

static void take_texture(struct material_table *table, struct dump_reader *in)
{
    struct bmx_texture texture = {.name = dump_text(in)};
    dump_end_line(in);
    dump_take_texture(in, &texture);
    put_texture(table, &texture);
    struct material_image *image = &arrlast(table->images);
    while (dump_is_at(in, "path") || dump_is_at(in, "size")) {
        if (dump_is_at(in, "size")) {
            take_size(in, image->size);
        } else {
            memory_free(image->path);
            image->path = take_line(in);
        }
    }
}

/* Takes the name of an earlier texture; of equal names the last. */
static uint32_t take_texture_name(const struct material_table *table, struct dump_reader *in)
{
    struct bmx_text name = dump_text(in);
    uint32_t texture = 0;
    size_t count = arrlenu(table->textures);
    while (count > 0 && bmx_text_compare(&table->textures[count - 1].name, &name) != 0)
        count--;
    if (count)
        texture = (uint32_t)count - 1;
    else
        dump_fail(in, "there is no texture of that name above");
    bmx_text_free(&name);
    return texture;
}

static void take_material(struct material_table *table, struct dump_reader *in)
{
    struct bmx_material material = {.name = dump_text(in)};
    size_t faces = arrlenu(table->faces);
    dump_end_line(in);
    dump_take_material(in, &material);
    if (material.use_texture || dump_is_at(in, "texture")) {
        dump_expect(in, "texture");
        if (!dump_has_text(in) && !material.use_texture) /* as unpacked: a number without meaning */
            (void)dump_number(in, UINT32_MAX);
        else
            material.texture = take_texture_name(table, in);
        dump_end_line(in);
    }
    uint32_t number = put_material(table, &material);
    while (dump_is_at(in, "face")) {
        char *face = take_line(in);
        material_table_add_face(table, face, number);
        memory_free(face);
    }
    if (arrlenu(table->faces) > faces)
        return;
    struct arena arena = {0};
    material_table_add_face(table, bmx_text_utf8(&material.name, &arena), number);
    arena_free(&arena);
}

enum status material_table_parse(struct material_table *table, const char *text, size_t size,
                                 const char *path, struct diag *diag)
{
    struct dump_reader in;
    dump_open(&in, text, size, path, diag);
    while (in.keyword_length) {
        if (dump_is_at(&in, "texture"))
            take_texture(table, &in);
        else if (dump_is_at(&in, "material"))
            take_material(table, &in);
        else
            dump_fail(&in, "expected a line with 'texture' or 'material'");
    }
    return in.failed ? STATUS_FAILED : STATUS_OK;
}

enum status material_table_load(struct material_table *table, struct fs *fs, const char *path,
                                struct diag *diag)
{
    struct bytes file = {0}, plain = {0};
    struct arena arena = {0};
    TRY(fs_load(fs, diag, path, &file));
    const char *text = (const char *)file.data;
    size_t size = file.size;
    unicode_to_utf8(&arena, &text, &size);
    bytes_append(&plain, text, size);
    bytes_u8(&plain, 0);
    enum status status =
        material_table_parse(table, (const char *)plain.data, plain.size - 1, path, diag);
    bytes_free(&plain);
    bytes_free(&file);
    arena_free(&arena);
    return status;
}

/* --- writing --- */

static void put_text(struct bytes *out, const char *keyword, const struct bmx_text *text)
{
    bytes_append(out, keyword, strlen(keyword));
    dump_put_text(out, text);
    bytes_append(out, "\n", 1);
}

static void put_line(struct bytes *out, const char *keyword, const char *line)
{
    struct bmx_text text = bmx_text_make(line);
    put_text(out, keyword, &text);
    bmx_text_free(&text);
}

static void write_texture(const struct material_table *table, size_t number, struct bytes *out)
{
    const struct material_image *image = &table->images[number];
    put_text(out, "texture", &table->textures[number].name);
    dump_put_texture(out, &table->textures[number]);
    if (image->path)
        put_line(out, "  path", image->path);
    if (image->size[0])
        bytes_append_text(out, "  size %u %u\n", image->size[0], image->size[1]);
}

/* A texture is found by its name from below: where a later one has the name too, it cannot be. */
static void write_material(const struct material_table *table, uint32_t number, struct bytes *out)
{
    const struct bmx_material *material = &table->materials[number];
    put_text(out, "material", &material->name);
    dump_put_material(out, material);
    if (material->texture < arrlenu(table->textures))
        put_text(out, "  texture", &table->textures[material->texture].name);
    for (size_t i = 0; i < arrlenu(table->faces); i++)
        if (table->faces[i].material == number)
            put_line(out, "  face", table->faces[i].name);
}

void material_table_write(const struct material_table *table, struct bytes *out)
{
    size_t textures = 0;
    for (uint32_t i = 0; i < arrlenu(table->materials); i++) {
        for (; textures < arrlenu(table->textures) && textures <= table->materials[i].texture;
             textures++)
            write_texture(table, textures, out);
        write_material(table, i, out);
    }
    for (; textures < arrlenu(table->textures); textures++)
        write_texture(table, textures, out);
}
