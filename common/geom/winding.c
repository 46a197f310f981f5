#include "common/geom/winding.h"

#include <string.h>

#include "common/geom/epsilon.h"

static struct winding *allocate(struct arena *arena, int count)
{
    struct winding *winding =
        arena_alloc(arena, 1, sizeof *winding + (size_t)count * sizeof(struct vec3));
    winding->count = count;
    return winding;
}

struct winding *winding_new(struct arena *arena, int count, const struct vec3 *points)
{
    struct winding *winding = allocate(arena, count);
    memcpy(winding->points, points, (size_t)count * sizeof *points);
    return winding;
}

struct winding *winding_copy(struct arena *arena, const struct winding *winding)
{
    return winding_new(arena, winding->count, winding->points);
}

struct winding *winding_reverse(struct arena *arena, const struct winding *winding)
{
    struct winding *reversed = allocate(arena, winding->count);
    for (int i = 0; i < winding->count; i++)
        reversed->points[i] = winding->points[winding->count - 1 - i];
    return reversed;
}

/* Half the side of the square that stands for a plane. */
#define EXTENT (WORLD_LIMIT * 4)

/* The directions of its sides; unit vectors. */
static void plane_frame(struct vec3 normal, struct vec3 *up, struct vec3 *right)
{
    *up = vec3_major_axis(normal) == 2 ? vec3(1, 0, 0) : vec3(0, 0, 1);
    *up = vec3_normalize(vec3_mad(*up, normal, -vec3_dot(*up, normal)));
    *right = vec3_cross(*up, normal);
}

struct winding *winding_from_plane(struct arena *arena, const struct plane *plane)
{
    struct vec3 up, right, center = vec3_scale(plane->normal, plane->dist);
    plane_frame(plane->normal, &up, &right);
    right = vec3_scale(right, EXTENT);
    up = vec3_scale(up, EXTENT);
    struct vec3 corners[4] = {
        vec3_add(vec3_sub(center, right), up),
        vec3_add(vec3_add(center, right), up),
        vec3_sub(vec3_add(center, right), up),
        vec3_sub(vec3_sub(center, right), up),
    };
    return winding_new(arena, 4, corners);
}

/* Returns the intersection of the edge a-b, at signed distances da and db, with the plane. An axial
 * plane gives its own distance exactly, so that axial geometry stays exact. Both directions of an
 * edge are computed from the same end: neighbours must get the same point. */
static struct vec3 edge_cut(struct vec3 a, struct vec3 b, double da, double db,
                            const struct plane *plane)
{
    if (da < 0) {
        struct vec3 v = a;
        a = b;
        b = v;
        double d = da;
        da = db;
        db = d;
    }
    struct vec3 cut = vec3_lerp(a, b, da / (da - db));
    for (int i = 0; i < 3; i++) {
        if (plane->normal.e[i] == 1)
            cut.e[i] = plane->dist;
        else if (plane->normal.e[i] == -1)
            cut.e[i] = -plane->dist;
        else if (a.e[i] == b.e[i])
            cut.e[i] = a.e[i];
    }
    return cut;
}

enum { STACK_POINTS = 64 };

struct distances {
    double stack[STACK_POINTS];
    double *all;
    int fronts, backs; /* clearly on that side */
};

static void measure(struct arena *arena, const struct winding *winding, const struct plane *plane,
                    double epsilon, struct distances *out)
{
    int count = winding->count;
    out->all = count <= STACK_POINTS ? out->stack : ARENA_ARRAY(arena, double, (size_t)count);
    out->fronts = out->backs = 0;
    for (int i = 0; i < count; i++) {
        double d = plane_distance(plane, winding->points[i]);
        out->all[i] = d;
        out->fronts += d > epsilon;
        out->backs += d < -epsilon;
    }
}

static bool crosses(double d, double e, double epsilon)
{
    return (d > epsilon && e < -epsilon) || (d < -epsilon && e > epsilon);
}

/* Returns the part in front of the plane (sign 1) or behind it (-1) of a winding that lies on both
 * sides. Points are counted before allocation: windings are cut often, and live as long as their
 * tree. */
static struct winding *clipped(struct arena *arena, const struct winding *winding,
                               const struct plane *plane, double epsilon, double sign,
                               const double *distances)
{
    int count = winding->count, kept = 0;
    double last = distances[count - 1];
    for (int i = 0; i < count; i++) {
        kept += sign * distances[i] >= -epsilon;
        kept += crosses(last, distances[i], epsilon);
        last = distances[i];
    }
    struct winding *part = allocate(arena, kept);
    struct vec3 *out = part->points;
    for (int i = 0; i < count; i++) {
        int next = i + 1 < count ? i + 1 : 0;
        double d = distances[i], e = distances[next];
        if (sign * d >= -epsilon)
            *out++ = winding->points[i];
        if (crosses(d, e, epsilon))
            *out++ = edge_cut(winding->points[i], winding->points[next], d, e, plane);
    }
    return part;
}

void winding_clip(struct arena *arena, const struct winding *winding, const struct plane *plane,
                  double epsilon, struct winding **front, struct winding **back)
{
    struct distances at;
    measure(arena, winding, plane, epsilon, &at);
    if (front)
        *front = NULL;
    if (back)
        *back = NULL;
    if (!at.fronts || !at.backs) {
        if (at.fronts && front)
            *front = (struct winding *)winding;
        if (at.backs && back)
            *back = (struct winding *)winding;
        return;
    }
    if (front)
        *front = clipped(arena, winding, plane, epsilon, 1, at.all);
    if (back)
        *back = clipped(arena, winding, plane, epsilon, -1, at.all);
}

struct winding *winding_keep(struct arena *arena, struct arena_mark mark,
                             const struct winding *winding)
{
    struct vec3 stack[STACK_POINTS];
    if (!winding) {
        arena_release(arena, mark);
        return NULL;
    }
    if (winding->count > STACK_POINTS)
        return (struct winding *)winding;
    memcpy(stack, winding->points, (size_t)winding->count * sizeof *stack);
    int count = winding->count;
    arena_release(arena, mark);
    return winding_new(arena, count, stack);
}

struct winding *winding_clip_side(struct arena *arena, const struct winding *winding,
                                  const struct plane *plane, double epsilon, int side)
{
    struct winding *kept;
    winding_clip(arena, winding, plane, epsilon, side ? NULL : &kept, side ? &kept : NULL);
    return kept;
}

struct winding *winding_clip_behind(struct arena *arena, struct winding *winding,
                                    const struct plane *plane, double epsilon)
{
    struct distances at;
    measure(arena, winding, plane, epsilon, &at);
    if (!at.fronts)
        return winding;
    return at.backs ? clipped(arena, winding, plane, epsilon, -1, at.all) : NULL;
}

struct winding *winding_of_side(struct arena *arena, const struct plane *planes, size_t count,
                                size_t own, double epsilon)
{
    struct winding *winding = winding_from_plane(arena, &planes[own]);
    for (size_t i = 0; i < count && winding; i++)
        if (i != own)
            winding = winding_clip_behind(arena, winding, &planes[i], epsilon);
    return winding;
}

enum winding_side winding_classify(const struct winding *winding, const struct plane *plane,
                                   double epsilon)
{
    bool front = false, back = false;
    for (int i = 0; i < winding->count; i++) {
        double d = plane_distance(plane, winding->points[i]);
        front |= d > epsilon;
        back |= d < -epsilon;
    }
    if (front)
        return back ? WINDING_CROSS : WINDING_FRONT;
    return back ? WINDING_BACK : WINDING_ON;
}

static struct vec3 area_vector(const struct winding *winding)
{
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 2; i < winding->count; i++)
        sum = vec3_add(sum, vec3_cross(vec3_sub(winding->points[i], winding->points[0]),
                                       vec3_sub(winding->points[i - 1], winding->points[0])));
    return sum;
}

double winding_area(const struct winding *winding)
{
    return 0.5 * vec3_length(area_vector(winding));
}

bool winding_plane(const struct winding *winding, struct plane *out)
{
    struct vec3 normal = area_vector(winding);
    double length = vec3_length(normal);
    if (!(length > 0))
        return false;
    out->normal = vec3_scale(normal, 1 / length);
    out->dist = vec3_dot(out->normal, winding_center(winding));
    return true;
}

struct vec3 winding_center(const struct winding *winding)
{
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < winding->count; i++)
        sum = vec3_add(sum, winding->points[i]);
    return vec3_scale(sum, 1.0 / winding->count);
}

struct bounds winding_bounds(const struct winding *winding)
{
    struct bounds bounds = bounds_empty();
    for (int i = 0; i < winding->count; i++)
        bounds_add_point(&bounds, winding->points[i]);
    return bounds;
}

int winding_count_edges(const struct winding *winding, double longer_than)
{
    int edges = 0;
    for (int i = 0; i < winding->count; i++) {
        struct vec3 next = winding->points[i + 1 < winding->count ? i + 1 : 0];
        edges += vec3_distance(winding->points[i], next) > longer_than;
    }
    return edges;
}

bool winding_is_tiny(const struct winding *winding)
{
    return winding_count_edges(winding, EPSILON_EDGE) < 3;
}

bool winding_is_beyond(const struct winding *winding, double limit)
{
    for (int i = 0; i < winding->count; i++)
        for (int axis = 0; axis < 3; axis++)
            if (!(fabs(winding->points[i].e[axis]) <= limit))
                return true;
    return false;
}

bool winding_is_cut_short(const struct winding *winding, const struct plane *plane)
{
    struct vec3 up, right, center = vec3_scale(plane->normal, plane->dist);
    if (!winding_is_beyond(winding, EXTENT / 2)) /* the edge is farther, in any direction */
        return false;
    plane_frame(plane->normal, &up, &right);
    for (int i = 0; i < winding->count; i++) {
        struct vec3 to = vec3_sub(winding->points[i], center);
        if (fabs(vec3_dot(to, up)) >= EXTENT - 0.5 || fabs(vec3_dot(to, right)) >= EXTENT - 0.5)
            return true;
    }
    return false;
}

bool winding_is_huge(const struct winding *winding)
{
    return winding_is_beyond(winding, WORLD_LIMIT);
}

struct winding *winding_drop_colinear(struct arena *arena, const struct winding *winding,
                                      double epsilon)
{
    struct winding *kept = allocate(arena, winding->count);
    kept->count = 0;
    for (int i = 0; i < winding->count; i++) {
        struct vec3 before =
            kept->count ? kept->points[kept->count - 1] : winding->points[winding->count - 1];
        struct vec3 p = winding->points[i];
        struct vec3 after = winding->points[(i + 1) % winding->count];
        struct vec3 line = vec3_sub(after, before);
        double length = vec3_length(line);
        struct vec3 off = vec3_sub(p, before);
        if (length > epsilon)
            off = vec3_mad(off, line, -vec3_dot(off, line) / (length * length));
        if (vec3_length(off) > epsilon)
            kept->points[kept->count++] = p;
    }
    return kept;
}
