#include "vbsp/faces/outline.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"

int fan_start(const bool *bends, int count)
{
    for (int i = 0; i < count; i++)
        if (bends[i] && bends[(i + 1) % count] && bends[(i + count - 1) % count])
            return i;
    return -1;
}

/* Points this close to a line count as on it: coordinates are floats. In units. */
#define STRAIGHT 1e-3

struct outline {
    const struct vec3 *points;
    int *left; /* points not cut off yet */
    int count;
    struct vec3 normal; /* of the whole outline */
    double area;        /* twice the area that is left */
    double extent;      /* at least the distance of any two points */
};

static struct vec3 corner_vector(const struct outline *outline, int at)
{
    int before = outline->left[(at + outline->count - 1) % outline->count];
    int after = outline->left[(at + 1) % outline->count];
    struct vec3 p = outline->points[outline->left[at]];
    return vec3_cross(vec3_sub(outline->points[before], p), vec3_sub(outline->points[after], p));
}

/* Height of the triangle at a point divided by its longest side: 0 is degenerate. */
static double shape(const struct outline *outline, int at)
{
    int before = outline->left[(at + outline->count - 1) % outline->count];
    int after = outline->left[(at + 1) % outline->count];
    struct vec3 a = outline->points[before], b = outline->points[outline->left[at]],
                c = outline->points[after];
    double longest =
        portable_fmax(vec3_distance(a, b), portable_fmax(vec3_distance(b, c), vec3_distance(c, a)));
    double area = vec3_dot(corner_vector(outline, at), outline->normal);
    return area > STRAIGHT * longest ? area / (longest * longest) : 0;
}

/* The distance of the farthest two points that are left without one; at most twice as much. */
static double extent_without(const struct outline *outline, int at)
{
    struct vec3 first = outline->points[outline->left[(at + 1) % outline->count]];
    double farthest = 0;
    for (int i = 0; i < outline->count; i++)
        if (i != at)
            farthest =
                portable_fmax(farthest, vec3_distance(first, outline->points[outline->left[i]]));
    return 2 * farthest;
}

/* True if the points that are left without one do not lie on a line. */
static bool leaves_area(const struct outline *outline, int at, double ear)
{
    double rest = outline->area - ear;
    return outline->count == 3 || rest > STRAIGHT * outline->extent ||
           rest > STRAIGHT * extent_without(outline, at);
}

/* The best ear to cut off among those that leave a remainder with an area. When none does (points
 * moved past each other when they were welded), the largest. */
static int best_corner(const struct outline *outline)
{
    double best = 0, max = 0;
    int found = -1, largest = -1;
    for (int i = 0; i < outline->count; i++) {
        double quality = shape(outline, i),
               area = vec3_dot(corner_vector(outline, i), outline->normal);
        if (area > max) {
            max = area;
            largest = i;
        }
        if (quality > best && leaves_area(outline, i, area)) {
            best = quality;
            found = i;
        }
    }
    return found >= 0 ? found : largest;
}

/* Normal of the remainder; its length is twice the area. */
static struct vec3 measure(const struct outline *outline)
{
    struct vec3 sum = vec3(0, 0, 0), origin = outline->points[0];
    for (int i = 0; i < outline->count; i++) {
        struct vec3 p = vec3_sub(outline->points[outline->left[i]], origin);
        int next = outline->left[(i + 1) % outline->count];
        struct vec3 q = vec3_sub(outline->points[next], origin);
        sum = vec3_add(sum, vec3_cross(q, p));
    }
    return sum;
}

int triangulate_outline(const struct vec3 *points, int count, int **indices)
{
    struct outline outline = {.points = points, .count = count};
    for (int i = 0; i < count; i++)
        arrput(outline.left, i);
    outline.normal = vec3_normalize(measure(&outline));
    for (int i = 1; i < count; i++)
        outline.extent = portable_fmax(outline.extent, 2 * vec3_distance(points[0], points[i]));
    int triangles = 0;
    while (outline.count >= 3) {
        outline.area = vec3_dot(measure(&outline), outline.normal);
        int corner = best_corner(&outline);
        if (!(outline.area > 0) || corner < 0)
            break;
        arrput(*indices, outline.left[(corner + outline.count - 1) % outline.count]);
        arrput(*indices, outline.left[corner]);
        arrput(*indices, outline.left[(corner + 1) % outline.count]);
        triangles++;
        arrdel(outline.left, corner);
        outline.count--;
    }
    arrfree(outline.left);
    return triangles;
}
