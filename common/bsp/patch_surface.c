#include "common/bsp/patch_surface.h"

#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/geom/patch_grid.h"

enum { LARGEST_SIDE = 129, MAX_PIECES = 16 };

/* Layout of a point of a patch_grid: position, normal, texture coordinates. */
enum { NORMAL = 3, TEXTURE = 6, VALUES = 8 };

/* Shorter normals have no direction. */
#define MIN_NORMAL 1e-3

struct source {
    const struct bsp_draw_vertex *controls;
    int size[2]; /* columns, rows */
};

static const struct bsp_draw_vertex *control_at(const struct source *from, int column, int row)
{
    return &from->controls[row * from->size[0] + column];
}

/* Maximum distance of the curves along an axis (0: rows of points) from their chords. */
static double bulge(const struct source *from, int axis)
{
    double max = 0;
    int across = from->size[!axis], along = from->size[axis];
    for (int i = 0; i < across; i++) {
        for (int j = 0; j + 2 < along; j += 2) {
            struct vec3 p[3];
            for (int k = 0; k < 3; k++)
                p[k] = vec3_from_floats(axis ? control_at(from, i, j + k)->p
                                             : control_at(from, j + k, i)->p);
            struct vec3 bend = vec3_mad(vec3_add(p[0], p[2]), p[1], -2);
            max = portable_fmax(max, vec3_length(bend) / 4);
        }
    }
    return max;
}

static int pieces_of(const struct source *from, int axis, double error)
{
    double max = bulge(from, axis);
    int pieces = 1;
    while (pieces < MAX_PIECES && max > error * pieces * pieces)
        pieces *= 2;
    while (pieces > 1 && (from->size[axis] - 1) / 2 * pieces >= LARGEST_SIDE)
        pieces /= 2;
    return pieces;
}

static struct patch_grid controls_of(const struct source *from)
{
    struct patch_grid grid = {from->size[0], from->size[1], VALUES, NULL};
    size_t count = (size_t)grid.columns * (size_t)grid.rows;
    grid.points = memory_alloc(count * VALUES * sizeof *grid.points);
    for (size_t i = 0; i < count; i++) {
        const struct bsp_draw_vertex *control = &from->controls[i];
        double *point = grid.points + i * VALUES;
        for (int k = 0; k < 3; k++) {
            point[k] = (double)control->p[k];
            point[NORMAL + k] = (double)control->normal[k];
        }
        for (int k = 0; k < 2; k++)
            point[TEXTURE + k] = (double)control->texture[k];
    }
    return grid;
}

static struct patch_point point_of(const double *values)
{
    return (struct patch_point){.p = vec3(values[0], values[1], values[2]),
                                .normal =
                                    vec3(values[NORMAL], values[NORMAL + 1], values[NORMAL + 2]),
                                .texture = {values[TEXTURE], values[TEXTURE + 1]}};
}

static struct vec3 difference(const struct patch_surface *surface, int column, int row, bool down)
{
    int c0 = down ? column : column - 1, c1 = down ? column : column + 1;
    int r0 = down ? row - 1 : row, r1 = down ? row + 1 : row;
    c0 = c0 < 0 ? 0 : c0;
    r0 = r0 < 0 ? 0 : r0;
    c1 = c1 < surface->columns ? c1 : surface->columns - 1;
    r1 = r1 < surface->rows ? r1 : surface->rows - 1;
    return vec3_sub(surface->points[r1 * surface->columns + c1].p,
                    surface->points[r0 * surface->columns + c0].p);
}

/* The normals of the controls point outwards; without normals the orientation of the grid decides:
 * for the engine, rows run down on the visible side. */
static void finish_normals(struct patch_surface *surface)
{
    for (int row = 0; row < surface->rows; row++) {
        for (int column = 0; column < surface->columns; column++) {
            struct vec3 *normal = &surface->points[row * surface->columns + column].normal;
            if (!vec3_is_finite(*normal) || vec3_length(*normal) < MIN_NORMAL)
                *normal = vec3_cross(difference(surface, column, row, true),
                                     difference(surface, column, row, false));
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

bool patch_surface_build(const struct bsp *bsp, const struct bsp_surface *patch, double error,
                         int pieces, struct arena *arena, struct patch_surface *out)
{
    if (!is_sound(bsp, patch))
        return false;
    struct source from = {bsp->draw_vertices + patch->first_vertex,
                          {patch->patch_size[0], patch->patch_size[1]}};
    int each[2] = {pieces, pieces};
    for (int axis = 0; axis < 2 && pieces <= 0; axis++)
        each[axis] = pieces_of(&from, axis, error);
    struct patch_grid controls = controls_of(&from);
    struct patch_grid grid = patch_grid_even(&controls, each[0], each[1]);
    *out = (struct patch_surface){grid.columns, grid.rows, NULL};
    size_t count = (size_t)grid.columns * (size_t)grid.rows;
    out->points = ARENA_ARRAY(arena, struct patch_point, count);
    for (size_t i = 0; i < count; i++)
        out->points[i] = point_of(grid.points + i * VALUES);
    finish_normals(out);
    patch_grid_free(&controls);
    patch_grid_free(&grid);
    return true;
}
