#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ballance/bmx/dump.h"
#include "ballance/bmx/dump_text.h"
#include "ballance/bmx/names.h"
#include "common/core/array.h"
#include "common/io/zip.h"

struct packer {
    struct fs *fs;
    struct diag *diag;
    const char *folder;
    struct bmx *bmx;
    struct name_index names[BMX_KINDS]; /* of kinds that are read */
    size_t named[BMX_KINDS];            /* number of blocks so far in the order of the index */
    struct arena arena;
};

static uint32_t component_of(struct dump_reader *in, const struct bmx_text *name)
{
    struct arena arena = {0};
    const char *text = bmx_text_utf8(name, &arena);
    uint32_t number = 0;
    while (number < BMX_COMPONENTS && strcmp(text, bmx_component(number)) != 0)
        number++;
    if (number == BMX_COMPONENTS)
        dump_fail(in, "there is no component of that name");
    arena_free(&arena);
    return number;
}

static uint32_t block_of(const struct packer *packer, struct dump_reader *in, enum bmx_kind kind,
                         const struct bmx_text *name)
{
    uint32_t block = 0;
    size_t count = name_index_find(&packer->names[kind], name, &block);
    char what[64];
    if (count == 1)
        return block;
    snprintf(what, sizeof what,
             count ? "more than one %s has that name: use its number"
                   : "there is no %s of that name",
             bmx_kind_name(kind));
    dump_fail(in, what);
    return 0;
}

/* Takes the next word, a number or the name of a block. */
static uint32_t reference(const struct packer *packer, struct dump_reader *in, enum bmx_kind kind,
                          bool is_component)
{
    if (!dump_has_text(in))
        return (uint32_t)dump_number(in, UINT32_MAX);
    struct bmx_text name = dump_text(in);
    uint32_t block = 0;
    if (!in->failed)
        block = is_component ? component_of(in, &name) : block_of(packer, in, kind, &name);
    bmx_text_free(&name);
    return block;
}

static void take_object(const struct packer *packer, struct dump_reader *in,
                        struct bmx_object *object)
{
    object->is_component = (uint8_t)dump_take_number(in, "component", UINT8_MAX);
    object->is_hidden = (uint8_t)dump_take_number(in, "hidden", UINT8_MAX);
    for (int row = 0; row < 4; row++)
        dump_take_floats(in, "matrix", object->matrix + 4 * row, 4);
    while (dump_is_at(in, "group")) {
        struct bmx_text group = dump_text(in);
        arrput(object->groups, group);
        dump_end_line(in);
    }
    dump_expect(in, "mesh");
    object->mesh = reference(packer, in, BMX_MESH, object->is_component);
    dump_end_line(in);
}

static struct bmx_point *take_points(struct dump_reader *in, const char *keyword)
{
    struct bmx_point *points = NULL;
    while (dump_is_at(in, keyword)) {
        struct bmx_point *point = arraddnptr(points, 1);
        dump_take_floats(in, keyword, point->xyz, 3);
    }
    return points;
}

/* A face without words about its material has that of the last `usemtl`. */
static void take_face(struct dump_reader *in, struct bmx_face *face)
{
    for (int k = 0; k < 3; k++) {
        struct bmx_corner *corner = &face->corners[k];
        corner->position = (uint32_t)dump_number(in, UINT32_MAX);
        dump_expect_char(in, '/');
        corner->uv = (uint32_t)dump_joined_number(in, UINT32_MAX);
        dump_expect_char(in, '/');
        corner->normal = (uint32_t)dump_joined_number(in, UINT32_MAX);
    }
    if (dump_has_word(in)) {
        face->use_material = (uint8_t)dump_number(in, UINT8_MAX);
        face->material = (uint32_t)dump_number(in, UINT32_MAX);
    }
    dump_end_line(in);
}

static void take_faces(const struct packer *packer, struct dump_reader *in, struct bmx_mesh *mesh)
{
    struct bmx_face usual = {0};
    while (dump_is_at(in, "f") || dump_is_at(in, "usemtl")) {
        if (dump_is_at(in, "usemtl")) {
            usual.use_material = 1;
            usual.material = reference(packer, in, BMX_MATERIAL, false);
            dump_end_line(in);
            continue;
        }
        struct bmx_face face = usual;
        take_face(in, &face);
        arrput(mesh->faces, face);
    }
}

static void take_mesh(const struct packer *packer, struct dump_reader *in, struct bmx_mesh *mesh)
{
    mesh->positions = take_points(in, "v");
    while (dump_is_at(in, "vt")) {
        struct bmx_uv *uv = arraddnptr(mesh->uvs, 1);
        dump_take_floats(in, "vt", uv->uv, 2);
    }
    mesh->normals = take_points(in, "vn");
    take_faces(packer, in, mesh);
}

static void take_material(const struct packer *packer, struct dump_reader *in,
                          struct bmx_material *material)
{
    dump_take_material(in, material);
    dump_expect(in, "texture");
    material->texture = reference(packer, in, BMX_TEXTURE, false);
    dump_end_line(in);
}

static void take_block(struct packer *packer, struct dump_reader *in, enum bmx_kind kind)
{
    struct bmx *bmx = packer->bmx;
    struct bmx_text name = dump_text(in);
    dump_end_line(in);
    if (kind == BMX_OBJECT) {
        struct bmx_object object = {.name = name};
        take_object(packer, in, &object);
        arrput(bmx->objects, object);
    } else if (kind == BMX_MESH) {
        struct bmx_mesh mesh = {.name = name};
        take_mesh(packer, in, &mesh);
        arrput(bmx->meshes, mesh);
    } else if (kind == BMX_MATERIAL) {
        struct bmx_material material = {.name = name};
        take_material(packer, in, &material);
        arrput(bmx->materials, material);
    } else {
        struct bmx_texture texture = {.name = name};
        dump_take_texture(in, &texture);
        arrput(bmx->textures, texture);
    }
}

/* Consecutive lines are one gap. */
static void read_gap(struct dump_reader *in, struct bmx *bmx, enum bmx_kind kind)
{
    size_t count = arrlenu(bmx->gaps), block = bmx_count(bmx, kind);
    if (!count || bmx->gaps[count - 1].kind != kind || bmx->gaps[count - 1].block != block)
        arrput(bmx->gaps, ((struct bmx_gap){.kind = kind, .block = block}));
    dump_hex(in, &arrlast(bmx->gaps).data);
    dump_end_line(in);
}

static void take_kind(struct packer *packer, struct dump_reader *in, enum bmx_kind kind)
{
    while (in->keyword_length) {
        if (dump_is_at(in, "gap")) {
            read_gap(in, packer->bmx, kind);
            continue;
        }
        dump_expect(in, bmx_kind_name(kind));
        if (!in->failed)
            take_block(packer, in, kind);
    }
}

static char *path_of(struct packer *packer, const char *name)
{
    return arena_printf(&packer->arena, "%s/%s", packer->folder, name);
}

/* Loads the text of a file, which any editor may have saved, with a null character after it. */
static enum status load_text(struct packer *packer, const char *path, struct bytes *out)
{
    struct bytes file = {0};
    struct arena arena = {0};
    TRY(fs_load(packer->fs, packer->diag, path, &file));
    const char *text = (const char *)file.data;
    size_t size = file.size;
    unicode_to_utf8(&arena, &text, &size);
    bytes_append(out, text, size);
    bytes_u8(out, 0);
    arena_free(&arena);
    bytes_free(&file);
    return STATUS_OK;
}

typedef void take_text(struct packer *packer, struct dump_reader *in, enum bmx_kind kind);

static enum status pack_text(struct packer *packer, const char *name, take_text *take,
                             enum bmx_kind kind)
{
    struct bytes text = {0};
    const char *path = path_of(packer, name);
    TRY(load_text(packer, path, &text));
    struct dump_reader in;
    dump_open(&in, (const char *)text.data, text.size - 1, path, packer->diag);
    take(packer, &in, kind);
    bytes_free(&text);
    return in.failed ? STATUS_FAILED : STATUS_OK;
}

static enum status pack_kind(struct packer *packer, enum bmx_kind kind)
{
    static const char *const files[BMX_KINDS] = {"objects.txt", "meshes.txt", "materials.txt",
                                                 "textures.txt"};
    TRY(pack_text(packer, files[kind], take_kind, kind));
    name_index_make(&packer->names[kind], packer->bmx, kind);
    return STATUS_OK;
}

/* Reads a member's name, in which a null character is an error. */
static char *read_name(struct packer *packer, struct dump_reader *in)
{
    struct bytes name = {0};
    dump_bytes(in, &name);
    if (!in->failed && (!name.size || memchr(name.data, 0, name.size)))
        dump_fail(in, "empty name, or null character in name");
    char *copy = arena_strndup(&packer->arena, name.size ? (const char *)name.data : "", name.size);
    bytes_free(&name);
    return copy;
}

static void take_part(struct packer *packer, struct dump_reader *in)
{
    const char *name = read_name(packer, in);
    struct bmx_member *members = packer->bmx->members;
    int role = 0;
    while (role < BMX_ROLE_FILE && strcmp(name, bmx_role_file((enum bmx_role)role)) != 0)
        role++;
    if (role == BMX_ROLE_FILE) {
        dump_fail(in, "expected index.bm, object.bm, mesh.bm, material.bm or texture.bm");
        return;
    }
    for (size_t i = 0; i < arrlenu(members); i++)
        if (members[i].role == (enum bmx_role)role)
            dump_fail(in, "duplicate part");
    bmx_add_file(packer->bmx, name, NULL, 0);
    arrlast(packer->bmx->members).role = (enum bmx_role)role;
}

static void take_file(struct packer *packer, struct dump_reader *in)
{
    const char *name = read_name(packer, in);
    const char *file = read_name(packer, in);
    struct bytes data = {0};
    if (!in->failed && !zip_name_is_safe(file))
        dump_fail(in, "file outside of the folder");
    if (in->failed)
        return;
    if (fs_load(packer->fs, packer->diag, path_of(packer, file), &data) != STATUS_OK) {
        dump_fail(in, "cannot read the file");
        return;
    }
    bmx_add_file(packer->bmx, name, NULL, 0);
    arrlast(packer->bmx->members).data = data;
}

static void take_unknown(struct packer *packer, struct dump_reader *in)
{
    struct bmx_entry entry = {.type = (uint8_t)dump_number(in, UINT8_MAX)};
    if (entry.type < BMX_KINDS)
        dump_fail(in, "expected a type other than object, mesh, material and texture");
    entry.name = dump_text(in);
    entry.offset = dump_number(in, UINT64_MAX);
    arrput(packer->bmx->index, entry);
}

/* Reads entries of a kind, which must exist as blocks. Without a number they are all that no other
 * line names. */
static void read_entries(struct packer *packer, struct dump_reader *in)
{
    int kind = 0;
    while (kind < BMX_KINDS && !dump_is_at(in, bmx_kind_name((enum bmx_kind)kind)))
        kind++;
    if (kind == BMX_KINDS) {
        dump_fail(in, "unknown keyword");
        return;
    }
    uint64_t count = bmx_count(packer->bmx, (enum bmx_kind)kind) - packer->named[kind];
    if (dump_has_word(in))
        count = dump_number(in, count);
    packer->named[kind] += count;
    for (uint64_t i = 0; i < count; i++)
        arrput(packer->bmx->index, ((struct bmx_entry){.type = (uint8_t)kind}));
}

static void check_order(const struct packer *packer, struct dump_reader *in)
{
    const struct bmx *bmx = packer->bmx;
    for (int kind = 0; kind < BMX_KINDS && bmx->index; kind++)
        if (packer->named[kind] != bmx_count(bmx, (enum bmx_kind)kind))
            dump_fail(in, "the order of the index must name each block once");
}

/* The kind is none. */
static void take_index(struct packer *packer, struct dump_reader *in, enum bmx_kind kind)
{
    (void)kind;
    dump_expect(in, "version");
    if (dump_number(in, UINT32_MAX) != BMX_VERSION)
        dump_fail(in, "unsupported version; must be 14");
    dump_end_line(in);
    dump_expect(in, "comment");
    dump_bytes(in, &packer->bmx->comment);
    dump_end_line(in);
    while (in->keyword_length) {
        if (dump_is_at(in, "part"))
            take_part(packer, in);
        else if (dump_is_at(in, "file"))
            take_file(packer, in);
        else if (dump_is_at(in, "empty"))
            bmx_add_file(packer->bmx, read_name(packer, in), NULL, 0);
        else if (dump_is_at(in, "unknown"))
            take_unknown(packer, in);
        else
            read_entries(packer, in);
        dump_end_line(in);
    }
    check_order(packer, in);
}

/* Adds the file of a texture if it lies in the folder. Returns true if it does. */
static bool add_texture_file(struct packer *packer, const char *name)
{
    const char *member = arena_printf(&packer->arena, BMX_TEXTURES "%s", name);
    const char *path = path_of(packer, member);
    struct bytes data = {0};
    if (!*name || strchr(name, '/') || !zip_name_is_safe(member) ||
        packer->fs->ops->kind(packer->fs, path) != FS_FILE ||
        fs_load(packer->fs, packer->diag, path, &data) != STATUS_OK)
        return false;
    bmx_add_file(packer->bmx, member, NULL, 0);
    arrlast(packer->bmx->members).data = data;
    return true;
}

/* Adds the files of packed textures that no line names. */
static void add_texture_files(struct packer *packer)
{
    const struct bmx *bmx = packer->bmx;
    struct bmx_file *files = bmx_files(bmx);
    for (size_t i = 0; i < arrlenu(bmx->textures); i++) {
        const char *name = bmx_text_utf8(&bmx->textures[i].file_name, &packer->arena);
        if (!bmx->textures[i].is_external && !bmx_find_file(files, name) &&
            add_texture_file(packer, name)) {
            arrfree(files);
            files = bmx_files(bmx);
        }
    }
    arrfree(files);
}

static int gap_order(const void *a, const void *b)
{
    const struct bmx_gap *left = a, *right = b;
    int kinds = (left->kind > right->kind) - (left->kind < right->kind);
    return kinds ? kinds : (left->block > right->block) - (left->block < right->block);
}

/* Each kind after those that it refers to. */
static enum status pack_all(struct packer *packer)
{
    static const enum bmx_kind order[BMX_KINDS] = {BMX_TEXTURE, BMX_MATERIAL, BMX_MESH, BMX_OBJECT};
    for (int i = 0; i < BMX_KINDS; i++)
        TRY(pack_kind(packer, order[i]));
    if (packer->bmx->gaps)
        qsort(packer->bmx->gaps, arrlenu(packer->bmx->gaps), sizeof *packer->bmx->gaps, gap_order);
    TRY(pack_text(packer, "index.txt", take_index, BMX_KINDS));
    add_texture_files(packer);
    return STATUS_OK;
}

enum status bmx_pack(struct fs *fs, const char *folder, struct diag *diag, struct bmx **out)
{
    struct packer packer = {
        .fs = fs, .diag = diag, .folder = folder, .bmx = memory_zalloc(1, sizeof *packer.bmx)};
    enum status status = pack_all(&packer);
    if (status != STATUS_OK) {
        bmx_free(packer.bmx);
        packer.bmx = NULL;
    }
    for (int kind = 0; kind < BMX_KINDS; kind++)
        name_index_free(&packer.names[kind]);
    arena_free(&packer.arena);
    *out = packer.bmx;
    return status;
}
