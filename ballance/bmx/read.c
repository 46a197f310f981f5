/* Reads the index and the blocks of a BM file. */
#include "ballance/bmx/read.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/diag/codes/bm_contents.def"

enum { FACE_SIZE = 41, NAME_BYTES_MAX = 63, BYTE_ORDER_MARK = 0xfeff, SPARE_ENTRIES = 1000 };

struct placed {
    struct bmx_text name; /* moved into the block */
    uint64_t offset;
};

struct reader {
    const struct bmx_parts *parts;
    struct bmx *bmx;
    struct bmx_findings *findings;
    struct placed *placed[BMX_KINDS]; /* stb_ds arrays in the order of the index */
    size_t unknown;                   /* number of entries of unknown types */
    bool flooded;
};

/* State of reading a block. */
struct block {
    struct reader *reader;
    struct byte_reader *in;
    enum bmx_kind kind;
    const struct bmx_text *name;
};

static struct bmx_text read_text(struct byte_reader *in)
{
    struct bmx_text text = {0};
    uint32_t count = read_u32(in);
    if (count > (in->size - in->at) / 4)
        in->failed = true;
    if (in->failed || !count)
        return text;
    const unsigned char *data = read_block(in, (size_t)count * 4);
    arrsetlen(text.points, count);
    for (size_t i = 0; i < count; i++)
        text.points[i] = load_u32(data + 4 * i);
    return text;
}

/* Copies bits: a float in a register might lose the bits of a NaN. */
static void load_floats(const unsigned char *data, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = load_u32(data + 4 * i);
        memcpy(&out[i], &bits, sizeof bits);
    }
}

static void read_floats(struct byte_reader *in, size_t count, float *out)
{
    const unsigned char *data = read_block(in, count * 4);
    if (data)
        load_floats(data, count, out);
}

static void check_text(struct block *block, const struct bmx_text *text, const char *what)
{
    char label[BMX_LABEL_SIZE];
    size_t unsound = bmx_text_invalid_count(text);
    if (unsound)
        bmx_add_finding(block->reader->findings, DIAG_BMX_E_STRING,
                        bmx_label(bmx_kind_name(block->kind), block->name, label),
                        "%zu of %zu code points of %s are invalid", unsound, arrlenu(text->points),
                        what);
}

static uint8_t read_bool(struct block *block, const char *what)
{
    char label[BMX_LABEL_SIZE];
    uint8_t value = read_u8(block->in);
    if (value > 1)
        bmx_add_finding(block->reader->findings, DIAG_BMX_W_BOOL,
                        bmx_label(bmx_kind_name(block->kind), block->name, label), "%s is %d", what,
                        value);
    return value;
}

static void read_object(struct block *block, struct bmx_object *object)
{
    struct byte_reader *in = block->in;
    object->is_component = read_bool(block, "IS_COMPONENT");
    object->is_hidden = read_bool(block, "IS_HIDDEN");
    read_floats(in, 16, object->matrix);
    uint32_t groups = read_u32(in);
    if (groups > (in->size - in->at) / 4)
        in->failed = true;
    for (uint32_t i = 0; i < groups && !in->failed; i++) {
        struct bmx_text group = read_text(in);
        check_text(block, &group, "a group");
        arrput(object->groups, group);
    }
    object->mesh = read_u32(in);
}

/* Returns the bytes of a list of items of `size` bytes, and their number; NULL when it is
 * truncated. */
static const unsigned char *read_list(struct byte_reader *in, size_t size, size_t *count)
{
    *count = read_u32(in);
    if (*count > (in->size - in->at) / size)
        in->failed = true;
    return in->failed ? NULL : read_block(in, *count * size);
}

static struct bmx_point *read_points(struct byte_reader *in)
{
    struct bmx_point *points = NULL;
    size_t count;
    const unsigned char *data = read_list(in, sizeof *points, &count);
    if (!data || !count)
        return NULL;
    arrsetlen(points, count);
    load_floats(data, 3 * count, (float *)(void *)points);
    return points;
}

static struct bmx_uv *read_uvs(struct byte_reader *in)
{
    struct bmx_uv *uvs = NULL;
    size_t count;
    const unsigned char *data = read_list(in, sizeof *uvs, &count);
    if (!data || !count)
        return NULL;
    arrsetlen(uvs, count);
    load_floats(data, 2 * count, (float *)(void *)uvs);
    return uvs;
}

static struct bmx_face *read_faces(struct byte_reader *in)
{
    struct bmx_face *faces = NULL;
    size_t count;
    const unsigned char *data = read_list(in, FACE_SIZE, &count);
    if (!data || !count)
        return NULL;
    arrsetlen(faces, count);
    for (size_t i = 0; i < count; i++, data += FACE_SIZE) {
        struct bmx_face *face = &faces[i];
        for (size_t k = 0; k < 3; k++)
            face->corners[k] = (struct bmx_corner){
                load_u32(data + 12 * k), load_u32(data + 12 * k + 4), load_u32(data + 12 * k + 8)};
        face->use_material = data[36];
        face->material = load_u32(data + 37);
    }
    return faces;
}

static void check_face_flags(struct block *block, const struct bmx_mesh *mesh)
{
    char label[BMX_LABEL_SIZE];
    size_t odd = 0;
    for (size_t i = 0; i < arrlenu(mesh->faces); i++)
        odd += mesh->faces[i].use_material > 1;
    if (odd)
        bmx_add_finding(block->reader->findings, DIAG_BMX_W_BOOL,
                        bmx_label("mesh", block->name, label), "USE_MATERIAL of %zu face%s", odd,
                        odd == 1 ? "" : "s");
}

static void read_mesh(struct block *block, struct bmx_mesh *mesh)
{
    mesh->positions = read_points(block->in);
    mesh->uvs = read_uvs(block->in);
    mesh->normals = read_points(block->in);
    mesh->faces = read_faces(block->in);
    check_face_flags(block, mesh);
}

static void read_material(struct block *block, struct bmx_material *material)
{
    struct byte_reader *in = block->in;
    read_floats(in, 3, material->ambient);
    read_floats(in, 3, material->diffuse);
    read_floats(in, 3, material->specular);
    read_floats(in, 3, material->emissive);
    read_floats(in, 1, &material->power);
    material->alpha_test = read_bool(block, "ALPHA_TEST");
    material->alpha_blend = read_bool(block, "ALPHA_BLEND");
    material->z_buffer = read_bool(block, "Z_BUFFER");
    material->two_sided = read_bool(block, "TWO_SIDED");
    material->use_texture = read_bool(block, "USE_TEXTURE");
    material->texture = read_u32(in);
}

static void read_texture(struct block *block, struct bmx_texture *texture)
{
    texture->file_name = read_text(block->in);
    check_text(block, &texture->file_name, "the file name");
    texture->is_external = read_bool(block, "IS_EXTERNAL");
}

/* Adds the block to the model, which takes ownership of the name. */
static void add_block(struct block *block, struct bmx_text name)
{
    struct bmx *bmx = block->reader->bmx;
    switch (block->kind) {
    case BMX_OBJECT: {
        struct bmx_object object = {.name = name};
        read_object(block, &object);
        arrput(bmx->objects, object);
        break;
    }
    case BMX_MESH: {
        struct bmx_mesh mesh = {.name = name};
        read_mesh(block, &mesh);
        arrput(bmx->meshes, mesh);
        break;
    }
    case BMX_MATERIAL: {
        struct bmx_material material = {.name = name};
        read_material(block, &material);
        arrput(bmx->materials, material);
        break;
    }
    default: {
        struct bmx_texture texture = {.name = name};
        read_texture(block, &texture);
        arrput(bmx->textures, texture);
        break;
    }
    }
}

static void put_gap(struct bmx *bmx, enum bmx_kind kind, size_t block, const unsigned char *data,
                    size_t size)
{
    struct bmx_gap gap = {.kind = kind, .block = block};
    bytes_append(&gap.data, data, size);
    arrput(bmx->gaps, gap);
}

/* State of reading the blocks of one kind. */
struct walk {
    struct reader *reader;
    enum bmx_kind kind;
    size_t end;   /* end of the previous block */
    size_t spent; /* bytes of all blocks: more than the file has means that they overlap */
    bool whole;
};

static void check_place(struct walk *walk, size_t number, const struct placed *placed,
                        const char *label)
{
    struct bmx *bmx = walk->reader->bmx;
    const struct bytes *file = &walk->reader->parts->files[walk->kind];
    if (placed->offset == walk->end)
        return;
    bmx_add_finding(walk->reader->findings, DIAG_BMX_W_GAP, label,
                    "starts at %llu, the previous block ends at %zu",
                    (unsigned long long)placed->offset, walk->end);
    if (placed->offset > walk->end)
        put_gap(bmx, walk->kind, number, file->data + walk->end,
                (size_t)placed->offset - walk->end);
    else
        bmx->incomplete = true;
}

static void read_placed(struct walk *walk, size_t number)
{
    struct reader *reader = walk->reader;
    struct placed *placed = &reader->placed[walk->kind][number];
    const struct bytes *file = &reader->parts->files[walk->kind];
    char label[BMX_LABEL_SIZE];
    bmx_label(bmx_kind_name(walk->kind), &placed->name, label);
    if (placed->offset > file->size) {
        bmx_add_finding(reader->findings, DIAG_BMX_E_OFFSET, label, "starts at %llu of %zu bytes",
                        (unsigned long long)placed->offset, file->size);
        walk->whole = false;
        return;
    }
    check_place(walk, number, placed, label);
    struct byte_reader in = byte_reader(file->data, file->size);
    in.at = (size_t)placed->offset;
    struct bmx_text name = placed->name;
    placed->name = (struct bmx_text){0};
    struct block block = {reader, &in, walk->kind, &name};
    add_block(&block, name);
    if (in.failed) {
        bmx_add_finding(reader->findings, DIAG_BMX_E_TRUNC, label, "only %zu bytes left",
                        file->size - (size_t)placed->offset);
        walk->whole = false;
    }
    walk->end = in.failed ? file->size : in.at;
    walk->spent += walk->end - (size_t)placed->offset;
}

/* Returns true when the entries of a kind ascend. */
static bool in_order(const struct placed *placed)
{
    for (size_t i = 1; i < arrlenu(placed); i++)
        if (placed[i].offset <= placed[i - 1].offset)
            return false;
    return true;
}

static bool read_kind(struct reader *reader, enum bmx_kind kind)
{
    struct walk walk = {.reader = reader, .kind = kind, .whole = true};
    const struct bytes *file = &reader->parts->files[kind];
    const char *name = bmx_role_file((enum bmx_role)kind);
    bool ordered = in_order(reader->placed[kind]);
    if (!ordered)
        bmx_add_finding(reader->findings, DIAG_BMX_E_INDEX_ORDER, name, "offsets do not ascend");
    for (size_t i = 0; i < arrlenu(reader->placed[kind]); i++) {
        size_t end = walk.end;
        read_placed(&walk, i);
        if (ordered && reader->placed[kind][i].offset < end) {
            bmx_add_finding(reader->findings, DIAG_BMX_E_INDEX_ORDER, name, "blocks overlap");
            ordered = false;
        }
        if (walk.spent > file->size)
            return false;
    }
    if (walk.end < file->size) {
        bmx_add_finding(reader->findings, DIAG_BMX_W_TRAILING, name, "%zu bytes",
                        file->size - walk.end);
        put_gap(reader->bmx, kind, arrlenu(reader->placed[kind]), file->data + walk.end,
                file->size - walk.end);
    }
    return walk.whole;
}

static void check_name(struct bmx_findings *findings, const char *kind, const struct bmx_text *name)
{
    char label[BMX_LABEL_SIZE];
    struct bytes utf8 = {0};
    size_t count = arrlenu(name->points);
    bool control = count && name->points[0] == BYTE_ORDER_MARK;
    bmx_label(kind, name, label);
    for (size_t i = 0; i < count; i++) {
        control |= !name->points[i];
        utf8_put(&utf8, unicode_is_valid(name->points[i]) ? name->points[i] : UNICODE_REPLACEMENT);
    }
    if (!count)
        bmx_add_bare_finding(findings, DIAG_BMX_W_NAME_EMPTY, label);
    if (control)
        bmx_add_bare_finding(findings, DIAG_BMX_W_NAME_CTRL, label);
    if (utf8.size > NAME_BYTES_MAX)
        bmx_add_finding(findings, DIAG_BMX_W_NAME_LEN, label, "%zu bytes", utf8.size);
    if (!bmx_text_is_ascii(name))
        bmx_add_bare_finding(findings, DIAG_BMX_W_NAME_NONASCII, label);
    bytes_free(&utf8);
}

static void check_names(struct reader *reader, enum bmx_kind kind)
{
    const struct bmx_text **names = NULL;
    char label[BMX_LABEL_SIZE];
    for (size_t i = 0; i < arrlenu(reader->placed[kind]); i++) {
        check_name(reader->findings, bmx_kind_name(kind), &reader->placed[kind][i].name);
        arrput(names, &reader->placed[kind][i].name);
    }
    if (names)
        qsort(names, arrlenu(names), sizeof *names, bmx_text_order);
    for (size_t i = 1; i < arrlenu(names); i++)
        if (bmx_text_compare(names[i - 1], names[i]) == 0)
            bmx_add_bare_finding(reader->findings, DIAG_BMX_E_DUP_NAME,
                                 bmx_label(bmx_kind_name(kind), names[i], label));
    arrfree(names);
}

static struct bmx_text read_entry_name(struct reader *reader, struct byte_reader *in)
{
    char label[BMX_LABEL_SIZE];
    struct bmx_text name = read_text(in);
    size_t unsound = bmx_text_invalid_count(&name);
    if (unsound)
        bmx_add_finding(reader->findings, DIAG_BMX_E_STRING, bmx_label("index", &name, label),
                        "%zu of %zu code points are invalid", unsound, arrlenu(name.points));
    return name;
}

/* Returns true when an index is much larger than the number of blocks that fit. A few surplus
 * entries are read like any others, so that each reports its own error. */
static bool too_many(struct reader *reader, uint8_t type)
{
    static const size_t min[BMX_KINDS] = {74, 16, 61, 5}; /* minimum size of a block in bytes */
    size_t room = type < BMX_KINDS ? reader->parts->files[type].size / min[type] : 0;
    size_t count = type < BMX_KINDS ? arrlenu(reader->placed[type]) : reader->unknown;
    if (count < room + SPARE_ENTRIES)
        return false;
    if (type < BMX_KINDS)
        bmx_add_finding(reader->findings, DIAG_BMX_E_OFFSET, bmx_role_file((enum bmx_role)type),
                        "%zu bytes, too few for the blocks in the index",
                        reader->parts->files[type].size);
    return true;
}

static void read_entry(struct reader *reader, struct byte_reader *in)
{
    struct bmx_text name = read_entry_name(reader, in);
    struct bmx_entry entry = {.type = read_u8(in)};
    uint64_t offset = read_u64(in);
    if (in->failed) {
        bmx_text_free(&name);
        return;
    }
    if (entry.type < BMX_KINDS) {
        arrput(reader->placed[entry.type], ((struct placed){name, offset}));
    } else {
        char label[BMX_LABEL_SIZE];
        bmx_add_finding(reader->findings, DIAG_BMX_E_INDEX_TYPE, bmx_label("index", &name, label),
                        "%d", entry.type);
        reader->unknown++;
        entry.name = name;
        entry.offset = offset;
    }
    arrput(reader->bmx->index, entry);
    reader->flooded = too_many(reader, entry.type);
}

static bool read_index(struct reader *reader)
{
    const struct bytes *file = &reader->parts->files[BMX_ROLE_INDEX];
    const char *name = bmx_role_file(BMX_ROLE_INDEX);
    struct byte_reader in = byte_reader(file->data, file->size);
    uint32_t version = read_u32(&in);
    if (!in.failed && version != BMX_VERSION) {
        bmx_add_finding(reader->findings, DIAG_BMX_E_VERSION, name, "%u", version);
        return false;
    }
    while (!in.failed && !reader->flooded && in.at < in.size)
        read_entry(reader, &in);
    if (in.failed)
        bmx_add_finding(reader->findings, DIAG_BMX_E_INDEX_TRUNC, name,
                        "entry %zu extends past its %zu bytes", arrlenu(reader->bmx->index),
                        file->size);
    return !in.failed && !reader->flooded;
}

bool bmx_read_blocks(const struct bmx_parts *parts, struct bmx *bmx, struct bmx_findings *findings)
{
    struct reader reader = {.parts = parts, .bmx = bmx, .findings = findings};
    bool whole = read_index(&reader);
    if (whole)
        for (int kind = 0; kind < BMX_KINDS; kind++) {
            check_names(&reader, (enum bmx_kind)kind);
            whole &= read_kind(&reader, (enum bmx_kind)kind);
        }
    for (int kind = 0; kind < BMX_KINDS; kind++) {
        for (size_t i = 0; i < arrlenu(reader.placed[kind]); i++)
            bmx_text_free(&reader.placed[kind][i].name);
        arrfree(reader.placed[kind]);
    }
    return whole;
}

struct bmx *bmx_read(const void *data, size_t size, const struct bmx_limits *limits,
                     struct bmx_findings *findings)
{
    static const struct bmx_limits standard = {BMX_MEMBER_MAX, BMX_TOTAL_MAX};
    struct bmx *bmx = memory_zalloc(1, sizeof *bmx);
    struct bmx_parts parts = {0};
    bool whole = bmx_read_archive(data, size, limits ? limits : &standard, bmx, &parts, findings) &&
                 bmx_read_blocks(&parts, bmx, findings);
    for (int i = 0; i < BMX_ROLE_FILE; i++)
        bytes_free(&parts.files[i]);
    if (whole)
        return bmx;
    bmx_free(bmx);
    return NULL;
}
