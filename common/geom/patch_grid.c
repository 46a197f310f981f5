#include "common/geom/patch_grid.h"

#include <math.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/vec.h"

/* Tolerances for a line of points to be straight: in units, and for other values (texture
 * coordinates: a quarter of a texel of 64). */
#define STRAIGHT        0.01
#define STRAIGHT_VALUES (1.0 / 256)

void patch_grid_free(struct patch_grid *grid)
{
    memory_free(grid->points);
    *grid = (struct patch_grid){0};
}

double *patch_grid_at(const struct patch_grid *grid, int column, int row)
{
    return grid->points +
           ((size_t)row * (size_t)grid->columns + (size_t)column) * (size_t)grid->values;
}

static struct patch_grid grid_new(int columns, int rows, int values)
{
    size_t numbers = (size_t)columns * (size_t)rows * (size_t)values;
    return (struct patch_grid){columns, rows, values, memory_zalloc(numbers, sizeof(double))};
}

static struct vec3 position(const struct patch_grid *grid, int column, int row)
{
    const double *at = patch_grid_at(grid, column, row);
    return vec3(at[0], at[1], at[2]);
}

static void bend(const double *const from[3], double t, int values, double *out)
{
    const double weights[3] = {(1 - t) * (1 - t), 2 * t * (1 - t), t * t};
    for (int i = 0; i < values; i++)
        out[i] = weights[0] * from[0][i] + weights[1] * from[1][i] + weights[2] * from[2][i];
}

/* Number of points along a side, with `steps` of each patch. */
static int count_along(const int *steps, int pieces)
{
    int count = 1;
    for (int i = 0; i < pieces; i++)
        count += steps[i];
    return count;
}

/* Evaluates the rows: columns become points of the curves. */
static struct patch_grid bend_columns(const struct patch_grid *in, const int *steps)
{
    int pieces = (in->columns - 1) / 2;
    struct patch_grid out = grid_new(count_along(steps, pieces), in->rows, in->values);
    for (int row = 0; row < in->rows; row++) {
        int column = 0;
        for (int piece = 0; piece < pieces; piece++) {
            const double *from[3];
            for (int i = 0; i < 3; i++)
                from[i] = patch_grid_at(in, 2 * piece + i, row);
            for (int step = 0; step < steps[piece]; step++)
                bend(from, (double)step / steps[piece], in->values,
                     patch_grid_at(&out, column++, row));
        }
        memcpy(patch_grid_at(&out, column, row), patch_grid_at(in, in->columns - 1, row),
               (size_t)in->values * sizeof(double));
    }
    return out;
}

static struct patch_grid transpose(const struct patch_grid *in)
{
    struct patch_grid out = grid_new(in->rows, in->columns, in->values);
    for (int row = 0; row < in->rows; row++)
        for (int column = 0; column < in->columns; column++)
            memcpy(patch_grid_at(&out, row, column), patch_grid_at(in, column, row),
                   (size_t)in->values * sizeof(double));
    return out;
}

static struct patch_grid bend_all(const struct patch_grid *in, const int *x_steps,
                                  const int *y_steps)
{
    struct patch_grid bent = bend_columns(in, x_steps), turned = transpose(&bent);
    patch_grid_free(&bent);
    bent = bend_columns(&turned, y_steps);
    patch_grid_free(&turned);
    turned = transpose(&bent);
    patch_grid_free(&bent);
    return turned;
}

static int *same_steps(int pieces, int steps)
{
    int *all = memory_alloc((size_t)pieces * sizeof *all);
    for (int i = 0; i < pieces; i++)
        all[i] = steps;
    return all;
}

struct patch_grid patch_grid_even(const struct patch_grid *controls, int across, int down)
{
    int *x = same_steps((controls->columns - 1) / 2, across);
    int *y = same_steps((controls->rows - 1) / 2, down);
    struct patch_grid out = bend_all(controls, x, y);
    memory_free(x);
    memory_free(y);
    return out;
}

/* The middle of a parabola of three controls is |p0 - 2 p1 + p2| / 4 from its chord; n steps divide
 * that by n squared. Rows of controls in between are not more curved. */
static int *steps_along(const struct patch_grid *in, double tolerance, int max)
{
    int pieces = (in->columns - 1) / 2;
    int *steps = same_steps(pieces, 1);
    for (int piece = 0; piece < pieces; piece++) {
        double bow = 0;
        for (int row = 0; row < in->rows; row++) {
            struct vec3 ends =
                vec3_add(position(in, 2 * piece, row), position(in, 2 * piece + 2, row));
            struct vec3 middle = position(in, 2 * piece + 1, row);
            bow = portable_fmax(bow, vec3_length(vec3_mad(ends, middle, -2)) / 4);
        }
        double needed = ceil(sqrt(bow / tolerance) - 1e-9);
        steps[piece] = needed > max ? max : needed > 1 ? (int)needed : 1;
    }
    return steps;
}

/* Twist of a patch: the maximum deviation of a square of controls from a parallelogram. */
static double twist_of(const struct patch_grid *in, int x, int y)
{
    double max = 0;
    for (int i = 0; i < 4; i++) {
        int column = 2 * x + i % 2, row = 2 * y + i / 2;
        struct vec3 one = vec3_sub(position(in, column, row), position(in, column + 1, row));
        struct vec3 two =
            vec3_sub(position(in, column, row + 1), position(in, column + 1, row + 1));
        max = portable_fmax(max, vec3_distance(one, two));
    }
    return max;
}

/* The middle of a bilinear square is a quarter of its twist from its diagonal; with n by m steps a
 * square has four n m-ths of the controls' twist. */
static void untwist(const struct patch_grid *in, double tolerance, int max, int *x_steps,
                    int *y_steps)
{
    for (int y = 0; y < (in->rows - 1) / 2; y++) {
        for (int x = 0; x < (in->columns - 1) / 2; x++) {
            double twist = twist_of(in, x, y);
            while (twist / (x_steps[x] * y_steps[y]) > tolerance &&
                   (x_steps[x] < max || y_steps[y] < max)) {
                if (y_steps[y] >= max || (x_steps[x] <= y_steps[y] && x_steps[x] < max))
                    x_steps[x]++;
                else
                    y_steps[y]++;
            }
        }
    }
}

/* Returns true when a column lies on the straight line between two others. */
static bool column_is_straight(const struct patch_grid *in, int before, int column, int after)
{
    for (int row = 0; row < in->rows; row++) {
        const double *a = patch_grid_at(in, before, row), *p = patch_grid_at(in, column, row),
                     *b = patch_grid_at(in, after, row);
        struct vec3 chord = vec3_sub(position(in, after, row), position(in, before, row));
        struct vec3 to = vec3_sub(position(in, column, row), position(in, before, row));
        double square = vec3_dot(chord, chord), t = square > 0 ? vec3_dot(chord, to) / square : 0;
        if (t < 0 || t > 1 || vec3_length(vec3_mad(to, chord, -t)) > STRAIGHT)
            return false;
        for (int i = 3; i < in->values; i++)
            if (fabs(a[i] + t * (b[i] - a[i]) - p[i]) > STRAIGHT_VALUES)
                return false;
    }
    return true;
}

/* Distance between the diagonals of a square: its two triangles are half of that from its curved
 * interior. */
static double bulge(const struct patch_grid *in, int left, int right, int row)
{
    struct vec3 a = position(in, left, row), b = position(in, right, row);
    struct vec3 c = position(in, left, row + 1), d = position(in, right, row + 1);
    struct vec3 across = vec3_normalize(vec3_cross(vec3_sub(d, a), vec3_sub(c, b)));
    return fabs(vec3_dot(across, vec3_sub(b, a)));
}

/* Returns true when all columns between two lie on the straight line. */
static bool are_straight(const struct patch_grid *in, int before, int after)
{
    for (int column = before + 1; column < after; column++)
        if (!column_is_straight(in, before, column, after))
            return false;
    for (int row = 0; row + 1 < in->rows; row++)
        if (bulge(in, before, after, row) > STRAIGHT)
            return false;
    return true;
}

static struct patch_grid drop_straight_columns(const struct patch_grid *in)
{
    int *kept = NULL, last = 0;
    arrput(kept, 0);
    for (int column = 1; column + 1 < in->columns; column++) {
        if (are_straight(in, last, column + 1))
            continue;
        arrput(kept, column);
        last = column;
    }
    arrput(kept, in->columns - 1);
    struct patch_grid out = grid_new((int)arrlen(kept), in->rows, in->values);
    for (int row = 0; row < in->rows; row++)
        for (int i = 0; i < out.columns; i++)
            memcpy(patch_grid_at(&out, i, row), patch_grid_at(in, kept[i], row),
                   (size_t)in->values * sizeof(double));
    arrfree(kept);
    return out;
}

struct patch_grid patch_grid_within(const struct patch_grid *controls, double tolerance, int max)
{
    struct patch_grid turned = transpose(controls);
    int *x = steps_along(controls, tolerance, max), *y = steps_along(&turned, tolerance, max);
    patch_grid_free(&turned);
    untwist(controls, tolerance, max, x, y);
    struct patch_grid bent = bend_all(controls, x, y);
    memory_free(x);
    memory_free(y);
    struct patch_grid lean = drop_straight_columns(&bent);
    patch_grid_free(&bent);
    bent = transpose(&lean);
    patch_grid_free(&lean);
    lean = drop_straight_columns(&bent);
    patch_grid_free(&bent);
    bent = transpose(&lean);
    patch_grid_free(&lean);
    return bent;
}
