/* Interpolation of the luxels of a face from its transport points. */
#ifndef VRAD_BOUNCE_POINT_BLEND_H
#define VRAD_BOUNCE_POINT_BLEND_H

#include "vrad/bounce/bounce_solve.h"

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
