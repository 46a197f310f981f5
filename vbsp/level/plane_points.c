#include "vbsp/level/plane_points.h"

#include <math.h>

#include "vbsp/level/level.h"

/* Points are collinear if the sine of the angle between the two shorter edges is less. */
#define MIN_SINE 1e-9

bool plane_points_fit(const struct vec3 points[3])
{
    for (int i = 0; i < 9; i++)
        if (!(fabs(points[i / 3].e[i % 3]) <= MAP_PLANE_LIMIT))
            return false;
    return true;
}

static bool is_near(const struct vec3 points[3])
{
    for (int i = 0; i < 9; i++)
        if (!(fabs(points[i / 3].e[i % 3]) <= MAP_POINT_LIMIT))
            return false;
    return true;
}

/* The upper half of the bits of a number. */
static double upper_half(double a)
{
    double shifted = 134217729.0 * a; /* 2^27 + 1 */
    return shifted - (shifted - a);
}

/* Returns the part of a product that rounding took away. Exact: halves have 26 bits, so that their
 * products are. */
static double lost_in(double a, double b, double product)
{
    double a1 = upper_half(a), a2 = a - a1, b1 = upper_half(b), b2 = b - b1;
    return ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2;
}

/* a d - b c, right to the last bit or two: far points give products that nearly cancel. */
static double determinant(double a, double b, double c, double d)
{
    double ad = a * d, bc = b * c;
    return (ad - bc) + (lost_in(a, d, ad) - lost_in(b, c, bc));
}

static struct vec3 exact_cross(struct vec3 a, struct vec3 b)
{
    return vec3(determinant(a.y, a.z, b.y, b.z), determinant(a.z, a.x, b.z, b.x),
                determinant(a.x, a.y, b.x, b.y));
}

/* The point across the longest edge. */
static int sharp_corner(const struct vec3 points[3])
{
    int best = 0;
    double longest = -1;
    for (int i = 0; i < 3; i++) {
        double length = vec3_distance(points[(i + 1) % 3], points[(i + 2) % 3]);
        if (length > longest) {
            longest = length;
            best = i;
        }
    }
    return best;
}

static struct vec3 nearest_point(const struct vec3 points[3])
{
    struct vec3 nearest = points[0];
    for (int i = 1; i < 3; i++)
        if (vec3_length(points[i]) < vec3_length(nearest))
            nearest = points[i];
    return nearest;
}

bool plane_points_settle(struct vec3 points[3])
{
    if (is_near(points))
        return true;
    int k = sharp_corner(points);
    struct vec3 a = vec3_sub(points[(k + 2) % 3], points[k]);
    struct vec3 b = vec3_sub(points[(k + 1) % 3], points[k]);
    struct vec3 cross = exact_cross(a, b);
    double length = vec3_length(cross);
    if (!(length > MIN_SINE * vec3_length(a) * vec3_length(b)))
        return false;
    struct vec3 normal = vec3_scale(cross, 1 / length);
    struct vec3 foot = vec3_scale(normal, vec3_dot(normal, nearest_point(points)));
    int major = vec3_major_axis(normal);
    struct vec3 side = vec3(major == 2, 0, major != 2);
    struct vec3 right = vec3_scale(vec3_normalize(vec3_cross(normal, side)), 64);
    struct vec3 up = vec3_scale(vec3_normalize(vec3_cross(right, normal)), 64);
    points[0] = vec3_add(foot, up);
    points[1] = foot;
    points[2] = vec3_add(foot, right);
    return true;
}
