#include "vbsp/target/source/physics/physics.h"

#include <math.h>
#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/parallel/parallel.h"
#include "vbsp/csg/brush_make.h"
#include "vbsp/target/source/displacements/displacement.h"
#include "vbsp/target/source/entities/state.h"
#include "vbsp/target/source/physics/physics_convex.h"

enum { CORNERS = 3, NO_HULL = 0xffff, MAX_SIDE = 9, MAX_POINTS = MAX_SIDE * MAX_SIDE };

/* Points this close to the hull, in units, are not added to it. With this the hull has the volume
 * of Valve's in all of 33 that were compared; theirs has a few more corners that lie in its faces.
 * */
#define TOLERANCE 1e-4

/* Minimum distance from the rim of the centre vertex of a flat hull. */
#define MIN_DEPTH 0.01

struct hull_edge {
    int from, to;
    bool real; /* also an edge of the grid */
    int number;
};

struct hull {
    const struct vec3 *points;
    int side;
    struct convex_triangle *triangles; /* stb_ds array */
    struct hull_edge *edges;           /* stb_ds array, in the order of first use */
    int (*uses)[CORNERS];              /* edges per triangle */
    struct vec3 *normals;              /* stb_ds array, one per triangle */
};

/* True if the triangles of the grid have this edge. Cells are split as on a chessboard. */
static bool is_of_grid(int side, int a, int b)
{
    int rows = b / side - a / side, columns = b % side - a % side;
    if (abs(rows) + abs(columns) == 1)
        return true;
    if (abs(rows) != 1 || abs(columns) != 1)
        return false;
    int first_row = (a < b ? a : b) / side;
    int first_column = a % side < b % side ? a % side : b % side;
    bool odd = (first_row * side + first_column) % 2;
    return odd == (rows != columns);
}

/* The index of the edge, added on first use; -1 if another triangle uses the same direction. */
static int find_edge(struct hull *hull, int from, int to)
{
    for (int i = 0; i < (int)arrlen(hull->edges); i++) {
        if (hull->edges[i].from == from && hull->edges[i].to == to)
            return -1;
        if (hull->edges[i].from == to && hull->edges[i].to == from)
            return i;
    }
    struct hull_edge edge = {.from = from, .to = to, .real = is_of_grid(hull->side, from, to)};
    arrput(hull->edges, edge);
    return (int)arrlen(hull->edges) - 1;
}

/* False if the triangles do not close. */
static bool find_edges(struct hull *hull)
{
    int count = (int)arrlen(hull->triangles);
    for (int i = 0; i < count; i++) {
        const int *points = hull->triangles[i].points;
        for (int k = 0; k < CORNERS; k++) {
            hull->uses[i][k] = find_edge(hull, points[k], points[(k + 1) % CORNERS]);
            if (hull->uses[i][k] < 0)
                return false;
        }
    }
    return 2 * (int)arrlen(hull->edges) == CORNERS * count;
}

/* Edges of the grid come last; returns the first of them. */
static int number_edges(struct hull *hull)
{
    int number = 0, first_real = 0;
    for (int real = 0; real < 2; real++) {
        first_real = number;
        for (size_t i = 0; i < arrlenu(hull->edges); i++)
            if (hull->edges[i].real == (real == 1))
                hull->edges[i].number = number++;
    }
    return first_real;
}

static void find_normals(struct hull *hull)
{
    for (size_t i = 0; i < arrlenu(hull->triangles); i++) {
        const int *corners = hull->triangles[i].points;
        struct vec3 a = hull->points[corners[0]];
        struct vec3 normal = vec3_cross(vec3_sub(hull->points[corners[1]], a),
                                        vec3_sub(hull->points[corners[2]], a));
        arrput(hull->normals, vec3_normalize(normal));
    }
}

/* The triangle opposite to a triangle: the one whose normal is most opposite. */
static int opposite_of(const struct hull *hull, int triangle)
{
    int best = 0;
    double min = 2;
    for (int i = 0; i < (int)arrlen(hull->normals); i++) {
        double along = i == triangle ? 2 : vec3_dot(hull->normals[triangle], hull->normals[i]);
        if (along < min) {
            min = along;
            best = i;
        }
    }
    return best;
}

static void write_edges(const struct hull *hull, bool real, struct bytes *out)
{
    for (size_t i = 0; i < arrlenu(hull->edges); i++) {
        if (hull->edges[i].real != real)
            continue;
        bytes_u8(out, (uint8_t)hull->edges[i].from);
        bytes_u8(out, (uint8_t)hull->edges[i].to);
    }
}

/* No triangle is marked as one of the grid, even where it is: then the engine continues with those
 * of the grid. */
static void write_hull(struct hull *hull, struct bytes *out)
{
    int first_real = number_edges(hull), triangles = (int)arrlen(hull->triangles);
    find_normals(hull);
    bytes_u32(out, 1);
    bytes_u8(out, (uint8_t)triangles);
    bytes_u8(out, (uint8_t)triangles);
    bytes_u8(out, (uint8_t)arrlen(hull->edges));
    bytes_u8(out, (uint8_t)first_real);
    bytes_u8(out, 0);
    for (int i = 0; i < triangles; i++) {
        for (int k = 0; k < CORNERS; k++)
            bytes_u8(out, (uint8_t)hull->edges[hull->uses[i][k]].number);
        bytes_u8(out, (uint8_t)opposite_of(hull, i));
    }
    write_edges(hull, false, out);
    write_edges(hull, true, out);
}

/* Distance of the point from the rim of a flat hull, whose apex represents its centre. */
static double depth_within(const struct hull *hull, int apex, struct vec3 normal, int point)
{
    double depth = HUGE_VAL;
    for (size_t i = 0; i < arrlenu(hull->triangles); i++) {
        const int *corners = hull->triangles[i].points;
        for (int k = 0; k < CORNERS; k++) {
            if (corners[k] != apex)
                continue;
            struct vec3 a = hull->points[corners[(k + 1) % CORNERS]];
            struct vec3 along = vec3_sub(hull->points[corners[(k + 2) % CORNERS]], a);
            struct vec3 inward = vec3_normalize(vec3_cross(normal, along));
            depth = portable_fmin(depth, vec3_dot(inward, vec3_sub(hull->points[point], a)));
        }
    }
    return depth;
}

/* A vertex well inside the rim, preferably beside a corner of the grid; -1 if there is none. */
static int choose_middle(const struct hull *hull, int apex, struct vec3 normal)
{
    int last = hull->side - 1;
    const int beside[][2] = {{last - 1, 1}, {last - 1, last - 1}, {1, last - 1}, {1, 1}};
    for (int i = 0; i < 4; i++) {
        int point = beside[i][0] * hull->side + beside[i][1];
        if (depth_within(hull, apex, normal, point) > MIN_DEPTH)
            return point;
    }
    for (int point = 0; point < hull->side * hull->side; point++)
        if (depth_within(hull, apex, normal, point) > MIN_DEPTH)
            return point;
    return -1;
}

/* The normal of the plane of flat points, and in *size their extent; false when they are collinear.
 * */
static bool find_plane(const struct vec3 *points, int count, struct vec3 *normal, double *size)
{
    struct vec3 farthest = vec3(0, 0, 0), across = vec3(0, 0, 0);
    for (int i = 0; i < count; i++)
        if (vec3_distance(points[i], points[0]) > vec3_length(farthest))
            farthest = vec3_sub(points[i], points[0]);
    *size = vec3_length(farthest);
    for (int i = 0; i < count; i++) {
        struct vec3 cross = vec3_cross(farthest, vec3_sub(points[i], points[0]));
        if (vec3_length(cross) > vec3_length(across))
            across = cross;
    }
    *normal = vec3_normalize(across);
    return vec3_length(across) > *size * MIN_DEPTH;
}

/* Makes a pyramid on the points and moves its apex into their plane. */
static bool make_flat(struct hull *hull)
{
    int count = hull->side * hull->side;
    struct vec3 normal, points[MAX_POINTS + 1];
    double size;
    if (!find_plane(hull->points, count, &normal, &size))
        return false;
    for (int i = 0; i < count; i++) {
        double height = vec3_dot(normal, vec3_sub(hull->points[i], hull->points[0]));
        points[i] = vec3_mad(hull->points[i], normal, -height);
    }
    points[count] = vec3_mad(points[hull->side + 1], normal, size);
    hull->triangles = convex_hull(points, count + 1, TOLERANCE);
    int middle = hull->triangles ? choose_middle(hull, count, normal) : -1;
    for (size_t i = 0; i < arrlenu(hull->triangles) && middle >= 0; i++)
        for (int k = 0; k < CORNERS; k++)
            if (hull->triangles[i].points[k] == count)
                hull->triangles[i].points[k] = middle;
    return middle >= 0;
}

bool displacement_hull(const struct vec3 *points, int side, struct bytes *out)
{
    if (side > MAX_SIDE)
        return false;
    struct hull hull = {.points = points, .side = side};
    hull.triangles = convex_hull(points, side * side, TOLERANCE);
    bool made = hull.triangles || make_flat(&hull);
    if (made) {
        hull.uses = memory_zalloc(arrlenu(hull.triangles), sizeof *hull.uses);
        made = find_edges(&hull);
    }
    if (made)
        write_hull(&hull, out);
    memory_free(hull.uses);
    arrfree(hull.normals);
    arrfree(hull.edges);
    arrfree(hull.triangles);
    return made;
}

struct hull_job {
    const struct compile *compile;
    struct bytes *hulls; /* one per displacement */
};

static void make_displacement_hull(void *context, size_t index, int thread)
{
    (void)thread;
    const struct hull_job *job = context;
    const struct displacement *displacement = source_state(job->compile)->displacements[index];
    (void)displacement_hull(displacement->points, displacement->map.side, &job->hulls[index]);
}

void displacements_emit_hulls(struct compile *compile)
{
    struct bytes *lump = &compile->bsp->displacement_physics;
    size_t count = arrlenu(source_state(compile)->displacements);
    if (count && physics_has_no_meshes(compile))
        return;
    struct hull_job job = {compile, memory_zalloc(count + 1, sizeof *job.hulls)};
    parallel_for(compile->env->threads, count, make_displacement_hull, &job);
    bytes_u16(lump, (uint16_t)count);
    for (size_t i = 0; i < count; i++) {
        size_t size = job.hulls[i].size;
        bytes_u16(lump, size ? (uint16_t)size : (uint16_t)NO_HULL);
        if (!size)
            physics_report_no_hull(compile, source_state(compile)->displacements[i]);
    }
    for (size_t i = 0; i < count; i++) {
        bytes_append(lump, job.hulls[i].data, job.hulls[i].size);
        bytes_free(&job.hulls[i]);
    }
    memory_free(job.hulls);
}
