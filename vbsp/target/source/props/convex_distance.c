#include "vbsp/target/source/props/convex_distance.h"

#include "common/core/portable_math.h"

/* Maximum iterations, more than ever seen; a few are usual. */
enum { ROUNDS = 64 };

/* Termination thresholds relative to the square of the distance and to that of the size. */
#define EPSILON_PROGRESS 1e-10
#define EPSILON_MEET     1e-14

/* Points of the Minkowski difference of both bodies, in which the point closest to the origin is
 * searched. */
struct simplex {
    struct vec3 points[4];
    int count;
};

static struct vec3 farthest(const struct vec3 *points, size_t count, struct vec3 direction)
{
    size_t best = 0;
    double max = vec3_dot(points[0], direction);
    for (size_t i = 1; i < count; i++) {
        double reach = vec3_dot(points[i], direction);
        if (reach > max) {
            max = reach;
            best = i;
        }
    }
    return points[best];
}

/* Solves the symmetric system of n <= 3 by Cramer's rule; false when it is singular. */
static bool solve(int n, double m[3][3], const double b[3], double x[3])
{
    if (n == 1) {
        x[0] = b[0] / m[0][0];
        return m[0][0] > 0;
    }
    if (n == 2) {
        double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
        x[0] = (b[0] * m[1][1] - m[0][1] * b[1]) / det;
        x[1] = (m[0][0] * b[1] - b[0] * m[1][0]) / det;
        return det > 1e-12 * m[0][0] * m[1][1];
    }
    struct vec3 u = vec3(m[0][0], m[1][0], m[2][0]), v = vec3(m[0][1], m[1][1], m[2][1]);
    struct vec3 w = vec3(m[0][2], m[1][2], m[2][2]), r = vec3(b[0], b[1], b[2]);
    double det = vec3_dot(u, vec3_cross(v, w));
    x[0] = vec3_dot(r, vec3_cross(v, w)) / det;
    x[1] = vec3_dot(u, vec3_cross(r, w)) / det;
    x[2] = vec3_dot(u, vec3_cross(v, r)) / det;
    return det > 1e-12 * m[0][0] * m[1][1] * m[2][2];
}

/* The point closest to the origin of the affine hull of the chosen points. False when it lies
 * outside of their convex hull. */
static bool nearest_within(const struct simplex *chosen, struct vec3 *out)
{
    int n = chosen->count - 1;
    struct vec3 edges[3], base = chosen->points[0];
    double m[3][3] = {{0}}, b[3] = {0}, x[3] = {0}, rest = 1;
    for (int i = 0; i < n; i++) {
        edges[i] = vec3_sub(chosen->points[i + 1], base);
        b[i] = -vec3_dot(edges[i], base);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            m[i][j] = vec3_dot(edges[i], edges[j]);
    if (n > 0 && !solve(n, m, b, x))
        return false;
    *out = base;
    for (int i = 0; i < n; i++) {
        if (!(x[i] >= 0))
            return false;
        rest -= x[i];
        *out = vec3_mad(*out, edges[i], x[i]);
    }
    return rest >= 0;
}

/* Drops points that the closest point does not depend on. All fifteen subsets of at most four
 * points are tried, which avoids special cases. */
static struct vec3 reduce(struct simplex *simplex)
{
    struct simplex best = {.count = 0};
    struct vec3 nearest = vec3(0, 0, 0);
    double min = DBL_MAX;
    for (int mask = 1; mask < 1 << simplex->count; mask++) {
        struct simplex chosen = {.count = 0};
        struct vec3 point;
        for (int i = 0; i < simplex->count; i++)
            if (mask & 1 << i)
                chosen.points[chosen.count++] = simplex->points[i];
        if (!nearest_within(&chosen, &point) || !(vec3_dot(point, point) < min))
            continue;
        min = vec3_dot(point, point);
        nearest = point;
        best = chosen;
    }
    *simplex = best;
    return nearest;
}

double convex_distance(const struct vec3 *a, size_t a_count, const struct vec3 *b, size_t b_count)
{
    struct simplex simplex = {{vec3_sub(a[0], b[0])}, 1};
    struct vec3 nearest = simplex.points[0];
    double size = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double square = vec3_dot(nearest, nearest);
        struct vec3 towards = vec3_neg(nearest);
        struct vec3 next = vec3_sub(farthest(a, a_count, towards), farthest(b, b_count, nearest));
        size = portable_fmax(size, vec3_dot(next, next));
        if (square <= EPSILON_MEET * size)
            return 0;
        if (square - vec3_dot(nearest, next) <= EPSILON_PROGRESS * square || simplex.count == 4)
            break;
        simplex.points[simplex.count++] = next;
        struct vec3 better = reduce(&simplex);
        if (!(vec3_dot(better, better) < square))
            break;
        nearest = better;
    }
    double distance = vec3_length(nearest);
    return distance * distance <= EPSILON_MEET * size ? 0 : distance;
}
