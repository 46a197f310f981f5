#include "vrad/lights/polygon.h"

#include "common/core/portable_math.h"
#include "common/geom/angle.h"

/* Edges seen under a smaller sine than this pass through the point. */
#define MIN_SINE 1e-9

/* Triangles of a smaller solid angle are sampled as if they were flat. */
#define MIN_SOLID_ANGLE 1e-5

int polygon_above(const struct vec3 *corners, int count, struct vec3 normal, struct vec3 *out)
{
    int kept = 0;
    struct vec3 before = corners[count - 1];
    double height = vec3_dot(before, normal);
    for (int i = 0; i < count; i++) {
        double next = vec3_dot(corners[i], normal);
        if ((next > 0) != (height > 0))
            out[kept++] = vec3_mad(before, vec3_sub(corners[i], before), height / (height - next));
        if (next > 0)
            out[kept++] = corners[i];
        before = corners[i];
        height = next;
    }
    return kept < 3 ? 0 : kept;
}

struct vec3 polygon_irradiance(const struct vec3 *corners, int count)
{
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < count; i++) {
        struct vec3 next = corners[i + 1 < count ? i + 1 : 0];
        struct vec3 cross = vec3_cross(corners[i], next);
        double sine = vec3_length(cross), cosine = vec3_dot(corners[i], next);
        if (sine > MIN_SINE)
            sum = vec3_mad(sum, cross, portable_atan2(sine, cosine) / (2 * sine));
    }
    return sum;
}

static double solid_angle(struct vec3 a, struct vec3 b, struct vec3 c)
{
    double volume = fabs(vec3_dot(a, vec3_cross(b, c)));
    return 2 * portable_atan2(volume, 1 + vec3_dot(a, b) + vec3_dot(b, c) + vec3_dot(c, a));
}

static double clamped(double value, double low, double high)
{
    return portable_fmin(portable_fmax(value, low), high);
}

/* The part of `v` across the unit vector `u`, as a unit vector. */
static struct vec3 across(struct vec3 v, struct vec3 u)
{
    return vec3_normalize(vec3_mad(v, u, -vec3_dot(v, u)));
}

static struct vec3 flat_point(const struct vec3 corner[3], const double at[2])
{
    double root = sqrt(at[0]);
    struct vec3 point = vec3_scale(corner[0], 1 - root);
    point = vec3_mad(vec3_mad(point, corner[1], root * (1 - at[1])), corner[2], root * at[1]);
    return vec3_normalize(point);
}

/* J. Arvo, Stratified Sampling of Spherical Triangles, 1995. */
static struct vec3 triangle_point(const struct vec3 corner[3], double solid, const double at[2])
{
    struct vec3 a = corner[0], b = corner[1], c = corner[2];
    struct vec3 ab = vec3_cross(a, b), ac = vec3_cross(a, c);
    struct vec3 ab_ac = vec3_cross(ab, ac);
    double alpha = portable_atan2(vec3_length(ab_ac), vec3_dot(ab, ac));
    double sine = portable_sin(alpha), cosine = portable_cos(alpha);
    if (solid < MIN_SOLID_ANGLE || sine < MIN_SINE)
        return flat_point(corner, at);
    double part = at[0] * solid - alpha;
    double s = portable_sin(part), t = portable_cos(part);
    double u = t - cosine, v = s + sine * vec3_dot(a, b);
    double divisor = (v * s + u * t) * sine;
    double q = fabs(divisor) > 0 ? ((v * t - u * s) * cosine - v) / divisor : 1;
    q = clamped(q, -1, 1);
    struct vec3 end = vec3_add(vec3_scale(a, q), vec3_scale(across(c, a), sqrt(1 - q * q)));
    double z = clamped(1 - at[1] * (1 - vec3_dot(end, b)), -1, 1);
    return vec3_add(vec3_scale(b, z), vec3_scale(across(end, b), sqrt(1 - z * z)));
}

double polygon_direction(const struct vec3 *corners, int count, const double at[2],
                         struct vec3 *direction)
{
    double sum = 0, before = 0;
    for (int i = 1; i + 1 < count; i++)
        sum += solid_angle(corners[0], corners[i], corners[i + 1]);
    double wanted = at[0] * sum;
    for (int i = 1; i + 1 < count; i++) {
        const struct vec3 triangle[3] = {corners[0], corners[i], corners[i + 1]};
        double own = solid_angle(triangle[0], triangle[1], triangle[2]);
        if (own > 0 && (wanted < before + own || i + 2 == count)) {
            const double inside[2] = {clamped((wanted - before) / own, 0, 1), at[1]};
            *direction = triangle_point(triangle, own, inside);
            return sum;
        }
        before += own;
    }
    return 0;
}
