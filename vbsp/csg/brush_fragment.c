#include "vbsp/csg/brush_fragment.h"

#include <string.h>

#include "common/core/portable_math.h"
#include "common/geom/epsilon.h"

/* Fragments smaller than this are dropped: they come from brushes that nearly touch. */
#define MIN_VOLUME 1e-3

static struct brush *allocate_fragment(struct arena *arena, int sides)
{
    struct brush *fragment =
        arena_alloc(arena, 1, sizeof *fragment + (size_t)sides * sizeof(struct brush_side));
    fragment->bounds = bounds_empty();
    return fragment;
}

struct brush *brush_fragment_new(struct arena *arena, const struct map_brush *original,
                                 bool all_visible)
{
    struct brush *fragment = allocate_fragment(arena, original->side_count);
    fragment->original = original;
    fragment->bounds = original->bounds;
    fragment->side_count = original->side_count;
    for (int i = 0; i < original->side_count; i++) {
        struct brush_side *side = &fragment->sides[i];
        *side = original->sides[i];
        side->original = &original->sides[i];
        fragment->plane_bits |= plane_bit(side->plane);
        /* A hint splits, though it is never drawn. */
        side->visible |= all_visible || (side->flags & SURFACE_HINT);
        side->on_node = false;
    }
    return fragment;
}

struct brush *brush_fragment_copy_sides(struct arena *arena, const struct brush *fragment)
{
    struct brush *copy = allocate_fragment(arena, fragment->side_count);
    memcpy(copy, fragment, sizeof *copy + (size_t)fragment->side_count * sizeof(struct brush_side));
    copy->next = NULL;
    for (int i = 0; i < copy->side_count; i++)
        copy->sides[i].winding = copy->sides[i].original ? copy->sides[i].original->winding : NULL;
    return copy;
}

struct brush *brush_fragment_box(struct arena *arena, struct plane_set *planes,
                                 const struct bounds *bounds)
{
    struct brush *fragment = allocate_fragment(arena, 6);
    fragment->bounds = *bounds;
    fragment->side_count = 6;
    for (int i = 0; i < 6; i++) {
        struct vec3 normal = vec3(0, 0, 0);
        normal.e[i / 2] = i % 2 ? -1 : 1;
        double dist = i % 2 ? -bounds->mins.e[i / 2] : bounds->maxs.e[i / 2];
        fragment->sides[i] = (struct brush_side){.plane = plane_set_find(planes, normal, dist),
                                                 .texinfo = TEXINFO_NODE,
                                                 .on_node = true};
        fragment->plane_bits |= plane_bit(fragment->sides[i].plane);
    }
    for (int i = 0; i < 6; i++) {
        struct winding *winding =
            winding_from_plane(arena, &planes->planes[fragment->sides[i].plane]);
        for (int j = 0; j < 6 && winding; j++)
            if (j != i)
                winding = winding_clip_behind(arena, winding,
                                              &planes->planes[fragment->sides[j].plane], 0);
        fragment->sides[i].winding = winding;
    }
    return fragment;
}

double brush_fragment_volume(const struct plane_set *planes, const struct brush *fragment)
{
    const struct winding *first = NULL;
    double volume = 0;
    for (int i = 0; i < fragment->side_count; i++) {
        const struct winding *winding = fragment->sides[i].winding;
        if (!winding)
            continue;
        if (!first)
            first = winding;
        double height =
            -plane_distance(&planes->planes[fragment->sides[i].plane], first->points[0]);
        volume += height * winding_area(winding) / 3;
    }
    return volume;
}

/* Largest distances of the fragment's corners in front of and behind the plane. */
static void measure_reach(const struct brush *fragment, const struct plane *plane, double *front,
                          double *back)
{
    *front = *back = 0;
    for (int i = 0; i < fragment->side_count; i++) {
        const struct winding *winding = fragment->sides[i].winding;
        for (int j = 0; winding && j < winding->count; j++) {
            double d = plane_distance(plane, winding->points[j]);
            if (d > *front)
                *front = d;
            if (d < *back)
                *back = d;
        }
    }
}

/* The cross-section of the fragment in the plane. Clipped around the fragment's centre: far from
 * the origin the huge base winding of the plane would lose precision. */
static struct winding *plane_section(struct arena *arena, const struct plane_set *planes,
                                     const struct brush *fragment, const struct plane *plane)
{
    struct vec3 center = bounds_center(&fragment->bounds);
    struct plane moved = {plane->normal, plane->dist - vec3_dot(plane->normal, center)};
    struct arena_mark mark = arena_mark(arena);
    struct winding *winding = winding_from_plane(arena, &moved);
    for (int i = 0; i < fragment->side_count && winding; i++) {
        if (fragment->sides[i].bevel)
            continue;
        const struct plane *side = &planes->planes[fragment->sides[i].plane];
        struct plane clip = {side->normal, side->dist - vec3_dot(side->normal, center)};
        winding = winding_clip_behind(arena, winding, &clip, 0);
    }
    winding = winding_keep(arena, mark, winding);
    for (int i = 0; winding && i < winding->count; i++)
        winding->points[i] = vec3_add(winding->points[i], center);
    return winding;
}

static void add_side(struct brush *fragment, const struct brush_side *side, struct winding *winding)
{
    struct brush_side *added = &fragment->sides[fragment->side_count++];
    *added = *side;
    added->winding = winding;
    fragment->plane_bits |= plane_bit(side->plane);
    if (winding) {
        struct bounds bounds = winding_bounds(winding);
        bounds_add(&fragment->bounds, &bounds);
    }
}

static void add_cut(struct brush *fragment, int plane, struct winding *winding)
{
    struct brush_side cut = {.plane = plane, .texinfo = TEXINFO_NODE, .on_node = true};
    add_side(fragment, &cut, winding);
}

static bool is_in_world(const struct plane_set *planes, const struct brush *fragment)
{
    double limit = 2 * plane_set_limit(planes);
    for (int axis = 0; axis < 3; axis++)
        if (!(fragment->bounds.mins.e[axis] >= -limit) || !(fragment->bounds.maxs.e[axis] <= limit))
            return false;
    return true;
}

static struct brush *keep_if_real(const struct plane_set *planes, struct brush *fragment)
{
    if (!is_in_world(planes, fragment))
        return NULL;
    if (fragment->side_count < 4 || brush_fragment_volume(planes, fragment) < MIN_VOLUME)
        return NULL;
    return fragment;
}

void brush_fragment_cut(struct arena *arena, const struct plane_set *planes, struct brush *fragment,
                        int plane, struct brush **front, struct brush **back)
{
    const struct plane *cutter = &planes->planes[plane];
    double ahead, behind;
    measure_reach(fragment, cutter, &ahead, &behind);
    *front = *back = NULL;
    if (ahead < EPSILON_SPLIT) {
        *back = fragment;
        return;
    }
    if (behind > -EPSILON_SPLIT) {
        *front = fragment;
        return;
    }
    struct winding *middle = plane_section(arena, planes, fragment, cutter);
    if (!middle || winding_is_tiny(middle)) {
        *(ahead >= -behind ? front : back) = fragment;
        return;
    }
    struct brush *parts[2];
    for (int i = 0; i < 2; i++) {
        parts[i] = allocate_fragment(arena, fragment->side_count + 1);
        parts[i]->original = fragment->original;
    }
    for (int i = 0; i < fragment->side_count; i++) {
        const struct brush_side *side = &fragment->sides[i];
        struct winding *cut[2] = {NULL, NULL};
        if (side->winding)
            winding_clip(arena, side->winding, cutter, EPSILON_NOISE, &cut[0], &cut[1]);
        for (int j = 0; j < 2; j++)
            if (cut[j])
                add_side(parts[j], side, cut[j]);
    }
    add_cut(parts[0], plane ^ 1, winding_reverse(arena, middle));
    add_cut(parts[1], plane, middle);
    *front = keep_if_real(planes, parts[0]);
    *back = keep_if_real(planes, parts[1]);
}

/* Radius of a ball around the mean of the corners that no side cuts; -1 if it is negligible. */
static double find_inner_radius(const struct plane_set *planes, const struct brush *fragment)
{
    struct vec3 sum = vec3(0, 0, 0);
    int count = 0;
    for (int i = 0; i < fragment->side_count; i++) {
        const struct winding *winding = fragment->sides[i].winding;
        if (!winding)
            return -1;
        for (int j = 0; j < winding->count; j++)
            sum = vec3_add(sum, winding->points[j]);
        count += winding->count;
    }
    if (!count || !is_in_world(planes, fragment))
        return -1;
    double radius = DBL_MAX;
    for (int i = 0; i < fragment->side_count; i++) {
        const struct plane *plane = &planes->planes[fragment->sides[i].plane];
        radius = portable_fmin(radius, -plane_distance(plane, vec3_scale(sum, 1.0 / count)));
    }
    return radius > 0 ? radius : -1;
}

/* A fragment is convex: shrunk towards its farthest point in front of the plane, until it lies
 * wholly there, it is still inside the fragment, and so is the ball within it. The same holds
 * behind, and the cross-section in the plane is no smaller than that. If the remaining ball is
 * larger than what counts as dust or as a tiny winding (one with at most two edges longer than
 * EPSILON_EDGE), the result is known without making the cut. */
bool brush_fragment_is_cut(struct arena *scratch, const struct plane_set *planes,
                           struct brush *fragment, int plane)
{
    double ahead, behind;
    measure_reach(fragment, &planes->planes[plane], &ahead, &behind);
    if (ahead < EPSILON_SPLIT || behind > -EPSILON_SPLIT)
        return false;
    if (fragment->inner_radius == 0)
        fragment->inner_radius = find_inner_radius(planes, fragment);
    double left = fragment->inner_radius * portable_fmin(ahead, -behind) / (ahead - behind);
    if (left > MIN_VOLUME + EPSILON_EDGE * fragment->side_count)
        return true;
    struct arena_mark mark = arena_mark(scratch);
    struct brush *front, *back;
    brush_fragment_cut(scratch, planes, fragment, plane, &front, &back);
    arena_release(scratch, mark);
    return front && back;
}
