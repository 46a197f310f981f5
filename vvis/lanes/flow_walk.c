#include <string.h>

#include "vvis/flow_state.h"
#include "vvis/lanes/isa_functions.h"
#include "vvis/lanes/window_lanes.h"
#include "vvis/shaft.h"

enum { BLOCK = 8 }; /* words of a row that go through the lanes together */

static void count_worst(struct flow *flow, int64_t before)
{
    if (flow->counts.chains - before > flow->counts.worst)
        flow->counts.worst = flow->counts.chains - before;
}

static inline struct frame *frame_at(struct flow *flow, int depth)
{
    if (depth == flow->depth)
        flow_deepen(flow);
    return flow->frames[depth];
}

/* What goes on through portal q will be asked for soon. */
static inline void prefetch_portal(const struct flow *flow, int q)
{
    const struct window *window = &flow->portals->windows[q];
    __builtin_prefetch(window->x);
    __builtin_prefetch(window->y);
    __builtin_prefetch(window->z);
    __builtin_prefetch(&window->count);
}

static inline void prefetch_row(const struct might *might, const uint64_t *row)
{
    for (size_t i = might->low; i < might->high; i += BLOCK)
        __builtin_prefetch(&row[i]);
}

/* next = might & row & other. Whether that holds a portal that is not in `known`. */
static inline bool narrow(const struct might *might, const uint64_t *row, const uint64_t *other,
                          const uint64_t *known, struct might *next)
{
    bool fresh = false;
    next->low = next->high = might->low;
    for (size_t i = might->low; i < might->high; i += BLOCK) {
        struct word_lanes words = words_and(words_load(&might->bits[i]), words_load(&row[i]));
        if (other != row)
            words = words_and(words, words_load(&other[i]));
        words_store(&next->bits[i], words);
        fresh = fresh || words_beyond(words, words_load(&known[i]));
        if (words_any(words))
            next->high = i + BLOCK;
        else if (next->high == next->low)
            next->low = next->high = i + BLOCK;
    }
    return fresh;
}

/* Bits outside the range of the set are not kept up to date. */
static bool might_have(const struct might *might, size_t portal)
{
    size_t word = portal / 64;
    return word >= might->low && word < might->high && bit_get(might->bits, portal);
}

/* Drops the entries of the target that lie behind a separator. Whether any is left. */
static bool target_ahead(const struct flow *flow, struct frame *frame)
{
    const struct portals *portals = flow->portals;
    bool ahead = false;
    for (int i = portals->first[flow->target]; i < portals->first[flow->target + 1]; i++) {
        size_t entry = (size_t)portals->leaving[i] ^ 1;
        if (!might_have(&frame->might, entry))
            continue;
        uint32_t cutting;
        if (separators_behind(&frame->separators, &portals->boxes[entry / 2], &cutting))
            bit_clear(frame->might.bits, entry);
        else
            ahead = true;
    }
    return ahead;
}

/* Builds the separators of the frame. False when they leave nothing of the target. */
static bool separate(struct flow *flow, struct frame *frame)
{
    const struct plane *planes = flow->portals->planes;
    separators_build(frame->source, &planes[flow->frames[0]->portal], frame->pass,
                     &planes[frame->portal], &frame->separators);
    frame->separated = true;
    return flow->target < 0 || target_ahead(flow, frame);
}

/* Whether the box is cut by the plane: 0 wholly in front, 1 cut, -1 wholly behind. */
static int side_of(const struct box *box, const struct plane *plane)
{
    double distance = plane_distance(plane, box->center), reach = box_reach(box, plane->normal);
    if (distance + reach < 0)
        return -1;
    return distance - reach < -VIS_EPSILON;
}

/* The part of portal q that lines through the frame can meet; NULL: none. Boxes are tried before
 * windows: they settle most portals. The shaft only rejects: it has cut the first window, and what
 * it would cut off the others is hardly worth the time. */
static const struct window *clip_pass(struct flow *flow, struct frame *frame, int depth, int q,
                                      struct window *const buffers[2])
{
    const struct window *window = &flow->portals->windows[q];
    const struct box *box = &flow->portals->boxes[q / 2];
    const struct plane *first = &flow->portals->planes[flow->frames[0]->portal];
    int side = side_of(box, first);
    uint32_t by_shaft, by_separators = 0;
    if (side < 0 || separators_behind(&flow->shaft, box, &by_shaft))
        return NULL;
    if (depth > 0) {
        if (!frame->separated && !separate(flow, frame)) {
            frame->at = frame->end;
            return NULL;
        }
        if (separators_behind(&frame->separators, box, &by_separators))
            return NULL;
    }
    if (side) {
        flow->counts.clips++;
        enum window_cut cut = window_clip(window, first, buffers[0]);
        if (cut == WINDOW_GONE)
            return NULL;
        if (cut == WINDOW_CUT)
            window = buffers[0];
    }
    int64_t *clips = &flow->counts.clips;
    return separators_clip(&frame->separators, by_separators, window, buffers, clips);
}

static void begin(struct frame *frame, const struct portals *portals, int portal)
{
    int cluster = portals->to[portal];
    frame->portal = portal;
    frame->at = portals->first[cluster];
    frame->end = portals->first[cluster + 1];
    frame->separated = false;
}

/* Goes on through portal q, if a line can. */
static bool step(struct flow *flow, struct frame *frame, int depth, int q, struct frame *next)
{
    struct window spare;
    struct window *buffers[2] = {&next->pass_cut, &spare};
    const struct window *pass = clip_pass(flow, frame, depth, q, buffers);
    if (!pass)
        return false;
    flow->counts.clips++;
    next->source = &next->source_cut;
    switch (window_clip(frame->source, &flow->portals->planes[q ^ 1], &next->source_cut)) {
    case WINDOW_GONE:
        return false;
    case WINDOW_WHOLE:
        next->source = frame->source;
        break;
    case WINDOW_CUT:
        break;
    }
    if (pass == &spare) {
        window_copy(pass, &next->pass_cut);
        pass = &next->pass_cut;
    }
    next->pass = pass;
    flow->counts.chains++;
    begin(next, flow->portals, q);
    return true;
}

/* The next portal to try from the top of the walk at *depth, which falls while frames are done
 * with; -1: none is left. */
static inline int next_portal(struct flow *flow, int *depth)
{
    while (*depth >= 0) {
        struct frame *frame = flow->frames[*depth];
        if (frame->at == frame->end) {
            --*depth;
            continue;
        }
        int q = flow->portals->leaving[frame->at++];
        if (might_have(&frame->might, (size_t)q))
            return q;
    }
    return -1;
}

void ISA(flow_portal)(struct flow *flow, int p, int64_t most, uint64_t *seen)
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
    while (flow->counts.chains - before < most && (q = next_portal(flow, &depth)) >= 0) {
        frame = flow->frames[depth];
        struct frame *next = frame_at(flow, depth + 1);
        const uint64_t *onward = bit_row(flow->rows, (size_t)q);
        bool fresh = narrow(&frame->might, onward, onward, seen, &next->might);
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

static void fill_arrival(const struct flow *flow, const struct frame *last,
                         struct flow_arrival *out)
{
    out->portal = flow->frames[0]->portal;
    out->cluster = flow->portals->to[last->portal];
    window_copy(last->source, &out->from);
    window_copy(last->pass, &out->to);
}

/* All portals into the cluster are known. */
static void know_cluster(const struct portals *portals, uint64_t *known, size_t cluster)
{
    for (int i = portals->first[cluster]; i < portals->first[cluster + 1]; i++)
        bit_set(known, (size_t)portals->leaving[i] ^ 1);
}

static void note_arrival(struct flow *flow, const struct frame *frame, uint64_t *known)
{
    int cluster = flow->portals->to[frame->portal];
    know_cluster(flow->portals, known, (size_t)cluster);
    fill_arrival(flow, frame, flow_arrive(flow));
}

/* Goes on from frame 0 as long as that may lead to a cluster that is not seen. */
static bool walk_on(struct flow *flow, int64_t most, uint64_t *seen, uint64_t *known)
{
    const struct portals *portals = flow->portals;
    int depth = 0;
    for (int q; (q = next_portal(flow, &depth)) >= 0;) {
        struct frame *frame = flow->frames[depth];
        struct frame *next = frame_at(flow, depth + 1);
        bool fresh = narrow(&frame->might, bit_row(flow->rows, (size_t)q),
                            bit_row(flow->beyond, (size_t)portals->to[q]), known, &next->might);
        bool arrives = !bit_get(seen, (size_t)portals->to[q]);
        if ((!fresh && !arrives) || !step(flow, frame, depth, q, next))
            continue;
        if (arrives) {
            bit_set(seen, (size_t)portals->to[q]);
            note_arrival(flow, next, known);
        }
        if (flow->counts.chains >= most)
            return false;
        if (fresh)
            depth++;
    }
    return true;
}

bool ISA(flow_cluster)(struct flow *flow, int a, int64_t most, uint64_t *seen)
{
    const struct portals *portals = flow->portals;
    size_t words = flow->rows->words, clusters = (size_t)portals->cluster_count;
    uint64_t *known = flow->toward.bits;
    int64_t end = flow->counts.chains + most;
    memset(known, 0, words * sizeof *known);
    for (size_t c = bit_next(seen, bit_words(clusters), 0); c != SIZE_MAX;
         c = bit_next(seen, bit_words(clusters), c + 1))
        know_cluster(portals, known, c);
    flow->shaft.count = 0;
    flow->target = -1;
    bool whole = true;
    for (int i = portals->first[a]; i < portals->first[a + 1] && whole; i++) {
        int p = portals->leaving[i];
        const struct might all = {0, words, bit_row(flow->beyond, (size_t)a)};
        struct frame *frame = frame_at(flow, 0);
        frame->source = frame->pass = &portals->windows[p];
        if (!narrow(&all, bit_row(flow->rows, (size_t)p),
                    bit_row(flow->beyond, (size_t)portals->to[p]), known, &frame->might))
            continue;
        begin(frame, portals, p);
        whole = walk_on(flow, end, seen, known);
    }
    count_worst(flow, end - most);
    return whole;
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
            toward->low = toward->low < k ? toward->low : k / BLOCK * BLOCK;
            toward->high = k / BLOCK * BLOCK + BLOCK;
        }
    }
}

/* Puts portal p, cut by the shaft, on the bottom of the walk. */
static bool begin_pair(struct flow *flow, int p)
{
    const struct portals *portals = flow->portals;
    if (!leads_on(flow, &flow->toward, p))
        return false;
    uint32_t cutting;
    if (separators_behind(&flow->shaft, &portals->boxes[p / 2], &cutting))
        return false;
    struct frame *frame = frame_at(flow, 0);
    struct window *const buffers[2] = {&frame->source_cut, &frame->pass_cut};
    frame->source = frame->pass =
        separators_clip(&flow->shaft, cutting, &portals->windows[p], buffers, &flow->counts.clips);
    if (!frame->source)
        return false;
    const uint64_t *row = bit_row(flow->rows, (size_t)p);
    narrow(&flow->toward, row, row, flow->toward.bits, &frame->might);
    begin(frame, portals, p);
    return true;
}

static enum flow_result walk(struct flow *flow, int64_t most, struct flow_arrival *arrival)
{
    const struct portals *portals = flow->portals;
    int depth = 0;
    for (int q; (q = next_portal(flow, &depth)) >= 0;) {
        struct frame *frame = flow->frames[depth];
        bool arrives = portals->to[q] == flow->target;
        if (!arrives && !leads_on(flow, &frame->might, q))
            continue;
        prefetch_portal(flow, q);
        prefetch_row(&frame->might, bit_row(flow->rows, (size_t)q));
        struct frame *next = frame_at(flow, depth + 1);
        if (!step(flow, frame, depth, q, next))
            continue;
        if (arrives) {
            fill_arrival(flow, next, arrival);
            return FLOW_ARRIVED;
        }
        if (flow->counts.chains >= most)
            return FLOW_OPEN;
        const uint64_t *row = bit_row(flow->rows, (size_t)q);
        narrow(&frame->might, row, row, flow->toward.bits, &next->might);
        depth++;
    }
    return FLOW_REFUTED;
}

enum flow_result ISA(flow_pair)(struct flow *flow, int a, int b, int64_t most,
                                struct flow_arrival *arrival)
{
    const struct portals *portals = flow->portals;
    int64_t before = flow->counts.chains;
    enum flow_result result = FLOW_REFUTED;
    shaft_build(&portals->reaches[a], &portals->reaches[b], &flow->shaft);
    aim(flow, b);
    for (int i = portals->first[a]; i < portals->first[a + 1] && result == FLOW_REFUTED; i++)
        if (begin_pair(flow, portals->leaving[i]))
            result = walk(flow, before + most, arrival);
    count_worst(flow, before);
    return result;
}
