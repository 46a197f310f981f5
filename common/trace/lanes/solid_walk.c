/* Traverses a tree of solids with 16 or 32 rays.
 *
 * A traversal mostly waits for its own last step, so that twice as many similar rays take little
 * more time. */
#include <math.h>

#include "common/simd/lanes.h"
#include "common/trace/solid_tree.h"

#define LANES                     floats
#define WIDE_16(name)             name##_16
#define WIDE(name)                WIDE_16(name)
#define LOAD(packet, member)      floats_load((packet)->member)
#define STORE(out, member, lanes) floats_store((out)->member, lanes)
#include "common/trace/lanes/solid_walk_wide.h"
#undef LANES
#undef WIDE
#undef LOAD
#undef STORE

#define LANES      floats_pair
#define WIDE(name) name##_32
#define LOAD(packet, member)                                                                       \
    ((struct floats_pair){floats_load((packet)[0].member), floats_load((packet)[1].member)})
#define STORE(out, member, lanes)                                                                  \
    (floats_store((out)[0].member, (lanes).low), floats_store((out)[1].member, (lanes).high))
#include "common/trace/lanes/solid_walk_wide.h"

solid_tree_closest_function ISA(solid_tree_closest);
struct solid_lanes ISA(solid_tree_closest)(const struct solid_tree *tree,
                                           const struct trace_packet *packet, uint32_t valid,
                                           struct solid_hits *out)
{
    return closest_16(tree, packet, valid, out);
}

solid_tree_closest_function ISA(solid_tree_closest_two);
struct solid_lanes ISA(solid_tree_closest_two)(const struct solid_tree *tree,
                                               const struct trace_packet *packets, uint32_t valid,
                                               struct solid_hits *out)
{
    return closest_32(tree, packets, valid, out);
}

solid_tree_blocked_function ISA(solid_tree_blocked);
struct solid_lanes ISA(solid_tree_blocked)(const struct solid_tree *tree,
                                           const struct trace_packet *packet, uint32_t valid)
{
    struct WIDE_16(walk) walk;
    struct solid_lanes lanes = {0, 0, 0, 0};
    struct WIDE_16(stack_entry) now = WIDE_16(start)(&walk, tree, packet, valid);
    struct WIDE_16(span) span = now.span;
    uint32_t rays = now.rays;
    int child = now.child;
    for (;;) {
        child = WIDE_16(descend)(&walk, child, &rays, &span);
        if (child <= SOLID_TREE_LOOSE) {
            lanes.loose |= rays_in_box_16(&walk, tree, child, &span, rays);
        } else if (child != SOLID_TREE_OPEN) {
            uint32_t inside = floats_less_bits(span.node, floats_all(0));
            lanes.met |= rays;
            lanes.unsure |= rays & (child == SOLID_TREE_SKY ? ~0u : inside);
        }
        for (rays = 0; !rays && walk.count > 0;) {
            const struct WIDE_16(stack_entry) *next = &walk.stack[--walk.count];
            span = next->span;
            child = next->child;
            rays = next->rays & ~lanes.met;
        }
        if (!rays)
            break;
    }
    lanes.met &= ~lanes.unsure;
    return lanes;
}

solid_hit_attributes_function ISA(solid_hit_attributes_find);
extern const struct solid_walks ISA(solid_walks);
const struct solid_walks ISA(solid_walks) = {
    .closest = ISA(solid_tree_closest),
    .closest_two = ISA(solid_tree_closest_two),
    .blocked = ISA(solid_tree_blocked),
    .attributes = ISA(solid_hit_attributes_find),
};
