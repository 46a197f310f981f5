#include "vvis/graph/window.h"

#include "common/core/portable_math.h"

static void put(struct window *window, int at, struct vec3 point)
{
    window->x[at] = point.x;
    window->y[at] = point.y;
    window->z[at] = point.z;
}

static int lanes_of(int count)
{
    return (count + WINDOW_LANES - 1) / WINDOW_LANES * WINDOW_LANES;
}

void window_finish(struct window *window, int count)
{
    window->count = count;
    for (int i = count; i <= lanes_of(count); i++)
        put(window, i, window_point(window, 0));
}

static void rectangle_around(const struct winding *winding, const struct plane *plane,
                             struct window *out)
{
    struct vec3 up = vec3_major_axis(plane->normal) == 2 ? vec3(1, 0, 0) : vec3(0, 0, 1);
    struct vec3 right = vec3_normalize(vec3_cross(up, plane->normal));
    up = vec3_cross(plane->normal, right);
    double min[2] = {DBL_MAX, DBL_MAX}, max[2] = {-DBL_MAX, -DBL_MAX};
    for (int i = 0; i < winding->count; i++) {
        double at[2] = {vec3_dot(winding->points[i], right), vec3_dot(winding->points[i], up)};
        for (int k = 0; k < 2; k++) {
            min[k] = portable_fmin(min[k], at[k]);
            max[k] = portable_fmax(max[k], at[k]);
        }
    }
    struct vec3 base = vec3_scale(plane->normal, plane->dist);
    const double corners[4][2] = {
        {min[0], min[1]}, {min[0], max[1]}, {max[0], max[1]}, {max[0], min[1]}};
    for (int i = 0; i < 4; i++)
        put(out, i, vec3_mad(vec3_mad(base, right, corners[i][0]), up, corners[i][1]));
    window_finish(out, 4);
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
    window_finish(out, winding->count);
}

void window_reverse(const struct window *window, struct window *out)
{
    for (int i = 0; i < window->count; i++)
        put(out, i, window_point(window, window->count - 1 - i));
    window_finish(out, window->count);
}

struct vec3 window_center(const struct window *window)
{
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < window->count; i++)
        sum = vec3_add(sum, window_point(window, i));
    return vec3_scale(sum, 1.0 / window->count);
}

/* Pads the arrays to whole lanes, for callers that set planes and count themselves. */
static void separators_finish(struct separators *separators)
{
    for (int i = separators->count; i < lanes_of(separators->count); i++) {
        separators->x[i] = separators->y[i] = separators->z[i] = separators->near[i] = 0;
        separators->dist[i] = -DBL_MAX;
    }
}

/* ---- shafts ---- */

#define SHAFT_GROW 0.5

static void add_plane(struct separators *out, struct vec3 outward, double reach)
{
    double length = vec3_length(outward);
    int at = out->count++;
    out->x[at] = -outward.x / length;
    out->y[at] = -outward.y / length;
    out->z[at] = -outward.z / length;
    out->dist[at] = -reach / length;
    out->near[at] = VIS_EPSILON;
}

/* Seen along the third axis the boxes are rectangles. Toward each corner, the hull has a slanted
 * edge from the corner of one to that of the other, unless one of them is farther out on both
 * axes. */
static void add_slants(const struct bounds boxes[2], int axis, int other, struct separators *out)
{
    for (int corner = 0; corner < 4; corner++) {
        double sign[2] = {corner & 1 ? 1 : -1, corner & 2 ? 1 : -1};
        double at[2][2];
        for (int box = 0; box < 2; box++) {
            at[box][0] = sign[0] * (sign[0] > 0 ? boxes[box].maxs : boxes[box].mins).e[axis];
            at[box][1] = sign[1] * (sign[1] > 0 ? boxes[box].maxs : boxes[box].mins).e[other];
        }
        double across = at[0][0] - at[1][0], up = at[1][1] - at[0][1];
        if (across * up <= 0)
            continue;
        struct vec3 outward = vec3(0, 0, 0);
        outward.e[axis] = sign[0] * fabs(up);
        outward.e[other] = sign[1] * fabs(across);
        add_plane(out, outward, fabs(up) * at[0][0] + fabs(across) * at[0][1]);
    }
}

void shaft_build(const struct bounds *a, const struct bounds *b, struct separators *out)
{
    struct bounds boxes[2] = {*a, *b};
    out->count = 0;
    for (int axis = 0; axis < 3; axis++) {
        for (int box = 0; box < 2; box++) {
            boxes[box].mins.e[axis] -= SHAFT_GROW;
            boxes[box].maxs.e[axis] += SHAFT_GROW;
        }
        struct vec3 outward = vec3(0, 0, 0);
        outward.e[axis] = 1;
        add_plane(out, outward, portable_fmax(boxes[0].maxs.e[axis], boxes[1].maxs.e[axis]));
        outward.e[axis] = -1;
        add_plane(out, outward, -portable_fmin(boxes[0].mins.e[axis], boxes[1].mins.e[axis]));
    }
    add_slants(boxes, 0, 1, out);
    add_slants(boxes, 0, 2, out);
    add_slants(boxes, 1, 2, out);
    separators_finish(out);
}
