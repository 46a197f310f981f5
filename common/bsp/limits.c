/* Limits of the formats, and how much of each a BSP uses. */
#include "common/bsp/codec.h"
#include "common/core/array.h"

/* Record sizes of lumps that are carried as bytes (specification). */
enum {
    DISPINFO_SIZE = 176,
    DISPVERT_SIZE = 20,
    DISPTRI_SIZE = 2,
    OVERLAY_SIZE = 352,
    WATER_OVERLAY_SIZE = 1120
};

static int64_t carried_count(const struct bsp *bsp, int lump, size_t record)
{
    return (int64_t)(bsp->carried[lump].data.size / record);
}

static int64_t count_displacements(const struct bsp *bsp)
{
    return carried_count(bsp, LUMP_DISPINFO, DISPINFO_SIZE);
}

static int64_t count_displacement_vertices(const struct bsp *bsp)
{
    return carried_count(bsp, LUMP_DISPVERTS, DISPVERT_SIZE);
}

static int64_t count_displacement_triangles(const struct bsp *bsp)
{
    return carried_count(bsp, LUMP_DISPTRIS, DISPTRI_SIZE);
}

static int64_t count_overlays(const struct bsp *bsp)
{
    return carried_count(bsp, LUMP_OVERLAYS, OVERLAY_SIZE);
}

static int64_t count_water_overlays(const struct bsp *bsp)
{
    return carried_count(bsp, LUMP_WATEROVERLAYS, WATER_OVERLAY_SIZE);
}

static int64_t count_clusters(const struct bsp *bsp)
{
    int64_t most = -1;
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++)
        if (bsp->leaves[i].cluster > most)
            most = bsp->leaves[i].cluster;
    return most + 1;
}

static int64_t count_visibility(const struct bsp *bsp)
{
    return (int64_t)bsp->visibility.size;
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
    int64_t most = 0;
    for (size_t i = 0; i < arrlenu(bsp->texture_names); i++)
        if ((int64_t)strlen(bsp->texture_names[i]) > most)
            most = (int64_t)strlen(bsp->texture_names[i]);
    return most;
}

static int64_t count_sides_of_a_brush(const struct bsp *bsp)
{
    int64_t most = 0;
    for (size_t i = 0; i < arrlenu(bsp->brushes); i++)
        if (bsp->brushes[i].side_count > most)
            most = bsp->brushes[i].side_count;
    return most;
}

static int64_t count_worldlights(const struct bsp *bsp)
{
    size_t ldr = arrlenu(bsp->ldr.worldlights), hdr = arrlenu(bsp->hdr.worldlights);
    return (int64_t)(ldr > hdr ? ldr : hdr);
}

static int64_t count_ambient(const struct bsp *bsp)
{
    size_t ldr = arrlenu(bsp->ldr.ambient), hdr = arrlenu(bsp->hdr.ambient);
    return (int64_t)(ldr > hdr ? ldr : hdr);
}

/* Opening braces outside of quotes. */
static int64_t count_entities(const struct bsp *bsp)
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

#define ARRAY(name, maximum, member)                                                               \
    {                                                                                              \
        name, maximum, offsetof(struct bsp, member), NULL                                          \
    }
#define COUNTED(name, maximum, counter)                                                            \
    {                                                                                              \
        name, maximum, 0, counter                                                                  \
    }

/* The lighting lump has a limit of 16 MiB in the specification that no program enforces: left out,
 * as are counts that only the compilers have (portals, patches). */
const struct bsp_limit vbsp_limits[VBSP_LIMITS] = {
    ARRAY("models", 1024, models),
    ARRAY("brushes", 8192, brushes),
    ARRAY("brush sides", 65536, brush_sides),
    COUNTED("sides of a brush", 128, count_sides_of_a_brush),
    COUNTED("entities", 8192, count_entities),
    ARRAY("planes", 65536, planes),
    ARRAY("nodes", 65536, nodes),
    ARRAY("leaves", 65536, leaves),
    ARRAY("leaf faces", 65536, leaf_faces),
    ARRAY("leaf brushes", 65536, leaf_brushes),
    COUNTED("clusters", 65536, count_clusters),
    ARRAY("areas", 256, areas),
    ARRAY("area portals", 1024, area_portals),
    ARRAY("area portal vertices", 128000, clip_portal_vertices),
    ARRAY("vertices", 65536, vertices),
    ARRAY("edges", 256000, edges),
    ARRAY("surfedges", 512000, surfedges),
    ARRAY("faces", 65536, faces),
    ARRAY("original faces", 65536, original_faces),
    ARRAY("vertex normals", 256000, vertex_normals),
    ARRAY("vertex normal indices", 256000, vertex_normal_indices),
    ARRAY("texinfo", 12288, texinfo),
    ARRAY("texdata", 2048, texdata),
    ARRAY("texture names", 65536, texture_names),
    COUNTED("bytes of texture names", 256000, count_name_bytes),
    COUNTED("characters of a texture name", 127, count_longest_name),
    COUNTED("displacements", 2048, count_displacements),
    /* all of them at power 4 */
    COUNTED("displacement vertices", 2048 * 17 * 17, count_displacement_vertices),
    COUNTED("displacement triangles", 2048 * 2 * 16 * 16, count_displacement_triangles),
    COUNTED("overlays", 512, count_overlays),
    COUNTED("water overlays", 16384, count_water_overlays),
    ARRAY("leaf water data", 32768, leaf_water),
    ARRAY("primitives", 32768, primitives),
    ARRAY("primitive vertices", 65536, primitive_vertices),
    ARRAY("primitive indices", 65536, primitive_indices),
    ARRAY("cubemaps", 1024, cubemaps),
    COUNTED("worldlights", 8192, count_worldlights),
    COUNTED("ambient samples", 65536, count_ambient), /* what its index can name */
    COUNTED("bytes of visibility", 16 << 20, count_visibility),
};

void bsp_limit_use(const struct bsp *bsp, const struct bsp_format *format, int64_t *used)
{
    for (size_t i = 0; i < format->limit_count; i++) {
        const struct bsp_limit *limit = &format->limits[i];
        if (limit->count)
            used[i] = limit->count(bsp);
        else
            used[i] = (int64_t)array_length((const unsigned char *)bsp + limit->array);
    }
}

enum status bsp_check_limits(const struct bsp *bsp, const struct bsp_format *format,
                             const char *name, struct diag *diag)
{
    struct diag_where where = {.file = name};
    enum status status = STATUS_OK;
    int64_t *used = memory_zalloc(format->limit_count, sizeof *used);
    bsp_limit_use(bsp, format, used);
    for (size_t i = 0; i < format->limit_count; i++) {
        int64_t maximum = format->limits[i].maximum;
        if (used[i] > maximum)
            status = diag_report(diag, DIAG_BSP_LIMIT, &where,
                                 "%s: %lld, but %s has room for %lld; %lld too many",
                                 format->limits[i].name, (long long)used[i], format->title,
                                 (long long)maximum, (long long)(used[i] - maximum));
    }
    memory_free(used);
    return status;
}
