/* Shared by all walks of the flow: frames, and the step through a portal. */
#ifndef VVIS_FLOW_LANES_WALK_STEP_H
#define VVIS_FLOW_LANES_WALK_STEP_H

#include <string.h>

#include "common/simd/words.h"
#include "vvis/flow/flow_state.h"
#include "vvis/graph/window_lanes.h"

static inline void update_worst(struct flow *flow, int64_t before)
{
    if (flow->counts.chains - before > flow->counts.worst)
        flow->counts.worst = flow->counts.chains - before;
}

static inline struct frame *frame_at(struct flow *flow, int depth)
{
    if (depth == flow->depth)
        flow_push_frame(flow);
    return flow->frames[depth];
}

/* Prefetches what the step through portal q will read. */
static inline void prefetch_portal(const struct flow *flow, int q)
{
    const struct window *window = &flow->portals->windows[q];
    __builtin_prefetch(window->x);
    __builtin_prefetch(window->y);
    __builtin_prefetch(window->z);
    __builtin_prefetch(&window->count);
}

static inline void prefetch_row(const struct mightsee *mightsee, const uint64_t *row)
{
    for (size_t i = mightsee->low; i < mightsee->high; i += WORDS)
        __builtin_prefetch(&row[i]);
}

/* next = mightsee & row. Returns whether that has something that is not in `known`. */
static inline bool mightsee_refine(const struct mightsee *mightsee, const uint64_t *row,
                                   const uint64_t *known, struct mightsee *next)
{
    bool fresh = false;
    next->low = next->high = mightsee->low;
    for (size_t i = mightsee->low; i < mightsee->high; i += WORDS) {
        struct words words = words_and(words_load(&mightsee->bits[i]), words_load(&row[i]));
        words_store(&next->bits[i], words);
        fresh = fresh || words_beyond(words, words_load(&known[i])) != 0;
        if (words_any(words))
            next->high = i + WORDS;
        else if (next->high == next->low)
            next->low = next->high = i + WORDS;
    }
    return fresh;
}

/* Bits outside the range of the set are not kept up to date. */
static inline bool mightsee_has(const struct mightsee *mightsee, size_t bit)
{
    size_t word = bit / 64;
    return word >= mightsee->low && word < mightsee->high && bit_get(mightsee->bits, bit);
}

/* Removes the entries of the target that are behind a separator. Returns whether any is left. */
static inline bool target_ahead(const struct flow *flow, struct frame *frame)
{
    const struct portals *portals = flow->portals;
    bool ahead = false;
    for (int i = portals->first[flow->target]; i < portals->first[flow->target + 1]; i++) {
        size_t entry = (size_t)portals->leaving[i] ^ 1;
        if (!mightsee_has(&frame->mightsee, entry))
            continue;
        uint32_t cutting;
        if (separators_behind(&frame->separators, &portals->boxes[entry / 2], &cutting))
            bit_clear(frame->mightsee.bits, entry);
        else
            ahead = true;
    }
    return ahead;
}

/* Builds the separators of the frame. Returns false when they leave nothing of the target. */
static inline bool frame_separate(struct flow *flow, struct frame *frame)
{
    const struct plane *planes = flow->portals->planes;
    separators_build(frame->source, &planes[flow->frames[0]->portal], frame->pass,
                     &planes[frame->portal], &frame->separators);
    frame->separated = true;
    return flow->target < 0 || target_ahead(flow, frame);
}

/* Returns the side of the plane that the box is on: 0 in front, 1 crossing, -1 behind or in the
 * plane. */
static inline int side_of(const struct box *box, const struct plane *plane)
{
    double distance = plane_distance(plane, box->center), reach = box_extent(box, plane->normal);
    if (distance + reach <= VIS_EPSILON)
        return -1;
    return distance - reach < -VIS_EPSILON;
}

/* Returns the part of portal q that lines through the frame can meet, or NULL. Boxes are tested
 * before windows: they decide most portals. The shaft only rejects: it has clipped the first
 * window, and clipping the others is not worth the time. */
static inline const struct window *clip_pass(struct flow *flow, struct frame *frame, int depth,
                                             int q, struct window *const buffers[2])
{
    const struct window *window = &flow->portals->windows[q];
    const struct box *box = &flow->portals->boxes[q / 2];
    const struct plane *first = &flow->portals->planes[flow->frames[0]->portal];
    int side = side_of(box, first);
    uint32_t by_shaft, by_separators = 0;
    if (side < 0 || separators_behind(&flow->shaft, box, &by_shaft))
        return NULL;
    if (depth > 0) {
        if (!frame->separated && !frame_separate(flow, frame)) {
            frame->at = frame->end;
            return NULL;
        }
        if (separators_behind(&frame->separators, box, &by_separators))
            return NULL;
    }
    if (side) {
        flow->counts.clips++;
        enum window_cut cut = window_clip_ahead(window, first, buffers[0]);
        if (cut == WINDOW_GONE)
            return NULL;
        if (cut == WINDOW_CUT)
            window = buffers[0];
    }
    int64_t *clips = &flow->counts.clips;
    return separators_clip(&frame->separators, by_separators, window, buffers, clips);
}

static inline void frame_begin(struct frame *frame, const struct portals *portals, int portal)
{
    int cluster = portals->to[portal];
    frame->portal = portal;
    frame->at = portals->first[cluster];
    frame->end = portals->first[cluster + 1];
    frame->exits = 0;
    frame->separated = false;
}

/* Starts a walk with portal p, clipped by the shaft, with an empty mightsee. Returns NULL when
 * nothing of it is left. */
static inline struct frame *frame_begin_in_shaft(struct flow *flow, int p)
{
    const struct portals *portals = flow->portals;
    uint32_t cutting;
    if (separators_behind(&flow->shaft, &portals->boxes[p / 2], &cutting))
        return NULL;
    struct frame *frame = frame_at(flow, 0);
    struct window *const buffers[2] = {&frame->source_cut, &frame->pass_cut};
    frame->source = frame->pass =
        separators_clip(&flow->shaft, cutting, &portals->windows[p], buffers, &flow->counts.clips);
    if (!frame->source)
        return NULL;
    frame_begin(frame, portals, p);
    return frame;
}

/* Returns the part of the frame's first window that lines through portal q can come from, or
 * NULL. */
static inline const struct window *clip_source(struct flow *flow, const struct frame *frame, int q,
                                               struct window *out)
{
    const struct portals *portals = flow->portals;
    const struct plane *back = &portals->planes[q ^ 1];
    if (side_of(&portals->boxes[flow->frames[0]->portal / 2], back) == 0)
        return frame->source;
    flow->counts.clips++;
    enum window_cut cut = window_clip_ahead(frame->source, back, out);
    return cut == WINDOW_GONE ? NULL : cut == WINDOW_CUT ? out : frame->source;
}

/* Continues through portal q if a line can. */
static inline bool step_through(struct flow *flow, struct frame *frame, int depth, int q,
                                struct frame *next)
{
    struct window spare;
    struct window *buffers[2] = {&next->pass_cut, &spare};
    const struct window *pass = clip_pass(flow, frame, depth, q, buffers);
    if (!pass)
        return false;
    next->source = clip_source(flow, frame, q, &next->source_cut);
    if (!next->source)
        return false;
    if (pass == &spare) {
        window_copy(pass, &next->pass_cut);
        pass = &next->pass_cut;
    }
    next->pass = pass;
    flow->counts.chains++;
    frame_begin(next, flow->portals, q);
    return true;
}

/* Returns the next portal to try from the top of the walk at *depth, and pops finished frames;
 * -1 at the end. */
static inline int next_portal(struct flow *flow, int *depth)
{
    while (*depth >= 0) {
        struct frame *frame = flow->frames[*depth];
        if (frame->at == frame->end) {
            --*depth;
            continue;
        }
        int q = flow->portals->leaving[frame->at++];
        if (mightsee_has(&frame->mightsee, (size_t)q))
            return q;
    }
    return -1;
}

/* Starts a walk to b with an exit of the first cluster. Returns false when it leads nowhere. */
typedef bool begin_exit_function(struct flow *flow, int b, int p);
/* Continues until it arrives or the total number of chains is reached. */
typedef enum flow_result walk_function(struct flow *flow, int b, int64_t max,
                                       struct flow_arrival *arrival);

/* Walks from each exit of a, within the shaft to b, until one arrives. */
static inline enum flow_result walk_from_each(struct flow *flow, int a, int b, int64_t max,
                                              begin_exit_function *begin_exit, walk_function *walk,
                                              struct flow_arrival *arrival)
{
    const struct portals *portals = flow->portals;
    int64_t before = flow->counts.chains;
    enum flow_result result = FLOW_CULLED;
    shaft_build(&portals->cluster_bounds[a], &portals->cluster_bounds[b], &flow->shaft);
    for (int i = portals->first[a]; i < portals->first[a + 1] && result == FLOW_CULLED; i++)
        if (begin_exit(flow, b, portals->leaving[i]))
            result = walk(flow, b, before + max, arrival);
    update_worst(flow, before);
    return result;
}

/* Stores the walk, which arrived with frame number `depth`. */
static inline void fill_arrival(const struct flow *flow, int depth, struct flow_arrival *out)
{
    const struct frame *last = flow->frames[depth];
    out->length = depth < ARRIVAL_PATH ? depth + 1 : 0;
    for (int i = 0; i < out->length; i++)
        out->path[i] = flow->frames[i]->portal;
    out->portal = flow->frames[0]->portal;
    out->cluster = flow->portals->to[last->portal];
    window_copy(last->source, &out->from);
    window_copy(last->pass, &out->to);
}

#endif
