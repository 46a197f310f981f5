#include "vrad/bounce/point_blend.h"

#include "common/core/memory.h"

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
