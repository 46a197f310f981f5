/* Blurs luxels whose shader asks for it: q3map_lightmapFilterRadius. */
#include <math.h>
#include <string.h>

#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "vrad/target/quake3/pages/pages.h"

/* The weighted mean around luxel `at` of those that are used; weights fall linearly to 0 at the
 * radius, in luxels. */
static void blur(const struct receiver *receiver, const float *from, double radius, const int at[2],
                 float out[3])
{
    int width = receiver->light.width, height = receiver->light.height, reach = (int)radius;
    double sum[3] = {0}, total = 0;
    for (int t = at[1] - reach; t <= at[1] + reach; t++) {
        for (int s = at[0] - reach; s <= at[0] + reach; s++) {
            if (s < 0 || t < 0 || s >= width || t >= height ||
                !quake3_is_used(receiver, t * width + s))
                continue;
            double weight = 1 - portable_hypot(s - at[0], t - at[1]) / radius;
            for (int k = 0; k < 3 && weight > 0; k++)
                sum[k] += weight * (double)from[3 * (t * width + s) + k];
            total += fmax(weight, 0);
        }
    }
    for (int k = 0; k < 3 && total > 0; k++)
        out[k] = (float)(sum[k] / total);
}

void quake3_filter_luxels(const struct quake3_light *q, int number, float *colours)
{
    const struct receiver *receiver = &q->receivers[number];
    const struct shader *shader = q->surfaces[receiver->surfaces[0]].material->shader;
    int count = q->map.faces[number].count, width = receiver->light.width;
    double radius = shader ? shader->lightmap_filter_radius / receiver->size : 0;
    if (!(radius > 1))
        return;
    radius = fmin(radius, q->page_side);
    size_t bytes = 3 * (size_t)count * sizeof *colours;
    float *from = memory_alloc(bytes);
    memcpy(from, colours, bytes);
    for (int i = 0; i < count; i++)
        blur(receiver, from, radius, (const int[]){i % width, i / width}, colours + 3 * i);
    memory_free(from);
}
