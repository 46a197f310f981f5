#include "common/bsp/sidecar/surface_shape.h"

#include <math.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/vec.h"

/* Lengths below which a curve is flat. */
#define FLAT 0.01

static const struct bsp_draw_vertex *vertices_of(const struct bsp *bsp,
                                                 const struct bsp_surface *surface)
{
    const int64_t first = surface->first_vertex, count = surface->vertex_count;
    bool fits = first >= 0 && count > 0 && first + count <= (int64_t)arrlen(bsp->draw_vertices);
    return fits ? &bsp->draw_vertices[first] : NULL;
}

/* Of three points of a row or a column. Fitted to what q3map2 writes of two patches: the mean
 * length of both sides, and 3.5 times the height of the arch. */
static double curve_of(const struct bsp_draw_vertex *at, int step)
{
    struct vec3 p[3];
    for (int i = 0; i < 3; i++)
        p[i] = vec3_from_floats(at[i * step].p);
    const struct vec3 chord = vec3_scale(vec3_add(p[0], p[2]), 0.5);
    const double height = vec3_distance(p[1], chord) / 2;
    const double sides = (vec3_distance(p[0], p[1]) + vec3_distance(p[1], p[2])) / 2;
    return height > FLAT ? sides + 3.5 * height : 0;
}

double surface_longest_curve(const struct bsp *bsp, const struct bsp_surface *surface)
{
    const struct bsp_draw_vertex *vertices = vertices_of(bsp, surface);
    const int64_t columns = surface->patch_size[0], rows = surface->patch_size[1];
    double longest = 0;
    if (surface->type != SURFACE_PATCH || !vertices || columns < 3 || rows < 3 ||
        columns > surface->vertex_count || columns * rows != surface->vertex_count)
        return 0;
    for (int64_t row = 0; row < rows; row++)
        for (int64_t column = 0; column < columns; column++) {
            const struct bsp_draw_vertex *at = &vertices[row * columns + column];
            if (column % 2 == 0 && column + 2 < columns)
                longest = portable_fmax(longest, curve_of(at, 1));
            if (row % 2 == 0 && row + 2 < rows)
                longest = portable_fmax(longest, curve_of(at, (int)columns));
        }
    return isfinite(longest) ? longest : 0;
}

static int longest_axis(struct vec3 v)
{
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(v.e[k]) > fabs(v.e[axis]))
            axis = k;
    return axis;
}

bool surface_lightmap_axis(const struct bsp *bsp, const struct bsp_surface *surface, float out[3])
{
    const struct bsp_draw_vertex *vertices = vertices_of(bsp, surface);
    struct vec3 sum = vec3_from_floats(surface->normal);
    const bool planar = vec3_length(sum) > 0;
    for (int i = 0; vertices && !planar && i < surface->vertex_count; i++)
        sum = vec3_add(sum, vec3_from_floats(vertices[i].normal));
    const int axis = longest_axis(sum);
    const double sign = sum.e[axis] < 0 ? -1 : 1;
    for (int i = 0; vertices && !planar && i < surface->vertex_count; i++)
        if (!((double)vertices[i].normal[axis] * sign > FLAT))
            return false;
    for (int k = 0; k < 3; k++)
        out[k] = k == axis ? (float)sign : 0;
    return vertices && fabs(sum.e[axis]) > 0;
}
