#include "vrad/bounce/irradiance_grid.h"

#include "vrad/bounce/bounce_solve.h"

#include "common/core/memory.h"
#include "common/core/portable_math.h"

/* Height over the surface at which luxels test visibility between each other, in units: above what
 * is too low to separate light, such as a brush that rounds off a floor. */
#define VISIBILITY_HEIGHT 1.0

/* Numbers 0 .. size - 1 in even steps of at most `step`. */
static int make_lines(int size, double step, int16_t lines[IRRADIANCE_GRID_LINES])
{
    int parts = size > 1 ? (int)ceil((size - 1) / portable_fmax(step, 1) - 1e-6) : 0;
    if (parts == 1 && size > 2) /* on a narrow face the borders alone would lie half off it */
        parts = 2;
    if (parts > IRRADIANCE_GRID_LINES - 1)
        parts = IRRADIANCE_GRID_LINES - 1;
    for (int i = 0; i <= parts; i++)
        lines[i] = (int16_t)(parts ? (i * (size - 1) + parts / 2) / parts : 0);
    return parts + 1;
}

/* Position at which the light of luxel `at` is measured, from the middle of the face: luxels of the
 * border have one half of their square. */
static double place_of(int at, int size)
{
    double place = at - 0.5 * (size - 1);
    return at == 0 ? place + 0.25 : at == size - 1 ? place - 0.25 : place;
}

/* The weight of line `high` for luxel `at` between two lines of an inset grid, its position between
 * them: 0 at `low`, 1 at `high`, and outside of them `beyond` times that of linear extrapolation;
 * `beyond` 0 clamps it. */
static float irradiance_grid_weight(int at, int low, int high, float beyond)
{
    float share = high > low ? (float)(at - low) / (float)(high - low) : 0;
    return share < 0 ? beyond * share : share > 1 ? 1 + beyond * (share - 1) : share;
}

/* The ratio of the interpolated to the exact integral of a parabola over a line of luxels, from
 * `count` of them. */
static double parabola_sum(int size, const int16_t *lines, int count, float beyond)
{
    double sum = 0;
    for (int at = 0, k = 0; at < size; at++) {
        while (k + 2 < count && at > lines[k + 1])
            k++;
        double u = (double)irradiance_grid_weight(at, lines[k], lines[k + 1], beyond);
        double low = place_of(lines[k], size), high = place_of(lines[k + 1], size);
        sum += (at == 0 || at == size - 1 ? 0.5 : 1) * ((1 - u) * low * low + u * high * high);
    }
    return sum;
}

/* Finds the best `beyond` for `count` lines, the outer ones `inset` luxels off the borders; returns
 * the relative error of a parabola's integral. */
static double try_lines(int size, int inset, int count, int16_t *lines, float *beyond)
{
    int span = size - 1 - 2 * inset;
    double half = 0.5 * (size - 1), whole = 2 * half * half * half / 3;
    for (int i = 0; i < count; i++)
        lines[i] = (int16_t)(inset + (i * span + (count - 1) / 2) / (count - 1));
    double level = parabola_sum(size, lines, count, 0);
    double slope = parabola_sum(size, lines, count, 1) - level;
    double share = slope > 0 ? (whole - level) / slope : 0;
    *beyond = (float)portable_fmin(portable_fmax(share, 0), 1);
    return fabs(level + (double)*beyond * slope - whole) / whole;
}

static int make_inset_lines(int size, double step, int16_t lines[IRRADIANCE_GRID_LINES],
                            float *beyond)
{
    int16_t tried[IRRADIANCE_GRID_LINES];
    int min = (int)portable_fmin(ceil((size - 1) / portable_fmax(step, 1) - 1e-6),
                                 IRRADIANCE_GRID_LINES - 1);
    int best_inset = 0, best_count = 0;
    double best = DBL_MAX;
    *beyond = 0;
    lines[0] = (int16_t)(size / 2);
    if (size <= 3)
        return 1;
    for (int count = min < 2 ? 2 : min; count <= min + 1 && count <= size; count++) {
        for (int inset = 0; 2 * inset + count <= size && inset * count <= size; inset++) {
            double miss = try_lines(size, inset, count, tried, beyond);
            if (miss < best - 1e-3) {
                best = miss;
                best_inset = inset;
                best_count = count;
            }
        }
    }
    (void)try_lines(size, best_inset, best_count, lines, beyond);
    return best_count;
}

void irradiance_grid_build_inset(const struct face_light *face, double spacing,
                                 struct irradiance_grid *out)
{
    double across = vec3_length(face->axis[0]), along = vec3_length(face->axis[1]);
    out->column_count = make_inset_lines(face->width, across > 0 ? spacing / across : 4,
                                         out->columns, &out->beyond[0]);
    out->row_count =
        make_inset_lines(face->height, along > 0 ? spacing / along : 4, out->rows, &out->beyond[1]);
}

void irradiance_grid_build(const struct face_light *face, double spacing,
                           struct irradiance_grid *out)
{
    double across = vec3_length(face->axis[0]), along = vec3_length(face->axis[1]);
    out->column_count = make_lines(face->width, across > 0 ? spacing / across : 4, out->columns);
    out->row_count = make_lines(face->height, along > 0 ? spacing / along : 4, out->rows);
}

/* The pairs i (bits) in which luxel from[i] sees luxel to[i] just above the surface; at most 16. */
static uint32_t irradiance_grid_visible(const struct radiosity *radiosity, int face,
                                        const int *from, const int *to, int count)
{
    const struct face_light *light = &radiosity->map->faces[face];
    struct trace_packet packet = {0};
    uint32_t lanes = 0, all = (1u << count) - 1;
    for (int i = 0; i < count; i++) {
        struct luxel rooms[2];
        const struct luxel *a = luxel_of(light, from[i], &rooms[0]);
        const struct luxel *b = luxel_of(light, to[i], &rooms[1]);
        for (int k = 0; k < 3; k++) {
            packet.origin[k][i] = a->position[k] + (float)(VISIBILITY_HEIGHT * light->normal.e[k]);
            packet.direction[k][i] = b->position[k] - a->position[k];
            /* Luxels of the border may share a position. */
            if (packet.direction[k][i] != 0)
                lanes |= 1u << i;
        }
        packet.far[i] = 1;
    }
    return lanes ? all & ~scene_blocked16(radiosity->scene, &packet, lanes) : all;
}

bool irradiance_grid_is_open(const struct radiosity *radiosity, int face, const int *luxels,
                             int count)
{
    const struct face_light *light = &radiosity->map->faces[face];
    int from[6], to[6], ways = 0;
    for (int i = 0; i < count; i++) {
        if (luxel_is_hidden(light, luxels[i]))
            return false;
        for (int j = 0; j < i; j++) {
            if (luxels[i] == luxels[j])
                continue;
            from[ways] = luxels[j];
            to[ways++] = luxels[i];
        }
    }
    /* Displacements would occlude themselves behind every hump. */
    if (!ways || light->mesh)
        return true;
    return irradiance_grid_visible(radiosity, face, from, to, ways) == (1u << ways) - 1;
}

/* --- interpolation --- */

/* The cell whose lines enclose a luxel: that after its line where it lies on one. */
static int cell_at(const int16_t *lines, int count, int at)
{
    int cell = 0;
    while (cell + 2 < count && at >= lines[cell + 1])
        cell++;
    return cell;
}

static int cells_of(int lines)
{
    return lines > 1 ? lines - 1 : 1;
}

/* A cell of the grid. */
struct grid_cell {
    int column, row, right, below; /* lines */
    int number;
};

static struct grid_cell grid_cell_of(const struct irradiance_grid *grid, int column, int row)
{
    return (struct grid_cell){column, row, column + 1 < grid->column_count ? column + 1 : column,
                              row + 1 < grid->row_count ? row + 1 : row,
                              row * cells_of(grid->column_count) + column};
}

static struct grid_cell grid_cell_at(const struct irradiance_grid *grid, int column, int row)
{
    return grid_cell_of(grid, cell_at(grid->columns, grid->column_count, column),
                        cell_at(grid->rows, grid->row_count, row));
}

static void cell_points(const struct irradiance_grid *grid, const struct grid_cell *cell,
                        int points[4])
{
    points[0] = cell->row * grid->column_count + cell->column;
    points[1] = cell->row * grid->column_count + cell->right;
    points[2] = cell->below * grid->column_count + cell->column;
    points[3] = cell->below * grid->column_count + cell->right;
}

static void points_to_luxels(const struct face_light *light, const struct irradiance_grid *grid,
                             const int points[4], int luxels[4])
{
    for (int k = 0; k < 4; k++)
        luxels[k] = irradiance_grid_luxel(light, grid, points[k]);
}

void irradiance_grid_around(const struct face_light *light, const struct irradiance_grid *grid,
                            int luxel, int points[4])
{
    const struct grid_cell cell = grid_cell_at(grid, luxel % light->width, luxel / light->width);
    cell_points(grid, &cell, points);
}

/* The points around a luxel that it sees, a bit each. */
static uint32_t points_seen(const struct radiosity *radiosity, int face,
                            const struct irradiance_grid *grid, const struct grid_cell *cell,
                            int luxel)
{
    int from[4] = {luxel, luxel, luxel, luxel}, points[4], to[4];
    cell_points(grid, cell, points);
    points_to_luxels(&radiosity->map->faces[face], grid, points, to);
    return irradiance_grid_visible(radiosity, face, from, to, 4);
}

void point_views_trace(const struct radiosity *radiosity, int face,
                       const struct irradiance_grid *grid, bool luxels, struct point_views *out)
{
    const struct face_light *light = &radiosity->map->faces[face];
    int columns = cells_of(grid->column_count), rows = cells_of(grid->row_count), closed = 0;
    *out = (struct point_views){.open = memory_alloc((size_t)columns * (size_t)rows)};
    for (int i = 0; i < columns * rows; i++) {
        const struct grid_cell cell = grid_cell_of(grid, i % columns, i / columns);
        int points[4], corners[4];
        cell_points(grid, &cell, points);
        points_to_luxels(light, grid, points, corners);
        out->open[i] = irradiance_grid_is_open(radiosity, face, corners, 4);
        closed += !out->open[i];
    }
    if (!luxels || !closed)
        return;
    out->seen = memory_zalloc((size_t)light->count, 1);
    for (int i = 0; i < light->count; i++) {
        const struct grid_cell cell = grid_cell_at(grid, i % light->width, i / light->width);
        if (!out->open[cell.number])
            out->seen[i] = (unsigned char)points_seen(radiosity, face, grid, &cell, i);
    }
}

static size_t cell_count(const struct irradiance_grid *grid)
{
    return (size_t)cells_of(grid->column_count) * (size_t)cells_of(grid->row_count);
}

void point_views_append(const struct point_views *views, const struct irradiance_grid *grid,
                        size_t luxels, struct bytes *out)
{
    bytes_append(out, views->open, cell_count(grid));
    bytes_u8(out, views->seen != NULL);
    if (views->seen)
        bytes_append(out, views->seen, luxels);
}

void point_views_take(struct byte_reader *from, const struct irradiance_grid *grid, size_t luxels,
                      struct point_views *out)
{
    *out = (struct point_views){.open = memory_alloc(cell_count(grid))};
    read_into(from, out->open, cell_count(grid));
    if (!read_u8(from))
        return;
    out->seen = memory_alloc(luxels);
    read_into(from, out->seen, luxels);
}

void point_views_free(struct point_views *views)
{
    memory_free(views->open);
    memory_free(views->seen);
    *views = (struct point_views){0};
}

/* Clears the weights of points that the luxel does not see, unless it sees none. */
static void drop_unseen(const struct face_light *light, const struct irradiance_grid *grid,
                        uint32_t seen, struct point_blend *blend)
{
    int to[4];
    float weight[4], total = 0;
    points_to_luxels(light, grid, blend->point, to);
    for (int pass = 0; pass < 2 && total < 1e-3f; pass++) {
        total = 0;
        for (int k = 0; k < 4; k++) {
            bool counts = !luxel_is_hidden(light, to[k]) && (pass || seen >> k & 1);
            weight[k] = counts ? blend->weight[k] : 0;
            total += weight[k];
        }
    }
    for (int k = 0; k < 4; k++)
        blend->weight[k] = total > 0 ? weight[k] / total : 0;
}

struct point_blend point_blend_at(const struct radiosity *radiosity, int face,
                                  const struct irradiance_grid *grid,
                                  const struct point_views *views, int luxel)
{
    const struct face_light *light = &radiosity->map->faces[face];
    int i = luxel % light->width, j = luxel / light->width;
    const struct grid_cell cell = grid_cell_at(grid, i, j);
    bool open = views->open[cell.number];
    float u = irradiance_grid_weight(i, grid->columns[cell.column], grid->columns[cell.right],
                                     open ? grid->beyond[0] : 0);
    float v = irradiance_grid_weight(j, grid->rows[cell.row], grid->rows[cell.below],
                                     open ? grid->beyond[1] : 0);
    struct point_blend blend = {.weight = {(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v}};
    cell_points(grid, &cell, blend.point);
    if (!open)
        drop_unseen(light, grid,
                    views->seen ? views->seen[luxel]
                                : points_seen(radiosity, face, grid, &cell, luxel),
                    &blend);
    return blend;
}
