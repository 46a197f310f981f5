/* The records of VBSP 20, field by field (specification, sections on the lumps). */
#include "common/bsp/codec.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* A field, an array of `n`, a bit field, filler, an element of an array of scalars. */
#define F(kind, type, member)                                                                      \
    {                                                                                              \
        FIELD_##kind, 1, offsetof(struct type, member), #member                                    \
    }
#define A(kind, type, member, n)                                                                   \
    {                                                                                              \
        FIELD_##kind, n, offsetof(struct type, member), #member                                    \
    }
#define PAD(n)                                                                                     \
    {                                                                                              \
        FIELD_PAD, n, 0, "padding"                                                                 \
    }
#define SCALAR(kind)                                                                               \
    {                                                                                              \
        FIELD_##kind, 1, 0, "value"                                                                \
    }

#define RECORD(title, type, bytes, fields)                                                         \
    {                                                                                              \
        title, sizeof(type), bytes, fields, COUNT(fields)                                          \
    }

static const struct record_field plane_fields[] = {
    A(F32, bsp_plane, normal, 3),
    F(F32, bsp_plane, dist),
    F(I32, bsp_plane, type),
};
static const struct record_field texdata_fields[] = {
    A(F32, bsp_texdata, reflectivity, 3), F(I32, bsp_texdata, name),
    F(I32, bsp_texdata, width),           F(I32, bsp_texdata, height),
    F(I32, bsp_texdata, view_width),      F(I32, bsp_texdata, view_height),
};
static const struct record_field texinfo_fields[] = {
    A(F32, bsp_texinfo, texture, 8),
    A(F32, bsp_texinfo, lightmap, 8),
    F(I32, bsp_texinfo, flags),
    F(I32, bsp_texinfo, texdata),
};
static const struct record_field vertex_fields[] = {A(F32, bsp_vertex, p, 3)};
static const struct record_field edge_fields[] = {A(U16, bsp_edge, v, 2)};
static const struct record_field face_fields[] = {
    F(U16, bsp_face, plane),
    F(U8, bsp_face, side),
    F(U8, bsp_face, on_node),
    F(I32, bsp_face, first_edge),
    F(I16, bsp_face, edge_count),
    F(I16, bsp_face, texinfo),
    F(I16, bsp_face, dispinfo),
    F(I16, bsp_face, fog_volume),
    A(U8, bsp_face, styles, BSP_FACE_STYLES),
    F(I32, bsp_face, light_offset),
    F(F32, bsp_face, area),
    A(I32, bsp_face, lightmap_mins, 2),
    A(I32, bsp_face, lightmap_size, 2),
    F(I32, bsp_face, original_face),
    A(BITS, bsp_face, primitive_count, 15),
    F(FLAG, bsp_face, no_dynamic_shadows),
    F(U16, bsp_face, first_primitive),
    F(I32, bsp_face, smoothing_groups),
};
static const struct record_field node_fields[] = {
    F(I32, bsp_node, plane),      A(I32, bsp_node, children, 2),
    A(I16, bsp_node, mins, 3),    A(I16, bsp_node, maxs, 3),
    F(U16, bsp_node, first_face), F(U16, bsp_node, face_count),
    F(I16, bsp_node, area),       PAD(2),
};
static const struct record_field leaf_fields[] = {
    F(I32, bsp_leaf, contents),    F(I16, bsp_leaf, cluster),    A(BITS, bsp_leaf, area, 9),
    A(BITS, bsp_leaf, flags, 7),   A(I16, bsp_leaf, mins, 3),    A(I16, bsp_leaf, maxs, 3),
    F(U16, bsp_leaf, first_face),  F(U16, bsp_leaf, face_count), F(U16, bsp_leaf, first_brush),
    F(U16, bsp_leaf, brush_count), F(I16, bsp_leaf, water_data), PAD(2),
};
static const struct record_field model_fields[] = {
    A(F32, bsp_model, mins, 3),   A(F32, bsp_model, maxs, 3),    A(F32, bsp_model, origin, 3),
    F(I32, bsp_model, head_node), F(I32, bsp_model, first_face), F(I32, bsp_model, face_count),
};
static const struct record_field brush_fields[] = {
    F(I32, bsp_brush, first_side),
    F(I32, bsp_brush, side_count),
    F(I32, bsp_brush, contents),
};
static const struct record_field brush_side_fields[] = {
    F(U16, bsp_brush_side, plane),    F(I16, bsp_brush_side, texinfo),
    F(I16, bsp_brush_side, dispinfo), F(U8, bsp_brush_side, bevel),
    F(U8, bsp_brush_side, thin),
};
static const struct record_field area_fields[] = {
    F(I32, bsp_area, portal_count),
    F(I32, bsp_area, first_portal),
};
static const struct record_field area_portal_fields[] = {
    F(U16, bsp_area_portal, key),
    F(U16, bsp_area_portal, other_area),
    F(U16, bsp_area_portal, first_clip_vertex),
    F(U16, bsp_area_portal, clip_vertex_count),
    F(I32, bsp_area_portal, plane),
};
static const struct record_field leaf_water_fields[] = {
    F(F32, bsp_leaf_water, surface_z),
    F(F32, bsp_leaf_water, min_z),
    F(I16, bsp_leaf_water, texinfo),
    PAD(2),
};
static const struct record_field primitive_fields[] = {
    /* 16 bits with the type in the low byte in every file seen */
    F(U16, bsp_primitive, type),         F(U16, bsp_primitive, first_index),
    F(U16, bsp_primitive, index_count),  F(U16, bsp_primitive, first_vertex),
    F(U16, bsp_primitive, vertex_count),
};
static const struct record_field worldlight_fields[] = {
    A(F32, bsp_worldlight, origin, 3), A(F32, bsp_worldlight, intensity, 3),
    A(F32, bsp_worldlight, normal, 3), F(I32, bsp_worldlight, cluster),
    F(I32, bsp_worldlight, type),      F(I32, bsp_worldlight, style),
    F(F32, bsp_worldlight, stopdot),   F(F32, bsp_worldlight, stopdot2),
    F(F32, bsp_worldlight, exponent),  F(F32, bsp_worldlight, radius),
    F(F32, bsp_worldlight, constant),  F(F32, bsp_worldlight, linear),
    F(F32, bsp_worldlight, quadratic), F(I32, bsp_worldlight, flags),
    F(I32, bsp_worldlight, texinfo),   F(I32, bsp_worldlight, owner),
};
static const struct record_field cubemap_fields[] = {
    A(I32, bsp_cubemap, origin, 3),
    F(U8, bsp_cubemap, size),
    PAD(3),
};
static const struct record_field ambient_index_fields[] = {
    F(U16, bsp_ambient_index, count),
    F(U16, bsp_ambient_index, first),
};
/* The six colours are four bytes each; the exponent's sign is in its byte. */
static const struct record_field ambient_fields[] = {
    A(U8, bsp_ambient, cube, sizeof(struct bsp_colour[6])),
    A(U8, bsp_ambient, position, 3),
    PAD(1),
};
static const struct record_field i32_fields[] = {SCALAR(I32)};
static const struct record_field u16_fields[] = {SCALAR(U16)};
static const struct record_field id16_fields[] = {SCALAR(ID16)};

static const struct record plane = RECORD("plane", struct bsp_plane, 20, plane_fields);
static const struct record texdata = RECORD("texdata", struct bsp_texdata, 32, texdata_fields);
static const struct record texinfo = RECORD("texinfo", struct bsp_texinfo, 72, texinfo_fields);
static const struct record vertex = RECORD("vertex", struct bsp_vertex, 12, vertex_fields);
static const struct record edge = RECORD("edge", struct bsp_edge, 4, edge_fields);
static const struct record face = RECORD("face", struct bsp_face, 56, face_fields);
static const struct record node = RECORD("node", struct bsp_node, 32, node_fields);
static const struct record leaf = RECORD("leaf", struct bsp_leaf, 32, leaf_fields);
static const struct record model = RECORD("model", struct bsp_model, 48, model_fields);
static const struct record brush = RECORD("brush", struct bsp_brush, 12, brush_fields);
static const struct record brush_side =
    RECORD("brush side", struct bsp_brush_side, 8, brush_side_fields);
static const struct record area = RECORD("area", struct bsp_area, 8, area_fields);
static const struct record area_portal =
    RECORD("area portal", struct bsp_area_portal, 12, area_portal_fields);
static const struct record leaf_water =
    RECORD("leaf water", struct bsp_leaf_water, 12, leaf_water_fields);
static const struct record primitive =
    RECORD("primitive", struct bsp_primitive, 10, primitive_fields);
static const struct record worldlight =
    RECORD("worldlight", struct bsp_worldlight, 88, worldlight_fields);
static const struct record cubemap = RECORD("cubemap", struct bsp_cubemap, 16, cubemap_fields);
static const struct record surfedge = RECORD("surfedge", int32_t, 4, i32_fields);
static const struct record leaf_face = RECORD("leaf face", int32_t, 2, u16_fields);
static const struct record leaf_brush = RECORD("leaf brush", int32_t, 2, u16_fields);
static const struct record normal_index = RECORD("normal index", int32_t, 2, u16_fields);
static const struct record primitive_index = RECORD("primitive index", int32_t, 2, u16_fields);
static const struct record water_distance = RECORD("water distance", int32_t, 2, u16_fields);
static const struct record macro_texture = RECORD("macro texture", int32_t, 2, u16_fields);
static const struct record face_id = RECORD("face id", uint16_t, 2, id16_fields);
static const struct record ambient_index =
    RECORD("ambient index", struct bsp_ambient_index, 4, ambient_index_fields);
static const struct record ambient = RECORD("ambient", struct bsp_ambient, 28, ambient_fields);
static const struct record ambient_cube = {"ambient cube", sizeof(struct bsp_ambient), 24,
                                           ambient_fields, 1};

#define ARRAY(lump, record, member)                                                                \
    {                                                                                              \
        LUMP_##lump, &(record), offsetof(struct bsp, member)                                       \
    }

static const struct lump_array arrays[] = {
    ARRAY(PLANES, plane, planes),
    ARRAY(TEXDATA, texdata, texdata),
    ARRAY(VERTEXES, vertex, vertices),
    ARRAY(NODES, node, nodes),
    ARRAY(TEXINFO, texinfo, texinfo),
    ARRAY(FACES, face, faces),
    ARRAY(LEAFS, leaf, leaves),
    ARRAY(FACEIDS, face_id, face_ids),
    ARRAY(EDGES, edge, edges),
    ARRAY(SURFEDGES, surfedge, surfedges),
    ARRAY(MODELS, model, models),
    ARRAY(WORLDLIGHTS, worldlight, ldr.worldlights),
    ARRAY(LEAFFACES, leaf_face, leaf_faces),
    ARRAY(LEAFBRUSHES, leaf_brush, leaf_brushes),
    ARRAY(BRUSHES, brush, brushes),
    ARRAY(BRUSHSIDES, brush_side, brush_sides),
    ARRAY(AREAS, area, areas),
    ARRAY(AREAPORTALS, area_portal, area_portals),
    ARRAY(ORIGINALFACES, face, original_faces),
    ARRAY(VERTNORMALS, vertex, vertex_normals),
    ARRAY(VERTNORMALINDICES, normal_index, vertex_normal_indices),
    ARRAY(LEAFWATERDATA, leaf_water, leaf_water),
    ARRAY(PRIMITIVES, primitive, primitives),
    ARRAY(PRIMVERTS, vertex, primitive_vertices),
    ARRAY(PRIMINDICES, primitive_index, primitive_indices),
    ARRAY(CLIPPORTALVERTS, vertex, clip_portal_vertices),
    ARRAY(CUBEMAPS, cubemap, cubemaps),
    ARRAY(LEAFMINDISTTOWATER, water_distance, leaf_min_dist_to_water),
    ARRAY(FACEMACROTEXTUREINFO, macro_texture, face_macro_texture),
    ARRAY(LEAFAMBIENTINDEX_HDR, ambient_index, hdr.ambient_index),
    ARRAY(LEAFAMBIENTINDEX, ambient_index, ldr.ambient_index),
    ARRAY(WORLDLIGHTS_HDR, worldlight, hdr.worldlights),
    ARRAY(FACES_HDR, face, faces_hdr),
};

const struct bsp_codec vbsp20_codec = {"VBSP",        20,          1,          arrays,
                                       COUNT(arrays), vbsp_decode, vbsp_encode};

const struct record *vbsp_ambient_record(bool positioned)
{
    return positioned ? &ambient : &ambient_cube;
}
