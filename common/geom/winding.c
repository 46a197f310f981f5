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

struct winding *winding_from_plane(struct arena *arena, const struct plane *plane)
{
    const double reach = WORLD_LIMIT * 4;
    struct vec3 normal = plane->normal;
    struct vec3 up = vec3_major_axis(normal) == 2 ? vec3(1, 0, 0) : vec3(0, 0, 1);
    up = vec3_normalize(vec3_mad(up, normal, -vec3_dot(up, normal)));
    struct vec3 right = vec3_scale(vec3_cross(up, normal), reach);
    up = vec3_scale(up, reach);
    struct vec3 center = vec3_scale(normal, plane->dist);
    struct vec3 corners[4] = {
        vec3_add(vec3_sub(center, right), up),
        vec3_add(vec3_add(center, right), up),
        vec3_sub(vec3_add(center, right), up),
        vec3_sub(vec3_sub(center, right), up),
    };
    return winding_new(arena, 4, corners);
}

/* Where the edge a-b, at signed distances da and db, meets the plane. An axial plane gives its own
 * distance exactly, so that axial geometry stays exact. The edge is walked from the same end for
 * both of its directions: neighbours must get the same point. */
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

void winding_clip(struct arena *arena, const struct winding *winding, const struct plane *plane,
                  double epsilon, struct winding **front, struct winding **back)
{
    int count = winding->count;
    double stack[STACK_POINTS];
    double *distances = count <= STACK_POINTS ? stack : ARENA_ARRAY(arena, double, (size_t)count);
    int fronts = 0, backs = 0;
    for (int i = 0; i < count; i++) {
        distances[i] = plane_distance(plane, winding->points[i]);
        fronts += distances[i] > epsilon;
        backs += distances[i] < -epsilon;
    }
    if (front)
        *front = NULL;
    if (back)
        *back = NULL;
    if (!fronts || !backs) {
        if (fronts && front)
            *front = (struct winding *)winding;
        if (backs && back)
            *back = (struct winding *)winding;
        return;
    }
    /* A convex winding gains at most one point on either side; rounding may add a few more. */
    struct winding *parts[2] = {allocate(arena, 2 * count), allocate(arena, 2 * count)};
    parts[0]->count = parts[1]->count = 0;
    for (int i = 0; i < count; i++) {
        int next = i + 1 < count ? i + 1 : 0;
        struct vec3 p = winding->points[i];
        double d = distances[i], e = distances[next];
        if (d >= -epsilon)
            parts[0]->points[parts[0]->count++] = p;
        if (d <= epsilon)
            parts[1]->points[parts[1]->count++] = p;
        if ((d > epsilon && e < -epsilon) || (d < -epsilon && e > epsilon)) {
            struct vec3 cut = edge_cut(p, winding->points[next], d, e, plane);
            parts[0]->points[parts[0]->count++] = cut;
            parts[1]->points[parts[1]->count++] = cut;
        }
    }
    if (front)
        *front = parts[0];
    if (back)
        *back = parts[1];
}

struct winding *winding_clip_behind(struct arena *arena, struct winding *winding,
                                    const struct plane *plane, double epsilon)
{
    if (winding_classify(winding, plane, epsilon) == WINDING_ON)
        return winding;
    struct winding *back;
    winding_clip(arena, winding, plane, epsilon, NULL, &back);
    return back;
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

bool winding_is_tiny(const struct winding *winding)
{
    int edges = 0;
    for (int i = 0; i < winding->count; i++) {
        struct vec3 next = winding->points[(i + 1) % winding->count];
        edges += vec3_distance(winding->points[i], next) > EPSILON_EDGE;
    }
    return edges < 3;
}

bool winding_is_huge(const struct winding *winding)
{
    for (int i = 0; i < winding->count; i++)
        for (int axis = 0; axis < 3; axis++)
            if (!(fabs(winding->points[i].e[axis]) <= WORLD_LIMIT))
                return true;
    return false;
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
