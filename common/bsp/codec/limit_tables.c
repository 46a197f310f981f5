/* The tables of limits, by format and by branch, and how the usage of each is counted. */
#include "common/bsp/codec/limit_tables.h"
#include "common/bsp/codec/codec.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"

/* Brushes share no sides; a damaged file may give all of them to each brush. */
enum { SHARED_SIDES = 16 };

int64_t bsp_count_clusters(const struct bsp *bsp)
{
    int64_t max = -1;
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++)
        if (bsp->leaves[i].cluster > max)
            max = bsp->leaves[i].cluster;
    return max + 1;
}

/* IBSP has no list of areas, only their numbers in the leaves. */
static int64_t count_areas(const struct bsp *bsp)
{
    int64_t max = -1;
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++)
        if (bsp->leaves[i].area > max)
            max = bsp->leaves[i].area;
    return max + 1;
}

static int64_t count_visibility(const struct bsp *bsp)
{
    return (int64_t)bsp->visibility.size;
}

/* Before it is computed, its size is known: each cluster has a row with a bit for each, padded to 8
 * bytes. */
static int64_t count_visibility_rows(const struct bsp *bsp)
{
    int64_t clusters = bsp_count_clusters(bsp);
    return bsp->visibility.size ? (int64_t)bsp->visibility.size
                                : clusters * ((clusters + 63) / 64 * 8);
}

static int64_t count_name_bytes(const struct bsp *bsp)
{
    int64_t total = 0;
    for (size_t i = 0; i < arrlenu(bsp->texture_names); i++)
        total += (int64_t)strlen(bsp->texture_names[i]) + 1;
    return total;
}

static int64_t count_longest_name(const struct bsp *bsp)
{
    int64_t max = 0;
    for (size_t i = 0; i < arrlenu(bsp->texture_names); i++)
        if ((int64_t)strlen(bsp->texture_names[i]) > max)
            max = (int64_t)strlen(bsp->texture_names[i]);
    return max;
}

/* Sides that somebody has drawn: compilers add bevels to these, up to the limit of all sides. */
static int64_t count_drawn_sides(const struct bsp *bsp, const struct bsp_brush *brush)
{
    int64_t first = brush->first_side, last = first + brush->side_count, drawn = 0;
    int64_t end = (int64_t)arrlenu(bsp->brush_sides);
    for (int64_t i = first < 0 ? 0 : first; i < last && i < end; i++)
        drawn += !bsp->brush_sides[i].bevel;
    return drawn;
}

static int64_t count_sides_of_a_brush(const struct bsp *bsp)
{
    int64_t max = 0, left = SHARED_SIDES * (int64_t)arrlenu(bsp->brush_sides);
    for (size_t i = 0; i < arrlenu(bsp->brushes) && left >= 0; i++) {
        left -= bsp->brushes[i].side_count;
        /* no more than all of them are drawn */
        if (bsp->brushes[i].side_count <= max)
            continue;
        int64_t drawn = count_drawn_sides(bsp, &bsp->brushes[i]);
        max = drawn > max ? drawn : max;
    }
    return max;
}

/* A new BSP has no lumps yet: counts the array in memory. */
static int64_t count_list(const struct bsp *bsp, int lump, size_t length)
{
    return bsp->format ? bsp_lump_count(bsp, lump) : (int64_t)length;
}

static int64_t count_worldlights(const struct bsp *bsp)
{
    int64_t ldr = count_list(bsp, LUMP_WORLDLIGHTS, arrlenu(bsp->ldr.worldlights));
    int64_t hdr = count_list(bsp, LUMP_WORLDLIGHTS_HDR, arrlenu(bsp->hdr.worldlights));
    return ldr > hdr ? ldr : hdr;
}

static int64_t count_ambient(const struct bsp *bsp)
{
    int64_t ldr = count_list(bsp, LUMP_LEAFAMBIENT, arrlenu(bsp->ldr.ambient));
    int64_t hdr = count_list(bsp, LUMP_LEAFAMBIENT_HDR, arrlenu(bsp->hdr.ambient));
    return ldr > hdr ? ldr : hdr;
}

/* Counts opening braces outside of quotes. */
int64_t bsp_count_entities(const struct bsp *bsp)
{
    int64_t count = 0;
    bool quoted = false;
    for (size_t i = 0; i < arrlenu(bsp->entities); i++) {
        if (bsp->entities[i] == '"')
            quoted = !quoted;
        else if (bsp->entities[i] == '{' && !quoted)
            count++;
    }
    return count;
}

static int64_t count_entity_bytes(const struct bsp *bsp)
{
    return (int64_t)arrlenu(bsp->entities) + 1; /* with the NUL */
}

#define ARRAY(lump_name, member) .array = offsetof(struct bsp, member), .lump = lump_name
#define COUNTED(counter)         .count = (counter)
#define PER_ITEM(counter)        .count = (counter), .per_item = true

/* Above the maximum: an error; a warning, up to another number; an error, too, but a stage leaves
 * something out first. */
#define FIRM(n)             .maximum = (n), .accepted = (n)
#define SOFT(n, end, words) .maximum = (n), .accepted = (end), .beyond = (words)
#define THINNED(n, words)   .maximum = (n), .accepted = (n), .beyond = (words)

/* Sources. SDK: the constants of the public Source SDK 2013. VDC: the page "Source BSP
 * File Format" of the Valve Developer Community, which names the same numbers. Where the width of a
 * field allows less than the constant, the field counts. */
#define SDK   "Source SDK 2013"
#define VDC   "VDC, Source BSP File Format"
#define FIELD ": a field of 16 bits numbers them"

#define GAPS       "the smallest gaps at T-junctions stay open (V480)"
#define LIGHT_LEFT "vrad leaves out the weakest lights (B511)"
#define FEWER      "vrad takes fewer samples in the leaves with the most"

/* Not included: the lighting lump's limit of 16 MiB in the specification, which no program
 * enforces, and counts that only the compilers have (portals, patches). */
const struct bsp_limit vbsp_limits[VBSP_LIMITS] = {
    {"models", FIRM(1024), ARRAY(LUMP_MODELS, models), .source = VDC},
    {"brushes", FIRM(8192), ARRAY(LUMP_BRUSHES, brushes), .source = VDC},
    /* No field numbers them by 16 bits, but maps with more are corrupt in the game without a
     * message. */
    {"brush sides", FIRM(65536), ARRAY(LUMP_BRUSHSIDES, brush_sides),
     .source = VDC "; garrysmod-issues #5243"},
    {"sides of a brush", FIRM(128), PER_ITEM(count_sides_of_a_brush),
     .source = VDC "; without bevels: played maps have 298 with them"},
    {"entities", FIRM(8192), COUNTED(bsp_count_entities), .source = SDK},
    {"planes", FIRM(65536), ARRAY(LUMP_PLANES, planes), .source = VDC FIELD},
    {"nodes", FIRM(65536), ARRAY(LUMP_NODES, nodes), .source = SDK},
    {"leaves", FIRM(65536), ARRAY(LUMP_LEAFS, leaves), .source = SDK FIELD},
    {"leaf faces", FIRM(65536), ARRAY(LUMP_LEAFFACES, leaf_faces), .source = VDC FIELD},
    {"leaf brushes", FIRM(65536), ARRAY(LUMP_LEAFBRUSHES, leaf_brushes), .source = VDC FIELD},
    {"clusters", FIRM(32768), COUNTED(bsp_count_clusters),
     .source = "a signed field of 16 bits numbers them; Source SDK 2013 has 65536"},
    {"areas", FIRM(256), ARRAY(LUMP_AREAS, areas), .source = SDK},
    {"area portals", FIRM(1024), ARRAY(LUMP_AREAPORTALS, area_portals), .source = SDK},
    {"area portal vertices", FIRM(65536), ARRAY(LUMP_CLIPPORTALVERTS, clip_portal_vertices),
     .source = "a field of 16 bits numbers them; Source SDK 2013 has 128000"},
    {"vertices", FIRM(65536), ARRAY(LUMP_VERTEXES, vertices), .source = VDC FIELD},
    {"edges", THINNED(256000, GAPS), ARRAY(LUMP_EDGES, edges), .source = VDC},
    {"surfedges", THINNED(512000, GAPS), ARRAY(LUMP_SURFEDGES, surfedges), .source = VDC},
    {"faces", THINNED(65536, GAPS), ARRAY(LUMP_FACES, faces), .source = VDC FIELD},
    {"original faces", FIRM(65536), ARRAY(LUMP_ORIGINALFACES, original_faces), .source = SDK},
    {"vertex normals", FIRM(65536), ARRAY(LUMP_VERTNORMALS, vertex_normals),
     .source = "a field of 16 bits numbers them; Source SDK 2013 has 256000"},
    {"vertex normal indices", THINNED(256000, GAPS),
     ARRAY(LUMP_VERTNORMALINDICES, vertex_normal_indices), .source = SDK},
    {"texinfo", FIRM(12288), ARRAY(LUMP_TEXINFO, texinfo), .source = VDC},
    {"texdata", FIRM(2048), ARRAY(LUMP_TEXDATA, texdata), .source = VDC},
    {"texture names", FIRM(65536), ARRAY(LUMP_TEXDATASTRINGTABLE, texture_names), .source = SDK},
    {"bytes of texture names", FIRM(256000), COUNTED(count_name_bytes), .source = VDC},
    {"characters of a texture name", FIRM(127), PER_ITEM(count_longest_name), .source = VDC},
    {"displacements", FIRM(2048), ARRAY(LUMP_DISPINFO, displacements), .source = VDC},
    {"displacement vertices", FIRM(2048 * 17 * 17), ARRAY(LUMP_DISPVERTS, disp_vertices),
     .source = VDC ": all of power 4"},
    {"displacement triangles", FIRM(2048 * 2 * 16 * 16), ARRAY(LUMP_DISPTRIS, disp_triangles),
     .source = VDC ": all of power 4"},
    {"overlays", FIRM(512), ARRAY(LUMP_OVERLAYS, overlays), .source = SDK},
    {"water overlays", FIRM(16384), ARRAY(LUMP_WATEROVERLAYS, water_overlays), .source = SDK},
    {"leaf water data", FIRM(32768), ARRAY(LUMP_LEAFWATERDATA, leaf_water),
     .source = SDK ": a signed field of 16 bits numbers them"},
    {"primitives", THINNED(32768, GAPS), ARRAY(LUMP_PRIMITIVES, primitives), .source = SDK},
    {"primitive vertices", FIRM(65536), ARRAY(LUMP_PRIMVERTS, primitive_vertices),
     .source = SDK FIELD},
    {"primitive indices", THINNED(65536, GAPS), ARRAY(LUMP_PRIMINDICES, primitive_indices),
     .source = SDK FIELD},
    {"cubemaps", FIRM(1024), ARRAY(LUMP_CUBEMAPS, cubemaps), .source = VDC},
    {"worldlights", THINNED(8192, LIGHT_LEFT), COUNTED(count_worldlights), .source = SDK},
    {"ambient samples", THINNED(65536, FEWER), COUNTED(count_ambient),
     .source = "a field of 16 bits numbers them; garrysmod-issues #6762"},
    {"bytes of visibility", FIRM(16 << 20), COUNTED(count_visibility), .source = VDC},
};

/* The VDC: "4096 (Source 2004) to 16384 (Alien Swarm) entities", by the version of the engine. */
const struct bsp_limit vbsp_limits_2004[VBSP_LIMITS_2004] = {
    {"entities", SOFT(4096, 8192, "the number of 2004: later tools allow 8192"),
     COUNTED(bsp_count_entities), .source = VDC ": Source 2004"},
};
const struct bsp_limit vbsp_limits_swarm[VBSP_LIMITS_SWARM] = {
    {"entities", FIRM(16384), COUNTED(bsp_count_entities),
     .source = VDC ": Alien Swarm, which this branch goes on from"},
};
/* Raised, by reports, to a number that no available source names: a map with more than the base is
 * written, as far as the file can number its brushes. */
const struct bsp_limit vbsp_limits_gmod[VBSP_LIMITS_GMOD] = {
    {"brushes",
     SOFT(8192, 65536, "Garry's Mod has raised it, to a number that is not known for certain"),
     ARRAY(LUMP_BRUSHES, brushes),
     .source = "garrysmod-requests #2304 #2589, source-sdk-2013 PR #1194; leaf brushes have 16 "
               "bits"},
};

/* Records of VBSP 25 have 32 bits for what 16 number elsewhere. */
#define STRATA   "change log of Strata Source 0.9.2"
#define WIDE     "Source SDK 2013: fields of 32 bits number them"
#define DISPS_25 65535
#define NO_LIMIT STRATA " has no limit; here as for faces"

const struct bsp_limit vbsp_limits_25[VBSP_LIMITS_25] = {
    {"models", FIRM(65536), ARRAY(LUMP_MODELS, models), .source = STRATA},
    {"brushes", FIRM(131072), ARRAY(LUMP_BRUSHES, brushes), .source = STRATA},
    {"brush sides", FIRM(655360), ARRAY(LUMP_BRUSHSIDES, brush_sides), .source = STRATA},
    {"planes", FIRM(1048576), ARRAY(LUMP_PLANES, planes), .source = STRATA},
    {"nodes", FIRM(1048576), ARRAY(LUMP_NODES, nodes), .source = STRATA},
    {"leaves", FIRM(1048576), ARRAY(LUMP_LEAFS, leaves), .source = STRATA},
    {"leaf faces", FIRM(1048576), ARRAY(LUMP_LEAFFACES, leaf_faces), .source = STRATA},
    {"leaf brushes", FIRM(1048576), ARRAY(LUMP_LEAFBRUSHES, leaf_brushes), .source = STRATA},
    {"clusters", FIRM(65536), COUNTED(bsp_count_clusters), .source = WIDE},
    {"areas", FIRM(65536), ARRAY(LUMP_AREAS, areas), .source = STRATA},
    {"area portal vertices", FIRM(128000), ARRAY(LUMP_CLIPPORTALVERTS, clip_portal_vertices),
     .source = WIDE},
    {"vertices", FIRM(1048576), ARRAY(LUMP_VERTEXES, vertices), .source = STRATA},
    {"edges", THINNED(4096000, GAPS), ARRAY(LUMP_EDGES, edges), .source = STRATA},
    {"surfedges", THINNED(8192000, GAPS), ARRAY(LUMP_SURFEDGES, surfedges), .source = STRATA},
    {"faces", THINNED(1048576, GAPS), ARRAY(LUMP_FACES, faces), .source = STRATA},
    {"original faces", FIRM(1048576), ARRAY(LUMP_ORIGINALFACES, original_faces),
     .source = STRATA ": as faces"},
    {"vertex normals", FIRM(256000), ARRAY(LUMP_VERTNORMALS, vertex_normals), .source = WIDE},
    {"texinfo", FIRM(1048576), ARRAY(LUMP_TEXINFO, texinfo), .source = NO_LIMIT},
    {"texdata", FIRM(16384), ARRAY(LUMP_TEXDATA, texdata), .source = STRATA},
    {"displacements", FIRM(DISPS_25), ARRAY(LUMP_DISPINFO, displacements),
     .source = STRATA " has 262144; here 65535 is no neighbour"},
    {"displacement vertices", FIRM(DISPS_25 * 17 * 17), ARRAY(LUMP_DISPVERTS, disp_vertices),
     .source = "all of power 4"},
    {"displacement triangles", FIRM(DISPS_25 * 2 * 16 * 16), ARRAY(LUMP_DISPTRIS, disp_triangles),
     .source = "all of power 4"},
    {"overlays", FIRM(16384), ARRAY(LUMP_OVERLAYS, overlays), .source = STRATA},
    {"primitives", THINNED(1048576, GAPS), ARRAY(LUMP_PRIMITIVES, primitives), .source = STRATA},
    {"primitive vertices", FIRM(1048576), ARRAY(LUMP_PRIMVERTS, primitive_vertices),
     .source = STRATA},
    {"primitive indices", THINNED(1048576, GAPS), ARRAY(LUMP_PRIMINDICES, primitive_indices),
     .source = STRATA},
    {"cubemaps", FIRM(16384), ARRAY(LUMP_CUBEMAPS, cubemaps), .source = STRATA},
    {"worldlights", THINNED(1048576, LIGHT_LEFT), COUNTED(count_worldlights), .source = NO_LIMIT},
    {"ambient samples", THINNED(1048576, FEWER), COUNTED(count_ambient),
     .source = "fields of 32 bits number them; here as for faces"},
};

/* Limits at which the engine or the game refuses a map; and those of the original tools, beyond
 * which ioquake3 was seen to load maps (docs/formats/ibsp.md). */
#define ENGINE   "the engine refuses more"
#define OF_TOOLS "id Software's tools"
#define TOOLS(n) SOFT(n, INT64_MAX, "a maximum of the original tools: ioquake3 loads more")

const struct bsp_limit ibsp_limits[IBSP_LIMITS] = {
    {"models", FIRM(256), ARRAY(IBSP_MODELS, models), .source = ENGINE},
    {"brushes", TOOLS(0x8000), ARRAY(IBSP_BRUSHES, brushes), .source = OF_TOOLS},
    {"brush sides", TOOLS(0x20000), ARRAY(IBSP_BRUSHSIDES, brush_sides), .source = OF_TOOLS},
    /* 1024 without the players' 64, the bodies' 8, the world and none */
    {"entities in the game", FIRM(950), COUNTED(ibsp_count_kept_entities),
     .source = "the game has 1024"},
    {"bytes of entities", TOOLS(0x40000), COUNTED(count_entity_bytes), .source = OF_TOOLS},
    {"shaders", TOOLS(0x400), ARRAY(IBSP_SHADERS, shaders), .source = OF_TOOLS},
    {"areas", FIRM(256), COUNTED(count_areas), .source = ENGINE},
    {"effects", FIRM(31), ARRAY(IBSP_EFFECTS, effects), .source = "fogs have five bits"},
    {"planes", TOOLS(0x20000), ARRAY(IBSP_PLANES, planes), .source = OF_TOOLS},
    {"nodes", TOOLS(0x20000), ARRAY(IBSP_NODES, nodes), .source = OF_TOOLS},
    {"leaves", TOOLS(0x20000), ARRAY(IBSP_LEAFS, leaves), .source = OF_TOOLS},
    {"leaf surfaces", TOOLS(0x20000), ARRAY(IBSP_LEAFSURFACES, leaf_faces), .source = OF_TOOLS},
    {"leaf brushes", TOOLS(0x40000), ARRAY(IBSP_LEAFBRUSHES, leaf_brushes), .source = OF_TOOLS},
    {"surfaces", TOOLS(0x20000), ARRAY(IBSP_SURFACES, surfaces), .source = OF_TOOLS},
    {"vertices", TOOLS(0x80000), ARRAY(IBSP_DRAWVERTS, draw_vertices), .source = OF_TOOLS},
    {"vertex indices", TOOLS(0x80000), ARRAY(IBSP_DRAWINDEXES, draw_indices), .source = OF_TOOLS},
    {"bytes of visibility", TOOLS(0x200000), COUNTED(count_visibility_rows), .source = OF_TOOLS},
};

/* DarkPlaces numbers models to 8191 with none, and leaves out those beyond
 * (tests/e2e/test_engine_darkplaces.py); 32768 entities with 255 players and the world. */
const struct bsp_limit ibsp_limits_darkplaces[IBSP_LIMITS_DARKPLACES] = {
    {"models", FIRM(8191), ARRAY(IBSP_MODELS, models), .source = "DarkPlaces numbers 8192"},
    {"entities in the game", FIRM(32512), COUNTED(ibsp_count_kept_entities),
     .source = "DarkPlaces has 32768"},
};

const struct bsp_limit *bsp_limit_at(const struct bsp_format *format, size_t index)
{
    const struct bsp_limit *base = &format->limits[index];
    for (size_t i = 0; i < format->own_limit_count; i++)
        if (strcmp(format->own_limits[i].name, base->name) == 0)
            return &format->own_limits[i];
    return base;
}

int64_t bsp_limit_accepted(const struct bsp_format *format, const char *name)
{
    for (size_t i = 0; format && i < format->limit_count; i++)
        if (strcmp(format->limits[i].name, name) == 0)
            return bsp_limit_at(format, i)->accepted;
    return INT64_MAX;
}
