#include "common/bsp/codec/container.h"

#include <stdio.h>

#define ZLIB_CONST
#include <zlib.h>

#include "common/bsp/codec/codec.h"
#include "common/core/md4.h"
#include "common/diag/codes/bsp_files.def"
#include "common/io/lzma.h"

enum {
    IDENT_SIZE = 8,
    SHORT_ENTRY_SIZE = 8, /* offset and length alone */
    /* Maximum unpacked size. The engines' own limits are far below; a zip bomb is far above. */
    UNPACKED_MAX = 256 << 20,
};

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

static const char *const ibsp_names[RBSP_LUMPS] = {
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
    [RBSP_LIGHTARRAY] = "light grid array",
};

#define VBSP_BIT(name) (UINT64_C(1) << LUMP_##name)
#define IBSP_BIT(name) (UINT64_C(1) << IBSP_##name)
#define SUMMARY_VBSP                                                                               \
    VBSP_BIT(ENTITIES) | VBSP_BIT(MODELS) | VBSP_BIT(LEAFS) | VBSP_BIT(VISIBILITY) |               \
        VBSP_BIT(BRUSHES) | VBSP_BIT(BRUSHSIDES) | VBSP_BIT(TEXDATASTRINGTABLE) |                  \
        VBSP_BIT(TEXDATASTRINGDATA) | VBSP_BIT(GAMELUMP) | VBSP_BIT(MAPFLAGS)
#define SUMMARY_IBSP                                                                               \
    IBSP_BIT(ENTITIES) | IBSP_BIT(MODELS) | IBSP_BIT(LEAFS) | IBSP_BIT(VISIBILITY) |               \
        IBSP_BIT(SHADERS)
#define LUMPS_OF_VBSP                                                                              \
    .pakfile = LUMP_PAKFILE, .game_lumps = LUMP_GAMELUMP, .visibility = LUMP_VISIBILITY,           \
    .lightmaps = LUMP_LIGHTING, .lightmaps_hdr = LUMP_LIGHTING_HDR, .light_grid = -1,              \
    .map_flags = LUMP_MAPFLAGS, .summary = SUMMARY_VBSP

static const uint64_t vbsp_together[] = {
    VBSP_BIT(FACES) | VBSP_BIT(FACES_HDR),
    VBSP_BIT(LEAFS) | VBSP_BIT(LEAFAMBIENT) | VBSP_BIT(LEAFAMBIENT_HDR) |
        VBSP_BIT(LEAFAMBIENTINDEX) | VBSP_BIT(LEAFAMBIENTINDEX_HDR),
    VBSP_BIT(TEXDATASTRINGDATA) | VBSP_BIT(TEXDATASTRINGTABLE),
};

const struct container_kind container_vbsp = {
    .magic = "VBSP",
    .swapped = "PSBV",
    .title = "VBSP (Source)",
    .directory_at = 8,
    .entry_size = 16,
    .revision_at = 1032,
    .header_size = 1036,
    .lump_count = BSP_LUMPS,
    .lump_names = vbsp_names,
    .named_lumps = BSP_LUMPS,
    .may_compress = true,
    LUMPS_OF_VBSP,
    .together = vbsp_together,
    .together_count = sizeof vbsp_together / sizeof *vbsp_together,
    .twins = {LUMP_TEXDATASTRINGDATA, LUMP_TEXDATASTRINGTABLE},
    .checksum = CHECKSUM_LUMPS,
};

#define IBSP_LIKE(lumps)                                                                           \
    .directory_at = 8, .entry_size = 8, .header_size = 8 + 8 * (lumps), .lump_count = (lumps),     \
    .lump_names = ibsp_names, .named_lumps = (lumps), .pakfile = -1, .game_lumps = -1,             \
    .visibility = IBSP_VISIBILITY, .lightmaps = IBSP_LIGHTMAPS, .lightmaps_hdr = -1,               \
    .light_grid = IBSP_LIGHTGRID, .map_flags = -1, .summary = SUMMARY_IBSP

const struct container_kind container_ibsp = {
    .magic = "IBSP",
    .title = "IBSP (Quake 3)",
    IBSP_LIKE(IBSP_LUMPS),
    .checksum = CHECKSUM_FILE,
    .checksum_version = 46,
};

/* Points of the light grid that are equal are stored once. */
static const uint64_t grid_together[] = {IBSP_BIT(LIGHTGRID) | UINT64_C(1) << RBSP_LIGHTARRAY};
#define WITH_GRID_ARRAY                                                                            \
    .together = grid_together, .together_count = 1, .twins = {IBSP_LIGHTGRID, RBSP_LIGHTARRAY}

const struct container_kind container_rbsp = {
    .magic = "RBSP",
    .title = "RBSP (Raven)",
    IBSP_LIKE(RBSP_LUMPS),
    WITH_GRID_ARRAY,
};

const struct container_kind container_fbsp = {
    .magic = "FBSP",
    .title = "FBSP (QFusion)",
    IBSP_LIKE(RBSP_LUMPS),
    WITH_GRID_ARRAY,
};

/* Its records are not known; its first lumps have the meaning of those of VBSP. */
static const struct container_kind container_respawn = {
    .magic = "rBSP",
    .title = "rBSP (Titanfall)",
    .directory_at = 16,
    .entry_size = 16,
    .revision_at = 8,
    .header_size = 16 + 16 * CONTAINER_LUMPS,
    .lump_count = CONTAINER_LUMPS,
    .lump_names = vbsp_names,
    .named_lumps = BSP_LUMPS,
    LUMPS_OF_VBSP,
};

static const struct container_kind *const kinds[] = {
    &container_vbsp, &container_ibsp, &container_rbsp, &container_fbsp, &container_respawn};

enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct container_kind *find_kind(const unsigned char *data, enum byte_order *order)
{
    for (int i = 0; i < KINDS; i++) {
        if (!memcmp(data, kinds[i]->magic, 4)) {
            *order = ORDER_LITTLE;
            return kinds[i];
        }
        if (*kinds[i]->swapped && !memcmp(data, kinds[i]->swapped, 4)) {
            *order = ORDER_BIG;
            return kinds[i];
        }
    }
    return NULL;
}

const char *container_lump_name(const struct container_kind *kind, int lump)
{
    const char *name = lump < kind->named_lumps ? kind->lump_names[lump] : NULL;
    return name ? name : "";
}

/* A pakfile is a zip archive, compressed by its own means or not at all; each of the game lumps is
 * compressed by itself. */
bool container_may_compress(const struct container_kind *kind, int lump)
{
    return kind->may_compress && lump != kind->pakfile && lump != kind->game_lumps;
}

enum container_checksum container_checksum_of(const struct container *container)
{
    const struct container_kind *kind = container->kind;
    bool known = !kind->checksum_version || kind->checksum_version == container->version;
    return known ? kind->checksum : CHECKSUM_NONE;
}

static struct container_lump read_entry(const struct container *container,
                                        enum container_entry entry, int lump)
{
    const struct container_kind *kind = container->kind;
    const unsigned char *at =
        container->data + kind->directory_at + (size_t)lump * kind->entry_size;
    struct container_lump read = {0};
    size_t offset_at = entry == ENTRY_VERSION_FIRST ? 4 : 0;
    read.offset = (int32_t)load_u32_in(container->order, at + offset_at);
    read.length = (int32_t)load_u32_in(container->order, at + offset_at + 4);
    if (entry != ENTRY_SHORT) {
        read.version =
            (int32_t)load_u32_in(container->order, at + (entry == ENTRY_VERSION_FIRST ? 0 : 8));
        memcpy(read.four_cc, at + 12, sizeof read.four_cc);
    }
    read.present = read.offset != 0 || read.length != 0;
    return read;
}

static bool lies_inside(const struct container *container, const struct container_lump *lump)
{
    int64_t size = (int64_t)container->size;
    return !lump->length || (lump->length > 0 && lump->offset >= (int64_t)container->header_size &&
                             lump->offset <= size && lump->length <= size - lump->offset);
}

/* Left 4 Dead 2 has another order of fields under the same version as others: with this order every
 * lump lies in the file, with the usual one not. */
static bool has_version_first(const struct container *container)
{
    bool usual = true, other = true;
    if (container->kind != &container_vbsp || container->version != 21)
        return false;
    for (int lump = 0; lump < container->lump_count; lump++) {
        struct container_lump a = read_entry(container, ENTRY_OFFSET_FIRST, lump);
        struct container_lump b = read_entry(container, ENTRY_VERSION_FIRST, lump);
        usual = usual && lies_inside(container, &a);
        other = other && lies_inside(container, &b);
    }
    return other && !usual;
}

static enum status check_place(const struct container *container, int lump, struct diag *diag)
{
    const struct container_lump *entry = &container->lumps[lump];
    struct diag_where where = {.file = container->name};
    if (lies_inside(container, entry))
        return STATUS_OK;
    return diag_report(diag, DIAG_BSP_TRUNCATED, &where,
                       "lump %d at offset %lld has %lld bytes, but the file has %zu", lump,
                       (long long)entry->offset, (long long)entry->length, container->size);
}

/* If the four bytes are not zero, the lump is compressed, and they are its unpacked size. */
static enum status check_compression(struct container *container, int lump, int64_t *total,
                                     struct diag *diag)
{
    struct container_lump *entry = &container->lumps[lump];
    struct diag_where where = {.file = container->name};
    if (!container_may_compress(container->kind, lump) || !entry->length ||
        !load_u32(entry->four_cc))
        return STATUS_OK;
    const unsigned char *data = container->data + entry->offset;
    uint32_t said = load_u32_in(container->order, entry->four_cc);
    if (!lzma_is_lump(data, (size_t)entry->length) ||
        lzma_lump_size(data, (size_t)entry->length) != said || !said)
        return diag_report(diag, DIAG_BSP_COMPRESSED, &where,
                           "lump %d: invalid LZMA header for %u bytes", lump, said);
    entry->unpacked = said;
    *total += said;
    if (*total > UNPACKED_MAX)
        return diag_report(diag, DIAG_BSP_COMPRESSED, &where,
                           "lumps 0 to %d unpack to %lld bytes; the maximum is %d", lump,
                           (long long)*total, UNPACKED_MAX);
    return STATUS_OK;
}

static enum status read_directory(struct container *container, struct diag *diag)
{
    int64_t unpacked = 0;
    container->entry = ENTRY_OFFSET_FIRST;
    if (container->kind->entry_size == SHORT_ENTRY_SIZE)
        container->entry = ENTRY_SHORT;
    else if (has_version_first(container))
        container->entry = ENTRY_VERSION_FIRST;
    for (int lump = 0; lump < container->lump_count; lump++)
        container->lumps[lump] = read_entry(container, container->entry, lump);
    for (int lump = 0; lump < container->lump_count; lump++) {
        TRY(check_place(container, lump, diag));
        TRY(check_compression(container, lump, &unpacked, diag));
    }
    return STATUS_OK;
}

enum status container_open(const void *data, size_t size, const char *name, struct diag *diag,
                           struct container *out)
{
    struct diag_where where = {.file = name};
    *out = (struct container){.data = data, .size = size, .name = name};
    if (!size)
        return diag_report(diag, DIAG_BSP_TRUNCATED, &where, "empty file");
    if (size < IDENT_SIZE)
        return diag_report(diag, DIAG_BSP_TRUNCATED, &where, "%zu bytes, too few for a BSP header",
                           size);
    const struct container_kind *kind = out->kind = find_kind(data, &out->order);
    if (!kind)
        return diag_report(diag, DIAG_BSP_FORMAT, &where, "no VBSP, IBSP, RBSP or FBSP header");
    out->version = (int32_t)load_u32_in(out->order, out->data + 4);
    out->lump_count = kind->lump_count;
    out->header_size = kind->header_size;
    if (size < kind->header_size)
        return diag_report(diag, DIAG_BSP_TRUNCATED, &where,
                           "%zu bytes, but the header alone has %zu", size, kind->header_size);
    if (kind->revision_at)
        out->revision = (int32_t)load_u32_in(out->order, out->data + kind->revision_at);
    return read_directory(out, diag);
}

enum status container_lump(const struct container *container, int lump, struct diag *diag,
                           struct bytes *unpacked, struct byte_reader *out)
{
    const struct container_lump *entry = &container->lumps[lump];
    struct diag_where where = {.file = container->name};
    size_t length = (size_t)entry->length;
    *out = byte_reader("", 0);
    if (length)
        *out = byte_reader(container->data + entry->offset, length);
    if (entry->unpacked) {
        enum status status =
            lzma_unpack_lump(out->data, length, entry->unpacked, &where, diag, unpacked);
        if (status != STATUS_OK) {
            bytes_free(unpacked);
            return status;
        }
        *out = byte_reader(unpacked->data, unpacked->size);
    }
    out->order = container->order;
    return STATUS_OK;
}

int64_t container_lump_size(const struct container *container, int lump)
{
    const struct container_lump *entry = &container->lumps[lump];
    return entry->unpacked ? (int64_t)entry->unpacked : entry->length;
}

/* Returns the game of a version that few games use (the specification's table of versions, and
 * public lists of which game shipped which). */
static const char *game_of(const struct container *container)
{
    static const struct {
        const struct container_kind *kind;
        int32_t version;
        const char *game;
    } games[] = {
        {&container_vbsp, 17, "Vampire: The Masquerade - Bloodlines"},
        {&container_vbsp, 18, "Half-Life 2 beta"},
        {&container_vbsp, 22, "Dota 2 beta, INFRA"},
        {&container_vbsp, 23, "Dota 2"},
        {&container_vbsp, 25, "Strata Source"},
        {&container_vbsp, 27, "Contagion"},
        {&container_vbsp, 29, "Titanfall"},
        {&container_respawn, 29, "Titanfall"},
        {&container_vbsp, 36, "Titanfall 2, its technical test"},
        {&container_respawn, 36, "Titanfall 2, its technical test"},
        {&container_vbsp, 37, "Titanfall 2"},
        {&container_respawn, 37, "Titanfall 2"},
        {&container_vbsp, 47, "Apex Legends"},
        {&container_respawn, 47, "Apex Legends"},
        {&container_vbsp, 100, "Counter-Strike Online 2"},
        {&container_ibsp, 38, "Quake 2"},
        {&container_ibsp, 46, "Quake 3"},
        {&container_ibsp, 47, "Return to Castle Wolfenstein, Enemy Territory, Quake Live"},
    };
    for (size_t i = 0; i < sizeof games / sizeof *games; i++)
        if (games[i].kind == container->kind && games[i].version == container->version)
            return games[i].game;
    return NULL;
}

void container_title(const struct container *container, char *text, size_t size)
{
    const char *game = game_of(container);
    snprintf(text, size, "%s %d%s%s%s", container->kind->magic, container->version,
             game ? " (" : "", game ? game : "", game ? ")" : "");
}

uint32_t bsp_checksum(const struct container *container)
{
    uLong sum = crc32_z(0, NULL, 0);
    for (int i = 0; i < container->lump_count; i++) {
        const struct container_lump *lump = &container->lumps[i];
        if (i != LUMP_ENTITIES && lump->length)
            sum = crc32_z(sum, container->data + lump->offset, (size_t)lump->length);
    }
    return (uint32_t)sum;
}

uint32_t ibsp_checksum(const void *file, size_t size)
{
    unsigned char hash[MD4_SIZE];
    md4_of(file, size, hash);
    return load_u32(hash) ^ load_u32(hash + 4) ^ load_u32(hash + 8) ^ load_u32(hash + 12);
}
