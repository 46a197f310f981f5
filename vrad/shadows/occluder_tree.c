#include "vrad/shadows/occluders.h"

#include <string.h>

#include "common/core/array.h"

/* Construction by the surface area heuristic with so many bins; deep nodes are split in the
 * middle. */
enum { BINS = 12, DEEPEST_CUT = 24, MAX_PENDING = 256 };

/* Margin of boxes and planes, in units. */
#define SLACK 0.01f

struct part {
    float mins[3], maxs[3];
    int occluder;
};

struct maker {
    struct occluders *out;
    struct part *parts;
};

static void grow(struct part *box, const float mins[3], const float maxs[3])
{
    for (int k = 0; k < 3; k++) {
        box->mins[k] = mins[k] < box->mins[k] ? mins[k] : box->mins[k];
        box->maxs[k] = maxs[k] > box->maxs[k] ? maxs[k] : box->maxs[k];
    }
}

static struct part no_part(void)
{
    return (struct part){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0};
}

static float middle(const struct part *part, int axis)
{
    return part->mins[axis] + part->maxs[axis];
}

static float surface(const struct part *box)
{
    float x = box->maxs[0] - box->mins[0], y = box->maxs[1] - box->mins[1];
    float z = box->maxs[2] - box->mins[2];
    return x * y + y * z + z * x;
}

static struct part box_of(const struct part *parts, int count)
{
    struct part box = no_part();
    for (int i = 0; i < count; i++)
        grow(&box, parts[i].mins, parts[i].maxs);
    return box;
}

/* The axis along which the middles spread most, and their range. */
static int widest_axis(const struct part *parts, int count, float *low, float *high)
{
    int axis = 0;
    *low = *high = 0;
    for (int k = 0; k < 3; k++) {
        float min = INFINITY, max = -INFINITY;
        for (int i = 0; i < count; i++) {
            float at = middle(&parts[i], k);
            min = at < min ? at : min;
            max = at > max ? at : max;
        }
        if (max - min > *high - *low) {
            axis = k;
            *low = min;
            *high = max;
        }
    }
    return axis;
}

static int bin_of(const struct part *part, int axis, float low, float high)
{
    int bin = (int)((middle(part, axis) - low) / (high - low) * (float)BINS);
    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
}

/* The first bin of the second half. */
static int best_bin(const struct part *parts, int count, int axis, float low, float high)
{
    struct part boxes[BINS], left = no_part(), right = no_part();
    int counts[BINS] = {0}, best = BINS / 2, before = 0, after = 0;
    float costs[BINS] = {0}, min = INFINITY;
    for (int i = 0; i < BINS; i++)
        boxes[i] = no_part();
    for (int i = 0; i < count; i++) {
        int bin = bin_of(&parts[i], axis, low, high);
        grow(&boxes[bin], parts[i].mins, parts[i].maxs);
        counts[bin]++;
    }
    for (int i = BINS - 1; i > 0; i--) {
        grow(&right, boxes[i].mins, boxes[i].maxs);
        after += counts[i];
        costs[i] = after ? surface(&right) * (float)after : 0;
    }
    for (int i = 1; i < BINS; i++) {
        grow(&left, boxes[i - 1].mins, boxes[i - 1].maxs);
        before += counts[i - 1];
        float cost = costs[i] + (before ? surface(&left) * (float)before : 0);
        if (before > 0 && before < count && cost < min) {
            min = cost;
            best = i;
        }
    }
    return best;
}

/* Partitions the parts; returns the size of the first half. */
static int cut(struct part *parts, int count, int depth)
{
    float low, high;
    int axis = widest_axis(parts, count, &low, &high), front = 0;
    if (!(high > low) || depth > DEEPEST_CUT)
        return count / 2;
    int best = best_bin(parts, count, axis, low, high);
    for (int i = 0; i < count; i++) {
        if (bin_of(&parts[i], axis, low, high) >= best)
            continue;
        struct part kept = parts[front];
        parts[front++] = parts[i];
        parts[i] = kept;
    }
    return front > 0 && front < count ? front : count / 2;
}

static int make_node(struct maker *maker, int first, int count, int depth);

static void set_child(struct maker *maker, int node, int slot, int first, int count, int depth)
{
    struct part box = box_of(maker->parts + first, count);
    int child = ~maker->parts[first].occluder;
    if (count > 1)
        child = make_node(maker, first, count, depth);
    struct occluder_node *at = &maker->out->nodes[node];
    at->child[slot] = child;
    for (int k = 0; k < 3; k++) {
        at->mins[k][slot] = box.mins[k];
        at->maxs[k][slot] = box.maxs[k];
    }
}

static int make_node(struct maker *maker, int first, int count, int depth)
{
    int ends[5] = {0, count}, groups = 1, node = (int)arrlen(maker->out->nodes);
    while (groups < 4) {
        int widest = 0;
        for (int i = 1; i < groups; i++)
            if (ends[i + 1] - ends[i] > ends[widest + 1] - ends[widest])
                widest = i;
        int size = ends[widest + 1] - ends[widest];
        if (size < 2)
            break;
        int front = cut(maker->parts + first + ends[widest], size, depth);
        for (int i = ++groups; i > widest + 1; i--)
            ends[i] = ends[i - 1];
        ends[widest + 1] = ends[widest] + front;
    }
    arrput(maker->out->nodes, (struct occluder_node){.count = groups});
    for (int i = 0; i < groups; i++)
        set_child(maker, node, i, first + ends[i], ends[i + 1] - ends[i], depth + 1);
    return node;
}

void occluder_tree_build(struct occluders *out)
{
    size_t count = arrlenu(out->all);
    struct maker maker = {out, memory_alloc((count + 1) * sizeof(struct part))};
    for (size_t i = 0; i < count; i++) {
        maker.parts[i] = no_part();
        maker.parts[i].occluder = (int)i;
        for (int k = 0; k < out->all[i].corner_count; k++) {
            const float *at = out->corners[out->all[i].first_corner + k];
            grow(&maker.parts[i], at, at);
        }
    }
    if (count)
        make_node(&maker, 0, (int)count, 0);
    memory_free(maker.parts);
}

/* ---- shafts ---- */

struct filter {
    float planes[6][4]; /* unit normal and minimum distance */
    bool upper[6][3]; /* take the maximum of the box on this axis for the corner furthest along the
                         normal */
    int plane_count;
    float mins[3], maxs[3];
};

static struct filter shaft_filter_of(const struct occluder_shaft *shaft)
{
    struct filter filter = {.plane_count = shaft->plane_count};
    for (int k = 0; k < 3; k++) {
        filter.mins[k] = (float)shaft->box.mins.e[k] - SLACK;
        filter.maxs[k] = (float)shaft->box.maxs.e[k] + SLACK;
    }
    for (int i = 0; i < shaft->plane_count; i++) {
        for (int k = 0; k < 4; k++)
            filter.planes[i][k] = (float)shaft->planes[i][k];
        for (int k = 0; k < 3; k++)
            filter.upper[i][k] = filter.planes[i][k] > 0;
        filter.planes[i][3] -= SLACK;
    }
    return filter;
}

/* One lane per box of a node. */
typedef float lanes __attribute__((vector_size(16)));
typedef int lane_bits __attribute__((vector_size(16)));

static inline lanes load(const float from[4])
{
    lanes all;
    memcpy(&all, from, sizeof all);
    return all;
}

/* The boxes of the node that may reach into the shaft, one bit each. */
static inline unsigned pass(const struct occluder_node *node, const struct filter *filter)
{
    lanes mins[3], maxs[3];
    lane_bits keep = {-1, -1, -1, -1};
    for (int k = 0; k < 3; k++) {
        mins[k] = load(node->mins[k]);
        maxs[k] = load(node->maxs[k]);
        keep &= (maxs[k] >= filter->mins[k]) & (mins[k] <= filter->maxs[k]);
    }
    for (int p = 0; p < filter->plane_count; p++) {
        const float *plane = filter->planes[p];
        lanes x = filter->upper[p][0] ? maxs[0] : mins[0];
        lanes y = filter->upper[p][1] ? maxs[1] : mins[1];
        lanes z = filter->upper[p][2] ? maxs[2] : mins[2];
        keep &= plane[0] * x + plane[1] * y + plane[2] * z >= plane[3];
    }
    unsigned bits = 0;
    for (int i = 0; i < 4; i++)
        bits |= (unsigned)keep[i] & 1u << i;
    return bits & ((1u << node->count) - 1);
}

void occluders_find(const struct occluders *occluders, const struct occluder_shaft *shaft,
                    occluder_visit *visit, void *context)
{
    const struct filter filter = shaft_filter_of(shaft);
    int pending[MAX_PENDING], count = 0;
    if (occluders->nodes)
        pending[count++] = 0;
    while (count > 0) {
        const struct occluder_node *node = &occluders->nodes[pending[--count]];
        unsigned left = pass(node, &filter);
        for (int i = 0; left; i++, left >>= 1) {
            if (!(left & 1))
                continue;
            if (node->child[i] >= 0)
                pending[count++] = node->child[i];
            else if (!visit(context, ~node->child[i]))
                return;
        }
    }
}
