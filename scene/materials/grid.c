#include "scene/materials/grid.h"

#include "common/core/memory.h"
#include "scene/images/canvas.h"

/* Of the image: units that it shows, and pixels. */
#define UNITS 128.0

enum {
    SIDE = 256,
    CELL = SIDE / 2, /* 64 units */
    SMALL = SIDE / 8,
    LINE = 2,
    NUMBER_SCALE = 2
};

static const struct ink light_cell = {{190, 190, 190}, 1}, dark_cell = {{176, 176, 176}, 1},
                        line = {{206, 206, 206}, 1}, cell_line = {{246, 246, 246}, 1};

static void draw_cell(struct canvas *canvas, int x, int y, struct ink ink)
{
    canvas_box(canvas, x, y, CELL, CELL, ink);
    for (int i = SMALL; i < CELL; i += SMALL) {
        canvas_box(canvas, x + i - LINE / 2, y, LINE, CELL, line);
        canvas_box(canvas, x, y + i - LINE / 2, CELL, LINE, line);
    }
    canvas_frame(canvas, x, y, CELL, CELL, LINE, cell_line);
    canvas_text(canvas, x + SMALL / 4, y + SMALL / 4, NUMBER_SCALE, "64", cell_line);
}

struct texture *grid_texture_new(void)
{
    struct canvas canvas = canvas_new(SIDE, SIDE);
    struct vtf_image image = {SIDE, SIDE, memory_alloc(4 * SIDE * SIDE)};
    for (int i = 0; i < 4; i++)
        draw_cell(&canvas, i % 2 * CELL, i / 2 * CELL, i % 3 ? dark_cell : light_cell);
    for (int i = 0; i < SIDE * SIDE; i++)
        for (int k = 0; k < 4; k++)
            image.rgba[4 * i + k] = k < 3 ? canvas.pixels[3 * i + k] : 255;
    memory_free(canvas.pixels);
    return texture_new(&image);
}

/* Numbers are upright on walls, and on floors for who looks north. */
void grid_place(struct vec3 point, struct vec3 normal, double uv[2])
{
    int axis = vec3_major_axis(normal);
    double side = normal.e[axis] < 0 ? -1 : 1;
    uv[0] = (axis == 0 ? side * point.y : axis == 1 ? -side * point.x : point.x) / UNITS;
    uv[1] = (axis == 2 ? -side * point.y : -point.z) / UNITS;
}

float grid_mean(const struct texture *grid)
{
    return grid->linear[grid->levels[grid->count - 1].rgba[0]];
}

float grid_at(const struct texture *grid, struct vec3 point, struct vec3 normal, double width)
{
    double uv[2];
    float rgba[4];
    grid_place(point, normal, uv);
    texture_at(grid, uv[0], uv[1], width / UNITS, rgba);
    return rgba[0] / grid_mean(grid);
}
