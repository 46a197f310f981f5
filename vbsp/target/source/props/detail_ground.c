#include "vbsp/target/source/props/detail_ground.h"

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"

bool detail_ground_of(const struct bsp *bsp, const struct bsp_face *face, struct detail_ground *out)
{
    if (face->edge_count != 4 || face->dispinfo < 0 || face->dispinfo >= arrlen(bsp->displacements))
        return false;
    const struct bsp_displacement *record = &bsp->displacements[face->dispinfo];
    if (record->power < 2 || record->power > 4)
        return false;
    int side = (1 << record->power) + 1, first = 0;
    if (record->first_vertex < 0 ||
        record->first_vertex > arrlen(bsp->disp_vertices) - (ptrdiff_t)side * side)
        return false;
    struct vec3 start =
        vec3((double)record->start[0], (double)record->start[1], (double)record->start[2]);
    struct vec3 corners[4];
    for (int i = 0; i < 4; i++) {
        corners[i] = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, i));
        if (vec3_distance(corners[i], start) < vec3_distance(corners[first], start))
            first = i;
    }
    *out =
        (struct detail_ground){.vertices = &bsp->disp_vertices[record->first_vertex], .side = side};
    for (int i = 0; i < 4; i++)
        out->corners[i] = corners[(first + i) % 4];
    return true;
}

static double triangle_area(struct vec3 a, struct vec3 b, struct vec3 c)
{
    return vec3_length(vec3_cross(vec3_sub(b, a), vec3_sub(c, a))) / 2;
}

double detail_ground_area(const struct detail_ground *ground)
{
    const struct vec3 *p = ground->corners;
    return triangle_area(p[0], p[1], p[2]) + triangle_area(p[0], p[2], p[3]);
}

static struct vec3 vertex_at(const struct detail_ground *ground, int row, int column)
{
    const struct bsp_disp_vertex *vertex = &ground->vertices[row * ground->side + column];
    const struct vec3 *p = ground->corners;
    double last = ground->side - 1, along = row / last;
    struct vec3 flat =
        vec3_lerp(vec3_lerp(p[0], p[1], along), vec3_lerp(p[3], p[2], along), column / last);
    const float *v = vertex->vector;
    return vec3_mad(flat, vec3((double)v[0], (double)v[1], (double)v[2]), (double)vertex->distance);
}

/* The triangle of a cell that contains the point: its corners as numbers 0 to 3 (bit 0: next
 * column, bit 1: next row), in the order in which the normal points up, and their weights. */
static void find_triangle(bool even, double x, double y, int corners[3], double weights[3])
{
    static const int triangles[4][3] = {{0, 2, 3}, {0, 3, 1}, {0, 2, 1}, {1, 2, 3}};
    const double all[4][3] = {
        {1 - y, y - x, x}, {1 - x, y, x - y}, {1 - x - y, y, x}, {1 - y, 1 - x, x + y - 1}};
    int number = even ? y < x : 2 + (x + y > 1);
    for (int i = 0; i < 3; i++) {
        corners[i] = triangles[number][i];
        weights[i] = all[number][i];
    }
}

double detail_ground_at(const struct detail_ground *ground, double u, double v, struct vec3 *at,
                        struct vec3 *normal)
{
    int cells = ground->side - 1, corners[3];
    int column = (int)portable_fmin(u * cells, cells - 1),
        row = (int)portable_fmin(v * cells, cells - 1);
    double x = u * cells - column, y = v * cells - row, weights[3], alpha = 0;
    struct vec3 points[3];
    find_triangle((row * ground->side + column) % 2 == 0, x, y, corners, weights);
    *at = vec3(0, 0, 0);
    for (int i = 0; i < 3; i++) {
        points[i] = vertex_at(ground, row + (corners[i] >> 1), column + (corners[i] & 1));
        *at = vec3_mad(*at, points[i], weights[i]);
    }
    *normal =
        vec3_normalize(vec3_cross(vec3_sub(points[2], points[0]), vec3_sub(points[1], points[0])));
    for (int i = 0; i < 4; i++) {
        int number = (row + (i >> 1)) * ground->side + column + (i & 1);
        alpha += (double)ground->vertices[number].alpha / 255 * (i & 1 ? x : 1 - x) *
                 (i & 2 ? y : 1 - y);
    }
    return alpha;
}
