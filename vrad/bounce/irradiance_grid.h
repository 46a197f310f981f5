/* Sparse grids of points on the luxels of a face, and interpolation of the luxels between them. */
#ifndef VRAD_BOUNCE_IRRADIANCE_GRID_H
#define VRAD_BOUNCE_IRRADIANCE_GRID_H

#include "vrad/luxels/radiosity.h"

enum { IRRADIANCE_GRID_LINES = 128 }; /* more than the width of any lightmap */

/* Columns and rows of luxels; the first and the last are the face's border, unless inset. */
struct irradiance_grid {
    int16_t columns[IRRADIANCE_GRID_LINES], rows[IRRADIANCE_GRID_LINES];
    int column_count, row_count;
    float beyond[2]; /* inset: slope factor of the extrapolation beyond the outer columns and rows,
                        0 .. 1 */
};

static inline int irradiance_grid_points(const struct irradiance_grid *grid)
{
    return grid->column_count * grid->row_count;
}

/* Lines at most `spacing` units apart, or one luxel. */
void irradiance_grid_build(const struct face_light *face, double spacing,
                           struct irradiance_grid *out);

/* Like irradiance_grid_build, but keeps the sum of the light over the face. Interpolation between
 * borders, which are dark in corners, would lose some light with each bounce; so the outer lines
 * lie off the borders, and light is extrapolated beyond them such that a parabola keeps its
 * integral. */
void irradiance_grid_build_inset(const struct face_light *face, double spacing,
                                 struct irradiance_grid *out);

/* The numbers of the points around a luxel, some of them twice at a single line. */
void irradiance_grid_around(const struct face_light *light, const struct irradiance_grid *grid,
                            int luxel, int points[4]);

/* Returns true if light may be interpolated between the luxels: none is hidden, and all see each
 * other just above the surface. At most 4 luxels. */
bool irradiance_grid_is_open(const struct radiosity *radiosity, int face, const int *luxels,
                             int count);

/* --- interpolation of the luxels of a face from its transport points --- */

/* The points around a luxel, and their weights. */
struct point_blend {
    int point[4];
    float weight[4];
};

/* The visibility between the points of a face, and from its luxels to them. */
struct point_views {
    unsigned char *open; /* one per cell of the grid: its corners see each other; on the heap */
    unsigned char *seen; /* one per luxel: the points that it sees, a bit each; those of open cells
                            are not set. NULL: traced when they are needed */
};

/* Traces the visibility of the cells, and with `luxels` that of all luxels in cells that are not
 * open. Free with point_views_free. */
void point_views_trace(const struct radiosity *radiosity, int face,
                       const struct irradiance_grid *grid, bool luxels, struct point_views *out);
/* The views of a face with so many luxels, for other ranks. */
void point_views_append(const struct point_views *views, const struct irradiance_grid *grid,
                        size_t luxels, struct bytes *out);
void point_views_take(struct byte_reader *from, const struct irradiance_grid *grid, size_t luxels,
                      struct point_views *out);
void point_views_free(struct point_views *views);

struct point_blend point_blend_at(const struct radiosity *radiosity, int face,
                                  const struct irradiance_grid *grid,
                                  const struct point_views *views, int luxel);

/* The blend of the points' light, four numbers each, of which the last is unused; not negative. */
static inline void point_blend_light(const struct point_blend *blend, const float *light,
                                     float out[3])
{
    float sum[4] = {0, 0, 0, 0};
    for (int p = 0; p < 4; p++) {
        const float *from = light + 4 * (size_t)blend->point[p], weight = blend->weight[p];
        for (size_t k = 0; k < 4; k++)
            sum[k] += weight * from[k];
    }
    for (size_t k = 0; k < 3; k++)
        out[k] = sum[k] > 0 ? sum[k] : 0;
}

#endif
