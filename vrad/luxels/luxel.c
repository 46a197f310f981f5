#include "vrad/luxels/luxel.h"

#include <float.h>
#include <math.h>

#include "common/bsp/face_records.h"
#include "common/core/portable_math.h"

/* --- luxel shape --- */

/* Clips at `limit` along s or t; `sign` selects the side (1: above). */
static int clip_side(const struct point2 *in, int count, bool along_t, double limit, double sign,
                     struct point2 *out)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        struct point2 a = in[i], b = in[i + 1 < count ? i + 1 : 0];
        double da = sign * ((along_t ? a.t : a.s) - limit);
        double db = sign * ((along_t ? b.t : b.s) - limit);
        if (da >= 0)
            out[kept++] = a;
        if ((da > 0 && db < 0) || (da < 0 && db > 0)) {
            double x = da / (da - db);
            out[kept].s = along_t ? a.s + (b.s - a.s) * x : limit;
            out[kept++].t = along_t ? limit : a.t + (b.t - a.t) * x;
        }
    }
    return kept;
}

/* Returns true if the square around (s, t) lies within the polygon of either orientation. */
static bool holds_square(const struct point2 *polygon, int count, double s, double t)
{
    bool left = true, right = true;
    for (int i = 0; i < count && (left || right); i++) {
        struct point2 a = polygon[i], b = polygon[i + 1 < count ? i + 1 : 0];
        double ds = b.s - a.s, dt = b.t - a.t;
        double turn = ds * (t - a.t) - dt * (s - a.s), reach = 0.5 * (fabs(ds) + fabs(dt));
        left = left && turn >= reach;
        right = right && turn <= -reach;
    }
    return count >= 3 && (left || right);
}

int shape_clip(const struct point2 *polygon, int count, double s, double t, struct point2 *out)
{
    struct point2 a[SHAPE_POINTS];
    if (count + 8 > SHAPE_POINTS)
        return 0;
    if (holds_square(polygon, count, s, t)) {
        for (int i = 0; i < 4; i++)
            out[i] =
                (struct point2){s + (i == 1 || i == 2 ? 0.5 : -0.5), t + (i >= 2 ? 0.5 : -0.5)};
        return 4;
    }
    int n = clip_side(polygon, count, false, s - 0.5, 1, out);
    n = clip_side(out, n, false, s + 0.5, -1, a);
    n = clip_side(a, n, true, t - 0.5, 1, out);
    n = clip_side(out, n, true, t + 0.5, -1, a);
    for (int i = 0; i < n; i++)
        out[i] = a[i];
    return n < 3 ? 0 : n;
}

static double signed_area(const struct point2 *polygon, int count)
{
    double sum = 0;
    for (int i = 2; i < count; i++)
        sum += (polygon[i - 1].s - polygon[0].s) * (polygon[i].t - polygon[0].t) -
               (polygon[i].s - polygon[0].s) * (polygon[i - 1].t - polygon[0].t);
    return sum / 2;
}

double shape_area(const struct point2 *polygon, int count)
{
    return fabs(signed_area(polygon, count));
}

bool shape_turns_left(const struct point2 *polygon, int count)
{
    return signed_area(polygon, count) > 0;
}

struct point2 shape_center(const struct point2 *polygon, int count)
{
    struct point2 sum = {0, 0}, mean = {0, 0};
    double total = signed_area(polygon, count);
    for (int i = 0; i < count; i++) {
        mean.s += polygon[i].s / count;
        mean.t += polygon[i].t / count;
    }
    if (fabs(total) < 1e-9)
        return mean;
    for (int i = 2; i < count; i++) {
        struct point2 triangle[3] = {polygon[0], polygon[i - 1], polygon[i]};
        double share = signed_area(triangle, 3) / total / 3;
        for (int k = 0; k < 3; k++) {
            sum.s += triangle[k].s * share;
            sum.t += triangle[k].t * share;
        }
    }
    return sum;
}

struct point2 shape_nearest(const struct point2 *polygon, int count, double s, double t)
{
    struct point2 best = {s, t};
    double best_distance = DBL_MAX, turn = signed_area(polygon, count) < 0 ? -1 : 1;
    bool inside = true;
    for (int i = 0; i < count; i++) {
        struct point2 a = polygon[i], b = polygon[i + 1 < count ? i + 1 : 0];
        double ds = b.s - a.s, dt = b.t - a.t, length = ds * ds + dt * dt;
        if (turn * (ds * (t - a.t) - dt * (s - a.s)) < 0)
            inside = false;
        double x = length > 0 ? ((s - a.s) * ds + (t - a.t) * dt) / length : 0;
        x = x < 0 ? 0 : x > 1 ? 1 : x;
        struct point2 p = {a.s + ds * x, a.t + dt * x};
        double distance = (p.s - s) * (p.s - s) + (p.t - t) * (p.t - t);
        if (distance < best_distance) {
            best_distance = distance;
            best = p;
        }
    }
    return inside ? (struct point2){s, t} : best;
}

bool shape_is_square(const struct point2 *polygon, int count, double s, double t)
{
    const double rounding = 1e-4;
    if (shape_area(polygon, count) < 1 - rounding)
        return false;
    for (int i = 0; i < count; i++)
        if (fabs(polygon[i].s - s) > 0.5 + rounding || fabs(polygon[i].t - t) > 0.5 + rounding)
            return false;
    return true;
}

/* The polygon's extent in t at s. */
static void slice(const struct point2 *polygon, int count, double s, double *low, double *high)
{
    *low = DBL_MAX;
    *high = -DBL_MAX;
    for (int i = 0; i < count; i++) {
        struct point2 a = polygon[i], b = polygon[i + 1 < count ? i + 1 : 0];
        if ((a.s < s && b.s < s) || (a.s > s && b.s > s))
            continue;
        double x = a.s != b.s ? (s - a.s) / (b.s - a.s) : 0;
        double at = a.t + (b.t - a.t) * x;
        *low = portable_fmin(*low, portable_fmin(at, a.s == b.s ? b.t : at));
        *high = portable_fmax(*high, portable_fmax(at, a.s == b.s ? b.t : at));
    }
}

bool shape_is_box(const struct point2 *polygon, int count, struct point2 *low, struct point2 *high)
{
    const double rounding = 1e-7;
    *low = *high = polygon[0];
    for (int i = 0; i < count; i++) {
        struct point2 a = polygon[i], b = polygon[i + 1 < count ? i + 1 : 0];
        if (fabs(a.s - b.s) > rounding && fabs(a.t - b.t) > rounding)
            return false;
        low->s = a.s < low->s ? a.s : low->s;
        low->t = a.t < low->t ? a.t : low->t;
        high->s = a.s > high->s ? a.s : high->s;
        high->t = a.t > high->t ? a.t : high->t;
    }
    return true;
}

/* The sorted s coordinates of the corners, without duplicates. */
static int sort_corners(const struct point2 *polygon, int count, double *out)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        int at = kept;
        while (at > 0 && out[at - 1] > polygon[i].s)
            at--;
        if (at > 0 && out[at - 1] == polygon[i].s)
            continue;
        for (int k = kept++; k > at; k--)
            out[k] = out[k - 1];
        out[at] = polygon[i].s;
    }
    return kept;
}

void shape_strips_make(const struct point2 *polygon, int count, struct shape_strips *out)
{
    double places[SHAPE_POINTS];
    int ends = sort_corners(polygon, count, places);
    out->area = 0;
    out->count = ends > 1 ? ends - 1 : 1;
    for (int i = 0; i < out->count; i++) {
        struct shape_strip *strip = &out->strips[i];
        double right = ends > 1 ? places[i + 1] : places[i];
        strip->left = places[i];
        strip->width = right - strip->left;
        slice(polygon, count, strip->left, &strip->low[0], &strip->high[0]);
        slice(polygon, count, right, &strip->low[1], &strip->high[1]);
        double near = strip->high[0] - strip->low[0], far = strip->high[1] - strip->low[1];
        strip->area = (near + far) / 2 * strip->width;
        out->area += strip->area;
    }
}

struct point2 shape_strips_sample(const struct shape_strips *strips, double u, double v)
{
    const struct shape_strip *strip = strips->strips;
    const struct shape_strip *last = strip + strips->count - 1;
    double want = u * strips->area;
    for (; strip < last && want > strip->area; strip++)
        want -= strip->area;
    double near = strip->high[0] - strip->low[0], far = strip->high[1] - strip->low[1];
    double x = 0;
    if (strip->width > 0) {
        double root = sqrt(portable_fmax(near * near + 2 * want * (far - near) / strip->width, 0));
        x = near + root > 0 ? portable_fmin(2 * want / ((near + root) * strip->width), 1) : 0;
    }
    double low = strip->low[0] + (strip->low[1] - strip->low[0]) * x;
    double high = strip->high[0] + (strip->high[1] - strip->high[0]) * x;
    return (struct point2){strip->left + x * strip->width, low + (high - low) * v};
}

struct point2 shape_sample(const struct point2 *polygon, int count, double u, double v)
{
    struct point2 min, max;
    struct shape_strips strips;
    if (shape_is_box(polygon, count, &min, &max))
        return (struct point2){min.s + u * (max.s - min.s), min.t + v * (max.t - min.t)};
    shape_strips_make(polygon, count, &strips);
    return shape_strips_sample(&strips, u, v);
}

/* --- luxel --- */

struct vec3 luxel_point(const struct luxel_map *map, const struct face_light *face,
                        struct point2 at, struct vec3 *normal)
{
    if (face->mesh) {
        double across = face->mesh->columns - 1, along = face->mesh->rows - 1;
        double u = face->width > 1 ? at.s / (face->width - 1) * across : 0;
        double v = face->height > 1 ? at.t / (face->height - 1) * along : 0;
        struct vec3 surface_normal;
        struct vec3 point =
            disp_mesh_at(face->mesh, portable_fmin(portable_fmax(u, 0), across),
                         portable_fmin(portable_fmax(v, 0), along), &surface_normal);
        if (normal)
            *normal = surface_normal;
        return point;
    }
    struct vec3 point = vec3_mad(face->origin, face->axis[0], at.s);
    point = vec3_mad(point, face->axis[1], at.t);
    if (normal) {
        int number = (int)(face - map->faces);
        struct vec3 offset = map->scene->model_origins[face->model];
        *normal = map->normals.phong[number]
                      ? vertex_normals_at(&map->normals, number, vec3_sub(point, offset))
                      : face->normal;
    }
    return point;
}

struct bounds luxel_face_bounds(const struct luxel_map *map, const struct face_light *face)
{
    struct bounds box = bounds_empty();
    for (int i = 0; i < face->corners && !face->mesh; i++)
        bounds_add_point(&box, luxel_point(map, face, face->polygon[i], NULL));
    for (int i = 0; face->mesh && i < face->mesh->columns * face->mesh->rows; i++)
        bounds_add_point(&box, face->mesh->points[i]);
    return box;
}

struct bounds luxel_curved_bounds(const struct luxel_map *map, const struct face_light *face,
                                  double s, double t)
{
    struct bounds box = bounds_empty();
    for (int i = 0; i < 9; i++) {
        struct point2 at = {s + 0.5 * (i % 3 - 1), t + 0.5 * (i / 3 - 1)};
        bounds_add_point(&box, luxel_point(map, face, at, NULL));
    }
    return box;
}

bool luxel_duals(const struct face_light *face, struct vec3 dual[2], double offset[2])
{
    const struct vec3 *axis = face->axis;
    double a = vec3_dot(axis[0], axis[0]), b = vec3_dot(axis[0], axis[1]);
    double c = vec3_dot(axis[1], axis[1]), det = a * c - b * b;
    dual[0] = vec3_scale(vec3_mad(vec3_scale(axis[0], c), axis[1], -b), 1 / det);
    dual[1] = vec3_scale(vec3_mad(vec3_scale(axis[1], a), axis[0], -b), 1 / det);
    for (int k = 0; k < 2; k++)
        offset[k] = -vec3_dot(dual[k], face->origin);
    return det > 0;
}

void luxel_bump_basis(const struct scene *scene, const struct face_light *face,
                      const struct luxel *luxel, struct vec3 basis[LUXEL_BUMPS])
{
    /* In tangent space: 120 degrees apart, all at the same angle to the normal. */
    static const double tangent[LUXEL_BUMPS][3] = {
        {0.816496580927726, 0, 0.5773502691896258},
        {-0.4082482904638631, 0.7071067811865475, 0.5773502691896258},
        {-0.4082482904638631, -0.7071067811865475, 0.5773502691896258},
    };
    struct vec3 axis[2], normal = vec3_from_floats(luxel_normal(face, luxel));
    for (int i = 0; i < 2; i++) {
        static const float across[2][3] = {{1, 0, 0}, {0, 1, 0}}, up[2][3] = {{0, 1, 0}, {0, 0, 1}};
        const float *v = fabs(normal.x) > 0.7 ? up[i] : across[i];
        if (face->face)
            v = scene->bsp->texinfo[face->face->texinfo].texture[i];
        axis[i] = vec3((double)v[0], (double)v[1], (double)v[2]);
    }
    bool left_handed = vec3_dot(face->normal, vec3_cross(axis[0], axis[1])) < 0;
    struct vec3 t = vec3_normalize(vec3_cross(normal, axis[0]));
    struct vec3 s = vec3_cross(t, normal);
    if (left_handed)
        t = vec3_neg(t);
    for (int i = 0; i < LUXEL_BUMPS; i++) {
        struct vec3 b = vec3_scale(s, tangent[i][0]);
        b = vec3_mad(b, t, tangent[i][1]);
        basis[i] = vec3_mad(b, normal, tangent[i][2]);
    }
}
