/* VBSP 25, as Strata Source and Momentum write it: the lumps of version 21 with wide numbers. Those
 * that are no plain arrays: vbsp25_lumps.c. */
#include "common/bsp/codec/disp_fields.h"
#include "common/bsp/codec/vbsp25.h"
#include "common/bsp/face_records.h"
#include "common/bsp/overlay_records.h"
#include "common/bsp/water_overlay_records.h"
#include "common/core/array.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define F            RECORD_FIELD
#define A            RECORD_ARRAY
#define PAD          RECORD_PAD
#define SCALAR       RECORD_SCALAR

static const struct record_field node_fields[] = {
    F(I32, bsp_node, plane),      A(I32, bsp_node, children, 2),
    A(FLOOR, bsp_node, mins, 3),  A(CEIL, bsp_node, maxs, 3),
    F(I32, bsp_node, first_face), F(I32, bsp_node, face_count),
    F(I16, bsp_node, area),       PAD(2),
};
static const struct record_field leaf_fields[] = {
    F(I32, bsp_leaf, contents),       F(I32, bsp_leaf, cluster),
    A(WIDE_BITS, bsp_leaf, area, 17), A(WIDE_BITS, bsp_leaf, flags, 15),
    A(FLOOR, bsp_leaf, mins, 3),      A(CEIL, bsp_leaf, maxs, 3),
    F(I32, bsp_leaf, first_face),     F(I32, bsp_leaf, face_count),
    F(I32, bsp_leaf, first_brush),    F(I32, bsp_leaf, brush_count),
    F(I32, bsp_leaf, water_data),
};
/* The bit beside the number of primitives is set where 16 bits have it clear. */
static const struct record_field face_fields[] = {
    F(I32, bsp_face, plane),
    F(U8, bsp_face, side),
    F(U8, bsp_face, on_node),
    PAD(2),
    F(I32, bsp_face, first_edge),
    F(I32, bsp_face, edge_count),
    F(I32, bsp_face, texinfo),
    F(I32, bsp_face, dispinfo),
    F(I32, bsp_face, fog_volume),
    A(U8, bsp_face, styles, BSP_FACE_STYLES),
    F(I32, bsp_face, light_offset),
    F(F32, bsp_face, area),
    A(I32, bsp_face, lightmap_mins, 2),
    A(I32, bsp_face, lightmap_size, 2),
    F(I32, bsp_face, original_face),
    F(WIDE_FLAG, bsp_face, no_dynamic_shadows),
    A(WIDE_BITS, bsp_face, primitive_count, 31),
    F(I32, bsp_face, first_primitive),
    F(I32, bsp_face, smoothing_groups),
};
static const struct record_field brush_side_fields[] = {
    F(I32, bsp_brush_side, plane),    F(I32, bsp_brush_side, texinfo),
    F(I32, bsp_brush_side, dispinfo), F(U8, bsp_brush_side, bevel),
    F(U8, bsp_brush_side, thin),      PAD(2),
};
static const struct record_field area_portal_fields[] = {
    F(I32, bsp_area_portal, key),
    F(I32, bsp_area_portal, other_area),
    F(I32, bsp_area_portal, first_clip_vertex),
    F(I32, bsp_area_portal, clip_vertex_count),
    F(I32, bsp_area_portal, plane),
};
static const struct record_field edge_fields[] = {A(I32, bsp_edge, v, 2)};
static const struct record_field face_brushes_fields[] = {
    F(I32, bsp_face_brushes, count),
    F(I32, bsp_face_brushes, first),
};
static const struct record_field ambient_index_fields[] = {
    F(I32, bsp_ambient_index, count),
    F(I32, bsp_ambient_index, first),
};
static const struct record_field leaf_water_fields[] = {
    F(F32, bsp_leaf_water, surface_z),
    F(F32, bsp_leaf_water, min_z),
    F(I32, bsp_leaf_water, texinfo),
};
static const struct record_field primitive_fields[] = {
    F(I32, bsp_primitive, type),         F(I32, bsp_primitive, first_index),
    F(I32, bsp_primitive, index_count),  F(I32, bsp_primitive, first_vertex),
    F(I32, bsp_primitive, vertex_count),
};
static const struct record_field displacement_fields[] = {
    DISP_FIELDS(I32, 3, F(I32, bsp_displacement, face))};
static const struct record_field overlay_fields[] = {
    OVERLAY_FIELDS(bsp_overlay, OVERLAY_FACES, I32, WIDE_BITS, 30)};
static const struct record_field water_overlay_fields[] = {
    OVERLAY_FIELDS(bsp_water_overlay, WATER_OVERLAY_FACES, I32, WIDE_BITS, 30)};
static const struct record_field i32_fields[] = {SCALAR(I32)};
static const struct record_field id_fields[] = {SCALAR(ID32)};

static const struct record node = RECORD("node", struct bsp_node, 48, node_fields);
static const struct record leaf = RECORD("leaf", struct bsp_leaf, 56, leaf_fields);
static const struct record face = RECORD("face", struct bsp_face, 72, face_fields);
static const struct record brush_side =
    RECORD("brush side", struct bsp_brush_side, 16, brush_side_fields);
static const struct record area_portal =
    RECORD("area portal", struct bsp_area_portal, 20, area_portal_fields);
static const struct record edge = RECORD("edge", struct bsp_edge, 8, edge_fields);
static const struct record face_brushes =
    RECORD("face brushes", struct bsp_face_brushes, 8, face_brushes_fields);
static const struct record ambient_index =
    RECORD("ambient index", struct bsp_ambient_index, 8, ambient_index_fields);
static const struct record leaf_water =
    RECORD("leaf water", struct bsp_leaf_water, 12, leaf_water_fields);
static const struct record primitive =
    RECORD("primitive", struct bsp_primitive, 20, primitive_fields);
const struct record vbsp25_displacement_record =
    RECORD("displacement", struct bsp_displacement, 232, displacement_fields);
const struct record vbsp25_overlay_record =
    RECORD("overlay", struct bsp_overlay, 356, overlay_fields);
/* The same with its tint behind, which is in a list of its own. */
static const struct record tinted_overlay =
    RECORD("overlay", struct bsp_overlay, 360, overlay_fields);
static const struct record water_overlay =
    RECORD("water overlay", struct bsp_water_overlay, 1124, water_overlay_fields);
static const struct record face_brush = RECORD("face brush", int32_t, 4, i32_fields);
static const struct record primitive_index = RECORD("primitive index", int32_t, 4, i32_fields);
static const struct record leaf_face = RECORD("leaf face", int32_t, 4, i32_fields);
static const struct record leaf_brush = RECORD("leaf brush", int32_t, 4, i32_fields);
static const struct record normal_index = RECORD("normal index", int32_t, 4, i32_fields);
static const struct record face_id = RECORD("face id", uint16_t, 4, id_fields);

static enum status read_faces(struct lump_reader *reader)
{
    const struct lump_codec *lump = codec_find(reader->codec, reader->lump, reader->version);
    TRY(codec_read_array(reader, lump));
    struct bsp_face *faces = *(struct bsp_face **)((unsigned char *)reader->bsp + lump->offset);
    for (size_t i = 0; i < arrlenu(faces); i++)
        faces[i].no_dynamic_shadows = !faces[i].no_dynamic_shadows;
    return STATUS_OK;
}

static bool write_faces(struct lump_writer *writer)
{
    const struct lump_codec *lump = codec_find(writer->codec, writer->lump, writer->version);
    const struct bsp_face *faces =
        *(struct bsp_face *const *)((const unsigned char *)writer->bsp + lump->offset);
    bool fit = true;
    for (size_t i = 0; i < arrlenu(faces) && fit; i++) {
        struct bsp_face turned = faces[i];
        turned.no_dynamic_shadows = !turned.no_dynamic_shadows;
        fit = record_encode(&face, &turned, 1, writer->out, &writer->range_error);
    }
    return fit;
}

#define ARRAY(lump, version, record, member)                                                       \
    {LUMP_##lump, version, &(record), offsetof(struct bsp, member), NULL, NULL}
#define FACES(lump, version, member)                                                               \
    {LUMP_##lump, version, &face, offsetof(struct bsp, member), read_faces, write_faces}
#define OWN_ARRAY(lump, version, record, member, read, write)                                      \
    {LUMP_##lump, version, &(record), offsetof(struct bsp, member), read, write}
#define OWN(lump, version, read, write) {LUMP_##lump, version, NULL, 0, read, write}

static const struct lump_codec lumps[] = {
    ARRAY(NODES, 1, node, nodes),
    ARRAY(LEAFS, 2, leaf, leaves),
    FACES(FACES, 2, faces),
    FACES(FACES_HDR, 2, faces_hdr),
    FACES(ORIGINALFACES, 0, original_faces),
    ARRAY(FACEIDS, 0, face_id, face_ids),
    ARRAY(EDGES, 1, edge, edges),
    ARRAY(LEAFFACES, 1, leaf_face, leaf_faces),
    ARRAY(LEAFBRUSHES, 1, leaf_brush, leaf_brushes),
    ARRAY(BRUSHSIDES, 1, brush_side, brush_sides),
    ARRAY(AREAPORTALS, 1, area_portal, area_portals),
    ARRAY(FACEBRUSHLIST, 1, face_brushes, face_brushes),
    ARRAY(VERTNORMALINDICES, 1, normal_index, vertex_normal_indices),
    ARRAY(LEAFAMBIENTINDEX, 1, ambient_index, ldr.ambient_index),
    ARRAY(LEAFAMBIENTINDEX_HDR, 1, ambient_index, hdr.ambient_index),
    OWN(ENTITIES, 1, vbsp25_read_entities, vbsp25_write_entities),
    ARRAY(FACEBRUSHES, 1, face_brush, face_brush_list),
    ARRAY(LEAFWATERDATA, 1, leaf_water, leaf_water),
    ARRAY(PRIMITIVES, 1, primitive, primitives),
    ARRAY(PRIMINDICES, 1, primitive_index, primitive_indices),
    ARRAY(WATEROVERLAYS, 1, water_overlay, water_overlays),
    ARRAY(OVERLAYS, 1, vbsp25_overlay_record, overlays),
    OWN_ARRAY(OVERLAYS, 2, tinted_overlay, overlays, vbsp25_read_tinted_overlays,
              vbsp25_write_tinted_overlays),
    OWN(OVERLAYS, 3, vbsp25_read_carried, vbsp25_write_carried),
    OWN_ARRAY(DISPINFO, 1, vbsp25_displacement_record, displacements, vbsp25_read_displacements,
              vbsp25_write_displacements),
    OWN(PHYSDISP, 2, vbsp25_read_displacement_physics, vbsp25_write_displacement_physics),
};

/* As a map of the game has them, also where its lumps are empty. */
static const uint8_t versions[BSP_LUMPS] = {
    [LUMP_NODES] = 1,
    [LUMP_FACES] = 2,
    [LUMP_LIGHTING] = 1,
    [LUMP_OCCLUSION] = 2,
    [LUMP_LEAFS] = 2,
    [LUMP_EDGES] = 1,
    [LUMP_WORLDLIGHTS] = 1,
    [LUMP_LEAFFACES] = 1,
    [LUMP_LEAFBRUSHES] = 1,
    [LUMP_BRUSHSIDES] = 1,
    [LUMP_AREAPORTALS] = 1,
    [LUMP_FACEBRUSHES] = 1,
    [LUMP_FACEBRUSHLIST] = 1,
    [LUMP_DISPINFO] = 1,
    [LUMP_PHYSDISP] = 2,
    [LUMP_VERTNORMALINDICES] = 1,
    [LUMP_LEAFWATERDATA] = 1,
    [LUMP_PRIMITIVES] = 1,
    [LUMP_PRIMINDICES] = 1,
    [LUMP_OVERLAYS] = 1,
    [LUMP_WATEROVERLAYS] = 1,
    [LUMP_LEAFAMBIENTINDEX_HDR] = 1,
    [LUMP_LEAFAMBIENTINDEX] = 1,
    [LUMP_LIGHTING_HDR] = 1,
    [LUMP_WORLDLIGHTS_HDR] = 1,
    [LUMP_LEAFAMBIENT_HDR] = 1,
    [LUMP_LEAFAMBIENT] = 1,
    [LUMP_FACES_HDR] = 2,
};

const struct bsp_codec vbsp25_codec = {
    .container = &container_vbsp,
    .versions = versions,
    .lumps = lumps,
    .count = COUNT(lumps),
    .base = &vbsp21_codec,
    .of_tree = UINT64_MAX,
    .check = bsp_check,
};
