#include "common/bsp/codec/codec.h"
#include "common/bsp/codec/lump_records.h"
#include "common/core/array.h"

/* Names of all lumps (specification). Some numbers had other meanings in early versions. */
static const char *const vbsp_names[BSP_LUMPS] = {
    [LUMP_ENTITIES] = "entities",
    [LUMP_PLANES] = "planes",
    [LUMP_TEXDATA] = "texdata",
    [LUMP_VERTEXES] = "vertices",
    [LUMP_VISIBILITY] = "visibility",
    [LUMP_NODES] = "nodes",
    [LUMP_TEXINFO] = "texinfo",
    [LUMP_FACES] = "faces",
    [LUMP_LIGHTING] = "lighting",
    [LUMP_OCCLUSION] = "occlusion",
    [LUMP_LEAFS] = "leaves",
    [LUMP_FACEIDS] = "face ids",
    [LUMP_EDGES] = "edges",
    [LUMP_SURFEDGES] = "surfedges",
    [LUMP_MODELS] = "models",
    [LUMP_WORLDLIGHTS] = "worldlights",
    [LUMP_LEAFFACES] = "leaf faces",
    [LUMP_LEAFBRUSHES] = "leaf brushes",
    [LUMP_BRUSHES] = "brushes",
    [LUMP_BRUSHSIDES] = "brush sides",
    [LUMP_AREAS] = "areas",
    [LUMP_AREAPORTALS] = "area portals",
    [LUMP_FACEBRUSHES] = "face brushes",
    [LUMP_FACEBRUSHLIST] = "face brush list",
    [LUMP_DISPINFO] = "displacements",
    [LUMP_ORIGINALFACES] = "original faces",
    [LUMP_PHYSDISP] = "displacement physics",
    [LUMP_PHYSCOLLIDE] = "physics",
    [LUMP_VERTNORMALS] = "vertex normals",
    [LUMP_VERTNORMALINDICES] = "vertex normal indices",
    [LUMP_DISPLIGHTMAPALPHAS] = "displacement alphas",
    [LUMP_DISPVERTS] = "displacement vertices",
    [LUMP_DISPLIGHTMAPSAMPLEPOS] = "displacement samples",
    [LUMP_GAMELUMP] = "game lumps",
    [LUMP_LEAFWATERDATA] = "leaf water",
    [LUMP_PRIMITIVES] = "primitives",
    [LUMP_PRIMVERTS] = "primitive vertices",
    [LUMP_PRIMINDICES] = "primitive indices",
    [LUMP_PAKFILE] = "pakfile",
    [LUMP_CLIPPORTALVERTS] = "area portal vertices",
    [LUMP_CUBEMAPS] = "cubemaps",
    [LUMP_TEXDATASTRINGDATA] = "texture names",
    [LUMP_TEXDATASTRINGTABLE] = "texture name table",
    [LUMP_OVERLAYS] = "overlays",
    [LUMP_LEAFMINDISTTOWATER] = "distances to water",
    [LUMP_FACEMACROTEXTUREINFO] = "macro textures",
    [LUMP_DISPTRIS] = "displacement triangles",
    [LUMP_PHYSCOLLIDESURFACE] = "physics surfaces",
    [LUMP_WATEROVERLAYS] = "water overlays",
    [LUMP_LEAFAMBIENTINDEX_HDR] = "ambient indices, HDR",
    [LUMP_LEAFAMBIENTINDEX] = "ambient indices",
    [LUMP_LIGHTING_HDR] = "lighting, HDR",
    [LUMP_WORLDLIGHTS_HDR] = "worldlights, HDR",
    [LUMP_LEAFAMBIENT_HDR] = "ambient samples, HDR",
    [LUMP_LEAFAMBIENT] = "ambient samples",
    [LUMP_FACES_HDR] = "faces, HDR",
    [LUMP_MAPFLAGS] = "map flags",
    [LUMP_OVERLAYFADES] = "overlay fades",
    [LUMP_OVERLAYSYSTEMLEVELS] = "overlay system levels",
    [LUMP_PHYSLEVEL] = "physics level",
    [LUMP_DISPMULTIBLEND] = "displacement multiblend",
    [24] = "portal vertices",
    [25] = "cluster portals",
    [57] = "pakfile of the Xbox",
};

static const char *const ibsp_names[IBSP_LUMPS] = {
    [IBSP_ENTITIES] = "entities",
    [IBSP_SHADERS] = "shaders",
    [IBSP_PLANES] = "planes",
    [IBSP_NODES] = "nodes",
    [IBSP_LEAFS] = "leaves",
    [IBSP_LEAFSURFACES] = "leaf surfaces",
    [IBSP_LEAFBRUSHES] = "leaf brushes",
    [IBSP_MODELS] = "models",
    [IBSP_BRUSHES] = "brushes",
    [IBSP_BRUSHSIDES] = "brush sides",
    [IBSP_DRAWVERTS] = "vertices",
    [IBSP_DRAWINDEXES] = "vertex indices",
    [IBSP_EFFECTS] = "effects",
    [IBSP_SURFACES] = "surfaces",
    [IBSP_LIGHTMAPS] = "lightmaps",
    [IBSP_LIGHTGRID] = "light grid",
    [IBSP_VISIBILITY] = "visibility",
};

const char *bsp_lump_name(enum container_family family, int lump)
{
    const char *name = NULL;
    if (family == CONTAINER_IBSP && lump < IBSP_LUMPS)
        name = ibsp_names[lump];
    if (family != CONTAINER_IBSP && lump < BSP_LUMPS)
        name = vbsp_names[lump];
    return name ? name : "";
}

/* Unpacked size of the lump in the file. */
static int64_t stored_size(const struct bsp *bsp, int lump)
{
    const struct bsp_raw_lump *raw = &bsp->carried[lump];
    uint32_t unpacked = load_u32_in(bsp->encoding.order, raw->four_cc);
    bool exempt =
        bsp->format->family != CONTAINER_VBSP || lump == LUMP_PAKFILE || lump == LUMP_GAMELUMP;
    return unpacked && !exempt && bsp->layout.length[lump] ? unpacked : bsp->layout.length[lump];
}

/* Number of records of lumps whose codec is a function. */
static const struct {
    int lump;
    size_t offset, record,
        record_without; /* sizes in the file; record_without: without an ambient index */
} counted[] = {
    {LUMP_LEAFS, offsetof(struct bsp, leaves), 56, 0},
    {LUMP_LEAFAMBIENT, offsetof(struct bsp, ldr.ambient), 28, 24},
    {LUMP_LEAFAMBIENT_HDR, offsetof(struct bsp, hdr.ambient), 28, 24},
    {LUMP_TEXDATASTRINGTABLE, offsetof(struct bsp, texture_names), 4, 0},
    {LUMP_GAMELUMP, offsetof(struct bsp, game_lumps), 0, 0},
};

static int64_t count_of_function(const struct bsp *bsp, int lump, bool skipped)
{
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        if (counted[i].lump != lump || bsp->format->family != CONTAINER_VBSP)
            continue;
        if (bsp->format->ambient == AMBIENT_IN_LEAF && lump != LUMP_LEAFS && counted[i].record > 4)
            return 0; /* the samples are in the leaves */
        if (!skipped)
            return (int64_t)array_length((const unsigned char *)bsp + counted[i].offset);
        size_t record = counted[i].record;
        if (counted[i].record_without && bsp->format->ambient != AMBIENT_INDEXED)
            record = counted[i].record_without;
        return record ? stored_size(bsp, lump) / (int64_t)record : -1;
    }
    return -1;
}

int64_t bsp_lump_count(const struct bsp *bsp, int lump)
{
    bool skipped = bsp->skipped >> lump & 1;
    if (!bsp->format)
        return -1;
    const struct lump_codec *codec =
        codec_find(bsp->format->codec, lump, bsp->carried[lump].version);
    if (!codec || !codec->record)
        return codec ? count_of_function(bsp, lump, skipped) : -1;
    if (skipped)
        return stored_size(bsp, lump) / (int64_t)codec->record->file_size;
    return (int64_t)array_length((const unsigned char *)bsp + codec->offset);
}

struct bsp_lump_info bsp_lump_info(const struct bsp *bsp, int lump)
{
    const struct bsp_raw_lump *raw = &bsp->carried[lump];
    int64_t stored = stored_size(bsp, lump);
    return (struct bsp_lump_info){
        .name = bsp_lump_name(bsp->format->family, lump),
        .present = raw->present,
        .offset = bsp->layout.offset[lump],
        .length = bsp->layout.length[lump],
        .unpacked = stored != bsp->layout.length[lump] ? stored : 0,
        .version = raw->version,
        .count = bsp_lump_count(bsp, lump),
    };
}

bool lump_records_of(struct bsp *bsp, int lump, struct lump_records *out)
{
    const struct lump_codec *codec =
        codec_find(bsp->format->codec, lump, bsp->carried[lump].version);
    if (!codec || !codec->record)
        return false;
    *out = (struct lump_records){codec->record, (char *)bsp + codec->offset};
    return true;
}
