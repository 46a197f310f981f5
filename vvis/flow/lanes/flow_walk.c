/* Portal flow: walks that use the mightsee of portals. */
#include "vvis/flow/lanes/walk_step.h"

static void ISA(flow_portal)(struct flow *flow, int p, int64_t max, uint64_t *seen)
{
    const struct portals *portals = flow->portals;
    const uint64_t *row = bit_row(flow->rows, (size_t)p);
    int64_t before = flow->counts.chains;
    flow->shaft.count = 0;
    flow->target = -1;
    struct frame *frame = frame_at(flow, 0);
    frame->source = frame->pass = &portals->windows[p];
    memcpy(frame->mightsee.bits, row, flow->rows->words * sizeof *row);
    frame->mightsee.low = 0;
    frame->mightsee.high = flow->rows->words;
    frame_begin(frame, portals, p);
    int depth = 0, q;
    while (flow->counts.chains - before < max && (q = next_portal(flow, &depth)) >= 0) {
        frame = flow->frames[depth];
        struct frame *next = frame_at(flow, depth + 1);
        const uint64_t *onward = bit_row(flow->rows, (size_t)q);
        bool fresh = mightsee_refine(&frame->mightsee, onward, seen, &next->mightsee);
        if (!fresh && bit_get(seen, (size_t)q))
            continue;
        if (!step_through(flow, frame, depth, q, next))
            continue;
        bit_set(seen, (size_t)q);
        depth++;
    }
    if (depth >= 0)
        memcpy(seen, row, flow->rows->words * sizeof *row);
    update_worst(flow, before);
}

/* Returns whether a line so far may still enter the target after portal q. Portal q sees an
 * entry exactly when the entry's reverse sees the reverse of q; testing it that way reads only a
 * few rows. */
static bool may_reach_target(const struct flow *flow, const struct mightsee *mightsee, int q)
{
    const struct portals *portals = flow->portals;
    for (int i = portals->first[flow->target]; i < portals->first[flow->target + 1]; i++) {
        size_t back = (size_t)portals->leaving[i];
        if (mightsee_has(mightsee, back ^ 1) && bit_get(bit_row(flow->rows, back), (size_t)q ^ 1))
            return true;
    }
    return false;
}

/* Sets flow->target_mightsee: the portals into cluster b, and those that may see one of them. */
static void set_target(struct flow *flow, int b)
{
    const struct portals *portals = flow->portals;
    struct mightsee *target_mightsee = &flow->target_mightsee;
    size_t words = flow->rows->words;
    flow->target = b;
    memset(target_mightsee->bits, 0, words * sizeof *target_mightsee->bits);
    for (int i = portals->first[b]; i < portals->first[b + 1]; i++) {
        size_t back = (size_t)portals->leaving[i];
        const uint64_t *row = bit_row(flow->rows, back);
        for (size_t k = 0; k < words; k++)
            target_mightsee->bits[k] |= row[k];
        bit_set(target_mightsee->bits, back);
    }
    target_mightsee->low = words;
    target_mightsee->high = 0;
    for (size_t k = 0; k < words; k++) {
        target_mightsee->bits[k] = bits_swap_pairs(target_mightsee->bits[k]);
        if (target_mightsee->bits[k]) {
            target_mightsee->low =
                target_mightsee->low < k ? target_mightsee->low : k / WORDS * WORDS;
            target_mightsee->high = k / WORDS * WORDS + WORDS;
        }
    }
}

static bool begin_exit(struct flow *flow, int b, int p)
{
    (void)b;
    if (!may_reach_target(flow, &flow->target_mightsee, p))
        return false;
    struct frame *frame = frame_begin_in_shaft(flow, p);
    if (!frame)
        return false;
    const uint64_t *row = bit_row(flow->rows, (size_t)p);
    mightsee_refine(&flow->target_mightsee, row, flow->target_mightsee.bits, &frame->mightsee);
    return true;
}

static enum flow_result walk_to_target(struct flow *flow, int b, int64_t max,
                                       struct flow_arrival *arrival)
{
    const struct portals *portals = flow->portals;
    int depth = 0;
    for (int q; (q = next_portal(flow, &depth)) >= 0;) {
        struct frame *frame = flow->frames[depth];
        bool arrives = portals->to[q] == b;
        if (!arrives && !may_reach_target(flow, &frame->mightsee, q))
            continue;
        prefetch_portal(flow, q);
        prefetch_row(&frame->mightsee, bit_row(flow->rows, (size_t)q));
        struct frame *next = frame_at(flow, depth + 1);
        if (!step_through(flow, frame, depth, q, next))
            continue;
        if (arrives) {
            fill_arrival(flow, depth + 1, arrival);
            return FLOW_ARRIVED;
        }
        if (flow->counts.chains >= max)
            return FLOW_UNDECIDED;
        const uint64_t *row = bit_row(flow->rows, (size_t)q);
        mightsee_refine(&frame->mightsee, row, flow->target_mightsee.bits, &next->mightsee);
        depth++;
    }
    return FLOW_CULLED;
}

static enum flow_result ISA(flow_pair)(struct flow *flow, int a, int b, int64_t max,
                                       struct flow_arrival *arrival)
{
    set_target(flow, b);
    return walk_from_each(flow, a, b, max, begin_exit, walk_to_target, arrival);
}

sightline_walk_function ISA(sightline_walk);
stabbing_line_function ISA(find_stabbing_line);
flow_cluster_function ISA(flow_cluster);
flow_pair_function ISA(flow_clusters);
extern const struct flow_kernels ISA(flow_kernels);
const struct flow_kernels ISA(flow_kernels) = {
    .sightline_walk = ISA(sightline_walk),
    .find_stabbing_line = ISA(find_stabbing_line),
    .flow_portal = ISA(flow_portal),
    .flow_cluster = ISA(flow_cluster),
    .flow_pair = ISA(flow_pair),
    .flow_clusters = ISA(flow_clusters),
    .window_clip = window_clip,
    .separators_build = separators_build,
    .separators_behind = separators_behind,
};
