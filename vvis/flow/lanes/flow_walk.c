/* Walks through portals, narrowed by what each of them may see. */
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
    memcpy(frame->might.bits, row, flow->rows->words * sizeof *row);
    frame->might.low = 0;
    frame->might.high = flow->rows->words;
    begin(frame, portals, p);
    int depth = 0, q;
    while (flow->counts.chains - before < max && (q = next_portal(flow, &depth)) >= 0) {
        frame = flow->frames[depth];
        struct frame *next = frame_at(flow, depth + 1);
        const uint64_t *onward = bit_row(flow->rows, (size_t)q);
        bool fresh = narrow(&frame->might, onward, seen, &next->might);
        if (!fresh && bit_get(seen, (size_t)q))
            continue;
        if (!step(flow, frame, depth, q, next))
            continue;
        bit_set(seen, (size_t)q);
        depth++;
    }
    if (depth >= 0)
        memcpy(seen, row, flow->rows->words * sizeof *row);
    count_worst(flow, before);
}

/* Whether a line that came so far may still enter the target after portal q. Portal q sees an
 * entry just when the entry's way back sees the way back of q; asked so, only a few rows are
 * read. */
static bool leads_on(const struct flow *flow, const struct might *might, int q)
{
    const struct portals *portals = flow->portals;
    for (int i = portals->first[flow->target]; i < portals->first[flow->target + 1]; i++) {
        size_t back = (size_t)portals->leaving[i];
        if (might_have(might, back ^ 1) && bit_get(bit_row(flow->rows, back), (size_t)q ^ 1))
            return true;
    }
    return false;
}

/* flow->toward: the portals into cluster b, and those that may see one of them. */
static void aim(struct flow *flow, int b)
{
    const struct portals *portals = flow->portals;
    struct might *toward = &flow->toward;
    size_t words = flow->rows->words;
    flow->target = b;
    memset(toward->bits, 0, words * sizeof *toward->bits);
    for (int i = portals->first[b]; i < portals->first[b + 1]; i++) {
        size_t back = (size_t)portals->leaving[i];
        const uint64_t *row = bit_row(flow->rows, back);
        for (size_t k = 0; k < words; k++)
            toward->bits[k] |= row[k];
        bit_set(toward->bits, back);
    }
    toward->low = words;
    toward->high = 0;
    for (size_t k = 0; k < words; k++) {
        toward->bits[k] = bits_swap_pairs(toward->bits[k]);
        if (toward->bits[k]) {
            toward->low = toward->low < k ? toward->low : k / WORDS * WORDS;
            toward->high = k / WORDS * WORDS + WORDS;
        }
    }
}

static bool begin_way(struct flow *flow, int b, int p)
{
    (void)b;
    if (!leads_on(flow, &flow->toward, p))
        return false;
    struct frame *frame = begin_in_shaft(flow, p);
    if (!frame)
        return false;
    const uint64_t *row = bit_row(flow->rows, (size_t)p);
    narrow(&flow->toward, row, flow->toward.bits, &frame->might);
    return true;
}

static enum flow_result walk_to(struct flow *flow, int b, int64_t max, struct flow_arrival *arrival)
{
    const struct portals *portals = flow->portals;
    int depth = 0;
    for (int q; (q = next_portal(flow, &depth)) >= 0;) {
        struct frame *frame = flow->frames[depth];
        bool arrives = portals->to[q] == b;
        if (!arrives && !leads_on(flow, &frame->might, q))
            continue;
        prefetch_portal(flow, q);
        prefetch_row(&frame->might, bit_row(flow->rows, (size_t)q));
        struct frame *next = frame_at(flow, depth + 1);
        if (!step(flow, frame, depth, q, next))
            continue;
        if (arrives) {
            fill_arrival(flow, depth + 1, arrival);
            return FLOW_ARRIVED;
        }
        if (flow->counts.chains >= max)
            return FLOW_OPEN;
        const uint64_t *row = bit_row(flow->rows, (size_t)q);
        narrow(&frame->might, row, flow->toward.bits, &next->might);
        depth++;
    }
    return FLOW_REFUTED;
}

static enum flow_result ISA(flow_pair)(struct flow *flow, int a, int b, int64_t max,
                                       struct flow_arrival *arrival)
{
    aim(flow, b);
    return walk_from_each(flow, a, b, max, begin_way, walk_to, arrival);
}

line_walk_function ISA(line_walk);
stab_guess_function ISA(stab_guess);
flow_cluster_function ISA(flow_cluster);
flow_pair_function ISA(flow_clusters);
extern const struct flow_kernels ISA(flow_kernels);
const struct flow_kernels ISA(flow_kernels) = {
    .line_walk = ISA(line_walk),
    .stab_guess = ISA(stab_guess),
    .flow_portal = ISA(flow_portal),
    .flow_cluster = ISA(flow_cluster),
    .flow_pair = ISA(flow_pair),
    .flow_clusters = ISA(flow_clusters),
    .window_clip = window_clip,
    .separators_build = separators_build,
    .separators_behind = separators_behind,
};
