/* Finds the polygons that 16 rays hit, node by node for all its rays at once. */
#include "common/simd/lanes.h"
#include "common/trace/solid_tree.h"

/* Points of rays on the plane of a node. */
struct plane_points {
    struct floats across, along;
    uint32_t in_front; /* lanes that come from where its normal points */
};

static inline struct floats line_at(const float line[3], const struct plane_points *at)
{
    return floats_add(floats_add(floats_mul(floats_all(line[0]), at->across),
                                 floats_mul(floats_all(line[1]), at->along)),
                      floats_all(line[2]));
}

static inline uint32_t lanes_in_polygon(const struct solid_polygon *polygon,
                                        const struct solid_polygon_edge *edges,
                                        const struct plane_points *at, uint32_t lanes)
{
    uint32_t inside = lanes & (polygon->in_front ? at->in_front : ~at->in_front);
    inside &= ~(floats_less_bits(at->across, floats_all(polygon->low[0])) |
                floats_less_bits(floats_all(polygon->high[0]), at->across) |
                floats_less_bits(at->along, floats_all(polygon->low[1])) |
                floats_less_bits(floats_all(polygon->high[1]), at->along));
    for (int i = 0; i < polygon->edge_count && inside; i++)
        inside &=
            ~floats_less_bits(line_at(edges[polygon->first_edge + i].line, at), floats_all(0));
    return inside;
}

static inline uint32_t lanes_from_front(const struct solid_tree_node *node,
                                        const struct trace_packet *packet)
{
    struct floats slope = floats_all(0);
    for (int k = 0; k < 3; k++)
        slope = floats_add(
            slope, floats_mul(floats_all(node->normal[k]), floats_load(packet->direction[k])));
    return floats_less_bits(slope, floats_all(0));
}

solid_hit_attributes_function ISA(solid_hit_attributes_find);
uint32_t ISA(solid_hit_attributes_find)(const struct solid_polygons *polygons,
                                        const struct solid_tree *tree,
                                        const struct trace_packet *packet,
                                        const struct solid_hits *hits, uint32_t lanes,
                                        struct solid_hit_attributes *out)
{
    struct floats point[3], face = floats_all(0), attribute[2] = {face, face};
    struct floats nodes = floats_load(hits->node), distance = floats_load(hits->distance);
    uint32_t found = 0;
    for (int k = 0; k < 3; k++)
        point[k] = floats_add(floats_load(packet->origin[k]),
                              floats_mul(distance, floats_load(packet->direction[k])));
    for (uint32_t left = lanes; left;) {
        float number = hits->node[__builtin_ctz(left)];
        uint32_t here = left & floats_equal_bits(nodes, floats_all(number));
        const struct solid_node_polygons *node = &polygons->nodes[(int)number];
        struct plane_points at = {point[node->across], point[node->along],
                                  lanes_from_front(&tree->nodes[(int)number], packet)};
        left &= ~here;
        for (int i = node->first; i < node->end && here; i++) {
            const struct solid_polygon *polygon = &polygons->polygons[i];
            uint32_t inside = lanes_in_polygon(polygon, polygons->edges, &at, here);
            if (!inside)
                continue;
            face = floats_select_bits(inside, floats_all(polygon->face), face);
            for (int k = 0; k < 2; k++)
                attribute[k] =
                    floats_select_bits(inside, line_at(polygon->attribute[k], &at), attribute[k]);
            found |= inside;
            here &= ~inside;
        }
    }
    floats_store(out->face, face);
    for (int k = 0; k < 2; k++)
        floats_store(out->attribute[k], attribute[k]);
    return found;
}
