#include "vbsp/faces/outline.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"

/* --- gap --- */

/* Where a point lies on the edge exactly, pixels show through all the same, as the two sides are
 * rasterised along different lines: the width that counts for them, in units. */
#define RASTER_WIDTH (1.0 / 32)

struct gap gap_without(struct vec3 before, struct vec3 at, struct vec3 after)
{
    struct vec3 edge = vec3_sub(after, before), off = vec3_sub(at, before);
    struct vec3 line = vec3_normalize(edge);
    struct gap gap = {.length = vec3_length(edge)};
    gap.off = vec3_length(vec3_mad(off, line, -vec3_dot(off, line)));
    gap.seen = (gap.off / 2 + RASTER_WIDTH) * gap.length;
    return gap;
}

/* --- triangles --- */

/* Triangulates an outline with the largest triangle first: what is left on each of its three sides
 * is an outline of its own. */

/* Points this close to a line count as on it. In units. */
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

/* --- edge points --- */

/* Points this close to an edge lie on it; farther ones were moved there or stick out. */
#define WELL 0.01

/* Of the points found on an edge, from `begin` on, keeps those that lie on it closely or, if there
 * are none, the nearest. Returns true if others were dropped; if not, nothing more lies on the
 * edges between them. */
static bool keep_nearest(struct vertex_on_edge **found, size_t begin, double near)
{
    size_t nearest = begin, kept = begin, end = arrlenu(*found);
    for (size_t i = begin; i < end; i++) {
        const struct vertex_on_edge *at = &(*found)[i], *best = &(*found)[nearest];
        if (at->off < best->off || (at->off <= best->off && at->vertex < best->vertex))
            nearest = i;
    }
    if (nearest < end && (*found)[nearest].off > WELL) {
        if ((*found)[nearest].off <= near)
            (*found)[kept++] = (*found)[nearest];
        arrsetlen(*found, kept);
        return true;
    }
    for (size_t i = begin; i < end; i++)
        if ((*found)[i].off <= WELL)
            (*found)[kept++] = (*found)[i];
    arrsetlen(*found, kept);
    return kept < end;
}

static void keep_only(const bool *only, struct vertex_on_edge **found, size_t begin)
{
    size_t kept = begin;
    for (size_t i = begin; i < arrlenu(*found); i++)
        if (only[(*found)[i].vertex])
            (*found)[kept++] = (*found)[i];
    arrsetlen(*found, kept);
}

void edge_points(const struct vertex_pool *pool, int from, int to, double near, const bool *only,
                 struct vertex_on_edge **scratch, int **walk)
{
    size_t begin = arrlenu(*scratch);
    vertex_pool_on_edge(pool, from, to, near + WELL, scratch);
    if (only)
        keep_only(only, scratch, begin);
    bool more = keep_nearest(scratch, begin, near);
    size_t end = arrlenu(*scratch);
    for (size_t i = begin; i < end; i++) {
        int vertex = (*scratch)[i].vertex;
        if (more)
            edge_points(pool, from, vertex, near, only, scratch, walk);
        arrput(*walk, ~vertex);
        from = vertex;
    }
    if (more && end > begin)
        edge_points(pool, from, to, near, only, scratch, walk);
    arrsetlen(*scratch, begin);
}

double outline_area(const struct vertex_pool *pool, const int *outline, int first, int count)
{
    int all = (int)arrlen(outline);
    struct vec3 origin = vertex_pool_at(pool, outline_vertex(outline[first])), sum = vec3(0, 0, 0);
    for (int i = 2; i < count; i++) {
        struct vec3 a = vertex_pool_at(pool, outline_vertex(outline[(first + i - 1) % all]));
        struct vec3 b = vertex_pool_at(pool, outline_vertex(outline[(first + i) % all]));
        sum = vec3_add(sum, vec3_cross(vec3_sub(b, origin), vec3_sub(a, origin)));
    }
    return vec3_length(sum) / 2;
}

static ptrdiff_t find_vertex(const int *points, int vertex)
{
    for (ptrdiff_t i = 0; i < arrlen(points); i++)
        if (outline_vertex(points[i]) == vertex)
            return i;
    return -1;
}

struct outline_loop *outline_loops(const int *walk)
{
    struct outline_loop *loops = NULL;
    int *open = NULL;
    for (size_t i = 0; i < arrlenu(walk) + 1; i++) {
        int point = walk[i % arrlenu(walk)];
        ptrdiff_t first = find_vertex(open, outline_vertex(point));
        if (first < 0) {
            arrput(open, point);
            continue;
        }
        struct outline_loop loop = {NULL};
        for (ptrdiff_t k = first; k < arrlen(open); k++)
            arrput(loop.points, open[k]);
        arrsetlen(open, (size_t)first + 1);
        if (arrlen(loop.points) >= 3)
            arrput(loops, loop);
        else
            arrfree(loop.points);
    }
    arrfree(open);
    return loops;
}

/* --- outline --- */

int fan_start(const bool *bends, int count)
{
    for (int i = 0; i < count; i++)
        if (bends[i] && bends[(i + 1) % count] && bends[(i + count - 1) % count])
            return i;
    return -1;
}

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
