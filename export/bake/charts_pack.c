/* Charts in rows, the highest first. */
#include <stdlib.h>

#include "common/core/array.h"
#include "export/bake/charts.h"

/* Pixels per unit: the most, which is as fine as textures usually are, and the least that is tried,
 * at which any chart is a point. */
#define MAX_DENSITY 4.0
#define MIN_DENSITY 1e-9

enum { TRIES = 24 };

static int compare_charts(const void *a, const void *b)
{
    const struct chart *const *first = a, *const *second = b;
    for (int k = 1; k >= 0; k--)
        if ((*first)->size[k] < (*second)->size[k] || (*first)->size[k] > (*second)->size[k])
            return (*first)->size[k] < (*second)->size[k] ? 1 : -1;
    return (*first > *second) - (*first < *second);
}

/* Corners are in the middle of pixels. */
static bool size_pixels(struct chart *chart, double density, int side)
{
    for (int k = 0; k < 2; k++) {
        double size = ceil(chart->size[k] * density) + 1 + 2 * CHART_PADDING;
        if (!(size <= side))
            return false;
        chart->pixels[k] = (int)size;
    }
    return true;
}

static bool place_all(struct chart **order, size_t count, double density, int side)
{
    int x = 0, y = 0, row = 0;
    for (size_t i = 0; i < count; i++) {
        struct chart *chart = order[i];
        if (!size_pixels(chart, density, side))
            return false;
        if (x + chart->pixels[0] > side) {
            y += row;
            x = row = 0;
        }
        if (y + chart->pixels[1] > side)
            return false;
        chart->at[0] = x;
        chart->at[1] = y;
        x += chart->pixels[0];
        row = row > chart->pixels[1] ? row : chart->pixels[1];
    }
    return true;
}

double charts_pack(struct chart_list *list, int side)
{
    size_t count = arrlenu(list->charts);
    struct chart **order = memory_alloc((count + 1) * sizeof(struct chart *));
    double density = MAX_DENSITY, fits = MIN_DENSITY, tight = MAX_DENSITY;
    for (size_t i = 0; i < count; i++)
        order[i] = &list->charts[i];
    if (count > 1)
        qsort(order, count, sizeof *order, compare_charts);
    if (!place_all(order, count, density, side)) {
        for (int i = 0; i < TRIES; i++) {
            density = sqrt(fits * tight);
            *(place_all(order, count, density, side) ? &fits : &tight) = density;
        }
        density = place_all(order, count, fits, side) ? fits : 0;
    }
    memory_free(order);
    return density;
}
