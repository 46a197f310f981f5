#include "vvis/window.h"

#include <stdint.h>

/* An edge shorter than this gives no direction. */
#define EDGE_MIN 1e-3

static void put(struct window *window, int at, struct vec3 point)
{
    window->x[at] = point.x;
    window->y[at] = point.y;
    window->z[at] = point.z;
}

static struct vec3 point_at(const struct window *window, int at)
{
    return vec3(window->x[at], window->y[at], window->z[at]);
}

static int lanes_of(int count)
{
    return (count + WINDOW_LANES - 1) / WINDOW_LANES * WINDOW_LANES;
}

static void finish(struct window *window, int count)
{
    window->count = count;
    for (int i = count; i < lanes_of(count); i++)
        put(window, i, point_at(window, 0));
}

static void rectangle_around(const struct winding *winding, const struct plane *plane,
                             struct window *out)
{
    struct vec3 up = vec3_major_axis(plane->normal) == 2 ? vec3(1, 0, 0) : vec3(0, 0, 1);
    struct vec3 right = vec3_normalize(vec3_cross(up, plane->normal));
    up = vec3_cross(plane->normal, right);
    double least[2] = {DBL_MAX, DBL_MAX}, most[2] = {-DBL_MAX, -DBL_MAX};
    for (int i = 0; i < winding->count; i++) {
        double at[2] = {vec3_dot(winding->points[i], right), vec3_dot(winding->points[i], up)};
        for (int k = 0; k < 2; k++) {
            least[k] = fmin(least[k], at[k]);
            most[k] = fmax(most[k], at[k]);
        }
    }
    struct vec3 base = vec3_scale(plane->normal, plane->dist);
    const double corners[4][2] = {
        {least[0], least[1]}, {least[0], most[1]}, {most[0], most[1]}, {most[0], least[1]}};
    for (int i = 0; i < 4; i++)
        put(out, i, vec3_mad(vec3_mad(base, right, corners[i][0]), up, corners[i][1]));
    finish(out, 4);
}

void window_from_winding(const struct winding *winding, const struct plane *plane,
                         struct window *out)
{
    if (winding->count > WINDOW_POINTS) {
        rectangle_around(winding, plane, out);
        return;
    }
    for (int i = 0; i < winding->count; i++)
        put(out, i, winding->points[i]);
    finish(out, winding->count);
}

void window_reverse(const struct window *window, struct window *out)
{
    for (int i = 0; i < window->count; i++)
        put(out, i, point_at(window, window->count - 1 - i));
    finish(out, window->count);
}

/* Points that are kept, and where the window's outline crosses the plane. -1: too many. */
static int cut(const struct window *window, const double *distances, struct window *out)
{
    int count = 0;
    for (int i = 0; i < window->count; i++) {
        int next = i + 1 < window->count ? i + 1 : 0;
        double d = distances[i], e = distances[next];
        if (d >= -VIS_EPSILON) {
            if (count == WINDOW_POINTS)
                return -1;
            put(out, count++, point_at(window, i));
        }
        if ((d > VIS_EPSILON && e < -VIS_EPSILON) || (d < -VIS_EPSILON && e > VIS_EPSILON)) {
            if (count == WINDOW_POINTS)
                return -1;
            put(out, count++, vec3_lerp(point_at(window, i), point_at(window, next), d / (d - e)));
        }
    }
    return count;
}

enum window_cut window_clip(const struct window *window, const struct plane *plane,
                            struct window *out)
{
    double distances[WINDOW_POINTS];
    int fronts = 0, backs = 0;
    for (int i = 0; i < window->count; i++) {
        distances[i] = plane->normal.x * window->x[i] + plane->normal.y * window->y[i] +
                       plane->normal.z * window->z[i] - plane->dist;
        fronts += distances[i] > VIS_EPSILON;
        backs += distances[i] < -VIS_EPSILON;
    }
    if (!backs)
        return WINDOW_WHOLE;
    if (!fronts)
        return WINDOW_GONE;
    int count = cut(window, distances, out);
    if (count < 3)
        return WINDOW_WHOLE;
    finish(out, count);
    return WINDOW_CUT;
}

/* What the separators of an edge are found by. */
struct edge_frame {
    struct vec3 origin; /* a point of the edge */
    struct vec3 inward; /* in the window's plane, square to the edge, as long as the edge */
    struct vec3 ahead;  /* the window's normal, to the side where the other window is */
    double square;      /* of the edge's length */
};

/* Looks along the edge: the window lies to the right on the ground, the other window above the
 * ground. The line from the edge that just misses the other window on the right: its direction
 * goes to *right (in lengths of the edge) and *above. False when none tells more than the window's
 * own plane. */
static bool tangent_to(const struct edge_frame *edge, const struct window *other, double *right,
                       double *above)
{
    double rights[WINDOW_POINTS], aboves[WINDOW_POINTS];
    for (int i = 0; i < lanes_of(other->count); i++) {
        double x = other->x[i] - edge->origin.x, y = other->y[i] - edge->origin.y,
               z = other->z[i] - edge->origin.z;
        rights[i] = x * edge->inward.x + y * edge->inward.y + z * edge->inward.z;
        aboves[i] = x * edge->ahead.x + y * edge->ahead.y + z * edge->ahead.z;
    }
    bool found = false;
    for (int i = 0; i < other->count; i++) {
        if (aboves[i] < VIS_EPSILON) {
            if (rights[i] > 0 && rights[i] * rights[i] > VIS_EPSILON * VIS_EPSILON * edge->square)
                return false; /* beside the window */
            continue;         /* on the edge, or away from it: misses by itself */
        }
        if (!found || rights[i] * *above > *right * aboves[i]) {
            *right = rights[i];
            *above = aboves[i];
            found = true;
        }
    }
    return found;
}

static void add_separator(struct separators *out, struct vec3 normal, struct vec3 point)
{
    int at = out->count++;
    out->x[at] = normal.x;
    out->y[at] = normal.y;
    out->z[at] = normal.z;
    out->dist[at] = vec3_dot(normal, point);
}

/* `way` is 1 when the edges are those of the source, -1 when of the pass. */
static void build_from_edges(const struct window *window, const struct plane *window_plane,
                             struct vec3 ahead, const struct window *other, double way,
                             struct separators *out)
{
    for (int i = 0; i < window->count; i++) {
        int next = i + 1 < window->count ? i + 1 : 0;
        struct vec3 a = point_at(window, i);
        struct vec3 along = vec3_sub(point_at(window, next), a);
        double square = vec3_dot(along, along);
        if (square < EDGE_MIN * EDGE_MIN)
            continue;
        struct edge_frame edge = {a, vec3_cross(along, window_plane->normal), ahead, square};
        double right = 0, above = 0;
        if (!tangent_to(&edge, other, &right, &above))
            continue;
        double scale = way / sqrt(right * right + above * above * square);
        struct vec3 normal =
            vec3_mad(vec3_scale(ahead, right * scale), edge.inward, -above * scale);
        add_separator(out, normal, a);
    }
}

void separators_finish(struct separators *separators)
{
    for (int i = separators->count; i < lanes_of(separators->count); i++) {
        separators->x[i] = separators->y[i] = separators->z[i] = 0;
        separators->dist[i] = -DBL_MAX;
    }
}

void separators_build(const struct window *source, const struct plane *source_plane,
                      const struct window *pass, const struct plane *pass_plane,
                      struct separators *out)
{
    out->count = 0;
    build_from_edges(source, source_plane, source_plane->normal, pass, 1, out);
    build_from_edges(pass, pass_plane, vec3_neg(pass_plane->normal), source, -1, out);
    separators_finish(out);
}

/* How far the middle of the box is in front of each separator, and how far the box goes from its
 * middle toward each. */
static void measure_box(const struct separators *separators, const struct box *box,
                        double *distances, double *reaches)
{
    struct vec3 c = box->center, h = box->half;
    for (int i = 0; i < lanes_of(separators->count); i++) {
        double x = separators->x[i], y = separators->y[i], z = separators->z[i];
        distances[i] = x * c.x + y * c.y + z * c.z - separators->dist[i];
        reaches[i] = fabs(x) * h.x + fabs(y) * h.y + fabs(z) * h.z;
    }
}

bool separators_behind(const struct separators *separators, const struct box *box)
{
    double distances[SEPARATORS], reaches[SEPARATORS];
    measure_box(separators, box, distances, reaches);
    int behind = 0;
    for (int i = 0; i < lanes_of(separators->count); i++)
        behind += distances[i] + reaches[i] < 0;
    return behind > 0;
}

const struct window *separators_clip(const struct separators *separators,
                                     const struct window *window, const struct box *around,
                                     struct window buffers[2], int64_t *clips)
{
    double distances[SEPARATORS], reaches[SEPARATORS];
    measure_box(separators, around, distances, reaches);
    for (int i = 0; i < separators->count; i++) {
        if (distances[i] - reaches[i] > -VIS_EPSILON)
            continue;
        struct plane plane = {vec3(separators->x[i], separators->y[i], separators->z[i]),
                              separators->dist[i]};
        struct window *out = &buffers[window == &buffers[0]];
        ++*clips;
        enum window_cut result = window_clip(window, &plane, out);
        if (result == WINDOW_GONE)
            return NULL;
        if (result == WINDOW_CUT)
            window = out;
    }
    return window;
}
