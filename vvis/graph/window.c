#include "vvis/graph/window.h"

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

void window_finish(struct window *window, int count)
{
    window->count = count;
    for (int i = count; i <= lanes_of(count); i++)
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
        put(out, i, point_at(window, window->count - 1 - i));
    window_finish(out, window->count);
}

struct vec3 window_center(const struct window *window)
{
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < window->count; i++)
        sum = vec3_add(sum, point_at(window, i));
    return vec3_scale(sum, 1.0 / window->count);
}

void separators_finish(struct separators *separators)
{
    for (int i = separators->count; i < lanes_of(separators->count); i++) {
        separators->x[i] = separators->y[i] = separators->z[i] = separators->near[i] = 0;
        separators->dist[i] = -DBL_MAX;
    }
}
