#include "vbsp/level/plane_points.h"

#include <math.h>

#include "vbsp/level/level.h"

/* Points are collinear if the sine of the angle between the two shorter edges is less. */
#define MIN_SINE 1e-9

void plane_points_of(const struct plane *plane, struct vec3 points[3])
{
    const double reach = 64;
    int axis = vec3_major_axis(plane->normal);
    struct vec3 other = vec3(0, 0, 0);
    other.e[(axis + 1) % 3] = 1;
    struct vec3 u = vec3_normalize(vec3_cross(other, plane->normal));
    struct vec3 v = vec3_cross(plane->normal, u);
    points[1] = vec3_scale(plane->normal, plane->dist);
    points[0] = vec3_mad(points[1], u, reach);
    points[2] = vec3_mad(points[1], v, reach);
}

static bool are_within(const struct vec3 points[3], double limit)
{
    for (int i = 0; i < 9; i++)
        if (!(fabs(points[i / 3].e[i % 3]) <= limit))
            return false;
    return true;
}

bool plane_points_fit(const struct vec3 points[3])
{
    return are_within(points, MAP_PLANE_LIMIT);
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
    if (are_within(points, MAP_POINT_LIMIT))
        return true;
    int k = sharp_corner(points);
    struct vec3 a = vec3_sub(points[(k + 2) % 3], points[k]);
    struct vec3 b = vec3_sub(points[(k + 1) % 3], points[k]);
    struct vec3 cross = exact_cross(a, b);
    double length = vec3_length(cross);
    if (!(length > MIN_SINE * vec3_length(a) * vec3_length(b)))
        return false;
    struct vec3 normal = vec3_scale(cross, 1 / length);
    plane_points_of(&(struct plane){normal, vec3_dot(normal, nearest_point(points))}, points);
    return true;
}
