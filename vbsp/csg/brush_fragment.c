#include "vbsp/csg/brush_fragment.h"

#include <string.h>

#include "common/geom/epsilon.h"

/* Pieces smaller than this are dust: they come from brushes that miss each other by a hair. */
#define MIN_VOLUME 1e-3

static struct brush *allocate(struct arena *arena, int sides)
{
    struct brush *piece =
        arena_alloc(arena, 1, sizeof *piece + (size_t)sides * sizeof(struct brush_side));
    piece->bounds = bounds_empty();
    return piece;
}

struct brush *brush_fragment_new(struct arena *arena, const struct map_brush *original,
                                 bool all_visible)
{
    struct brush *piece = allocate(arena, original->side_count);
    piece->original = original;
    piece->bounds = original->bounds;
    piece->side_count = original->side_count;
    for (int i = 0; i < original->side_count; i++) {
        struct brush_side *side = &piece->sides[i];
        *side = original->sides[i];
        side->original = &original->sides[i];
        piece->plane_bits |= plane_bit(side->plane);
        /* A hint is there to split, though it is never drawn. */
        side->visible |= all_visible || (side->flags & SURFACE_HINT);
        side->on_node = false;
    }
    return piece;
}

struct brush *brush_fragment_box(struct arena *arena, struct plane_set *planes,
                                 const struct bounds *bounds)
{
    struct brush *piece = allocate(arena, 6);
    piece->bounds = *bounds;
    piece->side_count = 6;
    for (int i = 0; i < 6; i++) {
        struct vec3 normal = vec3(0, 0, 0);
        normal.e[i / 2] = i % 2 ? -1 : 1;
        double dist = i % 2 ? -bounds->mins.e[i / 2] : bounds->maxs.e[i / 2];
        piece->sides[i] = (struct brush_side){.plane = plane_set_find(planes, normal, dist),
                                              .texinfo = TEXINFO_NODE,
                                              .on_node = true};
        piece->plane_bits |= plane_bit(piece->sides[i].plane);
    }
    for (int i = 0; i < 6; i++) {
        struct winding *winding = winding_from_plane(arena, &planes->planes[piece->sides[i].plane]);
        for (int j = 0; j < 6 && winding; j++)
            if (j != i)
                winding =
                    winding_clip_behind(arena, winding, &planes->planes[piece->sides[j].plane], 0);
        piece->sides[i].winding = winding;
    }
    return piece;
}

double brush_fragment_volume(const struct plane_set *planes, const struct brush *piece)
{
    const struct winding *first = NULL;
    double volume = 0;
    for (int i = 0; i < piece->side_count; i++) {
        const struct winding *winding = piece->sides[i].winding;
        if (!winding)
            continue;
        if (!first)
            first = winding;
        double height = -plane_distance(&planes->planes[piece->sides[i].plane], first->points[0]);
        volume += height * winding_area(winding) / 3;
    }
    return volume;
}

/* How far the piece reaches in front of and behind the plane. */
static void reach(const struct brush *piece, const struct plane *plane, double *front, double *back)
{
    *front = *back = 0;
    for (int i = 0; i < piece->side_count; i++) {
        const struct winding *winding = piece->sides[i].winding;
        for (int j = 0; winding && j < winding->count; j++) {
            double d = plane_distance(plane, winding->points[j]);
            if (d > *front)
                *front = d;
            if (d < *back)
                *back = d;
        }
    }
}

/* The polygon in which the plane meets the piece. Clipped around the piece's own centre: far from
 * the origin the huge polygon of the plane would cost digits. */
static struct winding *section(struct arena *arena, const struct plane_set *planes,
                               const struct brush *piece, const struct plane *plane)
{
    struct vec3 center = bounds_center(&piece->bounds);
    struct plane moved = {plane->normal, plane->dist - vec3_dot(plane->normal, center)};
    struct arena_mark mark = arena_mark(arena);
    struct winding *winding = winding_from_plane(arena, &moved);
    for (int i = 0; i < piece->side_count && winding; i++) {
        if (piece->sides[i].bevel)
            continue;
        const struct plane *side = &planes->planes[piece->sides[i].plane];
        struct plane clip = {side->normal, side->dist - vec3_dot(side->normal, center)};
        winding = winding_clip_behind(arena, winding, &clip, 0);
    }
    winding = winding_keep(arena, mark, winding);
    for (int i = 0; winding && i < winding->count; i++)
        winding->points[i] = vec3_add(winding->points[i], center);
    return winding;
}

static void add_side(struct brush *piece, const struct brush_side *side, struct winding *winding)
{
    struct brush_side *added = &piece->sides[piece->side_count++];
    *added = *side;
    added->winding = winding;
    piece->plane_bits |= plane_bit(side->plane);
    if (winding) {
        struct bounds bounds = winding_bounds(winding);
        bounds_add(&piece->bounds, &bounds);
    }
}

static void add_cut(struct brush *piece, int plane, struct winding *winding)
{
    struct brush_side cut = {.plane = plane, .texinfo = TEXINFO_NODE, .on_node = true};
    add_side(piece, &cut, winding);
}

static bool is_in_world(const struct plane_set *planes, const struct brush *piece)
{
    double limit = 2 * plane_set_limit(planes);
    for (int axis = 0; axis < 3; axis++)
        if (!(piece->bounds.mins.e[axis] >= -limit) || !(piece->bounds.maxs.e[axis] <= limit))
            return false;
    return true;
}

static struct brush *keep_if_real(const struct plane_set *planes, struct brush *piece)
{
    if (!is_in_world(planes, piece))
        return NULL;
    if (piece->side_count < 4 || brush_fragment_volume(planes, piece) < MIN_VOLUME)
        return NULL;
    return piece;
}

void brush_fragment_cut(struct arena *arena, const struct plane_set *planes, struct brush *piece,
                        int plane, struct brush **front, struct brush **back)
{
    const struct plane *cutter = &planes->planes[plane];
    double ahead, behind;
    reach(piece, cutter, &ahead, &behind);
    *front = *back = NULL;
    if (ahead < EPSILON_SPLIT) {
        *back = piece;
        return;
    }
    if (behind > -EPSILON_SPLIT) {
        *front = piece;
        return;
    }
    struct winding *middle = section(arena, planes, piece, cutter);
    if (!middle || winding_is_tiny(middle)) {
        *(ahead >= -behind ? front : back) = piece;
        return;
    }
    struct brush *parts[2];
    for (int i = 0; i < 2; i++) {
        parts[i] = allocate(arena, piece->side_count + 1);
        parts[i]->original = piece->original;
    }
    for (int i = 0; i < piece->side_count; i++) {
        const struct brush_side *side = &piece->sides[i];
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

/* Of a ball about the middle of the corners that no side cuts; -1 when there is none to speak of.
 */
static double find_inner_radius(const struct plane_set *planes, const struct brush *piece)
{
    struct vec3 sum = vec3(0, 0, 0);
    int count = 0;
    for (int i = 0; i < piece->side_count; i++) {
        const struct winding *winding = piece->sides[i].winding;
        if (!winding)
            return -1;
        for (int j = 0; j < winding->count; j++)
            sum = vec3_add(sum, winding->points[j]);
        count += winding->count;
    }
    if (!count || !is_in_world(planes, piece))
        return -1;
    double radius = DBL_MAX;
    for (int i = 0; i < piece->side_count; i++) {
        const struct plane *plane = &planes->planes[piece->sides[i].plane];
        radius = fmin(radius, -plane_distance(plane, vec3_scale(sum, 1.0 / count)));
    }
    return radius > 0 ? radius : -1;
}

/* A piece is convex: shrunk towards its farthest point in front of the plane, until it lies there
 * as a whole, it is still in the piece, and the ball in it with it. Likewise behind, and the plane
 * itself meets the piece in no less than that. When what is left of the ball is larger than what
 * counts as dust or as a tiny winding (whose edges but two are shorter than EPSILON_EDGE, so that
 * it is no wider than they make it), the cut need not be made to know how it ends. */
bool brush_fragment_is_cut(struct arena *scratch, const struct plane_set *planes,
                           struct brush *piece, int plane)
{
    double ahead, behind;
    reach(piece, &planes->planes[plane], &ahead, &behind);
    if (ahead < EPSILON_SPLIT || behind > -EPSILON_SPLIT)
        return false;
    if (piece->inner_radius == 0)
        piece->inner_radius = find_inner_radius(planes, piece);
    double left = piece->inner_radius * fmin(ahead, -behind) / (ahead - behind);
    if (left > MIN_VOLUME + EPSILON_EDGE * piece->side_count)
        return true;
    struct arena_mark mark = arena_mark(scratch);
    struct brush *front, *back;
    brush_fragment_cut(scratch, planes, piece, plane, &front, &back);
    arena_release(scratch, mark);
    return front && back;
}
