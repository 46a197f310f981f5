/* Each lump from its canonical form. */
#include "common/bsp/codec.h"
#include "common/core/array.h"

/* Measured on maps of the SDK 2013 tools, empty lumps included: those keep the running offset. */
const uint8_t vbsp_order[VBSP_ORDER] = {
    LUMP_PLANES,
    LUMP_LEAFS,
    LUMP_LEAFAMBIENT,
    LUMP_LEAFAMBIENTINDEX,
    LUMP_LEAFAMBIENTINDEX_HDR,
    LUMP_LEAFAMBIENT_HDR,
    LUMP_VERTEXES,
    LUMP_NODES,
    LUMP_TEXINFO,
    LUMP_TEXDATA,
    LUMP_DISPINFO,
    LUMP_DISPVERTS,
    LUMP_DISPTRIS,
    LUMP_DISPLIGHTMAPSAMPLEPOS,
    LUMP_FACEMACROTEXTUREINFO,
    LUMP_PRIMITIVES,
    LUMP_PRIMVERTS,
    LUMP_PRIMINDICES,
    LUMP_FACES,
    LUMP_FACES_HDR,
    LUMP_FACEIDS,
    LUMP_ORIGINALFACES,
    LUMP_BRUSHES,
    LUMP_BRUSHSIDES,
    LUMP_LEAFFACES,
    LUMP_LEAFBRUSHES,
    LUMP_SURFEDGES,
    LUMP_EDGES,
    LUMP_MODELS,
    LUMP_AREAS,
    LUMP_AREAPORTALS,
    LUMP_LIGHTING,
    LUMP_LIGHTING_HDR,
    LUMP_VISIBILITY,
    LUMP_ENTITIES,
    LUMP_WORLDLIGHTS,
    LUMP_WORLDLIGHTS_HDR,
    LUMP_LEAFWATERDATA,
    LUMP_OCCLUSION,
    LUMP_MAPFLAGS,
    LUMP_CLIPPORTALVERTS,
    LUMP_CUBEMAPS,
    LUMP_TEXDATASTRINGDATA,
    LUMP_TEXDATASTRINGTABLE,
    LUMP_OVERLAYS,
    LUMP_WATEROVERLAYS,
    LUMP_OVERLAYFADES,
    LUMP_PHYSCOLLIDE,
    LUMP_PHYSDISP,
    LUMP_VERTNORMALS,
    LUMP_VERTNORMALINDICES,
    LUMP_LEAFMINDISTTOWATER,
    LUMP_GAMELUMP,
    LUMP_PAKFILE,
};

int32_t vbsp_usual_version(int lump)
{
    switch (lump) {
    case LUMP_FACES:
    case LUMP_LIGHTING:
    case LUMP_LEAFS:
    case LUMP_LIGHTING_HDR:
    case LUMP_LEAFAMBIENT_HDR:
    case LUMP_LEAFAMBIENT:
    case LUMP_FACES_HDR:
        return 1;
    case LUMP_OCCLUSION:
        return 2;
    default:
        return 0;
    }
}

const struct lump_array *vbsp_array(const struct bsp_codec *codec, int lump)
{
    for (size_t i = 0; i < codec->array_count; i++)
        if (codec->arrays[i].lump == lump)
            return &codec->arrays[i];
    return NULL;
}

static void encode_bytes(const struct bytes *data, struct bytes *out)
{
    bytes_append(out, data->data, data->size);
}

static void encode_entities(const struct bsp *bsp, struct bytes *out)
{
    if (!arrlenu(bsp->entities))
        return;
    bytes_append(out, bsp->entities, arrlenu(bsp->entities));
    bytes_u8(out, 0);
}

static void encode_names(const struct bsp *bsp, struct bytes *out)
{
    for (size_t i = 0; i < arrlenu(bsp->texture_names); i++)
        bytes_append(out, bsp->texture_names[i], strlen(bsp->texture_names[i]) + 1);
}

static void encode_name_table(const struct bsp *bsp, struct bytes *out)
{
    size_t at = 0;
    for (size_t i = 0; i < arrlenu(bsp->texture_names); i++) {
        bytes_u32(out, (uint32_t)at);
        at += strlen(bsp->texture_names[i]) + 1;
    }
}

/* An empty zip archive with the comment by which the engine's own zip code marks its archives. */
static void encode_pakfile(const struct bsp *bsp, struct bytes *out)
{
    static const char comment[32] = "XZP1 0";
    if (bsp->pakfile.size) {
        encode_bytes(&bsp->pakfile, out);
        return;
    }
    bytes_append(out, "PK\5\6", 4);
    bytes_fill(out, 0, 16);
    bytes_u16(out, sizeof comment);
    bytes_append(out, comment, sizeof comment);
}

/* Directory, then the data of each; offsets count from the start of the file. */
static void encode_game_lumps(const struct bsp_game_lump *lumps, size_t count, size_t at,
                              struct bytes *out)
{
    enum { ENTRY = 16 };
    size_t data_at = at + 4 + count * ENTRY;
    bytes_u32(out, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        bytes_u32(out, lumps[i].id);
        bytes_u16(out, lumps[i].flags);
        bytes_u16(out, lumps[i].version);
        bytes_u32(out, (uint32_t)data_at);
        bytes_u32(out, (uint32_t)lumps[i].data.size);
        data_at += lumps[i].data.size;
    }
    for (size_t i = 0; i < count; i++)
        encode_bytes(&lumps[i].data, out);
}

/* A BSP of ours gets those that the engine looks for, each with three counts of zero. */
static void encode_game(const struct bsp *bsp, const struct bsp_format *format, size_t at,
                        struct bytes *out)
{
    unsigned char zeros[12] = {0};
    const struct bsp_game_lump usual[] = {
        {0x73707270, 0, (uint16_t)format->static_prop_version, {zeros, sizeof zeros, 0}},
        {0x64707270, 0, 4, {zeros, sizeof zeros, 0}},
    };
    if (bsp->format || arrlenu(bsp->game_lumps))
        encode_game_lumps(bsp->game_lumps, arrlenu(bsp->game_lumps), at, out);
    else
        encode_game_lumps(usual, 2, at, out);
}

static bool encode_ambient(const struct bsp_light_set *set, struct bytes *out,
                           struct record_misfit *misfit)
{
    const struct record *record = vbsp_ambient_record(arrlenu(set->ambient_index) > 0);
    return record_encode(record, set->ambient, arrlenu(set->ambient), out, misfit);
}

static void encode_carried(const struct bsp *bsp, int lump, struct bytes *out)
{
    const struct bsp_raw_lump *raw = &bsp->carried[lump];
    bool usual = !bsp->format && !raw->present && !raw->data.size;
    if (usual && lump == LUMP_OCCLUSION)
        bytes_fill(out, 0, 12); /* no occluders, polygons, vertices */
    else if (usual && lump == LUMP_PHYSDISP)
        bytes_u16(out, 0);
    else
        encode_bytes(&raw->data, out);
}

bool vbsp_has_codec(const struct bsp_codec *codec, int lump)
{
    switch (lump) {
    case LUMP_ENTITIES:
    case LUMP_VISIBILITY:
    case LUMP_LIGHTING:
    case LUMP_LIGHTING_HDR:
    case LUMP_LEAFAMBIENT:
    case LUMP_LEAFAMBIENT_HDR:
    case LUMP_TEXDATASTRINGDATA:
    case LUMP_TEXDATASTRINGTABLE:
    case LUMP_PAKFILE:
    case LUMP_MAPFLAGS:
    case LUMP_GAMELUMP:
        return true;
    default:
        return vbsp_array(codec, lump) != NULL;
    }
}

bool vbsp_encode_lump(const struct bsp_codec *codec, const struct bsp *bsp,
                      const struct bsp_format *format, int lump, size_t at, struct bytes *out,
                      struct record_misfit *misfit)
{
    const struct lump_array *array = vbsp_array(codec, lump);
    if (array) {
        const unsigned char *pointer = (const unsigned char *)bsp + array->offset;
        return record_encode(array->record, array_data(pointer), array_length(pointer), out,
                             misfit);
    }
    switch (lump) {
    case LUMP_ENTITIES:
        encode_entities(bsp, out);
        break;
    case LUMP_VISIBILITY:
        encode_bytes(&bsp->visibility, out);
        break;
    case LUMP_LIGHTING:
        encode_bytes(&bsp->ldr.lighting, out);
        break;
    case LUMP_LIGHTING_HDR:
        encode_bytes(&bsp->hdr.lighting, out);
        break;
    case LUMP_LEAFAMBIENT:
        return encode_ambient(&bsp->ldr, out, misfit);
    case LUMP_LEAFAMBIENT_HDR:
        return encode_ambient(&bsp->hdr, out, misfit);
    case LUMP_TEXDATASTRINGDATA:
        encode_names(bsp, out);
        break;
    case LUMP_TEXDATASTRINGTABLE:
        encode_name_table(bsp, out);
        break;
    case LUMP_PAKFILE:
        encode_pakfile(bsp, out);
        break;
    case LUMP_MAPFLAGS:
        bytes_u32(out, bsp->map_flags);
        break;
    case LUMP_GAMELUMP:
        encode_game(bsp, format, at, out);
        break;
    default:
        encode_carried(bsp, lump, out);
        break;
    }
    return true;
}

bool vbsp_encode_whole(const struct bsp_codec *codec, const struct bsp *bsp,
                       const struct bsp_format *format, int lump, size_t at, struct bytes *out,
                       struct record_misfit *misfit)
{
    if (lump == LUMP_TEXDATASTRINGDATA || lump == LUMP_TEXDATASTRINGTABLE) {
        encode_names(bsp, out);
        encode_name_table(bsp, out);
        return true;
    }
    return vbsp_encode_lump(codec, bsp, format, lump, at, out, misfit);
}
