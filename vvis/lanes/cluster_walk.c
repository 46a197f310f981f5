/* Walks of whole clusters, narrowed by what is known of clusters only. */
#include "vvis/lanes/walk_step.h"
#include "vvis/shaft.h"

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

/* Of the clusters from number `at` on, those of `left` that are not behind the plane. */
static inline lane_bits ahead_of(const struct box_lanes *boxes, size_t at, const double plane[4],
                                 lane_bits left)
{
    struct lanes x = lanes_all(plane[0]), y = lanes_all(plane[1]), z = lanes_all(plane[2]);
    struct lanes distance =
        lanes_sub(lanes_dot(x, y, z, lanes_load(&boxes->center[0][at]),
                            lanes_load(&boxes->center[1][at]), lanes_load(&boxes->center[2][at])),
                  lanes_all(plane[3]));
    struct lanes reach =
        lanes_dot(lanes_abs(x), lanes_abs(y), lanes_abs(z), lanes_load(&boxes->half[0][at]),
                  lanes_load(&boxes->half[1][at]), lanes_load(&boxes->half[2][at]));
    return left & ~mask_bits(lanes_less(lanes_add(distance, reach), lanes_all(0)));
}

/* Those that box_behind would not reject. */
static lane_bits eight_ahead(const struct flow *flow, const struct frame *frame, size_t at,
                             lane_bits left)
{
    const struct box_lanes *boxes = &flow->portals->reach_lanes;
    const struct separators *separators = &frame->separators;
    const struct plane *planes = flow->portals->planes;
    const struct plane *ends[2] = {&planes[flow->frames[0]->portal], &planes[frame->portal]};
    for (int i = 0; i < 2 && left; i++) {
        const double plane[4] = {ends[i]->normal.x, ends[i]->normal.y, ends[i]->normal.z,
                                 ends[i]->dist};
        left = ahead_of(boxes, at, plane, left);
    }
    for (int i = 0; i < separators->count && left; i++) {
        const double plane[4] = {separators->x[i], separators->y[i], separators->z[i],
                                 separators->dist[i]};
        left = ahead_of(boxes, at, plane, left);
    }
    return left;
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

/* A way into the cluster that a line through the frame may take, or -1. */
static int way_into(const struct flow *flow, const struct frame *frame, size_t cluster)
{
    const struct portals *portals = flow->portals;
    for (int i = portals->first[cluster]; i < portals->first[cluster + 1]; i++)
        if (may_pass(flow, frame, portals->leaving[i] ^ 1))
            return portals->leaving[i] ^ 1;
    return -1;
}

/* Looks for a cluster that the frame may lead to and that is not seen. What is found to lie beside
 * all lines through the frame is taken out on the way. */
static bool find_witness(struct flow *flow, struct frame *frame, const uint64_t *seen)
{
    struct might *might = &frame->might;
    for (size_t k = might->low; k < might->high; k++) {
        if (!(might->bits[k] & ~seen[k]))
            continue;
        if (box_behind(flow, frame, &flow->portals->word_boxes[k])) {
            might->bits[k] = 0;
            continue;
        }
        for (unsigned shift = 0; shift < 64; shift += LANES) {
            lane_bits fresh = (lane_bits)((might->bits[k] & ~seen[k]) >> shift & 0xff);
            if (!fresh)
                continue;
            lane_bits left = (lane_bits)(might->bits[k] >> shift & 0xff);
            lane_bits ahead = eight_ahead(flow, frame, 64 * k + shift, left);
            might->bits[k] &= ~((uint64_t)(left & ~ahead) << shift);
            for (lane_bits more = fresh & ahead; more; more &= more - 1) {
                size_t cluster = 64 * k + shift + (size_t)__builtin_ctz(more);
                frame->witness = way_into(flow, frame, cluster);
                if (frame->witness >= 0)
                    return true;
                bit_clear(might->bits, cluster);
            }
        }
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

/* As next_portal, by the clusters that ways lead into. */
static inline int next_way(struct flow *flow, int *depth)
{
    const struct portals *portals = flow->portals;
    const struct box *first = &portals->boxes[flow->frames[0]->portal / 2];
    while (*depth >= 0) {
        struct frame *frame = flow->frames[*depth];
        if (frame->at == frame->end) {
            --*depth;
            continue;
        }
        int q = portals->leaving[frame->at++];
        if (might_have(&frame->might, (size_t)portals->to[q]) &&
            side_of(first, &portals->planes[q ^ 1]) >= 0)
            return q;
    }
    return -1;
}

/* Goes on from frame 0 as long as that may lead to a cluster that is not seen. */
static bool walk_on(struct flow *flow, int64_t most, uint64_t *seen)
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
        if (flow->counts.chains >= most)
            return false;
        next->witness = frame->witness;
        if (fresh && leads_to_more(flow, next, seen))
            depth++;
    }
    return true;
}

bool ISA(flow_cluster)(struct flow *flow, int a, int64_t most, uint64_t *seen)
{
    const struct portals *portals = flow->portals;
    size_t words = flow->open->words;
    int64_t end = flow->counts.chains + most;
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
    count_worst(flow, end - most);
    return whole;
}

/* Puts portal p, cut by the shaft, on the bottom of the walk. */
static bool begin_way(struct flow *flow, const struct might *both, int b, int p)
{
    const struct portals *portals = flow->portals;
    size_t cluster = (size_t)portals->to[p];
    uint32_t cutting;
    if (!might_have(both, cluster) ||
        separators_behind(&flow->shaft, &portals->boxes[p / 2], &cutting))
        return false;
    struct frame *frame = frame_at(flow, 0);
    struct window *const buffers[2] = {&frame->source_cut, &frame->pass_cut};
    frame->source = frame->pass =
        separators_clip(&flow->shaft, cutting, &portals->windows[p], buffers, &flow->counts.clips);
    if (!frame->source)
        return false;
    narrow(both, bit_row(flow->open, cluster), both->bits, &frame->might);
    begin(frame, portals, p);
    return might_have(&frame->might, (size_t)b);
}

static enum flow_result walk_to(struct flow *flow, int b, int64_t most,
                                struct flow_arrival *arrival)
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
        if (flow->counts.chains >= most)
            return FLOW_OPEN;
        const uint64_t *open = bit_row(flow->open, (size_t)portals->to[q]);
        narrow(&frame->might, open, open, &next->might);
        separate(flow, next);
        if (way_into(flow, next, (size_t)b) >= 0)
            depth++;
    }
    return FLOW_REFUTED;
}

enum flow_result ISA(flow_clusters)(struct flow *flow, int a, int b, int64_t most,
                                    struct flow_arrival *arrival)
{
    const struct portals *portals = flow->portals;
    int64_t before = flow->counts.chains;
    enum flow_result result = FLOW_REFUTED;
    const struct might from = {0, flow->open->words, bit_row(flow->open, (size_t)a)};
    shaft_build(&portals->reaches[a], &portals->reaches[b], &flow->shaft);
    flow->target = -1;
    narrow(&from, bit_row(flow->open, (size_t)b), from.bits, &flow->toward);
    for (int i = portals->first[a]; i < portals->first[a + 1] && result == FLOW_REFUTED; i++)
        if (begin_way(flow, &flow->toward, b, portals->leaving[i]))
            result = walk_to(flow, b, before + most, arrival);
    count_worst(flow, before);
    return result;
}
