#include "vrad/shadows/occluders.h"

#include <string.h>

#include "common/core/array.h"

/* --- occluder tree --- */

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

/* Builds the nodes. */
static void occluder_tree_build(struct occluders *out)
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

/* --- occluders --- */

/* Tolerance, in units, for corners on a plane and for equal corners: the rounding of single
 * precision at the edge of the world. */
#define FLAT_ENOUGH 0.01

/* Maximum number of open edges while a closed body is assembled. */
enum { MAX_OPEN = 32, POLYGON_CORNERS = 12 };

struct polygon {
    int first, count; /* corners */
    bool alpha;
    float plane[4];
};

struct polygons {
    struct polygon *all; /* stb_ds arrays */
    float (*corners)[3];
};

/* ---- polygons ---- */

static struct vec3 corner(const struct polygons *out, int index)
{
    return vec3_from_floats(out->corners[index]);
}

/* Twice the area, along the normal. */
static struct vec3 cross_of(struct vec3 a, struct vec3 b, struct vec3 c)
{
    return vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
}

static bool same_corner(const float a[3], const float b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Returns true if the triangle extends the fan of the last polygon, which stays convex. */
static bool extends_fan(const struct polygons *out, const float triangle[9], bool alpha)
{
    const struct polygon *last = &arrlast(out->all);
    int first = last->first, end = first + last->count;
    if (last->alpha != alpha || last->count == POLYGON_CORNERS ||
        !same_corner(triangle, out->corners[first]) ||
        !same_corner(triangle + 3, out->corners[end - 1]))
        return false;
    struct vec3 normal = vec3_from_floats(last->plane), next = vec3_from_floats(triangle + 6);
    if (fabs(vec3_dot(normal, next) - (double)last->plane[3]) > FLAT_ENOUGH)
        return false;
    struct vec3 start = corner(out, first);
    return vec3_dot(cross_of(corner(out, end - 2), corner(out, end - 1), next), normal) >= 0 &&
           vec3_dot(cross_of(corner(out, end - 1), next, start), normal) >= 0 &&
           vec3_dot(cross_of(next, start, corner(out, first + 1)), normal) >= 0;
}

static void add_triangle(struct polygons *out, const float triangle[9], bool alpha)
{
    if (arrlen(out->all) && extends_fan(out, triangle, alpha)) {
        memcpy(arraddnptr(out->corners, 1), triangle + 6, sizeof *out->corners);
        arrlast(out->all).count++;
        return;
    }
    struct vec3 start = vec3_from_floats(triangle);
    struct vec3 normal =
        cross_of(start, vec3_from_floats(triangle + 3), vec3_from_floats(triangle + 6));
    if (!vec3_is_finite(normal) || !(vec3_length(normal) > 0)) /* degenerate */
        return;
    normal = vec3_normalize(normal);
    struct polygon polygon = {.first = (int)arrlen(out->corners), .count = 3, .alpha = alpha};
    for (int k = 0; k < 3; k++)
        polygon.plane[k] = (float)normal.e[k];
    polygon.plane[3] = (float)vec3_dot(normal, start);
    arrput(out->all, polygon);
    memcpy(arraddnptr(out->corners, 3), triangle, 9 * sizeof(float));
}

static void add_class(struct polygons *out, const struct scene *scene, enum trace_class class)
{
    size_t count;
    const float *positions = trace_positions(scene->trace, class, &count);
    for (size_t i = 0; i < count; i++)
        add_triangle(out, positions + 9 * i, class == TRACE_ALPHA_SHADOW);
}

/* ---- convex bodies ---- */

/* An occluder under construction. */
struct draft {
    float corners[OCCLUDER_CORNERS][3];
    struct occluder_edge edges[OCCLUDER_EDGES];
    float planes[OCCLUDER_SIDES][4];
    int corner_count, edge_count, plane_count;
    int open; /* edges with one side */
};

/* Returns the number of the corner, or -1 when there is no room. */
static int draft_corner(struct draft *draft, const float at[3])
{
    for (int i = 0; i < draft->corner_count; i++) {
        const float *c = draft->corners[i];
        if (fabsf(c[0] - at[0]) + fabsf(c[1] - at[1]) + fabsf(c[2] - at[2]) < (float)FLAT_ENOUGH)
            return i;
    }
    if (draft->corner_count == OCCLUDER_CORNERS)
        return -1;
    memcpy(draft->corners[draft->corner_count], at, sizeof *draft->corners);
    return draft->corner_count++;
}

/* Two sides of a closed body run along their common edge in opposite directions. */
static bool draft_edge(struct draft *draft, int from, int to, int side)
{
    for (int i = 0; i < draft->edge_count; i++) {
        struct occluder_edge *edge = &draft->edges[i];
        if (edge->from == from && edge->to == to)
            return false;
        if (edge->from == to && edge->to == from) {
            if (edge->right != OCCLUDER_SIDES)
                return false;
            edge->right = (unsigned char)side;
            draft->open--;
            return true;
        }
    }
    if (draft->edge_count == OCCLUDER_EDGES)
        return false;
    draft->edges[draft->edge_count++] = (struct occluder_edge){
        (unsigned char)from, (unsigned char)to, (unsigned char)side, OCCLUDER_SIDES};
    return ++draft->open <= MAX_OPEN;
}

static bool draft_side(struct draft *draft, const struct polygons *from,
                       const struct polygon *polygon)
{
    int side = draft->plane_count++, numbers[POLYGON_CORNERS], kept = 0;
    memcpy(draft->planes[side], polygon->plane, sizeof *draft->planes);
    for (int i = 0; i < polygon->count; i++) {
        int number = draft_corner(draft, from->corners[polygon->first + i]);
        if (number < 0)
            return false;
        if (kept == 0 || (number != numbers[kept - 1] && number != numbers[0]))
            numbers[kept++] = number;
    }
    for (int i = 0; i < kept; i++)
        if (!draft_edge(draft, numbers[i], numbers[i + 1 < kept ? i + 1 : 0], side))
            return false;
    return kept >= 3;
}

/* Returns true if all corners lie behind all sides; flips planes that face inwards. */
static bool is_convex(struct draft *draft)
{
    float min = 0, max = 0;
    for (int p = 0; p < draft->plane_count; p++) {
        const float *plane = draft->planes[p];
        for (int i = 0; i < draft->corner_count; i++) {
            const float *at = draft->corners[i];
            float above = plane[0] * at[0] + plane[1] * at[1] + plane[2] * at[2] - plane[3];
            min = above < min ? above : min;
            max = above > max ? above : max;
        }
    }
    bool inwards = max > -min;
    for (int p = 0; p < draft->plane_count && inwards; p++)
        for (int k = 0; k < 4; k++)
            draft->planes[p][k] = -draft->planes[p][k];
    return (inwards ? -min : max) < 2 * (float)FLAT_ENOUGH;
}

static void put_occluder(struct occluders *out, const struct draft *draft, bool closed, bool alpha)
{
    struct occluder occluder = {.first_plane = (int)arrlen(out->planes),
                                .first_corner = (int)arrlen(out->corners),
                                .first_edge = (int)arrlen(out->edges),
                                .plane_count = (unsigned char)draft->plane_count,
                                .corner_count = (unsigned char)draft->corner_count,
                                .edge_count = (unsigned char)draft->edge_count,
                                .closed = closed,
                                .alpha = alpha};
    size_t planes = occluder.plane_count, corners = occluder.corner_count,
           edges = occluder.edge_count;
    memcpy(arraddnptr(out->planes, planes), draft->planes, planes * sizeof *draft->planes);
    memcpy(arraddnptr(out->corners, corners), draft->corners, corners * sizeof *draft->corners);
    memcpy(arraddnptr(out->edges, edges), draft->edges, edges * sizeof *draft->edges);
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < corners; i++)
            occluder.middle[k] += draft->corners[i][k] / (float)corners;
    }
    arrput(out->all, occluder);
}

/* The number of polygons from `first` on that close a convex body; 0: they do not. */
static int close_occluder(const struct polygons *from, int first, struct draft *draft)
{
    draft->corner_count = draft->edge_count = draft->plane_count = draft->open = 0;
    int end = (int)arrlen(from->all);
    for (int i = first; i < end && draft->plane_count < OCCLUDER_SIDES; i++) {
        if (from->all[i].alpha || !draft_side(draft, from, &from->all[i]))
            return 0;
        if (draft->open == 0)
            return draft->plane_count > 3 && is_convex(draft) ? draft->plane_count : 0;
    }
    return 0;
}

static void add_occluders(const struct polygons *from, bool closed, struct occluders *out)
{
    int count = (int)arrlen(from->all);
    for (int i = 0; i < count;) {
        struct draft draft;
        int sides = closed ? close_occluder(from, i, &draft) : 0;
        if (sides == 0) {
            draft.corner_count = draft.edge_count = draft.plane_count = draft.open = 0;
            if (draft_side(&draft, from, &from->all[i]))
                put_occluder(out, &draft, false, from->all[i].alpha);
            i++;
            continue;
        }
        put_occluder(out, &draft, true, false);
        i += sides;
    }
}

void occluders_build(const struct scene *scene, struct occluders *out)
{
    struct polygons polygons = {NULL, NULL};
    *out = (struct occluders){.all = NULL};
    add_class(&polygons, scene, TRACE_SOLID);
    if (scene->blocking & TRACE_PROP)
        add_class(&polygons, scene, TRACE_PROP);
    if (scene->alpha_shadows.triangles)
        add_class(&polygons, scene, TRACE_ALPHA_SHADOW);
    /* In scenes with solid leaves the triangles are drawn surfaces, which do not close. */
    add_occluders(&polygons, !scene->solid_leaves, out);
    arrfree(polygons.all);
    arrfree(polygons.corners);
    occluder_tree_build(out);
}

void occluders_build_sky(const struct scene *scene, struct occluders *out)
{
    struct polygons polygons = {NULL, NULL};
    *out = (struct occluders){.all = NULL};
    add_class(&polygons, scene, TRACE_SKY);
    add_occluders(&polygons, false, out);
    arrfree(polygons.all);
    arrfree(polygons.corners);
    occluder_tree_build(out);
}

void occluders_free(struct occluders *occluders)
{
    arrfree(occluders->all);
    arrfree(occluders->planes);
    arrfree(occluders->corners);
    arrfree(occluders->edges);
    arrfree(occluders->nodes);
}
