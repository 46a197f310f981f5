#include "vrad/shadows/shadow_bodies.h"

#include <string.h>

#include "common/core/array.h"

/* The tree: its nodes are cut where the surfaces of the boxes of the two parts are least, by so
 * many bins; deep down in the middle. */
enum { BINS = 12, DEEPEST_CUT = 24, MAX_PENDING = 256 };

/* Boxes and planes are this much wider than they have to be, in units. */
#define SLACK 0.01f

struct part {
    float mins[3], maxs[3];
    int body;
};

struct maker {
    struct shadow_bodies *out;
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

/* The axis along which the middles spread most, and between which. */
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

/* Moves those that belong before others to the front; returns how many. */
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
    int child = ~maker->parts[first].body;
    if (count > 1)
        child = make_node(maker, first, count, depth);
    struct shadow_node *at = &maker->out->nodes[node];
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
    arrput(maker->out->nodes, (struct shadow_node){.count = groups});
    for (int i = 0; i < groups; i++)
        set_child(maker, node, i, first + ends[i], ends[i + 1] - ends[i], depth + 1);
    return node;
}

void shadow_tree_make(struct shadow_bodies *out)
{
    size_t count = arrlenu(out->bodies);
    struct maker maker = {out, memory_alloc((count + 1) * sizeof(struct part))};
    for (size_t i = 0; i < count; i++) {
        maker.parts[i] = no_part();
        maker.parts[i].body = (int)i;
        for (int k = 0; k < out->bodies[i].corner_count; k++) {
            const float *at = out->corners[out->bodies[i].first_corner + k];
            grow(&maker.parts[i], at, at);
        }
    }
    if (count)
        make_node(&maker, 0, (int)count, 0);
    memory_free(maker.parts);
}

/* ---- shafts ---- */

struct sieve {
    float planes[6][4]; /* unit normal and the least that lies within */
    bool upper[6][3];   /* the corner furthest along the normal has the most there */
    int plane_count;
    float mins[3], maxs[3];
};

static struct sieve sieve_of(const struct shadow_shaft *shaft)
{
    struct sieve sieve = {.plane_count = shaft->plane_count};
    for (int k = 0; k < 3; k++) {
        sieve.mins[k] = (float)shaft->box.mins.e[k] - SLACK;
        sieve.maxs[k] = (float)shaft->box.maxs.e[k] + SLACK;
    }
    for (int i = 0; i < shaft->plane_count; i++) {
        for (int k = 0; k < 4; k++)
            sieve.planes[i][k] = (float)shaft->planes[i][k];
        for (int k = 0; k < 3; k++)
            sieve.upper[i][k] = sieve.planes[i][k] > 0;
        sieve.planes[i][3] -= SLACK;
    }
    return sieve;
}

/* Of the four boxes of a node, side by side. */
typedef float lanes __attribute__((vector_size(16)));
typedef int lane_bits __attribute__((vector_size(16)));

static inline lanes load(const float from[4])
{
    lanes all;
    memcpy(&all, from, sizeof all);
    return all;
}

/* The boxes of the node that may reach into the shaft, one bit each. */
static inline unsigned pass(const struct shadow_node *node, const struct sieve *sieve)
{
    lanes mins[3], maxs[3];
    lane_bits keep = {-1, -1, -1, -1};
    for (int k = 0; k < 3; k++) {
        mins[k] = load(node->mins[k]);
        maxs[k] = load(node->maxs[k]);
        keep &= (maxs[k] >= sieve->mins[k]) & (mins[k] <= sieve->maxs[k]);
    }
    for (int p = 0; p < sieve->plane_count; p++) {
        const float *plane = sieve->planes[p];
        lanes x = sieve->upper[p][0] ? maxs[0] : mins[0];
        lanes y = sieve->upper[p][1] ? maxs[1] : mins[1];
        lanes z = sieve->upper[p][2] ? maxs[2] : mins[2];
        keep &= plane[0] * x + plane[1] * y + plane[2] * z >= plane[3];
    }
    unsigned bits = 0;
    for (int i = 0; i < 4; i++)
        bits |= (unsigned)keep[i] & 1u << i;
    return bits & ((1u << node->count) - 1);
}

void shadow_bodies_find(const struct shadow_bodies *bodies, const struct shadow_shaft *shaft,
                        shadow_visit *visit, void *context)
{
    const struct sieve sieve = sieve_of(shaft);
    int pending[MAX_PENDING], count = 0;
    if (bodies->nodes)
        pending[count++] = 0;
    while (count > 0) {
        const struct shadow_node *node = &bodies->nodes[pending[--count]];
        unsigned left = pass(node, &sieve);
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
