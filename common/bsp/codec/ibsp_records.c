/* The records of IBSP 46, field by field (docs/formats/ibsp.md), and the members of the canonical
 * form that the file does not have. */
#include "common/bsp/codec/codec.h"
#include "common/bsp/dialect.h"
#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/diag/codes/bsp_records.def"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define F            RECORD_FIELD
#define A            RECORD_ARRAY

static const struct record_field shader_fields[] = {
    A(U8, bsp_shader, name, SHADER_NAME),
    F(I32, bsp_shader, surface_flags),
    F(I32, bsp_shader, contents),
};
static const struct record_field plane_fields[] = {
    A(F32, bsp_plane, normal, 3),
    F(F32, bsp_plane, dist),
};
static const struct record_field node_fields[] = {
    F(I32, bsp_node, plane),
    A(I32, bsp_node, children, 2),
    A(I32, bsp_node, mins, 3),
    A(I32, bsp_node, maxs, 3),
};
static const struct record_field leaf_fields[] = {
    F(I32, bsp_leaf, cluster),     F(I32, bsp_leaf, area),        A(I32, bsp_leaf, mins, 3),
    A(I32, bsp_leaf, maxs, 3),     F(I32, bsp_leaf, first_face),  F(I32, bsp_leaf, face_count),
    F(I32, bsp_leaf, first_brush), F(I32, bsp_leaf, brush_count),
};
static const struct record_field number_fields[] = {RECORD_SCALAR(I32)};
static const struct record_field model_fields[] = {
    A(F32, bsp_model, mins, 3),    A(F32, bsp_model, maxs, 3),     F(I32, bsp_model, first_face),
    F(I32, bsp_model, face_count), F(I32, bsp_model, first_brush), F(I32, bsp_model, brush_count),
};
static const struct record_field brush_fields[] = {
    F(I32, bsp_brush, first_side),
    F(I32, bsp_brush, side_count),
    F(I32, bsp_brush, shader),
};
static const struct record_field brush_side_fields[] = {
    F(I32, bsp_brush_side, plane),
    F(I32, bsp_brush_side, texinfo),
};
static const struct record_field draw_vertex_fields[] = {
    A(F32, bsp_draw_vertex, p, 3),        A(F32, bsp_draw_vertex, texture, 2),
    A(F32, bsp_draw_vertex, lightmap, 2), A(F32, bsp_draw_vertex, normal, 3),
    A(U8, bsp_draw_vertex, colour, 4),
};
static const struct record_field effect_fields[] = {
    A(U8, bsp_effect, name, SHADER_NAME),
    F(I32, bsp_effect, brush),
    F(I32, bsp_effect, side),
};
static const struct record_field surface_fields[] = {
    F(I32, bsp_surface, shader),
    F(I32, bsp_surface, effect),
    F(I32, bsp_surface, type),
    F(I32, bsp_surface, first_vertex),
    F(I32, bsp_surface, vertex_count),
    F(I32, bsp_surface, first_index),
    F(I32, bsp_surface, index_count),
    F(I32, bsp_surface, lightmap),
    A(I32, bsp_surface, lightmap_start, 2),
    A(I32, bsp_surface, lightmap_size, 2),
    A(F32, bsp_surface, lightmap_origin, 3),
    A(F32, bsp_surface, lightmap_vectors, 6),
    A(F32, bsp_surface, normal, 3),
    A(I32, bsp_surface, patch_size, 2),
};
static const struct record_field grid_point_fields[] = {
    A(U8, bsp_grid_point, ambient, 3),
    A(U8, bsp_grid_point, directed, 3),
    A(U8, bsp_grid_point, direction, 2),
};

static const struct record shader = RECORD("shader", struct bsp_shader, 72, shader_fields);
static const struct record plane = RECORD("plane", struct bsp_plane, 16, plane_fields);
static const struct record node = RECORD("node", struct bsp_node, 36, node_fields);
static const struct record leaf = RECORD("leaf", struct bsp_leaf, 48, leaf_fields);
static const struct record leaf_surface = RECORD("leaf surface", int32_t, 4, number_fields);
static const struct record leaf_brush = RECORD("leaf brush", int32_t, 4, number_fields);
static const struct record model = RECORD("model", struct bsp_model, 40, model_fields);
static const struct record brush = RECORD("brush", struct bsp_brush, 12, brush_fields);
static const struct record brush_side =
    RECORD("brush side", struct bsp_brush_side, 8, brush_side_fields);
static const struct record draw_vertex =
    RECORD("vertex", struct bsp_draw_vertex, 44, draw_vertex_fields);
static const struct record draw_index = RECORD("vertex index", int32_t, 4, number_fields);
static const struct record effect = RECORD("effect", struct bsp_effect, 72, effect_fields);
static const struct record surface = RECORD("surface", struct bsp_surface, 104, surface_fields);
static const struct record grid_point =
    RECORD("light grid point", struct bsp_grid_point, 8, grid_point_fields);

/* Reads the lump's records; the caller fills in the rest. */
static enum status read_records(struct lump_reader *reader)
{
    return codec_read_array(reader, codec_find(reader->codec, reader->lump, reader->version));
}

static enum status read_planes(struct lump_reader *reader)
{
    TRY(read_records(reader));
    struct bsp_plane *planes = reader->bsp->planes;
    for (size_t i = 0; i < arrlenu(planes); i++) {
        planes[i].type = 3;
        for (int k = 0; k < 3; k++)
            if (planes[i].normal[k] == 1.0f || planes[i].normal[k] == -1.0f)
                planes[i].type = k;
    }
    return STATUS_OK;
}

static enum status read_nodes(struct lump_reader *reader)
{
    TRY(read_records(reader));
    for (size_t i = 0; i < arrlenu(reader->bsp->nodes); i++)
        reader->bsp->nodes[i].area = -1;
    return STATUS_OK;
}

static enum status read_leaves(struct lump_reader *reader)
{
    TRY(read_records(reader));
    struct bsp_leaf *leaves = reader->bsp->leaves;
    for (size_t i = 0; i < arrlenu(leaves); i++) {
        leaves[i].contents = leaves[i].cluster < 0 ? CONTENTS_SOLID : 0;
        leaves[i].water_data = -1;
    }
    return STATUS_OK;
}

/* Only the world has a tree. Other models start at leaf 0, a dummy. */
static enum status read_models(struct lump_reader *reader)
{
    TRY(read_records(reader));
    struct bsp *bsp = reader->bsp;
    for (size_t i = 0; i < arrlenu(bsp->models); i++)
        bsp->models[i].head_node = i || !arrlen(bsp->nodes) ? -1 : 0;
    return STATUS_OK;
}

static enum status read_brushes(struct lump_reader *reader)
{
    TRY(read_records(reader));
    struct bsp *bsp = reader->bsp;
    for (size_t i = 0; i < arrlenu(bsp->brushes); i++) {
        struct bsp_brush *read = &bsp->brushes[i];
        if (read->shader >= 0 && read->shader < arrlen(bsp->shaders))
            read->contents =
                dialect_contents(bsp->engine->dialect, bsp->shaders[read->shader].contents).meaning;
    }
    return STATUS_OK;
}

static enum status read_lightmaps(struct lump_reader *reader)
{
    codec_read_blob(reader, &reader->bsp->ldr.lighting);
    return STATUS_OK;
}

static bool write_lightmaps(struct lump_writer *writer)
{
    const struct bytes *pages = &writer->bsp->ldr.lighting;
    bytes_append(writer->out, pages->data, pages->size);
    return true;
}

/* Bytes after the rows are dropped. */
static enum status read_visibility(struct lump_reader *reader)
{
    struct bsp *bsp = reader->bsp;
    struct byte_reader *data = &reader->data;
    if (!data->size)
        return STATUS_OK;
    int32_t clusters = read_i32(data), row = read_i32(data);
    size_t left = data->size - data->at;
    if (!data->failed && !clusters && !row)
        return STATUS_OK;
    if (data->failed || !ibsp_rows_fit(clusters, row, left))
        return codec_fail(reader, DIAG_BSP_LUMP,
                          "%zu bytes, too few for %d rows of %d bytes and two counts", data->size,
                          clusters, row);
    bsp->visibility_clusters = clusters;
    bsp->visibility_row = row;
    bytes_append(&bsp->visibility, data->data + data->at, (size_t)clusters * (size_t)row);
    return STATUS_OK;
}

static bool write_visibility(struct lump_writer *writer)
{
    const struct bsp *bsp = writer->bsp;
    if (!bsp->visibility_row)
        return true;
    bytes_i32(writer->out, bsp->visibility_clusters);
    bytes_i32(writer->out, bsp->visibility_row);
    bytes_append(writer->out, bsp->visibility.data, bsp->visibility.size);
    return true;
}

#define READ(lump, record, member, read)                                                           \
    {IBSP_##lump, ANY_VERSION, &(record), offsetof(struct bsp, member), read, NULL}
#define ARRAY(lump, record, member) READ(lump, record, member, NULL)
#define OWN(lump, read, write)      {IBSP_##lump, ANY_VERSION, NULL, 0, read, write}

/* Brushes need the shaders before them, models the nodes. */
static const struct lump_codec lumps[] = {
    ARRAY(SHADERS, shader, shaders),
    READ(PLANES, plane, planes, read_planes),
    READ(NODES, node, nodes, read_nodes),
    READ(LEAFS, leaf, leaves, read_leaves),
    ARRAY(LEAFSURFACES, leaf_surface, leaf_faces),
    ARRAY(LEAFBRUSHES, leaf_brush, leaf_brushes),
    READ(MODELS, model, models, read_models),
    READ(BRUSHES, brush, brushes, read_brushes),
    ARRAY(BRUSHSIDES, brush_side, brush_sides),
    ARRAY(DRAWVERTS, draw_vertex, draw_vertices),
    ARRAY(DRAWINDEXES, draw_index, draw_indices),
    ARRAY(EFFECTS, effect, effects),
    ARRAY(SURFACES, surface, surfaces),
    ARRAY(LIGHTGRID, grid_point, light_grid),
    OWN(ENTITIES, vbsp_read_entities, vbsp_write_entities),
    OWN(LIGHTMAPS, read_lightmaps, write_lightmaps),
    OWN(VISIBILITY, read_visibility, write_visibility),
};

#define BIT(lump) (UINT64_C(1) << IBSP_##lump)

const struct bsp_codec ibsp46_codec = {
    .container = &container_ibsp,
    .lumps = lumps,
    .count = COUNT(lumps),
    .of_tree =
        BIT(ENTITIES) | BIT(PLANES) | BIT(NODES) | BIT(LEAFS) | BIT(MODELS) | BIT(VISIBILITY),
    .check = ibsp_check,
};
