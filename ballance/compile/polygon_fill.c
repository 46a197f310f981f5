/* Outlines are traced, holes are joined to the outline around them by bridges, and ears are cut off
 * (Meisters 1975). An ear is cut only if no other point lies in it or on its new edge, so that
 * points on straight edges never end as a triangle without area. */
#include "ballance/compile/polygon_fill.h"

#include <stdbool.h>
#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"

/* A point of an outline, in a ring. */
struct node {
    int point, prev, next;
};

struct outline {
    int first; /* a node */
    double area;
    int around; /* of a hole: the outline that it is in, or -1 */
};

struct filler {
    const struct point2 *points;
    const struct polygon_edge *edges; /* sorted by `from` */
    size_t edge_count;
    bool *used; /* per edge */
    struct node *nodes;
    struct outline *outlines;
    double flat;
    int **triangles;
    size_t degenerate;
};

static double cross(struct point2 a, struct point2 b, struct point2 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static double distance(struct point2 a, struct point2 b)
{
    return portable_hypot(b.x - a.x, b.y - a.y);
}

static struct point2 at(const struct filler *filler, int node)
{
    return filler->points[filler->nodes[node].point];
}

/* --- outlines --- */

static int edge_order(const void *a, const void *b)
{
    const struct polygon_edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static size_t first_edge_from(const struct filler *filler, int point)
{
    size_t low = 0, high = filler->edge_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (filler->edges[middle].from < point)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The angle clockwise from the direction of a to that of b, seen from `middle`: above 0. */
static double turn(struct point2 middle, struct point2 a, struct point2 b)
{
    double angle = portable_atan2(a.y - middle.y, a.x - middle.x) -
                   portable_atan2(b.y - middle.y, b.x - middle.x);
    return angle <= 0 ? angle + 2 * PI : angle;
}

/* Returns the edge that bounds the same part of the area where an edge ends: the next one
 * clockwise. `start` counts as unused. -1: there is none. */
static ptrdiff_t edge_after(const struct filler *filler, size_t edge, size_t start)
{
    int middle = filler->edges[edge].to;
    const struct point2 *points = filler->points;
    ptrdiff_t best = -1;
    double min = 0;
    size_t i = first_edge_from(filler, middle);
    for (; i < filler->edge_count && filler->edges[i].from == middle; i++) {
        if (filler->used[i] && i != start)
            continue;
        double angle =
            turn(points[middle], points[filler->edges[edge].from], points[filler->edges[i].to]);
        if (best >= 0 && angle >= min)
            continue;
        best = (ptrdiff_t)i;
        min = angle;
    }
    return best;
}

static void close_outline(struct filler *filler, int first)
{
    int count = (int)arrlen(filler->nodes) - first;
    struct outline outline = {.first = first, .around = -1};
    for (int i = 0; i < count; i++) {
        struct node *node = &filler->nodes[first + i];
        node->prev = first + (i + count - 1) % count;
        node->next = first + (i + 1) % count;
    }
    for (int i = 1; i + 1 < count; i++)
        outline.area += cross(at(filler, first), at(filler, first + i), at(filler, first + i + 1));
    arrput(filler->outlines, outline);
}

static void trace_outlines(struct filler *filler)
{
    for (size_t start = 0; start < filler->edge_count; start++) {
        if (filler->used[start])
            continue;
        int first = (int)arrlen(filler->nodes);
        ptrdiff_t edge = (ptrdiff_t)start;
        do {
            filler->used[edge] = true;
            arrput(filler->nodes, ((struct node){.point = filler->edges[edge].from}));
            edge = edge_after(filler, (size_t)edge, start);
        } while (edge >= 0 && (size_t)edge != start);
        close_outline(filler, first);
    }
}

/* --- holes --- */

static bool is_at_point_of(const struct filler *filler, int node, int first)
{
    int i = first;
    do {
        if (filler->nodes[i].point == filler->nodes[node].point)
            return true;
        i = filler->nodes[i].next;
    } while (i != first);
    return false;
}

static bool is_inside(const struct filler *filler, struct point2 p, int first)
{
    bool inside = false;
    int i = first;
    do {
        struct point2 a = at(filler, i), b = at(filler, filler->nodes[i].next);
        if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x)
            inside = !inside;
        i = filler->nodes[i].next;
    } while (i != first);
    return inside;
}

/* Returns true when a hole is in an outline, by one of its points that they do not share. */
static bool is_around(const struct filler *filler, const struct outline *outline,
                      const struct outline *hole)
{
    int i = hole->first;
    do {
        if (!is_at_point_of(filler, i, outline->first))
            return is_inside(filler, at(filler, i), outline->first);
        i = filler->nodes[i].next;
    } while (i != hole->first);
    return true;
}

/* A hole is in the smallest outline around it. */
static void place_holes(struct filler *filler)
{
    for (size_t h = 0; h < arrlenu(filler->outlines); h++) {
        struct outline *hole = &filler->outlines[h];
        for (size_t i = 0; i < arrlenu(filler->outlines) && hole->area <= 0; i++) {
            const struct outline *outline = &filler->outlines[i];
            bool smaller = hole->around < 0 || outline->area < filler->outlines[hole->around].area;
            if (outline->area > 0 && smaller && is_around(filler, outline, hole))
                hole->around = (int)i;
        }
    }
}

/* Returns true when the direction from a node to a point goes into the area. */
static bool opens_to(const struct filler *filler, int node, struct point2 to)
{
    struct point2 p = at(filler, node), before = at(filler, filler->nodes[node].prev),
                  after = at(filler, filler->nodes[node].next);
    bool left = cross(p, after, to) > 0, right = cross(before, p, to) > 0;
    return cross(before, p, after) >= 0 ? left && right : left || right;
}

static bool crosses(struct point2 a, struct point2 b, struct point2 c, struct point2 d)
{
    return (cross(a, b, c) > 0) != (cross(a, b, d) > 0) &&
           (cross(c, d, a) > 0) != (cross(c, d, b) > 0);
}

/* Returns true when a point lies between two others, within the flat height. */
static bool is_between(struct point2 a, struct point2 b, struct point2 p, double flat)
{
    double length = distance(a, b), along = (p.x - a.x) * (b.x - a.x) + (p.y - a.y) * (b.y - a.y);
    return length > 0 && along > 0 && along < length * length &&
           fabs(cross(a, b, p)) < flat * length;
}

/* Returns true when the outline leaves the way between two nodes free. */
static bool lets_pass(const struct filler *filler, int first, int a, int b)
{
    const struct node *nodes = filler->nodes;
    struct point2 p = at(filler, a), q = at(filler, b);
    int i = first;
    do {
        int next = nodes[i].next;
        bool is_end = nodes[i].point == nodes[a].point || nodes[i].point == nodes[b].point;
        bool ends_there =
            nodes[next].point == nodes[a].point || nodes[next].point == nodes[b].point;
        if (!is_end && is_between(p, q, at(filler, i), filler->flat))
            return false;
        if (!is_end && !ends_there && crosses(p, q, at(filler, i), at(filler, next)))
            return false;
        i = next;
    } while (i != first);
    return true;
}

static bool can_bridge(const struct filler *filler, int outline, int a, int b)
{
    if (!opens_to(filler, a, at(filler, b)) || !opens_to(filler, b, at(filler, a)))
        return false;
    for (size_t i = 0; i < arrlenu(filler->outlines); i++) {
        const struct outline *other = &filler->outlines[i];
        if (((int)i == outline || other->around == outline) &&
            !lets_pass(filler, other->first, a, b))
            return false;
    }
    return true;
}

struct bridge {
    int outer, hole; /* nodes */
    double length;
};

static int bridge_order(const void *a, const void *b)
{
    const struct bridge *x = a, *y = b;
    if (x->length < y->length || x->length > y->length)
        return x->length < y->length ? -1 : 1;
    if (x->outer != y->outer)
        return x->outer < y->outer ? -1 : 1;
    return (x->hole > y->hole) - (x->hole < y->hole);
}

static struct bridge *all_bridges(const struct filler *filler, int outline, int hole)
{
    struct bridge *all = NULL;
    int first = filler->outlines[outline].first, a = first, b = hole;
    do {
        do {
            struct bridge bridge = {a, b, distance(at(filler, a), at(filler, b))};
            arrput(all, bridge);
            b = filler->nodes[b].next;
        } while (b != hole);
        a = filler->nodes[a].next;
    } while (a != first);
    return all;
}

/* Most often one of the first does; only then are the others sorted. */
enum { UNSORTED = 8 };

/* Puts the bridge at its place in the order, after those that are there. */
static void settle_bridge(struct bridge *all, size_t count, size_t number)
{
    if (number == UNSORTED)
        qsort(all + number, count - number, sizeof *all, bridge_order);
    if (number >= UNSORTED)
        return;
    size_t best = number;
    for (size_t i = number + 1; i < count; i++)
        if (bridge_order(&all[i], &all[best]) < 0)
            best = i;
    struct bridge swap = all[number];
    all[number] = all[best];
    all[best] = swap;
}

/* Returns the shortest bridge that crosses nothing; the shortest of all if there is none. */
static struct bridge find_bridge(const struct filler *filler, int outline, int hole)
{
    struct bridge *all = all_bridges(filler, outline, hole);
    size_t count = arrlenu(all), found = 0;
    for (size_t i = 0; i < count; i++) {
        settle_bridge(all, count, i);
        if (!can_bridge(filler, outline, all[i].outer, all[i].hole))
            continue;
        found = i;
        break;
    }
    struct bridge best = all[found];
    arrfree(all);
    return best;
}

/* From the outer node to the hole, around it, and back. */
static void join_hole(struct filler *filler, int outline, struct outline *hole)
{
    struct bridge bridge = find_bridge(filler, outline, hole->first);
    int outer_again = (int)arrlen(filler->nodes), hole_again = outer_again + 1;
    arrput(filler->nodes, filler->nodes[bridge.outer]);
    arrput(filler->nodes, filler->nodes[bridge.hole]);
    struct node *nodes = filler->nodes;
    nodes[nodes[bridge.outer].next].prev = outer_again;
    nodes[nodes[bridge.hole].prev].next = hole_again;
    nodes[bridge.outer].next = bridge.hole;
    nodes[bridge.hole].prev = bridge.outer;
    nodes[hole_again].next = outer_again;
    nodes[outer_again].prev = hole_again;
    hole->around = -1;
}

/* --- ears --- */

/* How good an ear must be, in the order in which they are cut. */
static const struct {
    double height; /* in flat heights; below 0: any */
    double shape;  /* height over the longest side */
} grades[] = {{1, 0.1}, {1, 0}, {0.1, 0}, {0.001, 0}, {0, 0}, {-1, 0}};

enum { GRADES = sizeof grades / sizeof *grades };

/* Returns true when a direction from a corner of a triangle goes into it. */
static bool goes_between(struct point2 corner, struct point2 next, struct point2 prev,
                         struct point2 to)
{
    return cross(corner, next, to) > 0 && cross(corner, to, prev) > 0;
}

/* Returns true when a node at a corner of the ear has an edge that leads through the ear. */
static bool leads_through(const struct filler *filler, int node, const int ear[3])
{
    const struct node *nodes = filler->nodes;
    for (int k = 0; k < 3; k++) {
        if (nodes[node].point != nodes[ear[k]].point)
            continue;
        struct point2 next = at(filler, ear[(k + 1) % 3]), prev = at(filler, ear[(k + 2) % 3]);
        return goes_between(at(filler, node), next, prev, at(filler, nodes[node].next)) ||
               goes_between(at(filler, node), next, prev, at(filler, nodes[node].prev));
    }
    return false;
}

static bool is_corner(const struct filler *filler, int node, const int ear[3])
{
    int point = filler->nodes[node].point;
    return point == filler->nodes[ear[0]].point || point == filler->nodes[ear[1]].point ||
           point == filler->nodes[ear[2]].point;
}

/* Returns true when nothing else lies in the ear, nor within `margin` of its new edge. */
static bool is_free(const struct filler *filler, const int ear[3], double margin)
{
    struct point2 a = at(filler, ear[0]), b = at(filler, ear[1]), c = at(filler, ear[2]);
    double beyond = -margin * distance(a, c);
    for (int i = filler->nodes[ear[2]].next; i != ear[0]; i = filler->nodes[i].next) {
        struct point2 p = at(filler, i);
        if (is_corner(filler, i, ear)) {
            if (leads_through(filler, i, ear))
                return false;
        } else if (cross(a, b, p) >= 0 && cross(b, c, p) >= 0 && cross(c, a, p) >= beyond) {
            return false;
        }
    }
    return true;
}

static bool is_ear(const struct filler *filler, int node, int grade)
{
    const int ear[3] = {filler->nodes[node].prev, node, filler->nodes[node].next};
    if (grades[grade].height < 0)
        return true;
    struct point2 a = at(filler, ear[0]), b = at(filler, ear[1]), c = at(filler, ear[2]);
    double longest = portable_fmax(distance(a, b), portable_fmax(distance(b, c), distance(c, a)));
    double area = cross(a, b, c), min = grades[grade].height * filler->flat;
    return area > min * longest && area > grades[grade].shape * longest * longest &&
           is_free(filler, ear, min);
}

static void cut_ear(struct filler *filler, int node)
{
    struct node *nodes = filler->nodes;
    int prev = nodes[node].prev, next = nodes[node].next;
    const int corners[3] = {nodes[prev].point, nodes[node].point, nodes[next].point};
    nodes[prev].next = next;
    nodes[next].prev = prev;
    if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0])
        return; /* there and back */
    for (int k = 0; k < 3; k++)
        arrput(*filler->triangles, corners[k]);
    if (!(cross(filler->points[corners[0]], filler->points[corners[1]],
                filler->points[corners[2]]) > 0))
        filler->degenerate++;
}

static void cut_ears(struct filler *filler, int first)
{
    const struct node *nodes = filler->nodes;
    int left = 0, grade = 0, tried = 0, node = first;
    for (int i = first; left == 0 || i != first; i = nodes[i].next)
        left++;
    while (left > 2) {
        int next = nodes[node].next;
        if (is_ear(filler, node, grade)) {
            cut_ear(filler, node);
            left--;
            tried = grade = 0;
            next = nodes[next].next; /* not a fan around one point */
        } else if (++tried > left) {
            tried = 0;
            grade += grade + 1 < GRADES;
        }
        node = next;
    }
}

size_t polygon_fill(const struct point2 *points, const struct polygon_edge *edges, size_t count,
                    double flat, int **triangles)
{
    struct polygon_edge *sorted = memory_alloc((count ? count : 1) * sizeof *sorted);
    memcpy(sorted, edges, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, edge_order);
    struct filler filler = {.points = points,
                            .edges = sorted,
                            .edge_count = count,
                            .used = memory_zalloc(count + 1, sizeof *filler.used),
                            .flat = flat,
                            .triangles = triangles};
    trace_outlines(&filler);
    place_holes(&filler);
    for (size_t i = 0; i < arrlenu(filler.outlines); i++)
        if (filler.outlines[i].around >= 0) {
            int outline = filler.outlines[i].around;
            join_hole(&filler, outline, &filler.outlines[i]);
            filler.outlines[i].first = -1;
        }
    for (size_t i = 0; i < arrlenu(filler.outlines); i++)
        if (filler.outlines[i].first >= 0)
            cut_ears(&filler, filler.outlines[i].first);
    memory_free(filler.used);
    memory_free(sorted);
    arrfree(filler.nodes);
    arrfree(filler.outlines);
    return filler.degenerate;
}
