/* What 16 rays see of the solids that they meet: node by node, all its rays at once. */
#include "common/simd/lanes.h"
#include "common/trace/solid_tree.h"

/* Rays at the plane of a node. */
struct arrivals {
    struct floats across, along;
    uint32_t in_front; /* who comes from where its normal points */
};

static inline struct floats line_at(const float line[3], const struct arrivals *at)
{
    return floats_add(floats_add(floats_mul(floats_all(line[0]), at->across),
                                 floats_mul(floats_all(line[1]), at->along)),
                      floats_all(line[2]));
}

static inline uint32_t who_sees(const struct solid_look *look, const struct solid_look_edge *edges,
                                const struct arrivals *at, uint32_t lanes)
{
    uint32_t seen = lanes & (look->in_front ? at->in_front : ~at->in_front);
    seen &= ~(floats_less_bits(at->across, floats_all(look->low[0])) |
              floats_less_bits(floats_all(look->high[0]), at->across) |
              floats_less_bits(at->along, floats_all(look->low[1])) |
              floats_less_bits(floats_all(look->high[1]), at->along));
    for (int i = 0; i < look->edge_count && seen; i++)
        seen &= ~floats_less_bits(line_at(edges[look->first_edge + i].line, at), floats_all(0));
    return seen;
}

static inline uint32_t who_falls(const struct solid_tree_node *node,
                                 const struct trace_packet *packet)
{
    struct floats slope = floats_all(0);
    for (int k = 0; k < 3; k++)
        slope = floats_add(
            slope, floats_mul(floats_all(node->normal[k]), floats_load(packet->direction[k])));
    return floats_less_bits(slope, floats_all(0));
}

solid_looks_find_function ISA(solid_looks_find);
uint32_t ISA(solid_looks_find)(const struct solid_looks *looks, const struct solid_tree *tree,
                               const struct trace_packet *packet, const struct solid_hits *hits,
                               uint32_t lanes, struct solid_views *out)
{
    struct floats place[3], face = floats_all(0), number[2] = {face, face};
    struct floats nodes = floats_load(hits->node), distance = floats_load(hits->distance);
    uint32_t found = 0;
    for (int k = 0; k < 3; k++)
        place[k] = floats_add(floats_load(packet->origin[k]),
                              floats_mul(distance, floats_load(packet->direction[k])));
    for (uint32_t left = lanes; left;) {
        float which = hits->node[__builtin_ctz(left)];
        uint32_t here = left & floats_equal_bits(nodes, floats_all(which));
        const struct solid_look_node *node = &looks->nodes[(int)which];
        struct arrivals at = {place[node->across], place[node->along],
                              who_falls(&tree->nodes[(int)which], packet)};
        left &= ~here;
        for (int i = node->first; i < node->end && here; i++) {
            const struct solid_look *look = &looks->looks[i];
            uint32_t seen = who_sees(look, looks->edges, &at, here);
            if (!seen)
                continue;
            face = floats_select_bits(seen, floats_all(look->face), face);
            for (int k = 0; k < 2; k++)
                number[k] = floats_select_bits(seen, line_at(look->number[k], &at), number[k]);
            found |= seen;
            here &= ~seen;
        }
    }
    floats_store(out->face, face);
    for (int k = 0; k < 2; k++)
        floats_store(out->number[k], number[k]);
    return found;
}
