/* Decodes and encodes one solid of lump 29. */
#include <stdlib.h>

#include "common/bsp/lumps/physics.h"
#include "common/bsp/lumps/physics_layout.h"
#include "common/core/array.h"
#include "common/diag/codes/bsp_limits.def"
#include "common/diag/codes/bsp_records.def"
#include "common/diag/codes/internal.def"

enum {
    EDGES = 3,
    WORDS = 4, /* of a triangle: a header and its edges */
    NUMBER_BITS = 12,
    MATERIAL_SHIFT = 24,
    VIRTUAL_SHIFT = 31,
    OPPOSITE_SHIFT = 16,
    OPPOSITE_MASK = 0x7fff,
    OPPOSITE_SIGN = 0x4000,
    SIZE_SHIFT = 8,
    LEDGE_HAS_CHILDREN = 1,
    LEDGE_IS_COMPACT = 4,
    CHILDREN_MASK = 3,
    /* from the start of the solid */
    DRAG_AT = 12,
    SURFACE_WORD_AT = COLLIDE_HEADER + 28,
};

/* Offset of the edge in 32-bit words from the header of the ledge's first triangle. */
static int32_t edge_word(int32_t edge)
{
    return edge / EDGES * WORDS + 1 + edge % EDGES;
}

/* ---- checks of structs, before encoding and after decoding ---- */

static const char *points_fault(const struct physics_solid *solid)
{
    int64_t points = (int64_t)arrlen(solid->points), next = 0;
    for (size_t i = 0; i < arrlenu(solid->ledges); i++) {
        const struct physics_ledge *ledge = &solid->ledges[i];
        if (ledge->triangle_count < 0 || ledge->first_triangle != next ||
            ledge->triangle_count > (int64_t)arrlen(solid->triangles) - next)
            return "triangle ranges of hulls do not match";
        next += ledge->triangle_count;
        for (int32_t k = 0; k < ledge->triangle_count; k++) {
            const struct physics_triangle *triangle = &solid->triangles[ledge->first_triangle + k];
            if (triangle->pierce < 0 || triangle->pierce >= ledge->triangle_count)
                return "pierce index out of range";
            for (int j = 0; j < EDGES; j++) {
                const struct physics_edge *edge = &triangle->edges[j];
                if (edge->point < 0 || edge->point >= points)
                    return "point index out of range";
                if (edge->twin < 0 || edge->twin >= ledge->triangle_count * EDGES)
                    return "opposite edge outside of its hull";
            }
        }
    }
    return next == (int64_t)arrlen(solid->triangles) ? NULL : "triangles in no hull";
}

static const char *ledges_fault(const struct physics_solid *solid)
{
    const char *fault = NULL;
    size_t count = arrlenu(solid->ledges), owned = 0;
    bool *has_node = memory_zalloc(count ? count : 1, sizeof *has_node);
    for (size_t i = 0; i < arrlenu(solid->nodes) && !fault; i++) {
        const struct physics_node *node = &solid->nodes[i];
        if (node->right && node->ledge == -1)
            continue;
        if (node->ledge < 0 || (size_t)node->ledge >= count)
            fault = "hull index of a node out of range";
        else if (has_node[node->ledge])
            fault = "hull used by two nodes";
        else if (solid->ledges[node->ledge].is_outer != (node->right != 0))
            fault = "misplaced outer hull";
        else
            has_node[node->ledge] = true;
        owned++;
    }
    memory_free(has_node);
    return fault ? fault : owned == count ? NULL : "hulls of no node";
}

/* A leaf ends the first half of the innermost node that has no second child yet. */
static const char *tree_fault(const struct physics_solid *solid)
{
    int32_t waiting[PHYSICS_DEPTH_MAX], depth = 0, count = (int32_t)arrlen(solid->nodes);
    for (int32_t i = 0; i < count; i++) {
        int32_t right = solid->nodes[i].right;
        if (right) {
            if (depth == PHYSICS_DEPTH_MAX)
                return "tree too deep";
            waiting[depth++] = right;
        } else if (i + 1 != (depth ? waiting[--depth] : count)) {
            return "corrupt tree";
        }
    }
    return depth || !count ? "corrupt tree" : NULL;
}

static const char *fault_of(const struct physics_solid *solid)
{
    const char *fault = tree_fault(solid);
    if (!fault)
        fault = points_fault(solid);
    return fault ? fault : ledges_fault(solid);
}

/* ---- encoding ---- */

struct writer {
    const struct physics_solid *solid;
    struct bytes out;      /* from the surface on */
    size_t points, nodes;  /* offsets in `out` */
    int32_t *node_of;      /* of each ledge */
    size_t *ledge_offsets; /* stb_ds array */
};

static void write_triangle(struct writer *writer, const struct physics_triangle *triangle,
                           int32_t number)
{
    bytes_u32(&writer->out, (uint32_t)number | (uint32_t)triangle->pierce << NUMBER_BITS |
                                (uint32_t)triangle->material << MATERIAL_SHIFT |
                                (uint32_t)triangle->is_virtual << VIRTUAL_SHIFT);
    for (int i = 0; i < EDGES; i++) {
        const struct physics_edge *edge = &triangle->edges[i];
        int32_t opposite = edge_word(edge->twin) - edge_word(number * EDGES + i);
        bytes_u32(&writer->out, (uint32_t)edge->point |
                                    ((uint32_t)opposite & OPPOSITE_MASK) << OPPOSITE_SHIFT |
                                    (uint32_t)edge->is_virtual << VIRTUAL_SHIFT);
    }
}

/* Returns the number of different points of the ledge. seen has a number per point, all below
 * `mark`. */
static uint32_t count_points(const struct physics_solid *solid, const struct physics_ledge *ledge,
                             int32_t *seen, int32_t mark)
{
    uint32_t count = 0;
    for (int32_t i = 0; i < ledge->triangle_count; i++) {
        for (int k = 0; k < EDGES; k++) {
            int32_t point = solid->triangles[ledge->first_triangle + i].edges[k].point;
            count += seen[point] != mark;
            seen[point] = mark;
        }
    }
    return count;
}

static void write_ledges(struct writer *writer)
{
    const struct physics_solid *solid = writer->solid;
    struct bytes *out = &writer->out;
    int32_t *seen = memory_zalloc(arrlenu(solid->points) + 1, sizeof *seen);
    for (int32_t i = 0; i < arrlen(solid->ledges); i++) {
        const struct physics_ledge *ledge = &solid->ledges[i];
        size_t at = out->size, node = writer->nodes + (size_t)writer->node_of[i] * NODE_SIZE;
        uint32_t used = count_points(solid, ledge, seen, i + 1);
        uint32_t size = 1 + (uint32_t)ledge->triangle_count + used; /* in units of 16 bytes */
        arrput(writer->ledge_offsets, at);
        bytes_u32(out, (uint32_t)(writer->points - at));
        bytes_i32(out, ledge->is_outer ? (int32_t)(node - at) : ledge->client);
        bytes_u32(out, size << SIZE_SHIFT | LEDGE_IS_COMPACT |
                           (ledge->is_outer ? LEDGE_HAS_CHILDREN : 0u));
        bytes_u16(out, (uint16_t)ledge->triangle_count);
        bytes_u16(out, 0);
        for (int32_t k = 0; k < ledge->triangle_count; k++)
            write_triangle(writer, &solid->triangles[ledge->first_triangle + k], k);
    }
    memory_free(seen);
}

static void write_points(struct writer *writer)
{
    for (size_t i = 0; i < arrlenu(writer->solid->points); i++) {
        const struct physics_point *point = &writer->solid->points[i];
        for (int k = 0; k < 3; k++)
            bytes_f32(&writer->out, point->p[k]);
        bytes_u32(&writer->out, point->ignored);
    }
}

static void write_nodes(struct writer *writer)
{
    struct bytes *out = &writer->out;
    for (int32_t i = 0; i < arrlen(writer->solid->nodes); i++) {
        const struct physics_node *node = &writer->solid->nodes[i];
        int64_t ledge =
            node->ledge < 0 ? 0 : (int64_t)writer->ledge_offsets[node->ledge] - (int64_t)out->size;
        bytes_i32(out, node->right ? (node->right - i) * NODE_SIZE : 0);
        bytes_i32(out, (int32_t)ledge);
        for (int k = 0; k < 3; k++)
            bytes_f32(out, node->centre[k]);
        bytes_f32(out, node->radius);
        bytes_append(out, node->box, sizeof node->box);
        bytes_u8(out, node->counter);
    }
}

static size_t surface_size(const struct physics_solid *solid)
{
    return SURFACE_HEADER + arrlenu(solid->ledges) * LEDGE_HEADER +
           arrlenu(solid->triangles) * TRIANGLE_SIZE + arrlenu(solid->points) * POINT_SIZE +
           arrlenu(solid->nodes) * NODE_SIZE;
}

static void write_floats(struct bytes *out, const float *numbers, int count)
{
    for (int i = 0; i < count; i++)
        bytes_f32(out, numbers[i]);
}

static void write_surface(struct writer *writer, uint32_t size)
{
    const struct physics_solid *solid = writer->solid;
    struct bytes *out = &writer->out;
    write_floats(out, solid->mass_centre, 3);
    write_floats(out, solid->inertia, 3);
    bytes_f32(out, solid->radius);
    bytes_u32(out, size << SIZE_SHIFT | solid->deviation);
    bytes_u32(out, (uint32_t)writer->nodes);
    bytes_fill(out, 0, 8);
    bytes_u32(out, SURFACE_TAG);
    write_ledges(writer);
    write_points(writer);
    write_nodes(writer);
}

/* Appends a solid that is valid and within the limits. */
static void write_solid(const struct physics_solid *solid, struct bytes *out)
{
    struct writer writer = {.solid = solid};
    size_t size = surface_size(solid);
    writer.nodes = size - arrlenu(solid->nodes) * NODE_SIZE;
    writer.points = writer.nodes - arrlenu(solid->points) * POINT_SIZE;
    writer.node_of = memory_zalloc(arrlenu(solid->ledges) + 1, sizeof *writer.node_of);
    for (int32_t i = 0; i < arrlen(solid->nodes); i++)
        if (solid->nodes[i].ledge >= 0)
            writer.node_of[solid->nodes[i].ledge] = i;
    bytes_u32(&writer.out, COLLIDE_ID);
    bytes_u16(&writer.out, COLLIDE_VERSION);
    bytes_u16(&writer.out, COLLIDE_POLY);
    bytes_u32(&writer.out, (uint32_t)size);
    write_floats(&writer.out, solid->drag, 3);
    bytes_u32(&writer.out, (uint32_t)solid->axis_map.size);
    bytes_append(out, writer.out.data, writer.out.size);
    writer.out.size = 0; /* offsets count from the surface */
    write_surface(&writer, (uint32_t)size);
    bytes_append(out, writer.out.data, writer.out.size);
    bytes_append(out, solid->axis_map.data, solid->axis_map.size);
    bytes_free(&writer.out);
    memory_free(writer.node_of);
    arrfree(writer.ledge_offsets);
}

static enum status over(const struct diag_where *where, struct diag *diag, const char *what,
                        size_t count, size_t max)
{
    if (count <= max)
        return STATUS_OK;
    return diag_report(diag, DIAG_BSP_LIMIT, where, "physics solid with %zu %s; the maximum is %zu",
                       count, what, max);
}

static enum status check_limits(const struct physics_solid *solid, const struct diag_where *where,
                                struct diag *diag)
{
    TRY(over(where, diag, "points", arrlenu(solid->points), PHYSICS_POINTS_MAX));
    TRY(over(where, diag, "bytes", surface_size(solid), PHYSICS_SURFACE_MAX));
    for (size_t i = 0; i < arrlenu(solid->ledges); i++)
        if (solid->ledges[i].triangle_count > 0)
            TRY(over(where, diag, "triangles in a hull", (size_t)solid->ledges[i].triangle_count,
                     PHYSICS_TRIANGLES_MAX));
    for (size_t i = 0; i < arrlenu(solid->triangles); i++)
        TRY(over(where, diag, "materials", (size_t)solid->triangles[i].material + 1,
                 PHYSICS_MATERIALS_MAX));
    return over(where, diag, "bytes of axis map", solid->axis_map.size, PHYSICS_SURFACE_MAX);
}

enum status physics_solid_encode(const struct physics_solid *solid, const struct diag_where *where,
                                 struct diag *diag, struct bytes *out)
{
    if (solid->kind == PHYSICS_OPAQUE) {
        bytes_append(out, solid->opaque.data, solid->opaque.size);
        return STATUS_OK;
    }
    TRY(check_limits(solid, where, diag));
    const char *fault = fault_of(solid);
    if (fault)
        return diag_report(diag, DIAG_INTERNAL, where, "physics solid: %s", fault);
    write_solid(solid, out);
    return STATUS_OK;
}

/* ---- decoding ---- */

static void read_floats(struct byte_reader *reader, float *numbers, int count)
{
    for (int i = 0; i < count; i++)
        numbers[i] = read_f32(reader);
}

/* Returns the edge at that offset in words, or -1. */
static int32_t edge_at_word(int32_t word)
{
    return word < 0 || word % WORDS == 0 ? -1 : word / WORDS * EDGES + word % WORDS - 1;
}

static void read_triangle(struct byte_reader *reader, int32_t number,
                          struct physics_triangle *triangle)
{
    uint32_t header = read_u32(reader);
    triangle->pierce = (int32_t)(header >> NUMBER_BITS & ((1u << NUMBER_BITS) - 1));
    triangle->material = (uint8_t)(header >> MATERIAL_SHIFT & (PHYSICS_MATERIALS_MAX - 1));
    triangle->is_virtual = header >> VIRTUAL_SHIFT;
    for (int i = 0; i < EDGES; i++) {
        uint32_t word = read_u32(reader);
        int32_t opposite = (int32_t)(word >> OPPOSITE_SHIFT & OPPOSITE_MASK);
        if (opposite & OPPOSITE_SIGN)
            opposite -= OPPOSITE_MASK + 1;
        triangle->edges[i] = (struct physics_edge){
            .point = (int32_t)(word & (PHYSICS_POINTS_MAX - 1)),
            .twin = edge_at_word(edge_word(number * EDGES + i) + opposite),
            .is_virtual = word >> VIRTUAL_SHIFT,
        };
    }
}

static void read_ledge(struct byte_reader *reader, struct physics_solid *out)
{
    (void)read_u32(reader); /* offset of the points */
    struct physics_ledge ledge = {.client = read_i32(reader)};
    ledge.is_outer = (read_u32(reader) & CHILDREN_MASK) != 0;
    if (ledge.is_outer)
        ledge.client = 0; /* offset of the node */
    ledge.triangle_count = read_i16(reader);
    (void)read_u16(reader);
    ledge.first_triangle = (int32_t)arrlen(out->triangles);
    for (int32_t i = 0; i < ledge.triangle_count; i++) {
        struct physics_triangle triangle;
        read_triangle(reader, i, &triangle);
        arrput(out->triangles, triangle);
    }
    arrput(out->ledges, ledge);
}

static void read_points(struct byte_reader *reader, size_t end, struct physics_solid *out)
{
    while (reader->at < end) {
        struct physics_point point;
        read_floats(reader, point.p, 3);
        point.ignored = read_u32(reader);
        arrput(out->points, point);
    }
}

static int compare_offsets(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Returns the ledge at an offset in the solid, or -2 when there is none. */
static int32_t ledge_at(const size_t *offsets, int64_t offset)
{
    size_t key = (size_t)offset;
    if (offset < 0 || !offsets)
        return -2;
    const size_t *found =
        bsearch(&key, offsets, arrlenu(offsets), sizeof *offsets, compare_offsets);
    return found ? (int32_t)(found - offsets) : -2;
}

static void read_node(struct byte_reader *reader, const size_t *ledge_offsets,
                      struct physics_solid *out)
{
    int64_t at = (int64_t)reader->at;
    struct physics_node node = {0};
    int32_t right = read_i32(reader), ledge = read_i32(reader),
            number = (int32_t)arrlen(out->nodes);
    if (right)
        node.right = right > 0 && right % NODE_SIZE == 0 && right / NODE_SIZE < INT32_MAX - number
                         ? number + right / NODE_SIZE
                         : -1;
    node.ledge = ledge ? ledge_at(ledge_offsets, at + ledge) : -1;
    read_floats(reader, node.centre, 3);
    node.radius = read_f32(reader);
    for (int i = 0; i < 3; i++)
        node.box[i] = read_u8(reader);
    node.counter = read_u8(reader);
    arrput(out->nodes, node);
}

static const char *read_surface(const struct bytes *solid, const struct physics_layout *layout,
                                struct physics_solid *out)
{
    struct byte_reader reader = byte_reader(solid->data, solid->size);
    size_t *ledge_offsets = NULL;
    reader.at = DRAG_AT;
    read_floats(&reader, out->drag, 3);
    reader.at = COLLIDE_HEADER;
    read_floats(&reader, out->mass_centre, 3);
    read_floats(&reader, out->inertia, 3);
    out->radius = read_f32(&reader);
    out->deviation = solid->data[SURFACE_WORD_AT];
    reader.at = layout->ledges;
    while (reader.at < layout->points) {
        if (!physics_ledge_end(&reader, layout, reader.at)) {
            arrfree(ledge_offsets);
            return "hull overlaps the points";
        }
        arrput(ledge_offsets, reader.at);
        read_ledge(&reader, out);
    }
    read_points(&reader, layout->nodes, out);
    while (reader.at < layout->end)
        read_node(&reader, ledge_offsets, out);
    arrfree(ledge_offsets);
    bytes_append(&out->axis_map, solid->data + layout->end, solid->size - layout->end);
    return NULL;
}

static enum status read_poly(const struct bytes *solid, const struct diag_where *where,
                             struct diag *diag, struct physics_solid *out)
{
    struct physics_layout layout;
    struct bytes again = {0};
    const struct byte_reader whole = byte_reader(solid->data, solid->size);
    const char *fault = "unexpected layout";
    if (physics_layout_find(&whole, &layout)) {
        fault = read_surface(solid, &layout, out);
        if (!fault)
            fault = fault_of(out);
    }
    if (fault)
        return diag_report(diag, DIAG_BSP_LUMP, where, "physics solid: %s", fault);
    TRY(check_limits(out, where, diag));
    write_solid(out, &again);
    out->exact = again.size == solid->size && !memcmp(again.data, solid->data, again.size);
    bytes_free(&again);
    return STATUS_OK;
}

enum status physics_solid_decode(const struct bytes *solid, const struct diag_where *where,
                                 struct diag *diag, struct physics_solid *out)
{
    *out = (struct physics_solid){.kind = PHYSICS_OPAQUE, .exact = true};
    const struct byte_reader whole = byte_reader(solid->data, solid->size);
    if (!physics_is_poly(&whole)) {
        bytes_append(&out->opaque, solid->data, solid->size);
        return STATUS_OK;
    }
    out->kind = PHYSICS_POLY;
    enum status status = read_poly(solid, where, diag, out);
    if (status != STATUS_OK)
        physics_solid_free(out);
    return status;
}

void physics_solid_free(struct physics_solid *solid)
{
    bytes_free(&solid->opaque);
    bytes_free(&solid->axis_map);
    arrfree(solid->ledges);
    arrfree(solid->triangles);
    arrfree(solid->points);
    arrfree(solid->nodes);
    *solid = (struct physics_solid){0};
}

/* ---- twins ---- */

struct directed {
    int32_t from, to, edge;
};

static int compare_directed(const void *a, const void *b)
{
    const struct directed *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->to > y->to) - (x->to < y->to);
}

/* `edges` is scratch with room for the edges of the ledge. */
static bool pair_ledge(struct physics_triangle *triangles, int32_t count, struct directed *edges)
{
    size_t total = (size_t)count * EDGES;
    for (int32_t i = 0; i < count; i++)
        for (int k = 0; k < EDGES; k++)
            edges[i * EDGES + k] =
                (struct directed){triangles[i].edges[k].point,
                                  triangles[i].edges[(k + 1) % EDGES].point, i * EDGES + k};
    qsort(edges, total, sizeof *edges, compare_directed);
    for (size_t i = 1; i < total; i++)
        if (!compare_directed(&edges[i - 1], &edges[i]))
            return false;
    for (size_t i = 0; i < total; i++) {
        struct directed key = {edges[i].to, edges[i].from, 0};
        const struct directed *twin = bsearch(&key, edges, total, sizeof *edges, compare_directed);
        if (!twin)
            return false;
        triangles[edges[i].edge / EDGES].edges[edges[i].edge % EDGES].twin = twin->edge;
    }
    return true;
}

bool physics_solid_pair_edges(struct physics_solid *solid)
{
    bool closed = true;
    struct directed *edges = memory_alloc((arrlenu(solid->triangles) + 1) * EDGES * sizeof *edges);
    for (size_t i = 0; i < arrlenu(solid->ledges); i++) {
        const struct physics_ledge *ledge = &solid->ledges[i];
        if (!pair_ledge(solid->triangles + ledge->first_triangle, ledge->triangle_count, edges))
            closed = false;
    }
    memory_free(edges);
    return closed;
}
