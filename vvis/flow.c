#include "vvis/flow.h"

#include "common/core/array.h"
#include "vvis/shaft.h"

enum { BLOCK = 8 }; /* words of a row that go through the lanes together */

/* A set of portals, and the whole blocks of its words that are not all 0. */
struct might {
    size_t low, high;
    uint64_t *bits;
};

/* One step of the walk: the line came through `portal`. */
struct frame {
    struct window source, pass;
    struct separators separators;
    bool separated; /* the separators are built */
    int portal;
    int at, end;        /* what is left to try, in portals.leaving */
    struct might might; /* portals that may still be reached */
};

struct flow {
    const struct portals *portals;
    const struct bit_rows *rows;
    struct frame **frames;   /* stb_ds array, grown as the walk gets deeper */
    struct separators shaft; /* around the two clusters of a pair; else none */
    struct might toward;     /* of a pair: portals that may see into the second cluster */
    int target;              /* of a pair: the second cluster */
    struct flow_counts counts;
};

struct flow *flow_new(const struct portals *portals, const struct bit_rows *rows)
{
    struct flow *flow = memory_aligned(1, sizeof *flow);
    flow->portals = portals;
    flow->rows = rows;
    flow->toward.bits = memory_aligned(rows->words, sizeof(uint64_t));
    return flow;
}

void flow_free(struct flow *flow)
{
    for (ptrdiff_t i = 0; i < arrlen(flow->frames); i++) {
        memory_free(flow->frames[i]->might.bits);
        memory_free(flow->frames[i]);
    }
    arrfree(flow->frames);
    memory_free(flow->toward.bits);
    memory_free(flow);
}

void flow_add_counts(const struct flow *flow, struct flow_counts *total)
{
    total->chains += flow->counts.chains;
    total->clips += flow->counts.clips;
    if (flow->counts.worst > total->worst)
        total->worst = flow->counts.worst;
}

static void count_worst(struct flow *flow, int64_t before)
{
    if (flow->counts.chains - before > flow->counts.worst)
        flow->counts.worst = flow->counts.chains - before;
}

/* Only the first walk to a new depth allocates. */
static struct frame *frame_at(struct flow *flow, int depth)
{
    if (depth == (int)arrlen(flow->frames)) {
        struct frame *frame = memory_aligned(1, sizeof *frame);
        frame->might.bits = memory_aligned(flow->rows->words, sizeof(uint64_t));
        arrput(flow->frames, frame);
    }
    return flow->frames[depth];
}

/* next = might & row. Whether that holds a portal that is not in `known`. */
static bool narrow(const struct might *might, const uint64_t *row, const uint64_t *known,
                   struct might *next)
{
    uint64_t fresh = 0;
    next->low = next->high = might->low;
    for (size_t i = might->low; i < might->high; i += BLOCK) {
        uint64_t any = 0;
        for (size_t k = i; k < i + BLOCK; k++) {
            uint64_t word = might->bits[k] & row[k];
            next->bits[k] = word;
            any |= word;
            fresh |= word & ~known[k];
        }
        if (any)
            next->high = i + BLOCK;
        else if (next->high == next->low)
            next->low = next->high = i + BLOCK;
    }
    return fresh != 0;
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
        if (separators_behind(&frame->separators, &portals->boxes[entry / 2]))
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
    separators_build(&frame->source, &planes[flow->frames[0]->portal], &frame->pass,
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
 * windows: they settle most portals. */
static const struct window *clip_pass(struct flow *flow, struct frame *frame, int depth, int q,
                                      struct window buffers[2])
{
    const struct window *window = &flow->portals->windows[q];
    const struct box *box = &flow->portals->boxes[q / 2];
    const struct plane *first = &flow->portals->planes[flow->frames[0]->portal];
    int side = side_of(box, first);
    if (side < 0 || separators_behind(&flow->shaft, box))
        return NULL;
    if (depth > 0) {
        if (!frame->separated && !separate(flow, frame)) {
            frame->at = frame->end;
            return NULL;
        }
        if (separators_behind(&frame->separators, box))
            return NULL;
    }
    if (side) {
        flow->counts.clips++;
        enum window_cut cut = window_clip(window, first, &buffers[0]);
        if (cut == WINDOW_GONE)
            return NULL;
        if (cut == WINDOW_CUT)
            window = &buffers[0];
    }
    if (depth > 0)
        window = separators_clip(&frame->separators, window, box, buffers, &flow->counts.clips);
    if (window)
        window = separators_clip(&flow->shaft, window, box, buffers, &flow->counts.clips);
    return window;
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
    struct window buffers[2];
    const struct window *pass = clip_pass(flow, frame, depth, q, buffers);
    if (!pass)
        return false;
    flow->counts.clips++;
    switch (window_clip(&frame->source, &flow->portals->planes[q ^ 1], &next->source)) {
    case WINDOW_GONE:
        return false;
    case WINDOW_WHOLE:
        window_copy(&frame->source, &next->source);
        break;
    case WINDOW_CUT:
        break;
    }
    window_copy(pass, &next->pass);
    flow->counts.chains++;
    begin(next, flow->portals, q);
    return true;
}

void flow_portal(struct flow *flow, int p, int64_t most, uint64_t *seen)
{
    const struct portals *portals = flow->portals;
    const uint64_t *row = bit_row(flow->rows, (size_t)p);
    int64_t before = flow->counts.chains;
    flow->shaft.count = 0;
    flow->target = -1;
    struct frame *frame = frame_at(flow, 0);
    frame->source = frame->pass = portals->windows[p];
    memcpy(frame->might.bits, row, flow->rows->words * sizeof *row);
    frame->might.low = 0;
    frame->might.high = flow->rows->words;
    begin(frame, portals, p);
    int depth = 0;
    while (depth >= 0 && flow->counts.chains - before < most) {
        frame = flow->frames[depth];
        if (frame->at == frame->end) {
            depth--;
            continue;
        }
        int q = portals->leaving[frame->at++];
        if (!might_have(&frame->might, (size_t)q))
            continue;
        struct frame *next = frame_at(flow, depth + 1);
        bool fresh = narrow(&frame->might, bit_row(flow->rows, (size_t)q), seen, &next->might);
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
    struct window buffers[2];
    const struct window *window = separators_clip(
        &flow->shaft, &portals->windows[p], &portals->boxes[p / 2], buffers, &flow->counts.clips);
    if (!window)
        return false;
    struct frame *frame = frame_at(flow, 0);
    frame->source = frame->pass = *window;
    narrow(&flow->toward, bit_row(flow->rows, (size_t)p), flow->toward.bits, &frame->might);
    begin(frame, portals, p);
    return true;
}

static struct vec3 window_center(const struct window *window)
{
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < window->count; i++)
        sum = vec3_add(sum, vec3(window->x[i], window->y[i], window->z[i]));
    return vec3_scale(sum, 1.0 / window->count);
}

static enum flow_result walk(struct flow *flow, int64_t most, struct flow_arrival *arrival)
{
    const struct portals *portals = flow->portals;
    int depth = 0;
    while (depth >= 0) {
        struct frame *frame = flow->frames[depth];
        if (frame->at == frame->end) {
            depth--;
            continue;
        }
        int q = portals->leaving[frame->at++];
        if (!might_have(&frame->might, (size_t)q))
            continue;
        bool arrives = portals->to[q] == flow->target;
        if (!arrives && !leads_on(flow, &frame->might, q))
            continue;
        struct frame *next = frame_at(flow, depth + 1);
        if (!step(flow, frame, depth, q, next))
            continue;
        if (arrives) {
            *arrival = (struct flow_arrival){flow->frames[0]->portal, window_center(&next->source),
                                             window_center(&next->pass)};
            return FLOW_ARRIVED;
        }
        if (flow->counts.chains >= most)
            return FLOW_OPEN;
        narrow(&frame->might, bit_row(flow->rows, (size_t)q), flow->toward.bits, &next->might);
        depth++;
    }
    return FLOW_REFUTED;
}

enum flow_result flow_pair(struct flow *flow, int a, int b, int64_t most,
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
