#include "common/bsp/patch_grid.h"

enum { LARGEST_SIDE = 129, MOST_PIECES = 16 };

/* Shorter normals are no direction. */
#define LEAST_NORMAL 1e-3

struct source {
    const struct bsp_draw_vertex *controls;
    int size[2]; /* columns, rows */
};

static const struct bsp_draw_vertex *control_at(const struct source *from, int column, int row)
{
    return &from->controls[row * from->size[0] + column];
}

/* How far the curves along an axis (0: rows of points) leave their chords. */
static double bulge(const struct source *from, int axis)
{
    double most = 0;
    int across = from->size[!axis], along = from->size[axis];
    for (int i = 0; i < across; i++) {
        for (int j = 0; j + 2 < along; j += 2) {
            struct vec3 p[3];
            for (int k = 0; k < 3; k++)
                p[k] = vec3_from_floats(axis ? control_at(from, i, j + k)->p
                                             : control_at(from, j + k, i)->p);
            struct vec3 bend = vec3_mad(vec3_add(p[0], p[2]), p[1], -2);
            most = fmax(most, vec3_length(bend) / 4);
        }
    }
    return most;
}

static int pieces_of(const struct source *from, int axis, double error)
{
    double most = bulge(from, axis);
    int pieces = 1;
    while (pieces < MOST_PIECES && most > error * pieces * pieces)
        pieces *= 2;
    while (pieces > 1 && (from->size[axis] - 1) / 2 * pieces >= LARGEST_SIDE)
        pieces /= 2;
    return pieces;
}

static void curve_weights(double t, double weights[3])
{
    weights[0] = (1 - t) * (1 - t);
    weights[1] = 2 * t * (1 - t);
    weights[2] = t * t;
}

static void add_control(const struct bsp_draw_vertex *control, double weight,
                        struct patch_point *to)
{
    to->p = vec3_mad(to->p, vec3_from_floats(control->p), weight);
    to->normal = vec3_mad(to->normal, vec3_from_floats(control->normal), weight);
    for (int k = 0; k < 2; k++) {
        to->texture[k] += weight * (double)control->texture[k];
        to->lightmap[k] += weight * (double)control->lightmap[k];
    }
    for (int k = 0; k < 4; k++)
        to->colour[k] += weight * control->colour[k];
}

static struct patch_point point_at(const struct source *from, int column, int row,
                                   const int pieces[2])
{
    struct patch_point point = {0};
    int at[2] = {column, row}, first[2];
    double weights[2][3];
    for (int axis = 0; axis < 2; axis++) {
        int curve = at[axis] / pieces[axis], curves = (from->size[axis] - 1) / 2;
        curve = curve < curves ? curve : curves - 1;
        first[axis] = 2 * curve;
        curve_weights((double)(at[axis] - curve * pieces[axis]) / pieces[axis], weights[axis]);
    }
    for (int i = 0; i < 9; i++)
        add_control(control_at(from, first[0] + i % 3, first[1] + i / 3),
                    weights[0][i % 3] * weights[1][i / 3], &point);
    return point;
}

static struct vec3 difference(const struct patch_grid *grid, int column, int row, bool down)
{
    int c0 = down ? column : column - 1, c1 = down ? column : column + 1;
    int r0 = down ? row - 1 : row, r1 = down ? row + 1 : row;
    c0 = c0 < 0 ? 0 : c0;
    r0 = r0 < 0 ? 0 : r0;
    c1 = c1 < grid->columns ? c1 : grid->columns - 1;
    r1 = r1 < grid->rows ? r1 : grid->rows - 1;
    return vec3_sub(grid->points[r1 * grid->columns + c1].p,
                    grid->points[r0 * grid->columns + c0].p);
}

/* The normals of the controls say which way is out; where they say nothing, the turn of the grid
 * does: the engine takes rows to run down on the side that is seen. */
static void finish_normals(struct patch_grid *grid)
{
    for (int row = 0; row < grid->rows; row++) {
        for (int column = 0; column < grid->columns; column++) {
            struct vec3 *normal = &grid->points[row * grid->columns + column].normal;
            if (!vec3_is_finite(*normal) || vec3_length(*normal) < LEAST_NORMAL)
                *normal = vec3_cross(difference(grid, column, row, true),
                                     difference(grid, column, row, false));
            *normal = vec3_normalize(*normal);
        }
    }
}

static bool is_sound(const struct bsp *bsp, const struct bsp_surface *patch)
{
    for (int axis = 0; axis < 2; axis++)
        if (patch->patch_size[axis] < 3 || patch->patch_size[axis] > LARGEST_SIDE ||
            patch->patch_size[axis] % 2 == 0)
            return false;
    int count = patch->patch_size[0] * patch->patch_size[1];
    if (patch->type != SURFACE_PATCH || patch->vertex_count != count)
        return false;
    for (int i = 0; i < count; i++)
        if (!vec3_is_finite(vec3_from_floats(bsp->draw_vertices[patch->first_vertex + i].p)))
            return false;
    return true;
}

bool patch_grid_build(const struct bsp *bsp, const struct bsp_surface *patch, double error,
                      int pieces, struct arena *arena, struct patch_grid *out)
{
    if (!is_sound(bsp, patch))
        return false;
    struct source from = {bsp->draw_vertices + patch->first_vertex,
                          {patch->patch_size[0], patch->patch_size[1]}};
    int each[2] = {pieces, pieces};
    for (int axis = 0; axis < 2 && pieces <= 0; axis++)
        each[axis] = pieces_of(&from, axis, error);
    struct patch_grid grid = {(from.size[0] - 1) / 2 * each[0] + 1,
                              (from.size[1] - 1) / 2 * each[1] + 1, NULL};
    grid.points = ARENA_ARRAY(arena, struct patch_point, (size_t)grid.columns * (size_t)grid.rows);
    for (int row = 0; row < grid.rows; row++)
        for (int column = 0; column < grid.columns; column++)
            grid.points[row * grid.columns + column] = point_at(&from, column, row, each);
    finish_normals(&grid);
    *out = grid;
    return true;
}
