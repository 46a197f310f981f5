/* Cluster flow: walks that use the mightsee of clusters only. */
#include "vvis/flow/lanes/walk_step.h"

/* Returns whether the box is behind one of the frame's separators, or behind the first or last
 * portal. */
static bool box_culled(const struct flow *flow, const struct frame *frame, const struct box *box)
{
    const struct plane *planes = flow->portals->planes;
    uint32_t cutting;
    return side_of(box, &planes[flow->frames[0]->portal]) < 0 ||
           side_of(box, &planes[frame->portal]) < 0 ||
           separators_behind(&frame->separators, box, &cutting);
}

/* The frustum of a frame: the planes of its first and last portal and its separators, which all
 * lines through it continue in front of. */
struct frustum {
    const struct plane *ends[2];
    const struct separators *separators;
    int count;      /* of separators; 0 for the first frame */
    uint64_t up[3]; /* per axis, from bit 3 on, one bit per separator: its normal points up there */
};

static inline struct frustum frustum_of(const struct flow *flow, const struct frame *frame)
{
    const struct plane *planes = flow->portals->planes;
    const struct separators *separators = &frame->separators;
    struct frustum frustum = {{&planes[flow->frames[0]->portal], &planes[frame->portal]},
                              separators,
                              frame->separated ? separators->count : 0,
                              {0}};
    for (int i = 0; i < frustum.count; i += DOUBLES) {
        const double *axes[3] = {&separators->x[i], &separators->y[i], &separators->z[i]};
        for (int axis = 0; axis < 3; axis++)
            frustum.up[axis] |=
                (uint64_t)doubles_bits(doubles_less(doubles_all(0), doubles_load(axes[axis])))
                << (3 + i);
    }
    return frustum;
}

/* Tests boxes of a group against a plane, by the corner farthest in front: the upper end where
 * the normal points up. `up`: 8 there, else 0. */
static inline struct doubles_mask behind(const double *group, const uint64_t up[3], double x,
                                         double y, double z, double dist)
{
    struct doubles farthest = doubles_dot(
        doubles_all(x), doubles_all(y), doubles_all(z), doubles_load(group + up[0]),
        doubles_load(group + 2 * DOUBLES + up[1]), doubles_load(group + 4 * DOUBLES + up[2]));
    return doubles_less(farthest, doubles_all(dist));
}

/* Returns which of the boxes from `at` on are not behind any plane of the frustum. Tests all
 * planes: an early exit would be mispredicted too often. */
static inline lane_bits frustum_meets(const struct frustum *frustum, const struct box_lanes *boxes,
                                      size_t at)
{
    const double *group = &boxes->groups[at / DOUBLES * BOX_GROUP];
    const struct separators *planes = frustum->separators;
    struct doubles_mask gone = doubles_none();
    for (int i = 0; i < 2; i++) {
        const struct plane *plane = frustum->ends[i];
        struct vec3 n = plane->normal;
        const uint64_t up[3] = {DOUBLES * (n.x > 0), DOUBLES * (n.y > 0), DOUBLES * (n.z > 0)};
        gone = doubles_or(gone, behind(group, up, n.x, n.y, n.z, plane->dist + VIS_EPSILON));
    }
    for (int i = 0; i < frustum->count; i++) {
        const uint64_t up[3] = {frustum->up[0] >> i & DOUBLES, frustum->up[1] >> i & DOUBLES,
                                frustum->up[2] >> i & DOUBLES};
        gone = doubles_or(
            gone, behind(group, up, planes->x[i], planes->y[i], planes->z[i], planes->dist[i]));
    }
    return ~doubles_bits(gone) & 0xff;
}

/* Returns which of the planes from `at` on have some of the box in front, or behind. */
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

/* Returns whether a line through the frame may continue through portal q. */
static inline bool may_pass(const struct flow *flow, const struct frame *frame, int q)
{
    const struct portals *portals = flow->portals;
    const struct plane *back = &portals->planes[q ^ 1];
    return side_of(&portals->boxes[flow->frames[0]->portal / 2], back) >= 0 &&
           side_of(&portals->boxes[frame->portal / 2], back) >= 0 &&
           !box_culled(flow, frame, &portals->boxes[q / 2]);
}

/* Returns a portal into the cluster that a line through the frame may use, or -1: may_pass for
 * eight portals at once. */
static inline int find_entry(const struct flow *flow, const struct frame *frame,
                             const struct frustum *frustum, size_t cluster)
{
    const struct portals *portals = flow->portals;
    const struct plane_lanes *exits = &portals->exit_planes;
    const int *leaving = &portals->leaving[portals->first[cluster]];
    for (int at = exits->first[cluster]; at < exits->first[cluster + 1];
         at += DOUBLES, leaving += DOUBLES) {
        lane_bits left = facing(exits, at, &portals->boxes[flow->frames[0]->portal / 2], true) &
                         facing(exits, at, &portals->boxes[frame->portal / 2], true) &
                         frustum_meets(frustum, &portals->exit_boxes, (size_t)at);
        if (left)
            return leaving[__builtin_ctz(left)] ^ 1;
    }
    return -1;
}

/* Returns which bytes of a word are not 0. */
static inline lane_bits bytes_used(uint64_t word)
{
    word |= word >> 4;
    word |= word >> 2;
    word |= word >> 1;
    return (lane_bits)((word & 0x0101010101010101) * 0x0102040810204080 >> 56);
}

/* Tests the eight clusters from bit `shift` of word k on: see find_witness. */
static inline bool find_in_eight(struct flow *flow, struct frame *frame,
                                 const struct frustum *frustum, const uint64_t *seen, size_t k,
                                 unsigned shift)
{
    uint64_t *word = &frame->mightsee.bits[k];
    lane_bits ahead = frustum_meets(frustum, &flow->portals->cluster_lanes, 64 * k + shift);
    *word &= ~((uint64_t)(~ahead & 0xff) << shift);
    ahead &= (lane_bits)(*word >> shift);
    for (lane_bits more = ahead & ~(lane_bits)(seen[k] >> shift); more; more &= more - 1) {
        size_t cluster = 64 * k + shift + (size_t)__builtin_ctz(more);
        frame->witness = find_entry(flow, frame, frustum, cluster);
        if (frame->witness >= 0)
            return true;
        bit_clear(frame->mightsee.bits, cluster);
    }
    return false;
}

static inline bool find_in_word(struct flow *flow, struct frame *frame,
                                const struct frustum *frustum, const uint64_t *seen, size_t k)
{
    uint64_t *word = &frame->mightsee.bits[k];
    lane_bits fresh = bytes_used(*word & ~seen[k]);
    lane_bits ahead = fresh & frustum_meets(frustum, &flow->portals->cluster_boxes8, 8 * k);
    for (lane_bits gone = fresh & ~ahead; gone; gone &= gone - 1)
        *word &= ~((uint64_t)0xff << 8 * __builtin_ctz(gone));
    for (; ahead; ahead &= ahead - 1)
        if (find_in_eight(flow, frame, frustum, seen, k, 8 * (unsigned)__builtin_ctz(ahead)))
            return true;
    return false;
}

/* Finds a cluster not yet seen that the frame may lead to: by boxes around 64, around 8, then
 * one by one. Clusters outside the frustum are removed on the way. */
static bool find_witness(struct flow *flow, struct frame *frame, const uint64_t *seen)
{
    struct mightsee *mightsee = &frame->mightsee;
    const struct frustum frustum = frustum_of(flow, frame);
    for (size_t k = mightsee->low; k < mightsee->high; k += WORDS) {
        lane_bits fresh = words_beyond(words_load(&mightsee->bits[k]), words_load(&seen[k]));
        if (!fresh)
            continue;
        lane_bits ahead = fresh & frustum_meets(&frustum, &flow->portals->cluster_boxes64, k);
        for (lane_bits gone = fresh & ~ahead; gone; gone &= gone - 1)
            mightsee->bits[k + (size_t)__builtin_ctz(gone)] = 0;
        for (; ahead; ahead &= ahead - 1)
            if (find_in_word(flow, frame, &frustum, seen, k + (size_t)__builtin_ctz(ahead)))
                return true;
    }
    return false;
}

/* Returns whether the frame may lead to clusters not yet seen. */
static bool may_reach_unseen(struct flow *flow, struct frame *frame, const uint64_t *seen)
{
    if (!frame->separated)
        frame_separate(flow, frame);
    if (frame->witness >= 0) {
        size_t cluster = (size_t)flow->portals->to[frame->witness];
        if (mightsee_has(&frame->mightsee, cluster) && !bit_get(seen, cluster) &&
            may_pass(flow, frame, frame->witness))
            return true;
    }
    return find_witness(flow, frame, seen);
}

/* Returns which of the next eight exits of the frame's cluster a line through it may use. */
static inline unsigned next_exits(const struct flow *flow, struct frame *frame)
{
    const struct portals *portals = flow->portals;
    int cluster = portals->to[frame->portal];
    int at = portals->exit_planes.first[cluster] + frame->at - portals->first[cluster];
    const struct box *first = &portals->boxes[flow->frames[0]->portal / 2];
    const struct frustum frustum = frustum_of(flow, frame);
    lane_bits exits = facing(&portals->exit_planes, at, first, false) &
                      frustum_meets(&frustum, &portals->exit_boxes, (size_t)at);
    for (lane_bits left = exits; left; left &= left - 1)
        prefetch_portal(flow, portals->leaving[frame->at + __builtin_ctz(left)]);
    frame->at += DOUBLES;
    return exits;
}

/* As next_portal, by the clusters that exits lead into. */
static inline int next_exit(struct flow *flow, int *depth)
{
    const struct portals *portals = flow->portals;
    while (*depth >= 0) {
        struct frame *frame = flow->frames[*depth];
        while (frame->exits) {
            int q = portals->leaving[frame->at - DOUBLES + __builtin_ctz(frame->exits)];
            frame->exits &= frame->exits - 1;
            if (mightsee_has(&frame->mightsee, (size_t)portals->to[q]))
                return q;
        }
        if (frame->at < frame->end)
            frame->exits = next_exits(flow, frame);
        else
            --*depth;
    }
    return -1;
}

/* Continues from frame 0 while that may lead to unseen clusters. */
static bool walk_unseen(struct flow *flow, int64_t max, uint64_t *seen)
{
    const struct portals *portals = flow->portals;
    int depth = 0;
    for (int q; (q = next_exit(flow, &depth)) >= 0;) {
        struct frame *frame = flow->frames[depth];
        struct frame *next = frame_at(flow, depth + 1);
        size_t cluster = (size_t)portals->to[q];
        bool fresh = mightsee_refine(&frame->mightsee, bit_row(flow->cluster_rows, cluster), seen,
                                     &next->mightsee);
        bool arrives = !bit_get(seen, cluster);
        if ((!fresh && !arrives) || !step_through(flow, frame, depth, q, next))
            continue;
        if (arrives) {
            bit_set(seen, cluster);
            fill_arrival(flow, depth + 1, flow_new_arrival(flow));
        }
        if (flow->counts.chains >= max)
            return false;
        next->witness = frame->witness;
        if (fresh && may_reach_unseen(flow, next, seen))
            depth++;
    }
    return true;
}

flow_cluster_function ISA(flow_cluster);
bool ISA(flow_cluster)(struct flow *flow, int a, int64_t max, uint64_t *seen)
{
    const struct portals *portals = flow->portals;
    size_t words = flow->cluster_rows->words;
    int64_t end = flow->counts.chains + max;
    const struct mightsee all = {0, words, bit_row(flow->cluster_rows, (size_t)a)};
    flow->shaft.count = 0;
    flow->target = -1;
    bool whole = true;
    for (int i = portals->first[a]; i < portals->first[a + 1] && whole; i++) {
        int p = portals->leaving[i];
        struct frame *frame = frame_at(flow, 0);
        frame->source = frame->pass = &portals->windows[p];
        frame->witness = -1;
        if (!mightsee_refine(&all, bit_row(flow->cluster_rows, (size_t)portals->to[p]), seen,
                             &frame->mightsee))
            continue;
        frame_begin(frame, portals, p);
        whole = walk_unseen(flow, end, seen);
    }
    update_worst(flow, end - max);
    return whole;
}

static bool begin_exit(struct flow *flow, int b, int p)
{
    const struct mightsee *both = &flow->target_mightsee;
    size_t cluster = (size_t)flow->portals->to[p];
    struct frame *frame = mightsee_has(both, cluster) ? frame_begin_in_shaft(flow, p) : NULL;
    if (!frame)
        return false;
    mightsee_refine(both, bit_row(flow->cluster_rows, cluster), both->bits, &frame->mightsee);
    return mightsee_has(&frame->mightsee, (size_t)b);
}

static enum flow_result walk_to_target(struct flow *flow, int b, int64_t max,
                                       struct flow_arrival *arrival)
{
    const struct portals *portals = flow->portals;
    int depth = 0;
    for (int q; (q = next_exit(flow, &depth)) >= 0;) {
        struct frame *frame = flow->frames[depth];
        struct frame *next = frame_at(flow, depth + 1);
        if (!step_through(flow, frame, depth, q, next))
            continue;
        if (portals->to[q] == b) {
            fill_arrival(flow, depth + 1, arrival);
            return FLOW_ARRIVED;
        }
        if (flow->counts.chains >= max)
            return FLOW_UNDECIDED;
        const uint64_t *open = bit_row(flow->cluster_rows, (size_t)portals->to[q]);
        mightsee_refine(&frame->mightsee, open, open, &next->mightsee);
        frame_separate(flow, next);
        const struct frustum frustum = frustum_of(flow, next);
        if (find_entry(flow, next, &frustum, (size_t)b) >= 0)
            depth++;
    }
    return FLOW_CULLED;
}

flow_pair_function ISA(flow_clusters);
enum flow_result ISA(flow_clusters)(struct flow *flow, int a, int b, int64_t max,
                                    struct flow_arrival *arrival)
{
    const struct mightsee from = {0, flow->cluster_rows->words,
                                  bit_row(flow->cluster_rows, (size_t)a)};
    flow->target = -1;
    mightsee_refine(&from, bit_row(flow->cluster_rows, (size_t)b), from.bits,
                    &flow->target_mightsee);
    return walk_from_each(flow, a, b, max, begin_exit, walk_to_target, arrival);
}
