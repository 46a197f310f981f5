/* Limits of the formats, and their usage by a BSP. */
#include "common/bsp/codec/codec.h"
#include "common/core/array.h"

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

static int64_t count_sides_of_a_brush(const struct bsp *bsp)
{
    int64_t max = 0;
    for (size_t i = 0; i < arrlenu(bsp->brushes); i++)
        if (bsp->brushes[i].side_count > max)
            max = bsp->brushes[i].side_count;
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

#define ARRAY(name, maximum, lump, member)                                                         \
    {name, maximum, offsetof(struct bsp, member), NULL, false, LUMP_##lump, false}
#define COUNTED(name, maximum, counter)  {name, maximum, 0, counter, false, 0, false}
#define PER_ITEM(name, maximum, counter) {name, maximum, 0, counter, true, 0, false}

/* Not included: the lighting lump's limit of 16 MiB in the specification, which no program
 * enforces, and counts that only the compilers have (portals, patches). */
const struct bsp_limit vbsp_limits[VBSP_LIMITS] = {
    ARRAY("models", 1024, MODELS, models),
    ARRAY("brushes", 8192, BRUSHES, brushes),
    ARRAY("brush sides", 65536, BRUSHSIDES, brush_sides),
    PER_ITEM("sides of a brush", 128, count_sides_of_a_brush),
    COUNTED("entities", 8192, bsp_count_entities),
    ARRAY("planes", 65536, PLANES, planes),
    ARRAY("nodes", 65536, NODES, nodes),
    ARRAY("leaves", 65536, LEAFS, leaves),
    ARRAY("leaf faces", 65536, LEAFFACES, leaf_faces),
    ARRAY("leaf brushes", 65536, LEAFBRUSHES, leaf_brushes),
    COUNTED("clusters", 65536, bsp_count_clusters),
    ARRAY("areas", 256, AREAS, areas),
    ARRAY("area portals", 1024, AREAPORTALS, area_portals),
    ARRAY("area portal vertices", 128000, CLIPPORTALVERTS, clip_portal_vertices),
    ARRAY("vertices", 65536, VERTEXES, vertices),
    ARRAY("edges", 256000, EDGES, edges),
    ARRAY("surfedges", 512000, SURFEDGES, surfedges),
    ARRAY("faces", 65536, FACES, faces),
    ARRAY("original faces", 65536, ORIGINALFACES, original_faces),
    ARRAY("vertex normals", 256000, VERTNORMALS, vertex_normals),
    ARRAY("vertex normal indices", 256000, VERTNORMALINDICES, vertex_normal_indices),
    ARRAY("texinfo", 12288, TEXINFO, texinfo),
    ARRAY("texdata", 2048, TEXDATA, texdata),
    ARRAY("texture names", 65536, TEXDATASTRINGTABLE, texture_names),
    COUNTED("bytes of texture names", 256000, count_name_bytes),
    PER_ITEM("characters of a texture name", 127, count_longest_name),
    ARRAY("displacements", 2048, DISPINFO, displacements),
    /* all of them at power 4 */
    ARRAY("displacement vertices", 2048 * 17 * 17, DISPVERTS, disp_vertices),
    ARRAY("displacement triangles", 2048 * 2 * 16 * 16, DISPTRIS, disp_triangles),
    ARRAY("overlays", 512, OVERLAYS, overlays),
    ARRAY("water overlays", 16384, WATEROVERLAYS, water_overlays),
    ARRAY("leaf water data", 32768, LEAFWATERDATA, leaf_water),
    ARRAY("primitives", 32768, PRIMITIVES, primitives),
    ARRAY("primitive vertices", 65536, PRIMVERTS, primitive_vertices),
    ARRAY("primitive indices", 65536, PRIMINDICES, primitive_indices),
    ARRAY("cubemaps", 1024, CUBEMAPS, cubemaps),
    COUNTED("worldlights", 8192, count_worldlights),
    COUNTED("ambient samples", 65536, count_ambient), /* maximum of its index */
    COUNTED("bytes of visibility", 16 << 20, count_visibility),
};

/* Limits at which the engine or the game refuses a map; and those of the original tools, beyond
 * which ioquake3 was seen to load maps (docs/formats/ibsp.md). */
#define ARRAY3(name, maximum, of_tools, lump, member)                                              \
    {name, maximum, offsetof(struct bsp, member), NULL, false, IBSP_##lump, of_tools}

const struct bsp_limit ibsp_limits[IBSP_LIMITS] = {
    ARRAY3("models", 256, false, MODELS, models),
    ARRAY3("brushes", 0x8000, true, BRUSHES, brushes),
    ARRAY3("brush sides", 0x20000, true, BRUSHSIDES, brush_sides),
    /* 1024 without the players' 64, the bodies' 8, the world and none */
    COUNTED("entities in the game", 950, ibsp_count_kept_entities),
    {"bytes of entities", 0x40000, 0, count_entity_bytes, false, 0, true},
    ARRAY3("shaders", 0x400, true, SHADERS, shaders),
    COUNTED("areas", 256, count_areas),
    ARRAY3("effects", 31, false, EFFECTS, effects),
    ARRAY3("planes", 0x20000, true, PLANES, planes),
    ARRAY3("nodes", 0x20000, true, NODES, nodes),
    ARRAY3("leaves", 0x20000, true, LEAFS, leaves),
    ARRAY3("leaf surfaces", 0x20000, true, LEAFSURFACES, leaf_faces),
    ARRAY3("leaf brushes", 0x40000, true, LEAFBRUSHES, leaf_brushes),
    ARRAY3("surfaces", 0x20000, true, SURFACES, surfaces),
    ARRAY3("vertices", 0x80000, true, DRAWVERTS, draw_vertices),
    ARRAY3("vertex indices", 0x80000, true, DRAWINDEXES, draw_indices),
    {"bytes of visibility", 0x200000, 0, count_visibility_rows, false, 0, true},
};

void bsp_limit_use(const struct bsp *bsp, const struct bsp_format *format, int64_t *used)
{
    for (size_t i = 0; i < format->limit_count; i++) {
        const struct bsp_limit *limit = &format->limits[i];
        if (limit->count)
            used[i] = limit->count(bsp);
        else if (bsp->skipped >> limit->lump & 1)
            used[i] = bsp_lump_count(bsp, limit->lump);
        else
            used[i] = (int64_t)array_length((const unsigned char *)bsp + limit->array);
    }
}

/* Fills `used` with the usage of the file that the bsp was read from; zeros if it was not read. The
 * lumps that were skipped then are skipped again: they may be absent or invalid. */
static void use_of_file(const struct bsp *bsp, const struct bsp_format *format, int64_t *used)
{
    struct diag *quiet = diag_new(NULL, NULL);
    struct bytes file = {0};
    struct bsp *was = NULL;
    if (bsp->layout.count) {
        bytes_append(&file, bsp->layout.file.data, bsp->layout.file.size);
        if (bsp_decode_part(&file, ~bsp->skipped, "", quiet, &was) == STATUS_OK)
            bsp_limit_use(was, format, used);
        bsp_free(was);
    }
    diag_free(quiet);
}

enum status bsp_check_written_limits(const struct bsp *bsp, const struct bsp_format *format,
                                     const char *name, struct diag *diag)
{
    struct diag_where where = {.file = name};
    enum status status = STATUS_OK;
    int64_t *used = memory_zalloc(format->limit_count, sizeof *used), *before = NULL;
    bsp_limit_use(bsp, format, used);
    for (size_t i = 0; i < format->limit_count; i++) {
        const struct bsp_limit *limit = &format->limits[i];
        if (limit->of_tools || used[i] <= limit->maximum)
            continue;
        if (!before) {
            before = memory_zalloc(format->limit_count, sizeof *before);
            use_of_file(bsp, format, before);
        }
        bool kept = used[i] <= before[i];
        if (diag_report_as(diag, kept ? DIAG_WARNING : DIAG_ERROR, DIAG_BSP_LIMIT, &where,
                           "%s: %lld; the maximum of %s is %lld (%lld too many%s)", limit->name,
                           (long long)used[i], format->title, (long long)limit->maximum,
                           (long long)(used[i] - limit->maximum),
                           kept ? ", as in the file that was read" : "") != STATUS_OK)
            status = STATUS_FAILED;
    }
    memory_free(before);
    memory_free(used);
    return status;
}

enum status bsp_check_limits(const struct bsp *bsp, const struct bsp_format *format,
                             const char *name, struct diag *diag)
{
    struct diag_where where = {.file = name};
    enum status status = STATUS_OK;
    int64_t *used = memory_zalloc(format->limit_count, sizeof *used);
    bsp_limit_use(bsp, format, used);
    for (size_t i = 0; i < format->limit_count; i++) {
        const struct bsp_limit *limit = &format->limits[i];
        if (used[i] > limit->maximum &&
            diag_report_as(diag, limit->of_tools ? DIAG_WARNING : DIAG_ERROR, DIAG_BSP_LIMIT,
                           &where, "%s: %lld; the maximum of %s%s is %lld (%lld too many)",
                           limit->name, (long long)used[i], format->title,
                           limit->of_tools ? "'s own tools" : "", (long long)limit->maximum,
                           (long long)(used[i] - limit->maximum)) != STATUS_OK)
            status = STATUS_FAILED;
    }
    memory_free(used);
    return status;
}
