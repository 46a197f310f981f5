/* The records of VBSP, field by field (specification, sections on the lumps), and the lumps and
 * versions that use them. */
#include "common/bsp/codec/codec.h"
#include "common/bsp/codec/disp_fields.h"
#include "common/bsp/face_records.h"
#include "common/bsp/overlay_records.h"
#include "common/bsp/rare_lumps.h"
#include "common/bsp/water_overlay_records.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define F            RECORD_FIELD
#define A            RECORD_ARRAY
#define PAD          RECORD_PAD
#define SCALAR       RECORD_SCALAR

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
/* Vampire: the fields at the start and in the middle are lighting of another form. */
static const struct record_field face17_fields[] = {
    PAD(32),
    F(U16, bsp_face, plane),
    F(U8, bsp_face, side),
    F(U8, bsp_face, on_node),
    F(I32, bsp_face, first_edge),
    F(I16, bsp_face, edge_count),
    F(I16, bsp_face, texinfo),
    F(I16, bsp_face, dispinfo),
    PAD(50),
    F(I32, bsp_face, original_face),
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
/* The leaf's form from before its light moved out: followed by the light and the padding. */
static const struct record_field bare_leaf_fields[] = {
    F(I32, bsp_leaf, contents),    F(I16, bsp_leaf, cluster),    A(BITS, bsp_leaf, area, 9),
    A(BITS, bsp_leaf, flags, 7),   A(I16, bsp_leaf, mins, 3),    A(I16, bsp_leaf, maxs, 3),
    F(U16, bsp_leaf, first_face),  F(U16, bsp_leaf, face_count), F(U16, bsp_leaf, first_brush),
    F(U16, bsp_leaf, brush_count), F(I16, bsp_leaf, water_data),
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
    /* 16 bits, with the type in the low byte in every file seen */
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
static const struct record_field worldlight1_fields[] = {
    A(F32, bsp_worldlight, origin, 3), A(F32, bsp_worldlight, intensity, 3),
    A(F32, bsp_worldlight, normal, 3), A(F32, bsp_worldlight, shadow_cast_offset, 3),
    F(I32, bsp_worldlight, cluster),   F(I32, bsp_worldlight, type),
    F(I32, bsp_worldlight, style),     F(F32, bsp_worldlight, stopdot),
    F(F32, bsp_worldlight, stopdot2),  F(F32, bsp_worldlight, exponent),
    F(F32, bsp_worldlight, radius),    F(F32, bsp_worldlight, constant),
    F(F32, bsp_worldlight, linear),    F(F32, bsp_worldlight, quadratic),
    F(I32, bsp_worldlight, flags),     F(I32, bsp_worldlight, texinfo),
    F(I32, bsp_worldlight, owner),
};
static const struct record_field displacement_fields[] = {
    DISP_FIELDS(U16, 1, F(U16, bsp_displacement, face), PAD(2))};
static const struct record_field disp_vertex_fields[] = {
    A(F32, bsp_disp_vertex, vector, 3),
    F(F32, bsp_disp_vertex, distance),
    F(F32, bsp_disp_vertex, alpha),
};
static const struct record_field overlay_fields[] = {
    OVERLAY_FIELDS(bsp_overlay, OVERLAY_FACES, I16, BITS, 14)};
static const struct record_field water_overlay_fields[] = {
    OVERLAY_FIELDS(bsp_water_overlay, WATER_OVERLAY_FACES, I16, BITS, 14)};
static const struct record_field overlay_fade_fields[] = {
    F(F32, bsp_overlay_fade, min_squared),
    F(F32, bsp_overlay_fade, max_squared),
};
static const struct record_field overlay_system_level_fields[] = {
    F(U8, bsp_overlay_system_level, min_cpu),
    F(U8, bsp_overlay_system_level, max_cpu),
    F(U8, bsp_overlay_system_level, min_gpu),
    F(U8, bsp_overlay_system_level, max_gpu),
};
static const struct record_field occluder_fields[] = {
    F(I32, bsp_occluder, flags),         F(I32, bsp_occluder, first_polygon),
    F(I32, bsp_occluder, polygon_count), A(F32, bsp_occluder, mins, 3),
    A(F32, bsp_occluder, maxs, 3),       F(I32, bsp_occluder, area),
};
static const struct record_field occluder_polygon_fields[] = {
    F(I32, bsp_occluder_polygon, first_vertex),
    F(I32, bsp_occluder_polygon, vertex_count),
    F(I32, bsp_occluder_polygon, plane),
};
static const struct record_field face_brushes_fields[] = {
    F(U16, bsp_face_brushes, count),
    F(U16, bsp_face_brushes, first),
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
/* The six colours are four bytes each; the exponent is signed. */
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
static const struct record face17 = RECORD("face", struct bsp_face, 104, face17_fields);
static const struct record node = RECORD("node", struct bsp_node, 32, node_fields);
const struct record vbsp_leaf_record = RECORD("leaf", struct bsp_leaf, 32, leaf_fields);
const struct record vbsp_bare_leaf_record = RECORD("leaf", struct bsp_leaf, 30, bare_leaf_fields);
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
static const struct record worldlight1 =
    RECORD("worldlight", struct bsp_worldlight, 100, worldlight1_fields);
static const struct record displacement =
    RECORD("displacement", struct bsp_displacement, 176, displacement_fields);
static const struct record disp_vertex =
    RECORD("displacement vertex", struct bsp_disp_vertex, 20, disp_vertex_fields);
static const struct record disp_triangle = RECORD("displacement triangle", int32_t, 2, u16_fields);
static const struct record overlay = RECORD("overlay", struct bsp_overlay, 352, overlay_fields);
static const struct record water_overlay =
    RECORD("water overlay", struct bsp_water_overlay, 1120, water_overlay_fields);
static const struct record overlay_fade =
    RECORD("overlay fade", struct bsp_overlay_fade, 8, overlay_fade_fields);
static const struct record overlay_system_level =
    RECORD("overlay system level", struct bsp_overlay_system_level, 4, overlay_system_level_fields);
const struct record vbsp_occluder_record =
    RECORD("occluder", struct bsp_occluder, 40, occluder_fields);
const struct record vbsp_occluder_v1_record = {"occluder", sizeof(struct bsp_occluder), 36,
                                               occluder_fields, COUNT(occluder_fields) - 1};
const struct record vbsp_occluder_polygon_record =
    RECORD("occluder polygon", struct bsp_occluder_polygon, 12, occluder_polygon_fields);
static const struct record face_brushes =
    RECORD("face brushes", struct bsp_face_brushes, 4, face_brushes_fields);
static const struct record face_brush = RECORD("face brush", int32_t, 2, u16_fields);
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
const struct record vbsp_ambient_record =
    RECORD("ambient sample", struct bsp_ambient, 28, ambient_fields);
const struct record vbsp_ambient_cube_record = {"ambient cube", sizeof(struct bsp_ambient), 24,
                                                ambient_fields, 1};

#define ARRAY_OF(lump, version, record, member)                                                    \
    {LUMP_##lump, version, &(record), offsetof(struct bsp, member), NULL, NULL}
#define ARRAY(lump, record, member) ARRAY_OF(lump, ANY_VERSION, record, member)
/* An array of rare_lumps.h. */
#define RARE(lump, record, member)                                                                 \
    {LUMP_##lump, ANY_VERSION, &(record), offsetof(struct bsp_whole, rare.member), NULL, NULL}
#define OWN(lump, version, read, write) {LUMP_##lump, version, NULL, 0, read, write}
/* An array of records with functions of its own. */
#define OWN_ARRAY(lump, record, member, read, write)                                               \
    {LUMP_##lump, ANY_VERSION, &(record), offsetof(struct bsp, member), read, write}
/* Bytes at a member of struct bsp. */
#define OWN_BLOB(lump, member, read, write)                                                        \
    {LUMP_##lump, ANY_VERSION, NULL, offsetof(struct bsp, member), read, write}
#define BLOB(lump, member) OWN_BLOB(lump, member, vbsp_read_blob, vbsp_write_blob)

static const struct lump_codec face_lumps[] = {
    ARRAY(FACES, face, faces),
    ARRAY(FACES_HDR, face, faces_hdr),
};

/* A console's file may have its faces in the HDR list only. */
static enum status read_faces(struct lump_reader *reader)
{
    bool hdr = reader->lump == LUMP_FACES_HDR;
    if (hdr && reader->data.size && !arrlenu(reader->bsp->faces)) {
        reader->bsp->encoding.hdr_faces_only = true;
        hdr = false;
    }
    return codec_read_array(reader, &face_lumps[hdr]);
}

static bool write_faces(struct lump_writer *writer)
{
    const struct bsp *bsp = writer->bsp;
    const struct bsp_face *faces = bsp->faces;
    if ((writer->lump == LUMP_FACES_HDR) != bsp->encoding.hdr_faces_only)
        faces = bsp->faces_hdr;
    return record_encode(&face, faces, arrlenu(faces), writer->out, &writer->range_error);
}

/* The leaves' light needs the leaves and its index before it. */
static const struct lump_codec lumps[] = {
    ARRAY(PLANES, plane, planes),
    ARRAY(TEXDATA, texdata, texdata),
    ARRAY(VERTEXES, vertex, vertices),
    ARRAY(NODES, node, nodes),
    ARRAY(TEXINFO, texinfo, texinfo),
    OWN_ARRAY(FACES, face, faces, read_faces, write_faces),
    OWN(LEAFS, 0, vbsp_read_leaves_with_light, vbsp_write_leaves_with_light),
    ARRAY_OF(LEAFS, 1, vbsp_leaf_record, leaves),
    ARRAY(FACEIDS, face_id, face_ids),
    ARRAY(EDGES, edge, edges),
    ARRAY(SURFEDGES, surfedge, surfedges),
    ARRAY(MODELS, model, models),
    ARRAY_OF(WORLDLIGHTS, 0, worldlight, ldr.worldlights),
    ARRAY_OF(WORLDLIGHTS, 1, worldlight1, ldr.worldlights),
    ARRAY(LEAFFACES, leaf_face, leaf_faces),
    ARRAY(LEAFBRUSHES, leaf_brush, leaf_brushes),
    ARRAY(BRUSHES, brush, brushes),
    ARRAY(BRUSHSIDES, brush_side, brush_sides),
    ARRAY(AREAS, area, areas),
    ARRAY(AREAPORTALS, area_portal, area_portals),
    ARRAY(DISPINFO, displacement, displacements),
    ARRAY(ORIGINALFACES, face, original_faces),
    ARRAY(VERTNORMALS, vertex, vertex_normals),
    ARRAY(VERTNORMALINDICES, normal_index, vertex_normal_indices),
    BLOB(DISPLIGHTMAPALPHAS, disp_lightmap_alphas),
    ARRAY(DISPVERTS, disp_vertex, disp_vertices),
    BLOB(DISPLIGHTMAPSAMPLEPOS, disp_lightmap_samples),
    ARRAY(LEAFWATERDATA, leaf_water, leaf_water),
    ARRAY(PRIMITIVES, primitive, primitives),
    ARRAY(PRIMVERTS, vertex, primitive_vertices),
    ARRAY(PRIMINDICES, primitive_index, primitive_indices),
    ARRAY(CLIPPORTALVERTS, vertex, clip_portal_vertices),
    ARRAY(CUBEMAPS, cubemap, cubemaps),
    ARRAY(OVERLAYS, overlay, overlays),
    ARRAY(LEAFMINDISTTOWATER, water_distance, leaf_min_dist_to_water),
    ARRAY(FACEMACROTEXTUREINFO, macro_texture, face_macro_texture),
    ARRAY(DISPTRIS, disp_triangle, disp_triangles),
    ARRAY(WATEROVERLAYS, water_overlay, water_overlays),
    ARRAY(LEAFAMBIENTINDEX_HDR, ambient_index, hdr.ambient_index),
    ARRAY(LEAFAMBIENTINDEX, ambient_index, ldr.ambient_index),
    ARRAY_OF(WORLDLIGHTS_HDR, 0, worldlight, hdr.worldlights),
    ARRAY_OF(WORLDLIGHTS_HDR, 1, worldlight1, hdr.worldlights),
    OWN_ARRAY(FACES_HDR, face, faces_hdr, read_faces, write_faces),
    RARE(OVERLAYFADES, overlay_fade, overlay_fades),
    RARE(OVERLAYSYSTEMLEVELS, overlay_system_level, overlay_system_levels),
    OWN(LEAFAMBIENT, ANY_VERSION, vbsp_read_ambient, vbsp_write_ambient),
    OWN(LEAFAMBIENT_HDR, ANY_VERSION, vbsp_read_ambient, vbsp_write_ambient),
    OWN(ENTITIES, ANY_VERSION, vbsp_read_entities, vbsp_write_entities),
    OWN(VISIBILITY, ANY_VERSION, vbsp_read_visibility, vbsp_write_visibility),
    BLOB(LIGHTING, ldr.lighting),
    BLOB(LIGHTING_HDR, hdr.lighting),
    OWN(OCCLUSION, 1, vbsp_read_occluders, vbsp_write_occluders),
    OWN(OCCLUSION, 2, vbsp_read_occluders, vbsp_write_occluders),
    OWN(TEXDATASTRINGTABLE, ANY_VERSION, vbsp_read_names, vbsp_write_name_table),
    OWN(TEXDATASTRINGDATA, ANY_VERSION, NULL, vbsp_write_names),
    OWN_BLOB(PHYSCOLLIDE, physics, vbsp_read_physics, vbsp_write_physics),
    OWN_BLOB(PHYSDISP, displacement_physics, vbsp_read_physics, vbsp_write_physics),
    OWN_BLOB(PHYSCOLLIDESURFACE, physics_surface, vbsp_read_physics, vbsp_write_physics),
    OWN(GAMELUMP, ANY_VERSION, vbsp_read_game_lumps, vbsp_write_game_lumps),
    OWN_BLOB(PAKFILE, pakfile, vbsp_read_blob, vbsp_write_pakfile),
    OWN(MAPFLAGS, ANY_VERSION, vbsp_read_map_flags, vbsp_write_map_flags),
};

#define BIT(lump) (UINT64_C(1) << LUMP_##lump)
#define OF_TREE                                                                                    \
    (BIT(ENTITIES) | BIT(PLANES) | BIT(NODES) | BIT(LEAFS) | BIT(MODELS) | BIT(VISIBILITY) |       \
     BIT(LEAFMINDISTTOWATER) | BIT(GAMELUMP))

const struct bsp_codec vbsp_codec = {
    .container = &container_vbsp,
    .lumps = lumps,
    .count = COUNT(lumps),
    .of_tree = OF_TREE,
    .check = bsp_check,
};

/* From version 21 on, two lumps that once held portals list the brushes behind each face. */
static const struct lump_codec lumps21[] = {
    ARRAY(FACEBRUSHES, face_brush, face_brush_list),
    ARRAY(FACEBRUSHLIST, face_brushes, face_brushes),
};

const struct bsp_codec vbsp21_codec = {
    .container = &container_vbsp,
    .lumps = lumps21,
    .count = COUNT(lumps21),
    .base = &vbsp_codec,
    .of_tree = OF_TREE,
    .check = bsp_check,
};

static const struct lump_codec face_lumps17[] = {
    ARRAY(FACES, face17, faces),
    ARRAY(ORIGINALFACES, face17, original_faces),
};

/* Their light has another form: they are read as unlit. */
static enum status read_faces17(struct lump_reader *reader)
{
    bool original = reader->lump == LUMP_ORIGINALFACES;
    TRY(codec_read_array(reader, &face_lumps17[original]));
    struct bsp_face *faces = original ? reader->bsp->original_faces : reader->bsp->faces;
    for (size_t i = 0; i < arrlenu(faces); i++) {
        faces[i].light_offset = -1;
        faces[i].fog_volume = -1;
        memset(faces[i].styles, BSP_STYLE_NONE, sizeof faces[i].styles);
    }
    return STATUS_OK;
}

static bool write_faces17(struct lump_writer *writer)
{
    const struct bsp *bsp = writer->bsp;
    const struct bsp_face *faces =
        writer->lump == LUMP_ORIGINALFACES ? bsp->original_faces : bsp->faces;
    return record_encode(&face17, faces, arrlenu(faces), writer->out, &writer->range_error);
}

static const struct lump_codec lumps17[] = {
    OWN_ARRAY(FACES, face17, faces, read_faces17, write_faces17),
    OWN_ARRAY(ORIGINALFACES, face17, original_faces, read_faces17, write_faces17),
    ARRAY(LEAFS, vbsp_leaf_record, leaves),
};

const struct bsp_codec vbsp17_codec = {
    .container = &container_vbsp,
    .lumps = lumps17,
    .count = COUNT(lumps17),
    .base = &vbsp_codec,
    .of_tree = UINT64_MAX,
    .check = bsp_check,
};
