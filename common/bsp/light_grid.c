#include "common/bsp/light_grid.h"

#include <math.h>

#include "common/core/portable_math.h"

#define TURN (2 * 3.14159265358979323846)

/* Along an axis; a grid with more has no points. */
#define COUNT_MAX (float)(1 << 20)

static const struct vec3 usual_cell = {{{64, 64, 128}}};

struct light_grid light_grid_of(const struct bsp *bsp, struct vec3 cell)
{
    struct light_grid grid = {.cell = cell};
    for (int k = 0; k < 3; k++) {
        float size = (float)(cell.e[k] > 0 ? cell.e[k] : usual_cell.e[k]);
        float first = size * ceilf(bsp->models[0].mins[k] / size);
        float last = size * floorf(bsp->models[0].maxs[k] / size);
        grid.cell.e[k] = (double)size;
        grid.origin.e[k] = (double)first;
        float count = portable_fmaxf((last - first) / size + 1, 0);
        grid.count[k] = count < COUNT_MAX ? (int)count : 0;
    }
    return grid;
}

size_t light_grid_points(const struct light_grid *grid)
{
    return (size_t)grid->count[0] * (size_t)grid->count[1] * (size_t)grid->count[2];
}

/* The first angle is that from the z axis, the second goes around it. */
static struct vec3 direction_of(const uint8_t angles[2])
{
    double polar = angles[0] * TURN / 255, around = angles[1] * TURN / 255;
    double flat = portable_sin(polar);
    return vec3(flat * portable_cos(around), flat * portable_sin(around), portable_cos(polar));
}

static bool is_lit(const struct bsp_grid_point *point)
{
    return point->ambient[0] || point->ambient[1] || point->ambient[2];
}

static void add_point(struct grid_light *light, const struct bsp_grid_point *point, double share)
{
    light->towards = vec3_mad(light->towards, direction_of(point->direction), share);
    for (int k = 0; k < 3; k++) {
        light->ambient[k] += share * point->ambient[k];
        light->directed[k] += share * point->directed[k];
    }
}

/* The cell that the place is in, or the nearest: its first point, and how far the place is. */
static void find_cell(const struct light_grid *grid, struct vec3 place, int first[3],
                      double part[3])
{
    for (int k = 0; k < 3; k++) {
        double at = (place.e[k] - grid->origin.e[k]) / grid->cell.e[k];
        at = portable_fmin(portable_fmax(at, 0), grid->count[k] - 1);
        first[k] = (int)floor(at);
        part[k] = at - first[k];
    }
}

struct grid_light light_grid_at(const struct bsp *bsp, const struct light_grid *grid,
                                struct vec3 place)
{
    struct grid_light light = {.towards = vec3(0, 0, 0)};
    int first[3];
    double part[3], sum = 0;
    find_cell(grid, place, first, part);
    for (int corner = 0; corner < 8; corner++) {
        double share = 1;
        size_t number = 0;
        for (int k = 3; k-- > 0;) {
            int next = corner >> k & 1;
            int at = first[k] + next < grid->count[k] ? first[k] + next : first[k];
            share *= next ? part[k] : 1 - part[k];
            number = number * (size_t)grid->count[k] + (size_t)at;
        }
        const struct bsp_grid_point *point = &bsp->light_grid[number];
        if (!(share > 0) || !is_lit(point))
            continue;
        add_point(&light, point, share);
        sum += share;
    }
    light.towards = vec3_normalize(light.towards);
    for (int k = 0; k < 3 && sum > 0; k++) {
        light.ambient[k] /= sum;
        light.directed[k] /= sum;
    }
    return light;
}
