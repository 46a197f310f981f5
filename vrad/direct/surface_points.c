#include "vrad/direct/surface_points.h"

#include "common/core/portable_math.h"
#include "vrad/luxels/luxel_hidden.h"

/* From the range of the luxel's own part along one axis to that of its window. */
static double stretched(double at, double from, double to, double wide_from, double wide_to)
{
    return to > from ? wide_from + (at - from) * (wide_to - wide_from) / (to - from) : at;
}

/* Moves a fine sample to the middle of its cell in a regular grid, or in half of one like a
 * checkerboard: next to a light one random sample would have more light than all others together.
 * The samples of the pattern have one cell each. */
static struct point2 on_grid(struct point2 at, struct point2 low, struct point2 high, int samples)
{
    int columns = 1, rows = 1;
    while (columns * rows < samples)
        *(columns > rows ? &rows : &columns) *= 2;
    double across = high.s - low.s, along = high.t - low.t;
    if (!(across > 0 && along > 0))
        return at;
    double column =
        portable_fmin(portable_fmax(floor((at.s - low.s) / across * columns), 0), columns - 1);
    double row = portable_fmin(portable_fmax(floor((at.t - low.t) / along * rows), 0), rows - 1);
    double half = columns > rows ? 0.25 + 0.5 * fmod(column, 2) : 0.5;
    return (struct point2){low.s + (column + 0.5) * across / columns,
                           low.t + (row + half) * along / rows};
}

/* Moves `at` away from the middle of the luxel, as far as the polygon allows. *whole: all the
 * way. */
static struct point2 stretched_inside(const struct face_light *face, struct point2 at,
                                      struct point2 way, bool *whole)
{
    double part = 1, sign = face->turns_left ? 1 : -1;
    for (int i = 0; i < face->corners; i++) {
        struct point2 a = face->polygon[i], b = face->polygon[(i + 1) % face->corners];
        double x = sign * (a.t - b.t), y = sign * (b.s - a.s);
        double inside = x * (at.s - a.s) + y * (at.t - a.t), rise = x * way.s + y * way.t;
        if (rise < 0)
            part = portable_fmin(part, portable_fmax(inside, 0) / -rise);
    }
    *whole = part >= 1;
    return (struct point2){at.s + part * way.s, at.t + part * way.t};
}

static struct vec3 point_of(const struct face_light *face, struct point2 at)
{
    return vec3_mad(vec3_mad(face->origin, face->axis[0], at.s), face->axis[1], at.t);
}

/* Returns true if a surface in the plane of the face goes on there, of another face. */
static bool plane_goes_on(const struct receiver *to, struct point2 at)
{
    struct vec3 point = point_of(to->face, at), normal = to->face->normal;
    struct vec3 below = vec3_mad(point, normal, -2 * SCENE_RAY_OFFSET);
    return !luxel_point_is_hidden(to->scene, point, normal) &&
           luxel_point_is_hidden(to->scene, below, normal);
}

/* The window extends over coplanar neighbours, and ends with the surface. */
static struct point2 in_window(const struct receiver *to, int luxel, struct point2 at, int samples)
{
    const struct face_light *face = to->face;
    double s = luxel % face->width, t = luxel / face->width; /* exact */
    double window = to->options->surfaces->window, half = window / 2;
    struct point2 low = {s - 0.5, t - 0.5}, high = {s + 0.5, t + 0.5}, wide;
    if (!(luxel_area(face, luxel) > 0))
        return at;
    if (face->boxed) {
        low = (struct point2){portable_fmax(low.s, face->low.s), portable_fmax(low.t, face->low.t)};
        high = (struct point2){portable_fmin(high.s, face->high.s),
                               portable_fmin(high.t, face->high.t)};
    }
    if (samples > LUXEL_COARSE)
        at = on_grid(at, low, high, samples);
    wide.s = stretched(at.s, low.s, high.s, s - half, s + half);
    wide.t = stretched(at.t, low.t, high.t, t - half, t + half);
    bool whole = face->boxed && wide.s >= face->low.s && wide.s <= face->high.s &&
                 wide.t >= face->low.t && wide.t <= face->high.t;
    if (whole)
        return wide;
    if (!face->boxed) {
        struct point2 inside =
            stretched_inside(face, at, (struct point2){wide.s - at.s, wide.t - at.t}, &whole);
        return whole || plane_goes_on(to, wide) ? wide : inside;
    }
    if (plane_goes_on(to, wide))
        return wide;
    return (struct point2){stretched(at.s, low.s, high.s, portable_fmax(face->low.s, s - half),
                                     portable_fmin(face->high.s, s + half)),
                           stretched(at.t, low.t, high.t, portable_fmax(face->low.t, t - half),
                                     portable_fmin(face->high.t, t + half))};
}

/* The point for a sample of a luxel, of `samples`; a single one is that of a far light, which is
 * even over the window. */
static struct vec3 surface_point(const struct receiver *to, int luxel, struct vec3 point,
                                 int samples)
{
    const struct face_light *face = to->face;
    const struct surface_model *model = to->options->surfaces;
    if (face->mesh)
        return vec3_mad(point, vec3_from_floats(receiver_normals(to, luxel)[0]), model->lift);
    if (samples > 1 && model->window > 1) {
        struct point2 at = {vec3_dot(face->dual[0], point) + face->offset[0],
                            vec3_dot(face->dual[1], point) + face->offset[1]};
        point = point_of(face, in_window(to, luxel, at, samples));
    }
    return vec3_mad(point, face->normal, model->lift);
}

static void fill_row(const struct receiver *to, int luxel, int samples, float *const from[3],
                     float *const into[3], int row)
{
    struct vec3 point = vec3((double)from[0][row], (double)from[1][row], (double)from[2][row]);
    point = surface_point(to, luxel, point, samples);
    for (int k = 0; k < 3; k++)
        into[k][row] = (float)point.e[k];
}

void surface_points_of_face(const struct receiver *to, struct face_samples *points, bool far)
{
    float **into = far ? points->surface_middle : points->surface_point;
    int count = to->face->count, samples = far ? 1 : points->samples;
    if (into[0])
        return;
    for (int k = 0; k < 3; k++)
        into[k] = ARENA_ARRAY(to->arena, float, (size_t)(count * samples));
    for (int row = 0; row < count * samples; row++)
        fill_row(to, row % count, samples, far ? points->middle : points->point, into, row);
}

static void make_rows(const struct receiver *to, struct sample_rows *rows, enum row_layout layout,
                      int luxel, int count)
{
    for (int k = 0; k < 3; k++)
        rows->surface[k] = ARENA_ARRAY(to->arena, float, (size_t)count);
    const int samples[] = {LUXEL_COARSE, 1, to->options->fine};
    for (int row = 0; row < count; row++) {
        int of = layout == ROWS_FINE ? luxel : layout == ROWS_MIDDLE ? row : row / LUXEL_COARSE;
        if (layout != ROWS_COARSE || row % LUXEL_COARSE < to->coarse_count[of])
            fill_row(to, of, samples[layout], rows->point, rows->surface, row);
    }
}

void surface_points_choose(const struct receiver *to, const struct light *light,
                           struct sample_rows *rows, enum row_layout layout, int luxel, int count)
{
    bool moved = takes_surface_points(to, light);
    if (moved && !rows->surface[0])
        make_rows(to, rows, layout, luxel, count);
    for (int k = 0; k < 3; k++)
        rows->light.point[k] = moved ? rows->surface[k] : rows->point[k];
}
