#include <string.h>

#include "common/bmx/dump.h"
#include "common/bmx/dump_text.h"
#include "common/core/array.h"
#include "common/io/zip.h"

struct packer {
    struct fs *fs;
    struct diag *diag;
    const char *folder;
    struct bmx *bmx;
    size_t named[BMX_KINDS]; /* number of blocks so far in the order of the index */
    struct arena arena;
};

static uint32_t take_number(struct dump_reader *in, const char *keyword, uint32_t max)
{
    dump_expect(in, keyword);
    uint32_t value = (uint32_t)dump_number(in, max);
    dump_end_line(in);
    return value;
}

static uint8_t take_bool(struct dump_reader *in, const char *keyword)
{
    return (uint8_t)take_number(in, keyword, UINT8_MAX);
}

static void take_floats(struct dump_reader *in, const char *keyword, float *out, int count)
{
    dump_expect(in, keyword);
    for (int i = 0; i < count; i++) {
        float value = dump_float(in);
        memcpy(&out[i], &value, sizeof value);
    }
    dump_end_line(in);
}

static void take_object(struct dump_reader *in, struct bmx_object *object)
{
    object->is_component = take_bool(in, "component");
    object->is_hidden = take_bool(in, "hidden");
    for (int row = 0; row < 4; row++)
        take_floats(in, "matrix", object->matrix + 4 * row, 4);
    while (dump_is_at(in, "group")) {
        struct bmx_text group = dump_text(in);
        arrput(object->groups, group);
        dump_end_line(in);
    }
    object->mesh = take_number(in, "mesh", UINT32_MAX);
}

static struct bmx_point *take_points(struct dump_reader *in, const char *keyword)
{
    struct bmx_point *points = NULL;
    while (dump_is_at(in, keyword)) {
        struct bmx_point *point = arraddnptr(points, 1);
        take_floats(in, keyword, point->xyz, 3);
    }
    return points;
}

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
    face->use_material = (uint8_t)dump_number(in, UINT8_MAX);
    face->material = (uint32_t)dump_number(in, UINT32_MAX);
    dump_end_line(in);
}

static void take_mesh(struct dump_reader *in, struct bmx_mesh *mesh)
{
    mesh->positions = take_points(in, "v");
    while (dump_is_at(in, "vt")) {
        struct bmx_uv *uv = arraddnptr(mesh->uvs, 1);
        take_floats(in, "vt", uv->uv, 2);
    }
    mesh->normals = take_points(in, "vn");
    while (dump_is_at(in, "f")) {
        struct bmx_face face = {0};
        take_face(in, &face);
        arrput(mesh->faces, face);
    }
}

static void take_material(struct dump_reader *in, struct bmx_material *material)
{
    take_floats(in, "ambient", material->ambient, 3);
    take_floats(in, "diffuse", material->diffuse, 3);
    take_floats(in, "specular", material->specular, 3);
    take_floats(in, "emissive", material->emissive, 3);
    take_floats(in, "power", &material->power, 1);
    material->alpha_test = take_bool(in, "alpha_test");
    material->alpha_blend = take_bool(in, "alpha_blend");
    material->z_buffer = take_bool(in, "z_buffer");
    material->two_sided = take_bool(in, "two_sided");
    material->use_texture = take_bool(in, "use_texture");
    material->texture = take_number(in, "texture", UINT32_MAX);
}

static void take_texture(struct dump_reader *in, struct bmx_texture *texture)
{
    dump_expect(in, "file");
    texture->file_name = dump_text(in);
    dump_end_line(in);
    texture->is_external = take_bool(in, "external");
}

static void take_block(struct dump_reader *in, struct bmx *bmx, enum bmx_kind kind)
{
    struct bmx_text name = dump_text(in);
    dump_end_line(in);
    if (kind == BMX_OBJECT) {
        struct bmx_object object = {.name = name};
        take_object(in, &object);
        arrput(bmx->objects, object);
    } else if (kind == BMX_MESH) {
        struct bmx_mesh mesh = {.name = name};
        take_mesh(in, &mesh);
        arrput(bmx->meshes, mesh);
    } else if (kind == BMX_MATERIAL) {
        struct bmx_material material = {.name = name};
        take_material(in, &material);
        arrput(bmx->materials, material);
    } else {
        struct bmx_texture texture = {.name = name};
        take_texture(in, &texture);
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

static void take_kind(struct dump_reader *in, struct bmx *bmx, enum bmx_kind kind)
{
    while (in->keyword_length) {
        if (dump_is_at(in, "gap")) {
            read_gap(in, bmx, kind);
            continue;
        }
        dump_expect(in, bmx_kind_name(kind));
        if (!in->failed)
            take_block(in, bmx, kind);
    }
}

static char *path_of(struct packer *packer, const char *name)
{
    return arena_printf(&packer->arena, "%s/%s", packer->folder, name);
}

static enum status pack_kind(struct packer *packer, enum bmx_kind kind)
{
    static const char *const files[BMX_KINDS] = {"objects.txt", "meshes.txt", "materials.txt",
                                                 "textures.txt"};
    struct bytes text = {0};
    const char *path = path_of(packer, files[kind]);
    TRY(fs_load(packer->fs, packer->diag, path, &text));
    bytes_u8(&text, 0);
    struct dump_reader in;
    dump_open(&in, (const char *)text.data, text.size - 1, path, packer->diag);
    take_kind(&in, packer->bmx, kind);
    bytes_free(&text);
    return in.failed ? STATUS_FAILED : STATUS_OK;
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

/* Reads entries of a kind, which must exist as blocks. */
static void read_entries(struct packer *packer, struct dump_reader *in)
{
    struct bmx *bmx = packer->bmx;
    int kind = 0;
    while (kind < BMX_KINDS && !dump_is_at(in, bmx_kind_name((enum bmx_kind)kind)))
        kind++;
    if (kind == BMX_KINDS) {
        dump_fail(in, "unknown keyword");
        return;
    }
    uint64_t count = dump_number(in, bmx_count(bmx, (enum bmx_kind)kind) - packer->named[kind]);
    packer->named[kind] += count;
    for (uint64_t i = 0; i < count; i++)
        arrput(bmx->index, ((struct bmx_entry){.type = (uint8_t)kind}));
}

static void check_order(const struct packer *packer, struct dump_reader *in)
{
    const struct bmx *bmx = packer->bmx;
    for (int kind = 0; kind < BMX_KINDS && bmx->index; kind++)
        if (packer->named[kind] != bmx_count(bmx, (enum bmx_kind)kind))
            dump_fail(in, "the order of the index must name each block once");
}

static void take_index(struct packer *packer, struct dump_reader *in)
{
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

static enum status pack_index(struct packer *packer)
{
    struct bytes text = {0};
    const char *path = path_of(packer, "index.txt");
    TRY(fs_load(packer->fs, packer->diag, path, &text));
    bytes_u8(&text, 0);
    struct dump_reader in;
    dump_open(&in, (const char *)text.data, text.size - 1, path, packer->diag);
    take_index(packer, &in);
    bytes_free(&text);
    return in.failed ? STATUS_FAILED : STATUS_OK;
}

static enum status pack_all(struct packer *packer)
{
    for (int kind = 0; kind < BMX_KINDS; kind++)
        TRY(pack_kind(packer, (enum bmx_kind)kind));
    return pack_index(packer);
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
    arena_free(&packer.arena);
    *out = packer.bmx;
    return status;
}
