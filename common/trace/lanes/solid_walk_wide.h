/* The walk of rays through a tree of solids, so many at a time as LANES has. Included once for each
 * width, with these set:
 *
 *   LANES                        a struct of floats, with its operations LANES_less ...
 *   WIDE(name)                   the name of what each width has its own of
 *   LOAD(packet, member)         a member of the packet, or packets
 *   STORE(out, member, lanes)    to a member of the hits
 *
 * Each ray has an interval that lies in the place of a node. A plane cuts it in two; the walk goes
 * into the half where most rays start and keeps the other for later. Rays that disagree about what
 * comes first cost time, not truth: a ray goes on until nothing that is left begins before the
 * nearest solid that it has met. */

#define LANES_(name) SIMD_PASTE(LANES, name)

/* What rays do in a place: their intervals in it, and the node whose plane they crossed last (-1:
 * none). */
struct WIDE(part) {
    struct LANES from, to, node;
};

/* A place that rays have still to walk through. */
struct WIDE(pending) {
    struct WIDE(part) part;
    uint32_t rays;
    int place;
};

struct WIDE(walk) {
    const struct solid_tree_node *nodes;
    struct LANES origin[3], direction[3];
    struct LANES start[3];              /* the origin, or the next number the way that rays go */
    struct LANES inverse[3], offset[3]; /* of the direction; the origin times that */
    int count;
    struct WIDE(pending) later[SOLID_TREE_DEPTH];
};

/* Where rays come through a node's plane, more than 0 for those that do, and who starts behind it.
 * Rays that start on it start on the side that they go to. */
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

/* From a node down to a place without one; what rays have to walk through besides is kept. */
static inline int WIDE(descend)(struct WIDE(walk) * walk, int place, uint32_t *rays_here,
                                struct WIDE(part) * part_here)
{
    struct WIDE(part) part = *part_here;
    uint32_t rays = *rays_here;
    while (place >= 0) {
        const struct solid_tree_node *node = &walk->nodes[place];
        uint32_t behind;
        struct LANES crossing = WIDE(meet_plane)(walk, node, &behind);
        uint32_t ahead = LANES_(less_bits)(LANES_(all)(0), crossing);
        uint32_t own = ~ahead | LANES_(less_bits)(part.from, crossing);
        uint32_t other = ahead & LANES_(less_bits)(crossing, part.to);
        uint32_t in_front = rays & ((~behind & own) | (behind & other));
        uint32_t in_back = rays & ((behind & own) | (~behind & other));
        if (!in_front || !in_back) { /* no ray crosses the plane here */
            place = node->children[in_back ? 1 : 0];
            rays = in_front | in_back;
            continue;
        }
        crossing = LANES_(select_bits)(ahead, crossing, LANES_(all)(INFINITY));
        bool back_first = 2 * __builtin_popcount(behind & rays) > __builtin_popcount(rays);
        uint32_t away = rays & (back_first ? ~behind : behind);
        struct LANES passed = LANES_(select_bits)(LANES_(less_bits)(part.from, crossing),
                                                  LANES_(all)((float)place), part.node);
        struct WIDE(part) mine = {part.from, LANES_(min)(part.to, crossing), part.node};
        struct WIDE(part) others = {LANES_(max)(part.from, crossing), part.to, passed};
        struct WIDE(part) next = others;
        part = mine;
        if (away) { /* for these it is the other way round */
            next.from = LANES_(select_bits)(away, mine.from, others.from);
            next.to = LANES_(select_bits)(away, mine.to, others.to);
            next.node = LANES_(select_bits)(away, mine.node, others.node);
            part.from = LANES_(select_bits)(away, others.from, mine.from);
            part.to = LANES_(select_bits)(away, others.to, mine.to);
            part.node = LANES_(select_bits)(away, others.node, mine.node);
        }
        int later = node->children[!back_first];
        if (later != SOLID_TREE_OPEN)
            walk->later[walk->count++] =
                (struct WIDE(pending)){next, back_first ? in_front : in_back, later};
        rays = back_first ? in_back : in_front;
        place = node->children[back_first];
    }
    *part_here = part;
    *rays_here = rays;
    return place;
}

/* The next number but few from the origin the way that the ray goes. */
static inline struct LANES WIDE(step_on)(struct LANES origin, struct LANES direction)
{
    const struct LANES zero = LANES_(all)(0), less = LANES_(all)(1 - 0x1p-22F),
                       more = LANES_(all)(1 + 0x1p-22F), min = LANES_(all)(0x1p-100F);
    uint32_t down = LANES_(less_bits)(direction, zero), below = LANES_(less_bits)(origin, zero);
    struct LANES step = LANES_(select_bits)(down, LANES_(sub)(zero, min), min);
    struct LANES scaled = LANES_(mul)(origin, LANES_(select_bits)(down ^ below, less, more));
    return LANES_(add)(scaled, step);
}

/* Rays whose way through a loose place leads through its box. Where a ray runs along a side, the
 * side has no say. */
static inline uint32_t WIDE(rays_in_box)(const struct WIDE(walk) * walk,
                                         const struct solid_tree *tree, int place,
                                         const struct WIDE(part) * part, uint32_t rays)
{
    const struct solid_tree_box *box = &tree->boxes[SOLID_TREE_LOOSE - place];
    struct LANES from = part->from, to = part->to;
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

static inline struct WIDE(pending)
    WIDE(start)(struct WIDE(walk) * walk, const struct solid_tree *tree,
                const struct trace_packet *packet, uint32_t valid)
{
    struct WIDE(pending)
        all = {{LOAD(packet, near), LOAD(packet, far), LANES_(all)(-1)}, valid, tree->root};
    walk->nodes = tree->nodes;
    walk->count = 0;
    for (int k = 0; k < 3; k++) {
        struct LANES origin = LOAD(packet, origin[k]);
        struct LANES direction = LOAD(packet, direction[k]);
        walk->origin[k] = origin;
        walk->direction[k] = direction;
        walk->start[k] = WIDE(step_on)(origin, direction);
        walk->inverse[k] = LANES_(div)(LANES_(all)(1), direction);
        walk->offset[k] = LANES_(mul)(origin, walk->inverse[k]);
    }
    all.rays &= LANES_(less_bits)(all.part.from, all.part.to);
    return all;
}

static inline struct solid_lanes WIDE(closest)(const struct solid_tree *tree,
                                               const struct trace_packet *packet, uint32_t valid,
                                               struct solid_hits *out)
{
    struct WIDE(walk) walk;
    struct solid_lanes lanes = {0, 0, 0, 0};
    struct WIDE(pending) now = WIDE(start)(&walk, tree, packet, valid);
    struct WIDE(part) part = now.part;
    struct LANES nearest = part.to, node = part.node;
    uint32_t rays = now.rays;
    int place = now.place;
    for (;;) {
        place = WIDE(descend)(&walk, place, &rays, &part);
        if (place <= SOLID_TREE_LOOSE) {
            lanes.loose |= WIDE(rays_in_box)(&walk, tree, place, &part, rays);
        } else if (place != SOLID_TREE_OPEN) {
            uint32_t nearer = rays & LANES_(less_bits)(part.from, nearest);
            nearest = LANES_(select_bits)(nearer, part.from, nearest);
            node = LANES_(select_bits)(nearer, part.node, node);
            lanes.met |= nearer;
            lanes.sky = place == SOLID_TREE_SKY ? lanes.sky | nearer : lanes.sky & ~nearer;
        }
        for (rays = 0; !rays && walk.count > 0;) {
            const struct WIDE(pending) *next = &walk.later[--walk.count];
            part = next->part;
            place = next->place;
            rays = next->rays & LANES_(less_bits)(part.from, nearest);
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
