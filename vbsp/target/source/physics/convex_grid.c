#include "vbsp/target/source/physics/convex_grid.h"

#include <math.h>

#include "common/core/memory.h"
#include "common/core/portable_math.h"

enum {
    AXES = 3,
    /* Bits of a coordinate. A difference has one more, a product of two differences 2 * 39, their
     * sum 79, and a sum of three products of that with a difference 120, of the 127 there are. */
    GRID_BITS = 38,
};

bool convex_grid_make(struct convex_grid *grid, const struct vec3 *points, int count)
{
    double extent = 0;
    for (int i = 0; i < count; i++) {
        struct vec3 away = vec3_sub(points[i], points[0]);
        double length = vec3_length(away);
        if (!isfinite(length))
            return false;
        extent = portable_fmax(extent, length);
    }
    if (extent < 1e-30)
        return false;
    int exponent;
    (void)frexp(extent, &exponent);
    grid->steps_per_unit = ldexp(1, GRID_BITS - exponent);
    grid->points = memory_zalloc((size_t)count, sizeof *grid->points);
    for (int i = 0; i < count; i++) {
        struct vec3 away = vec3_scale(vec3_sub(points[i], points[0]), grid->steps_per_unit);
        grid->points[i] = (struct grid_point){{llrint(away.x), llrint(away.y), llrint(away.z)}};
    }
    return true;
}

void convex_grid_free(struct convex_grid *grid)
{
    memory_free(grid->points);
    *grid = (struct convex_grid){0};
}

static struct grid_point difference(const struct grid_point *a, const struct grid_point *b)
{
    return (struct grid_point){
        {a->at[0] - b->at[0], a->at[1] - b->at[1], a->at[2] - b->at[2]},
    };
}

struct grid_plane convex_grid_plane(const struct convex_grid *grid, const int corners[3])
{
    const struct grid_point *corner = &grid->points[corners[0]];
    struct grid_point a = difference(&grid->points[corners[1]], corner);
    struct grid_point b = difference(&grid->points[corners[2]], corner);
    struct grid_plane plane = {.corner = *corner};
    double squares = 0;
    for (int i = 0; i < AXES; i++) {
        int j = (i + 1) % AXES, k = (i + 2) % AXES;
        plane.normal[i] = (grid_product)a.at[j] * b.at[k] - (grid_product)a.at[k] * b.at[j];
        squares += (double)plane.normal[i] * (double)plane.normal[i];
    }
    plane.length = sqrt(squares);
    return plane;
}

double convex_grid_height(const struct convex_grid *grid, const struct grid_plane *plane, int point)
{
    if (plane->length <= 0)
        return 0;
    struct grid_point away = difference(&grid->points[point], &plane->corner);
    grid_product volume = 0;
    for (int i = 0; i < AXES; i++)
        volume += plane->normal[i] * away.at[i];
    return (double)volume / plane->length / grid->steps_per_unit;
}
