#include "vrad/luxel_shape.h"

#include <float.h>
#include <math.h>

/* Keeps what lies on the side of `limit` given by `sign` (1: above), along s or t. */
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

/* Whether the square around (s, t) lies within the polygon, whichever way that turns. */
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
        *low = fmin(*low, fmin(at, a.s == b.s ? b.t : at));
        *high = fmax(*high, fmax(at, a.s == b.s ? b.t : at));
    }
}

/* The smallest s of a corner beyond `after`, or `after` when there is none. */
static double next_corner(const struct point2 *polygon, int count, double after)
{
    double next = DBL_MAX;
    for (int i = 0; i < count; i++)
        if (polygon[i].s > after && polygon[i].s < next)
            next = polygon[i].s;
    return next < DBL_MAX ? next : after;
}

/* Whether the sides run along the axes, and between which corners. */
static bool is_box(const struct point2 *polygon, int count, struct point2 *low, struct point2 *high)
{
    *low = *high = polygon[0];
    for (int i = 0; i < count; i++) {
        struct point2 a = polygon[i], b = polygon[i + 1 < count ? i + 1 : 0];
        if (a.s != b.s && a.t != b.t)
            return false;
        low->s = a.s < low->s ? a.s : low->s;
        low->t = a.t < low->t ? a.t : low->t;
        high->s = a.s > high->s ? a.s : high->s;
        high->t = a.t > high->t ? a.t : high->t;
    }
    return true;
}

/* Walks the strips between corners, which are trapezoids, until a share u of the area is passed. */
struct point2 shape_sample(const struct point2 *polygon, int count, double u, double v)
{
    struct point2 least, most;
    if (is_box(polygon, count, &least, &most))
        return (struct point2){least.s + u * (most.s - least.s), least.t + v * (most.t - least.t)};
    double left = polygon[0].s, want = u * shape_area(polygon, count), low, high;
    for (int i = 1; i < count; i++)
        left = fmin(left, polygon[i].s);
    double right = next_corner(polygon, count, left), s = left;
    while (right > left) {
        slice(polygon, count, left, &low, &high);
        double near = high - low;
        slice(polygon, count, right, &low, &high);
        double far = high - low, width = right - left, area = (near + far) / 2 * width;
        if (want <= area) {
            double root = sqrt(fmax(near * near + 2 * want * (far - near) / width, 0));
            s = near + root > 0 ? left + fmin(2 * want / (near + root), width) : left;
            break;
        }
        want -= area;
        s = left = right;
        right = next_corner(polygon, count, left);
    }
    slice(polygon, count, s, &low, &high);
    return (struct point2){s, low + (high - low) * v};
}
