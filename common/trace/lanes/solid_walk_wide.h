/* Traverses a tree of solids with as many rays at a time as LANES has. Included once for each
 * width, with these set:
 *
 *   LANES                        a struct of floats, with its operations LANES_less ...
 *   WIDE(name)                   a name with the suffix of this width
 *   LOAD(packet, member)         a member of the packet, or packets
 *   STORE(out, member, lanes)    to a member of the hits
 *
 * Each ray o + t d has an interval of t inside the space of a node. The plane n . x = dist cuts it
 * at
 *
 *   t = (dist - n . o) / (n . d)
 *
 * in two, as in trees whose planes follow the axes (Havran 2000, section 4); the traversal
 * descends into the half where most rays start and pushes the other on a stack. Rays for which the
 * other half comes first cost time, but the result is right: a ray continues until every interval
 * that is left begins after its nearest hit.
 *
 * Floats compute dist - n . o within 4 * 2^-24 (|dist| + |n| . |o|), and t, of a plane of an axis,
 * within 3 * 2^-24 (|dist| + |o|) / |d|, to first order. Both children of a plane get the same t,
 * so an error moves the border between two intervals and leaves no gap between them. */

#define LANES_(name) SIMD_PASTE(LANES, name)

/* Intervals of rays inside the space of a node or leaf, and the node whose plane they crossed last
 * (-1: none). */
struct WIDE(span) {
    struct LANES from, to, node;
};

/* A child that rays have still to visit. */
struct WIDE(stack_entry) {
    struct WIDE(span) span;
    uint32_t rays;
    int child;
};

struct WIDE(walk) {
    const struct solid_tree_node *nodes;
    struct LANES origin[3], direction[3];
    struct LANES start[3];              /* the origin, or the next float along the direction */
    struct LANES inverse[3], offset[3]; /* reciprocal of the direction; the origin times that */
    int count;
    struct WIDE(stack_entry) stack[SOLID_TREE_DEPTH];
};

/* Returns the distance to the node's plane, above 0 for rays that cross it, and the rays that start
 * behind it. Rays that start on the plane start on the side that they go to. */
static inline struct LANES WIDE(meet_plane)(const struct WIDE(walk) * walk,
                                            const struct solid_tree_node *node, uint32_t *behind)
{
    struct LANES dist = LANES_(all)(node->dist);
    int axis = node->axis;
    if (axis < 3) {
        *behind = LANES_(less_bits)(walk->start[axis], dist);
        return LANES_(sub)(LANES_(mul)(dist, walk->inverse[axis]), walk->offset[axis]);
    }
    struct LANES zero = LANES_(all)(0), slope = zero, under = dist;
    for (int k = 0; k < 3; k++) {
        struct LANES normal = LANES_(all)(node->normal[k]);
        slope = LANES_(add)(slope, LANES_(mul)(normal, walk->direction[k]));
        under = LANES_(sub)(under, LANES_(mul)(normal, walk->origin[k]));
    }
    *behind = LANES_(less_bits)(zero, under) |
              (LANES_(equal_bits)(under, zero) & LANES_(less_bits)(slope, zero));
    return LANES_(div)(under, slope);
}

/* Descends from a node to a leaf; other children on the way are pushed on the stack. */
static inline int WIDE(descend)(struct WIDE(walk) * walk, int child, uint32_t *rays_here,
                                struct WIDE(span) * span_here)
{
    struct WIDE(span) span = *span_here;
    uint32_t rays = *rays_here;
    while (child >= 0) {
        const struct solid_tree_node *node = &walk->nodes[child];
        uint32_t behind;
        struct LANES crossing = WIDE(meet_plane)(walk, node, &behind);
        uint32_t ahead = LANES_(less_bits)(LANES_(all)(0), crossing);
        uint32_t near_side = ~ahead | LANES_(less_bits)(span.from, crossing);
        uint32_t far_side = ahead & LANES_(less_bits)(crossing, span.to);
        uint32_t in_front = rays & ((~behind & near_side) | (behind & far_side));
        uint32_t in_back = rays & ((behind & near_side) | (~behind & far_side));
        if (!in_front || !in_back) { /* no ray crosses the plane here */
            child = node->children[in_back ? 1 : 0];
            rays = in_front | in_back;
            continue;
        }
        crossing = LANES_(select_bits)(ahead, crossing, LANES_(all)(INFINITY));
        bool back_first = 2 * __builtin_popcount(behind & rays) > __builtin_popcount(rays);
        uint32_t away = rays & (back_first ? ~behind : behind);
        struct LANES passed = LANES_(select_bits)(LANES_(less_bits)(span.from, crossing),
                                                  LANES_(all)((float)child), span.node);
        struct WIDE(span) near_span = {span.from, LANES_(min)(span.to, crossing), span.node};
        struct WIDE(span) far_span = {LANES_(max)(span.from, crossing), span.to, passed};
        struct WIDE(span) next = far_span;
        span = near_span;
        if (away) { /* these rays start on the other side */
            next.from = LANES_(select_bits)(away, near_span.from, far_span.from);
            next.to = LANES_(select_bits)(away, near_span.to, far_span.to);
            next.node = LANES_(select_bits)(away, near_span.node, far_span.node);
            span.from = LANES_(select_bits)(away, far_span.from, near_span.from);
            span.to = LANES_(select_bits)(away, far_span.to, near_span.to);
            span.node = LANES_(select_bits)(away, far_span.node, near_span.node);
        }
        int far_child = node->children[!back_first];
        if (far_child != SOLID_TREE_OPEN)
            walk->stack[walk->count++] =
                (struct WIDE(stack_entry)){next, back_first ? in_front : in_back, far_child};
        rays = back_first ? in_back : in_front;
        child = node->children[back_first];
    }
    *span_here = span;
    *rays_here = rays;
    return child;
}

/* Returns a float slightly after the origin in the direction of the ray. */
static inline struct LANES WIDE(next_float_along)(struct LANES origin, struct LANES direction)
{
    const struct LANES zero = LANES_(all)(0), less = LANES_(all)(1 - 0x1p-22F),
                       more = LANES_(all)(1 + 0x1p-22F), min = LANES_(all)(0x1p-100F);
    uint32_t down = LANES_(less_bits)(direction, zero), below = LANES_(less_bits)(origin, zero);
    struct LANES step = LANES_(select_bits)(down, LANES_(sub)(zero, min), min);
    struct LANES scaled = LANES_(mul)(origin, LANES_(select_bits)(down ^ below, less, more));
    return LANES_(add)(scaled, step);
}

/* Returns the rays that pass through the box of a loose leaf. A side that a ray runs along does not
 * limit it. */
static inline uint32_t WIDE(rays_in_box)(const struct WIDE(walk) * walk,
                                         const struct solid_tree *tree, int child,
                                         const struct WIDE(span) * span, uint32_t rays)
{
    const struct solid_tree_box *box = &tree->boxes[SOLID_TREE_LOOSE - child];
    struct LANES from = span->from, to = span->to;
    for (int k = 0; k < 3; k++) {
        struct LANES low =
            LANES_(mul)(LANES_(sub)(LANES_(all)(box->mins[k]), walk->origin[k]), walk->inverse[k]);
        struct LANES high =
            LANES_(mul)(LANES_(sub)(LANES_(all)(box->maxs[k]), walk->origin[k]), walk->inverse[k]);
        from = LANES_(max)(LANES_(min)(low, high), from);
        to = LANES_(min)(LANES_(max)(low, high), to);
    }
    return rays & LANES_(less_bits)(from, to);
}

static inline struct WIDE(stack_entry)
    WIDE(start)(struct WIDE(walk) * walk, const struct solid_tree *tree,
                const struct trace_packet *packet, uint32_t valid)
{
    struct WIDE(stack_entry)
        all = {{LOAD(packet, near), LOAD(packet, far), LANES_(all)(-1)}, valid, tree->root};
    walk->nodes = tree->nodes;
    walk->count = 0;
    for (int k = 0; k < 3; k++) {
        struct LANES origin = LOAD(packet, origin[k]);
        struct LANES direction = LOAD(packet, direction[k]);
        walk->origin[k] = origin;
        walk->direction[k] = direction;
        walk->start[k] = WIDE(next_float_along)(origin, direction);
        walk->inverse[k] = LANES_(div)(LANES_(all)(1), direction);
        walk->offset[k] = LANES_(mul)(origin, walk->inverse[k]);
    }
    all.rays &= LANES_(less_bits)(all.span.from, all.span.to);
    return all;
}

static inline struct solid_lanes WIDE(closest)(const struct solid_tree *tree,
                                               const struct trace_packet *packet, uint32_t valid,
                                               struct solid_hits *out)
{
    struct WIDE(walk) walk;
    struct solid_lanes lanes = {0, 0, 0, 0};
    struct WIDE(stack_entry) now = WIDE(start)(&walk, tree, packet, valid);
    struct WIDE(span) span = now.span;
    struct LANES nearest = span.to, node = span.node;
    uint32_t rays = now.rays;
    int child = now.child;
    for (;;) {
        child = WIDE(descend)(&walk, child, &rays, &span);
        if (child <= SOLID_TREE_LOOSE) {
            lanes.loose |= WIDE(rays_in_box)(&walk, tree, child, &span, rays);
        } else if (child != SOLID_TREE_OPEN) {
            uint32_t nearer = rays & LANES_(less_bits)(span.from, nearest);
            nearest = LANES_(select_bits)(nearer, span.from, nearest);
            node = LANES_(select_bits)(nearer, span.node, node);
            lanes.met |= nearer;
            lanes.sky = child == SOLID_TREE_SKY ? lanes.sky | nearer : lanes.sky & ~nearer;
        }
        for (rays = 0; !rays && walk.count > 0;) {
            const struct WIDE(stack_entry) *next = &walk.stack[--walk.count];
            span = next->span;
            child = next->child;
            rays = next->rays & LANES_(less_bits)(span.from, nearest);
        }
        if (!rays)
            break;
    }
    STORE(out, distance, nearest);
    STORE(out, node, node);
    lanes.unsure = lanes.met & LANES_(less_bits)(node, LANES_(all)(0));
    lanes.met &= ~lanes.unsure;
    lanes.sky &= lanes.met;
    return lanes;
}

#undef LANES_
