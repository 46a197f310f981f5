/* Triangulates an outline with the largest triangle first: what is left on each of its three sides
 * is an outline of its own. */
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vbsp/faces/outline.h"

/* As in primitives.c: points this close to a line count as on it. In units. */
#define STRAIGHT 1e-3

/* The search tries all triples of points. */
enum { MOST_POINTS = 256 };

struct outline_cut {
    const struct vec3 *points; /* of the whole outline */
    struct vec3 normal;
    int **indices;
    int triangles;
};

/* An outline that is left: numbers of points, and for each point the sums up to it of twice the
 * area of the triangles between the origin and the edges, and of the lengths of edges. */
struct rest {
    const int *at;
    int count;
    double *area, *length; /* count + 1 */
};

static double twice_area(const struct outline_cut *cut, int from, int to)
{
    return vec3_dot(vec3_cross(cut->points[to], cut->points[from]), cut->normal);
}

static struct rest rest_of(const struct outline_cut *cut, const int *at, int count)
{
    size_t size = ((size_t)count + 1) * sizeof(double);
    struct rest rest = {at, count, memory_alloc(size), memory_alloc(size)};
    rest.area[0] = rest.length[0] = 0;
    for (int i = 0; i < count; i++) {
        int from = at[i], to = at[(i + 1) % count];
        rest.area[i + 1] = rest.area[i] + twice_area(cut, from, to);
        rest.length[i + 1] = rest.length[i] + vec3_distance(cut->points[from], cut->points[to]);
    }
    return rest;
}

/* True if nothing, or a part with an area, is between the points i and j and the line through
 * them. */
static bool leaves_no_line(const struct outline_cut *cut, const struct rest *rest, int i, int j)
{
    int steps = (j - i + rest->count) % rest->count;
    double around = j < i ? rest->area[rest->count] : 0,
           whole = j < i ? rest->length[rest->count] : 0;
    double area =
        around + rest->area[j] - rest->area[i] + twice_area(cut, rest->at[j], rest->at[i]);
    return steps == 1 || area > STRAIGHT * (whole + rest->length[j] - rest->length[i]);
}

static double triangle_area(const struct outline_cut *cut, const struct rest *rest, const int *c)
{
    struct vec3 p[3];
    double longest = 0;
    for (int i = 0; i < 3; i++)
        p[i] = cut->points[rest->at[c[i]]];
    for (int i = 0; i < 3; i++)
        longest = portable_fmax(longest, vec3_distance(p[i], p[(i + 1) % 3]));
    double area = vec3_dot(vec3_cross(vec3_sub(p[2], p[0]), vec3_sub(p[1], p[0])), cut->normal);
    return area > STRAIGHT * longest ? area : 0;
}

/* The corners of the largest triangle that leaves no points on a line. */
static bool largest(const struct outline_cut *cut, const struct rest *rest, int best[3])
{
    double max = 0;
    for (int i = 0; i < rest->count; i++)
        for (int j = i + 1; j < rest->count; j++) {
            if (!leaves_no_line(cut, rest, i, j))
                continue;
            for (int k = j + 1; k < rest->count; k++) {
                const int corners[3] = {i, j, k};
                double area = triangle_area(cut, rest, corners);
                if (!(area > max) || !leaves_no_line(cut, rest, j, k) ||
                    !leaves_no_line(cut, rest, k, i))
                    continue;
                max = area;
                for (int c = 0; c < 3; c++)
                    best[c] = corners[c];
            }
        }
    return max > 0;
}

static void cut_ears(struct outline_cut *cut, const int *at, int count)
{
    struct vec3 *points = NULL;
    int *indices = NULL;
    for (int i = 0; i < count; i++)
        arrput(points, cut->points[at[i]]);
    cut->triangles += triangulate_outline(points, count, &indices);
    for (size_t i = 0; i < arrlenu(indices); i++)
        arrput(*cut->indices, at[indices[i]]);
    arrfree(points);
    arrfree(indices);
}

/* Appends the parts of an outline on the sides of a triangle to the stack. */
static void push_parts(const int *at, int count, const int corners[3], int ***stack)
{
    for (int c = 0; c < 3; c++) {
        int first = corners[c], steps = (corners[(c + 1) % 3] - first + count) % count;
        int *part = NULL;
        for (int i = 0; i <= steps && steps > 1; i++)
            arrput(part, at[(first + i) % count]);
        if (part)
            arrput(*stack, part);
    }
}

static void cut_outline(struct outline_cut *cut, const int *at, int ***stack)
{
    int count = (int)arrlen(at), corners[3];
    if (count > MOST_POINTS) {
        cut_ears(cut, at, count);
        return;
    }
    struct rest rest = rest_of(cut, at, count);
    bool found = largest(cut, &rest, corners);
    memory_free(rest.area);
    memory_free(rest.length);
    if (!found) {
        cut_ears(cut, at, count);
        return;
    }
    for (int c = 0; c < 3; c++)
        arrput(*cut->indices, at[corners[c]]);
    cut->triangles++;
    push_parts(at, count, corners, stack);
}

static struct vec3 normal_of(const struct vec3 *points, int count)
{
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < count; i++) {
        struct vec3 p = vec3_sub(points[i], points[0]);
        sum = vec3_add(sum, vec3_cross(vec3_sub(points[(i + 1) % count], points[0]), p));
    }
    return vec3_normalize(sum);
}

int triangulate_largest(const struct vec3 *points, int count, int **indices)
{
    struct vec3 *moved = NULL; /* to the first point, for precision */
    int **stack = NULL, *whole = NULL;
    for (int i = 0; i < count; i++) {
        arrput(moved, vec3_sub(points[i], points[0]));
        arrput(whole, i);
    }
    struct outline_cut cut = {
        .points = moved, .normal = normal_of(points, count), .indices = indices};
    arrput(stack, whole);
    while (arrlen(stack)) {
        int *at = arrpop(stack);
        cut_outline(&cut, at, &stack);
        arrfree(at);
    }
    arrfree(stack);
    arrfree(moved);
    return cut.triangles;
}
