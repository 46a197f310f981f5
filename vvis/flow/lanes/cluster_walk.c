/* Walks of whole clusters, narrowed by what is known of clusters only. */
#include "vvis/flow/lanes/walk_step.h"

/* Whether the box has nothing in front of the frame's separators, or of the first or last portal.
 */
static bool box_behind(const struct flow *flow, const struct frame *frame, const struct box *box)
{
    const struct plane *planes = flow->portals->planes;
    uint32_t cutting;
    return side_of(box, &planes[flow->frames[0]->portal]) < 0 ||
           side_of(box, &planes[frame->portal]) < 0 ||
           separators_behind(&frame->separators, box, &cutting);
}

/* The planes of a frame that all lines through it go on in front of: those of its first and its
 * last portal, and its separators. */
struct beam {
    const struct plane *ends[2];
    const struct separators *separators;
    int count;      /* of these; none of the first frame */
    uint64_t up[3]; /* by axis, from bit 3 on, a bit a separator: its normal looks up there */
};

static inline struct beam beam_of(const struct flow *flow, const struct frame *frame)
{
    const struct plane *planes = flow->portals->planes;
    const struct separators *separators = &frame->separators;
    struct beam beam = {{&planes[flow->frames[0]->portal], &planes[frame->portal]},
                        separators,
                        frame->separated ? separators->count : 0,
                        {0}};
    for (int i = 0; i < beam.count; i += DOUBLES) {
        const double *axes[3] = {&separators->x[i], &separators->y[i], &separators->z[i]};
        for (int axis = 0; axis < 3; axis++)
            beam.up[axis] |=
                (uint64_t)doubles_bits(doubles_less(doubles_all(0), doubles_load(axes[axis])))
                << (3 + i);
    }
    return beam;
}

/* Whether boxes of a group are behind a plane: their corners that lie farthest to its front, which
 * are those of the upper end where the normal looks up. `up`: 8 there, else 0. */
static inline struct doubles_mask behind(const double *group, const uint64_t up[3], double x,
                                         double y, double z, double dist)
{
    struct doubles farthest = doubles_dot(
        doubles_all(x), doubles_all(y), doubles_all(z), doubles_load(group + up[0]),
        doubles_load(group + 2 * DOUBLES + up[1]), doubles_load(group + 4 * DOUBLES + up[2]));
    return doubles_less(farthest, doubles_all(dist));
}

/* Of the boxes from number `at` on, those that are not behind any plane of the beam. All planes are
 * tried: when to stop is harder to foretell than they are to do. */
static inline lane_bits beam_meets(const struct beam *beam, const struct box_lanes *boxes,
                                   size_t at)
{
    const double *group = &boxes->groups[at / DOUBLES * BOX_GROUP];
    const struct separators *planes = beam->separators;
    struct doubles_mask gone = doubles_none();
    for (int i = 0; i < 2; i++) {
        const struct plane *plane = beam->ends[i];
        struct vec3 n = plane->normal;
        const uint64_t up[3] = {DOUBLES * (n.x > 0), DOUBLES * (n.y > 0), DOUBLES * (n.z > 0)};
        gone = doubles_or(gone, behind(group, up, n.x, n.y, n.z, plane->dist + VIS_EPSILON));
    }
    for (int i = 0; i < beam->count; i++) {
        const uint64_t up[3] = {beam->up[0] >> i & DOUBLES, beam->up[1] >> i & DOUBLES,
                                beam->up[2] >> i & DOUBLES};
        gone = doubles_or(
            gone, behind(group, up, planes->x[i], planes->y[i], planes->z[i], planes->dist[i]));
    }
    return ~doubles_bits(gone) & 0xff;
}

/* Of the planes from number `at` on, those that have some of the box in front; or behind. */
static inline lane_bits facing(const struct plane_lanes *planes, int at, const struct box *box,
                               bool before)
{
    struct doubles x = doubles_load(&planes->x[at]), y = doubles_load(&planes->y[at]),
                   z = doubles_load(&planes->z[at]);
    struct doubles distance =
        doubles_sub(doubles_dot(x, y, z, doubles_all(box->center.x), doubles_all(box->center.y),
                                doubles_all(box->center.z)),
                    doubles_load(&planes->dist[at]));
    struct doubles reach =
        doubles_dot(doubles_abs(x), doubles_abs(y), doubles_abs(z), doubles_all(box->half.x),
                    doubles_all(box->half.y), doubles_all(box->half.z));
    struct doubles max = before ? doubles_add(reach, distance) : doubles_sub(reach, distance);
    return doubles_bits(doubles_less(doubles_all(VIS_EPSILON), max));
}

/* Whether a line through the frame may go on through way q. */
static inline bool may_pass(const struct flow *flow, const struct frame *frame, int q)
{
    const struct portals *portals = flow->portals;
    const struct plane *back = &portals->planes[q ^ 1];
    return side_of(&portals->boxes[flow->frames[0]->portal / 2], back) >= 0 &&
           side_of(&portals->boxes[frame->portal / 2], back) >= 0 &&
           !box_behind(flow, frame, &portals->boxes[q / 2]);
}

/* A way into the cluster that a line through the frame may take, or -1: one that may_pass, which
 * is tried of eight at once. */
static inline int way_into(const struct flow *flow, const struct frame *frame,
                           const struct beam *beam, size_t cluster)
{
    const struct portals *portals = flow->portals;
    const struct plane_lanes *ways = &portals->ways_out;
    const int *leaving = &portals->leaving[portals->first[cluster]];
    for (int at = ways->first[cluster]; at < ways->first[cluster + 1];
         at += DOUBLES, leaving += DOUBLES) {
        lane_bits left = facing(ways, at, &portals->boxes[flow->frames[0]->portal / 2], true) &
                         facing(ways, at, &portals->boxes[frame->portal / 2], true) &
                         beam_meets(beam, &portals->way_boxes, (size_t)at);
        if (left)
            return leaving[__builtin_ctz(left)] ^ 1;
    }
    return -1;
}

/* Which bytes of a word are not 0. */
static inline lane_bits bytes_used(uint64_t word)
{
    word |= word >> 4;
    word |= word >> 2;
    word |= word >> 1;
    return (lane_bits)((word & 0x0101010101010101) * 0x0102040810204080 >> 56);
}

/* Of the eight clusters from bit `shift` of word k on: see find_witness. */
static inline bool find_in_eight(struct flow *flow, struct frame *frame, const struct beam *beam,
                                 const uint64_t *seen, size_t k, unsigned shift)
{
    uint64_t *word = &frame->might.bits[k];
    lane_bits ahead = beam_meets(beam, &flow->portals->reach_lanes, 64 * k + shift);
    *word &= ~((uint64_t)(~ahead & 0xff) << shift);
    ahead &= (lane_bits)(*word >> shift);
    for (lane_bits more = ahead & ~(lane_bits)(seen[k] >> shift); more; more &= more - 1) {
        size_t cluster = 64 * k + shift + (size_t)__builtin_ctz(more);
        frame->witness = way_into(flow, frame, beam, cluster);
        if (frame->witness >= 0)
            return true;
        bit_clear(frame->might.bits, cluster);
    }
    return false;
}

static inline bool find_in_word(struct flow *flow, struct frame *frame, const struct beam *beam,
                                const uint64_t *seen, size_t k)
{
    uint64_t *word = &frame->might.bits[k];
    lane_bits fresh = bytes_used(*word & ~seen[k]);
    lane_bits ahead = fresh & beam_meets(beam, &flow->portals->eight_boxes, 8 * k);
    for (lane_bits gone = fresh & ~ahead; gone; gone &= gone - 1)
        *word &= ~((uint64_t)0xff << 8 * __builtin_ctz(gone));
    for (; ahead; ahead &= ahead - 1)
        if (find_in_eight(flow, frame, beam, seen, k, 8 * (unsigned)__builtin_ctz(ahead)))
            return true;
    return false;
}

/* Looks for a cluster that the frame may lead to and that is not seen: in boxes around 64, around
 * 8, then one by one. What is found to lie beside all lines through the frame is taken out on the
 * way. */
static bool find_witness(struct flow *flow, struct frame *frame, const uint64_t *seen)
{
    struct might *might = &frame->might;
    const struct beam beam = beam_of(flow, frame);
    for (size_t k = might->low; k < might->high; k += WORDS) {
        lane_bits fresh = words_beyond(words_load(&might->bits[k]), words_load(&seen[k]));
        if (!fresh)
            continue;
        lane_bits ahead = fresh & beam_meets(&beam, &flow->portals->word_boxes, k);
        for (lane_bits gone = fresh & ~ahead; gone; gone &= gone - 1)
            might->bits[k + (size_t)__builtin_ctz(gone)] = 0;
        for (; ahead; ahead &= ahead - 1)
            if (find_in_word(flow, frame, &beam, seen, k + (size_t)__builtin_ctz(ahead)))
                return true;
    }
    return false;
}

/* Whether what may be seen through the frame has more than what is seen already. */
static bool leads_to_more(struct flow *flow, struct frame *frame, const uint64_t *seen)
{
    if (!frame->separated)
        separate(flow, frame);
    if (frame->witness >= 0) {
        size_t cluster = (size_t)flow->portals->to[frame->witness];
        if (might_have(&frame->might, cluster) && !bit_get(seen, cluster) &&
            may_pass(flow, frame, frame->witness))
            return true;
    }
    return find_witness(flow, frame, seen);
}

/* Of the next eight ways out of the frame's cluster those that a line through it may take. */
static inline unsigned next_eight(const struct flow *flow, struct frame *frame)
{
    const struct portals *portals = flow->portals;
    int cluster = portals->to[frame->portal];
    int at = portals->ways_out.first[cluster] + frame->at - portals->first[cluster];
    const struct box *first = &portals->boxes[flow->frames[0]->portal / 2];
    const struct beam beam = beam_of(flow, frame);
    lane_bits ways = facing(&portals->ways_out, at, first, false) &
                     beam_meets(&beam, &portals->way_boxes, (size_t)at);
    for (lane_bits left = ways; left; left &= left - 1)
        prefetch_portal(flow, portals->leaving[frame->at + __builtin_ctz(left)]);
    frame->at += DOUBLES;
    return ways;
}

/* As next_portal, by the clusters that ways lead into. */
static inline int next_way(struct flow *flow, int *depth)
{
    const struct portals *portals = flow->portals;
    while (*depth >= 0) {
        struct frame *frame = flow->frames[*depth];
        while (frame->ways) {
            int q = portals->leaving[frame->at - DOUBLES + __builtin_ctz(frame->ways)];
            frame->ways &= frame->ways - 1;
            if (might_have(&frame->might, (size_t)portals->to[q]))
                return q;
        }
        if (frame->at < frame->end)
            frame->ways = next_eight(flow, frame);
        else
            --*depth;
    }
    return -1;
}

/* Goes on from frame 0 as long as that may lead to a cluster that is not seen. */
static bool walk_on(struct flow *flow, int64_t max, uint64_t *seen)
{
    const struct portals *portals = flow->portals;
    int depth = 0;
    for (int q; (q = next_way(flow, &depth)) >= 0;) {
        struct frame *frame = flow->frames[depth];
        struct frame *next = frame_at(flow, depth + 1);
        size_t cluster = (size_t)portals->to[q];
        bool fresh = narrow(&frame->might, bit_row(flow->open, cluster), seen, &next->might);
        bool arrives = !bit_get(seen, cluster);
        if ((!fresh && !arrives) || !step(flow, frame, depth, q, next))
            continue;
        if (arrives) {
            bit_set(seen, cluster);
            fill_arrival(flow, depth + 1, flow_arrive(flow));
        }
        if (flow->counts.chains >= max)
            return false;
        next->witness = frame->witness;
        if (fresh && leads_to_more(flow, next, seen))
            depth++;
    }
    return true;
}

flow_cluster_function ISA(flow_cluster);
bool ISA(flow_cluster)(struct flow *flow, int a, int64_t max, uint64_t *seen)
{
    const struct portals *portals = flow->portals;
    size_t words = flow->open->words;
    int64_t end = flow->counts.chains + max;
    const struct might all = {0, words, bit_row(flow->open, (size_t)a)};
    flow->shaft.count = 0;
    flow->target = -1;
    bool whole = true;
    for (int i = portals->first[a]; i < portals->first[a + 1] && whole; i++) {
        int p = portals->leaving[i];
        struct frame *frame = frame_at(flow, 0);
        frame->source = frame->pass = &portals->windows[p];
        frame->witness = -1;
        if (!narrow(&all, bit_row(flow->open, (size_t)portals->to[p]), seen, &frame->might))
            continue;
        begin(frame, portals, p);
        whole = walk_on(flow, end, seen);
    }
    count_worst(flow, end - max);
    return whole;
}

static bool begin_way(struct flow *flow, int b, int p)
{
    const struct might *both = &flow->toward;
    size_t cluster = (size_t)flow->portals->to[p];
    struct frame *frame = might_have(both, cluster) ? begin_in_shaft(flow, p) : NULL;
    if (!frame)
        return false;
    narrow(both, bit_row(flow->open, cluster), both->bits, &frame->might);
    return might_have(&frame->might, (size_t)b);
}

static enum flow_result walk_to(struct flow *flow, int b, int64_t max, struct flow_arrival *arrival)
{
    const struct portals *portals = flow->portals;
    int depth = 0;
    for (int q; (q = next_way(flow, &depth)) >= 0;) {
        struct frame *frame = flow->frames[depth];
        struct frame *next = frame_at(flow, depth + 1);
        if (!step(flow, frame, depth, q, next))
            continue;
        if (portals->to[q] == b) {
            fill_arrival(flow, depth + 1, arrival);
            return FLOW_ARRIVED;
        }
        if (flow->counts.chains >= max)
            return FLOW_OPEN;
        const uint64_t *open = bit_row(flow->open, (size_t)portals->to[q]);
        narrow(&frame->might, open, open, &next->might);
        separate(flow, next);
        const struct beam beam = beam_of(flow, next);
        if (way_into(flow, next, &beam, (size_t)b) >= 0)
            depth++;
    }
    return FLOW_REFUTED;
}

flow_pair_function ISA(flow_clusters);
enum flow_result ISA(flow_clusters)(struct flow *flow, int a, int b, int64_t max,
                                    struct flow_arrival *arrival)
{
    const struct might from = {0, flow->open->words, bit_row(flow->open, (size_t)a)};
    flow->target = -1;
    narrow(&from, bit_row(flow->open, (size_t)b), from.bits, &flow->toward);
    return walk_from_each(flow, a, b, max, begin_way, walk_to, arrival);
}
