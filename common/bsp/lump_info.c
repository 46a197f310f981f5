#include "common/bsp/codec.h"

/* Names of all lumps, and record sizes of those that are carried as bytes (specification). */
static const struct {
    const char *name;
    size_t record;
} lumps[BSP_LUMPS] = {
    [LUMP_ENTITIES] = {"entities", 0},
    [LUMP_PLANES] = {"planes", 0},
    [LUMP_TEXDATA] = {"texdata", 0},
    [LUMP_VERTEXES] = {"vertices", 0},
    [LUMP_VISIBILITY] = {"visibility", 0},
    [LUMP_NODES] = {"nodes", 0},
    [LUMP_TEXINFO] = {"texinfo", 0},
    [LUMP_FACES] = {"faces", 0},
    [LUMP_LIGHTING] = {"lighting", 0},
    [LUMP_OCCLUSION] = {"occlusion", 0},
    [LUMP_LEAFS] = {"leaves", 0},
    [LUMP_FACEIDS] = {"face ids", 0},
    [LUMP_EDGES] = {"edges", 0},
    [LUMP_SURFEDGES] = {"surfedges", 0},
    [LUMP_MODELS] = {"models", 0},
    [LUMP_WORLDLIGHTS] = {"worldlights", 0},
    [LUMP_LEAFFACES] = {"leaf faces", 0},
    [LUMP_LEAFBRUSHES] = {"leaf brushes", 0},
    [LUMP_BRUSHES] = {"brushes", 0},
    [LUMP_BRUSHSIDES] = {"brush sides", 0},
    [LUMP_AREAS] = {"areas", 0},
    [LUMP_AREAPORTALS] = {"area portals", 0},
    [LUMP_FACEBRUSHES] = {"face brushes", 0},
    [LUMP_FACEBRUSHLIST] = {"face brush list", 0},
    [LUMP_DISPINFO] = {"displacements", 176},
    [LUMP_ORIGINALFACES] = {"original faces", 0},
    [LUMP_PHYSDISP] = {"displacement physics", 0},
    [LUMP_PHYSCOLLIDE] = {"physics", 0},
    [LUMP_VERTNORMALS] = {"vertex normals", 0},
    [LUMP_VERTNORMALINDICES] = {"vertex normal indices", 0},
    [LUMP_DISPLIGHTMAPALPHAS] = {"displacement alphas", 0},
    [LUMP_DISPVERTS] = {"displacement vertices", 20},
    [LUMP_DISPLIGHTMAPSAMPLEPOS] = {"displacement samples", 0},
    [LUMP_GAMELUMP] = {"game lumps", 0},
    [LUMP_LEAFWATERDATA] = {"leaf water", 0},
    [LUMP_PRIMITIVES] = {"primitives", 0},
    [LUMP_PRIMVERTS] = {"primitive vertices", 0},
    [LUMP_PRIMINDICES] = {"primitive indices", 0},
    [LUMP_PAKFILE] = {"pakfile", 0},
    [LUMP_CLIPPORTALVERTS] = {"area portal vertices", 0},
    [LUMP_CUBEMAPS] = {"cubemaps", 0},
    [LUMP_TEXDATASTRINGDATA] = {"texture names", 0},
    [LUMP_TEXDATASTRINGTABLE] = {"texture name table", 0},
    [LUMP_OVERLAYS] = {"overlays", 352},
    [LUMP_LEAFMINDISTTOWATER] = {"distances to water", 0},
    [LUMP_FACEMACROTEXTUREINFO] = {"macro textures", 0},
    [LUMP_DISPTRIS] = {"displacement triangles", 2},
    [LUMP_PHYSCOLLIDESURFACE] = {"physics surfaces", 0},
    [LUMP_WATEROVERLAYS] = {"water overlays", 1120},
    [LUMP_LEAFAMBIENTINDEX_HDR] = {"ambient indices, HDR", 0},
    [LUMP_LEAFAMBIENTINDEX] = {"ambient indices", 0},
    [LUMP_LIGHTING_HDR] = {"lighting, HDR", 0},
    [LUMP_WORLDLIGHTS_HDR] = {"worldlights, HDR", 0},
    [LUMP_LEAFAMBIENT_HDR] = {"ambient samples, HDR", 0},
    [LUMP_LEAFAMBIENT] = {"ambient samples", 0},
    [LUMP_FACES_HDR] = {"faces, HDR", 0},
    [LUMP_MAPFLAGS] = {"map flags", 0},
    [LUMP_OVERLAYFADES] = {"overlay fades", 8},
};

static int64_t record_count(const struct bsp *bsp, int lump)
{
    const struct lump_array *array = vbsp_array(bsp->format->codec, lump);
    if (array)
        return (int64_t)array_length((const unsigned char *)bsp + array->offset);
    if (lumps[lump].record)
        return (int64_t)(bsp->carried[lump].data.size / lumps[lump].record);
    switch (lump) {
    case LUMP_LEAFAMBIENT:
        return (int64_t)array_length(&bsp->ldr.ambient);
    case LUMP_LEAFAMBIENT_HDR:
        return (int64_t)array_length(&bsp->hdr.ambient);
    case LUMP_TEXDATASTRINGTABLE:
        return (int64_t)array_length(&bsp->texture_names);
    case LUMP_GAMELUMP:
        return (int64_t)array_length(&bsp->game_lumps);
    default:
        return -1;
    }
}

struct bsp_lump_info bsp_lump_info(const struct bsp *bsp, int lump)
{
    const struct bsp_raw_lump *raw = &bsp->carried[lump];
    return (struct bsp_lump_info){
        .name = lumps[lump].name ? lumps[lump].name : "",
        .present = raw->present,
        .offset = bsp->layout.offset[lump],
        .length = bsp->layout.length[lump],
        .version = raw->version,
        .count = record_count(bsp, lump),
    };
}
