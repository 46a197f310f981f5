#include "vrad/scene/disp_mesh.h"

#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"

/* The face's corners, from the one nearest to the displacement's start position. */
static void turned_corners(const struct bsp *bsp, const struct bsp_face *face, struct vec3 start,
                           struct vec3 corners[4])
{
    struct vec3 points[4];
    int nearest = 0;
    for (int i = 0; i < 4; i++) {
        points[i] = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, i));
        if (vec3_distance(points[i], start) < vec3_distance(points[nearest], start))
            nearest = i;
    }
    for (int i = 0; i < 4; i++)
        corners[i] = points[(nearest + i) % 4];
}

static void place_points(struct disp_mesh *mesh, const struct vec3 corners[4],
                         const struct bsp_disp_vertex *vertices)
{
    int side = mesh->columns;
    for (int i = 0; i < side * side; i++) {
        double u = (double)(i % side) / (side - 1), v = (double)(i / side) / (side - 1);
        struct vec3 left = vec3_lerp(corners[0], corners[1], v);
        struct vec3 right = vec3_lerp(corners[3], corners[2], v);
        mesh->points[i] = vec3_mad(vec3_lerp(left, right, u), vec3_from_floats(vertices[i].vector),
                                   (double)vertices[i].distance);
    }
}

static void place_normals(struct disp_mesh *mesh)
{
    for (int i = 0; i < disp_mesh_triangles(mesh); i++) {
        int corners[3];
        disp_mesh_triangle(mesh, i, corners);
        struct vec3 a = mesh->points[corners[0]];
        struct vec3 normal = vec3_cross(vec3_sub(mesh->points[corners[2]], a),
                                        vec3_sub(mesh->points[corners[1]], a));
        for (int k = 0; k < 3; k++)
            mesh->normals[corners[k]] = vec3_add(mesh->normals[corners[k]], normal);
    }
    for (int i = 0; i < mesh->columns * mesh->rows; i++)
        mesh->normals[i] = vec3_normalize(mesh->normals[i]);
}

bool disp_mesh_build(const struct bsp *bsp, const struct bsp_face *face, struct arena *arena,
                     struct disp_mesh *out)
{
    if (face->dispinfo < 0 || face->edge_count != 4)
        return false;
    const struct bsp_displacement *info = &bsp->displacements[face->dispinfo];
    if (info->power < 2 || info->power > 4)
        return false;
    size_t side = (1u << info->power) + 1, have = arrlenu(bsp->disp_vertices);
    if (info->first_vertex < 0 || (size_t)info->first_vertex > have ||
        side * side > have - (size_t)info->first_vertex)
        return false;
    struct vec3 corners[4];
    turned_corners(bsp, face, vec3_from_floats(info->start), corners);
    struct disp_mesh mesh = {.columns = (int)side, .rows = (int)side};
    mesh.points = ARENA_ARRAY(arena, struct vec3, side * side);
    mesh.normals = ARENA_ARRAY(arena, struct vec3, side * side);
    place_points(&mesh, corners, bsp->disp_vertices + info->first_vertex);
    for (size_t i = 0; i < side * side; i++)
        if (!vec3_is_finite(mesh.points[i]))
            return false;
    place_normals(&mesh);
    *out = mesh;
    return true;
}

/* Positions are compared in steps of a quarter unit, shifted so that editor coordinates do not lie
 * on the limit between two steps. */
#define PLACE_STEPS 4.0
#define PLACE_SHIFT 0.37

struct border_entry {
    struct place {
        int64_t at[3];
    } key;
    struct vec3 value; /* sum of the normals there */
};

static struct place place_of(struct vec3 p)
{
    struct place place;
    for (int k = 0; k < 3; k++)
        place.at[k] = (int64_t)floor(portable_fmin(portable_fmax(p.e[k], -1e9), 1e9) * PLACE_STEPS +
                                     PLACE_SHIFT);
    return place;
}

static bool on_border(const struct disp_mesh *mesh, int vertex)
{
    int column = vertex % mesh->columns, row = vertex / mesh->columns;
    return column == 0 || row == 0 || column == mesh->columns - 1 || row == mesh->rows - 1;
}

void disp_mesh_blend(struct disp_mesh *const *meshes, size_t count)
{
    struct border_entry *borders = NULL;
    for (size_t i = 0; i < count; i++) {
        for (int v = 0; v < meshes[i]->columns * meshes[i]->rows; v++) {
            if (!on_border(meshes[i], v))
                continue;
            struct place place = place_of(meshes[i]->points[v]);
            ptrdiff_t at = hmgeti(borders, place);
            if (at < 0) {
                struct border_entry entry = {place, vec3(0, 0, 0)};
                hmputs(borders, entry);
                at = hmgeti(borders, place);
            }
            borders[at].value = vec3_add(borders[at].value, meshes[i]->normals[v]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (int v = 0; v < meshes[i]->columns * meshes[i]->rows; v++) {
            if (!on_border(meshes[i], v))
                continue;
            struct place place = place_of(meshes[i]->points[v]);
            ptrdiff_t at = hmgeti(borders, place);
            struct vec3 sum = borders[at].value;
            if (vec3_dot(sum, meshes[i]->normals[v]) > 0)
                meshes[i]->normals[v] = vec3_normalize(sum);
        }
    }
    hmfree(borders);
}

/* Cells are split along alternating diagonals, like a chessboard. */
static void cell_triangle(int columns, int cell, int half, int corners[3])
{
    int column = cell % (columns - 1), row = cell / (columns - 1);
    int i = row * columns + column, below = i + columns;
    const int even[2][3] = {{i, below, below + 1}, {i, below + 1, i + 1}};
    const int odd[2][3] = {{i, below, i + 1}, {i + 1, below, below + 1}};
    for (int k = 0; k < 3; k++)
        corners[k] = (row + column) % 2 ? odd[half][k] : even[half][k];
}

int disp_mesh_triangles(const struct disp_mesh *mesh)
{
    return 2 * (mesh->columns - 1) * (mesh->rows - 1);
}

void disp_mesh_triangle(const struct disp_mesh *mesh, int index, int corners[3])
{
    cell_triangle(mesh->columns, index / 2, index % 2, corners);
}

struct vec3 disp_mesh_at(const struct disp_mesh *mesh, double u, double v, struct vec3 *normal)
{
    int across = mesh->columns - 1, along = mesh->rows - 1;
    int column = u < 0 ? 0 : u >= across ? across - 1 : (int)u;
    int row = v < 0 ? 0 : v >= along ? along - 1 : (int)v;
    double x = u - column, y = v - row;
    int cell = row * across + column;
    bool odd = (row + column) % 2;
    /* Weights by the triangle's own corner order (see cell_triangle). */
    int half = odd ? x + y > 1 : x > y;
    double weights[3];
    if (odd && half) {
        weights[0] = 1 - y;
        weights[1] = 1 - x;
        weights[2] = x + y - 1;
    } else if (odd) {
        weights[0] = 1 - x - y;
        weights[1] = y;
        weights[2] = x;
    } else {
        weights[0] = half ? 1 - x : 1 - y;
        weights[1] = half ? y : y - x;
        weights[2] = half ? x - y : x;
    }
    int corners[3];
    cell_triangle(mesh->columns, cell, half, corners);
    struct vec3 point = vec3(0, 0, 0), sum = vec3(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        point = vec3_mad(point, mesh->points[corners[k]], weights[k]);
        sum = vec3_mad(sum, mesh->normals[corners[k]], weights[k]);
    }
    *normal = vec3_normalize(sum);
    return point;
}
