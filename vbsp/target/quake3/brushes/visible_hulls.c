#include "vbsp/target/quake3/brushes/visible_hulls.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/epsilon.h"

/* Parts this close touch: tiny ones between them are not in the list. */
#define TOUCHING 0.5

struct flat_point {
    double x, y;
    struct vec3 p;
};

/* A convex polygon on the plane, counter-clockwise in (x, y), and the group that it belongs to: the
 * number of another polygon or, for the first of a group, its own. */
struct flat_polygon {
    struct flat_point *points;
    int count;
    double low[2], high[2];
    size_t group;
};

/* ---- hulls ---- */

static int compare_flat(const void *a, const void *b)
{
    const struct flat_point *p = a, *q = b;
    if (p->x < q->x || p->x > q->x)
        return p->x < q->x ? -1 : 1;
    if (p->y < q->y || p->y > q->y)
        return p->y < q->y ? -1 : 1;
    return portable_bits_order(p, q, sizeof *p);
}

static double turn(const struct flat_point *a, const struct flat_point *b,
                   const struct flat_point *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/* One half of the hull, by Andrew's monotone chain. */
static int add_chain(struct flat_point *hull, int count, const struct flat_point *point, int min)
{
    while (count > min && turn(&hull[count - 2], &hull[count - 1], point) <= 0)
        count--;
    hull[count] = *point;
    return count + 1;
}

static void grow_box(struct flat_polygon *polygon)
{
    for (int k = 0; k < 2; k++) {
        polygon->low[k] = (double)INFINITY;
        polygon->high[k] = -(double)INFINITY;
    }
    for (int i = 0; i < polygon->count; i++) {
        const double at[2] = {polygon->points[i].x, polygon->points[i].y};
        for (int k = 0; k < 2; k++) {
            polygon->low[k] = portable_fmin(polygon->low[k], at[k]);
            polygon->high[k] = portable_fmax(polygon->high[k], at[k]);
        }
    }
}

/* The hull of the points, which are sorted. False: they have no area. */
static bool hull_of(struct arena *arena, struct flat_point *points, size_t total,
                    struct flat_polygon *out)
{
    struct flat_point *hull = ARENA_ARRAY(arena, struct flat_point, 2 * total + 2);
    qsort(points, total, sizeof *points, compare_flat);
    int count = 0;
    for (size_t i = 0; i < total; i++)
        count = add_chain(hull, count, &points[i], 1);
    int min = count;
    for (size_t i = total - 1; i-- > 0;)
        count = add_chain(hull, count, &points[i], min);
    count--; /* the first point again */
    out->points = hull;
    out->count = count;
    grow_box(out);
    return count >= 3;
}

static void add_points(struct flat_point **out, const struct winding *winding, int axis)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int i = 0; i < winding->count; i++) {
        struct vec3 p = winding->points[i];
        struct flat_point point = {p.e[u], p.e[v], p};
        arrput(*out, point);
    }
}

/* ---- groups ---- */

/* True if an edge of `a` has all of `b` outside, farther off than `gap`. */
static bool edge_parts(const struct flat_polygon *a, const struct flat_polygon *b, double gap)
{
    for (int i = 0; i < a->count; i++) {
        const struct flat_point *from = &a->points[i], *to = &a->points[(i + 1) % a->count];
        double x = to->x - from->x, y = to->y - from->y;
        double length = sqrt(x * x + y * y), nearest = (double)INFINITY;
        for (int j = 0; j < b->count && length > 0; j++)
            nearest = portable_fmin(nearest, -turn(from, to, &b->points[j]) / length);
        if (length > 0 && nearest > gap)
            return true;
    }
    return false;
}

static bool is_apart(const struct flat_polygon *a, const struct flat_polygon *b, double gap)
{
    for (int k = 0; k < 2; k++)
        if (a->low[k] - b->high[k] > gap || b->low[k] - a->high[k] > gap)
            return true;
    return edge_parts(a, b, gap) || edge_parts(b, a, gap);
}

static size_t first_of(const struct flat_polygon *polygons, size_t i)
{
    while (polygons[i].group != i)
        i = polygons[i].group;
    return i;
}

/* Joins the groups of polygons that are not apart; the smaller number stays the first. Returns true
 * if any were. */
static bool join(struct flat_polygon *polygons, double gap)
{
    bool any = false;
    for (size_t i = 0; i < arrlenu(polygons); i++) {
        for (size_t j = i + 1; j < arrlenu(polygons); j++) {
            size_t a = first_of(polygons, i), b = first_of(polygons, j);
            if (a == b || is_apart(&polygons[i], &polygons[j], gap))
                continue;
            polygons[a > b ? a : b].group = a < b ? a : b;
            any = true;
        }
    }
    return any;
}

/* Makes one polygon of each group, its hull, and begins new groups. */
static void merge(struct arena *arena, struct flat_polygon **polygons)
{
    struct flat_polygon *old = *polygons, *merged = NULL;
    struct flat_point *points = NULL;
    for (size_t i = 0; i < arrlenu(old); i++) {
        struct flat_polygon hull = {.group = arrlenu(merged)};
        if (old[i].group != i)
            continue;
        arrsetlen(points, 0);
        for (size_t j = i; j < arrlenu(old); j++)
            for (int k = 0; first_of(old, j) == i && k < old[j].count; k++)
                arrput(points, old[j].points[k]);
        if (hull_of(arena, points, arrlenu(points), &hull))
            arrput(merged, hull);
    }
    arrfree(points);
    arrfree(old);
    *polygons = merged;
}

/* ---- polygons of the side ---- */

static struct winding *winding_of(struct arena *arena, const struct flat_polygon *hull,
                                  bool reverse)
{
    struct vec3 *outline = ARENA_ARRAY(arena, struct vec3, (size_t)hull->count);
    for (int i = 0; i < hull->count; i++)
        outline[i] = hull->points[reverse ? hull->count - 1 - i : i].p;
    return winding_new(arena, hull->count, outline);
}

/* Snaps points to close corners of the whole side; then removes collinear ones. */
static struct winding *tidy_hull(struct arena *arena, struct winding *hull,
                                 const struct winding *whole)
{
    for (int i = 0; i < hull->count; i++)
        for (int j = 0; j < whole->count; j++)
            if (vec3_distance(hull->points[i], whole->points[j]) < EPSILON_WELD)
                hull->points[i] = whole->points[j];
    hull = winding_drop_colinear(arena, hull, EPSILON_NOISE);
    return hull && !winding_is_tiny(hull) ? hull : NULL;
}

const struct winding **visible_hulls(struct arena *arena, const struct winding *const *parts,
                                     const struct winding *whole, const struct plane *plane)
{
    const struct winding **out = NULL;
    struct flat_polygon *polygons = NULL;
    struct flat_point *points = NULL;
    int axis = vec3_major_axis(plane->normal);
    for (size_t i = 0; i < arrlenu(parts); i++) {
        struct flat_polygon part = {.group = arrlenu(polygons)};
        arrsetlen(points, 0);
        add_points(&points, parts[i], axis);
        if (hull_of(arena, points, arrlenu(points), &part))
            arrput(polygons, part);
    }
    arrfree(points);
    join(polygons, TOUCHING);
    do
        merge(arena, &polygons);
    while (join(polygons, -EPSILON_WELD));
    for (size_t i = 0; i < arrlenu(polygons); i++) {
        /* They are counter-clockwise. */
        struct winding *hull = winding_of(arena, &polygons[i], plane->normal.e[axis] > 0);
        hull = tidy_hull(arena, hull, whole);
        if (hull)
            arrput(out, hull);
    }
    arrfree(polygons);
    return out;
}
