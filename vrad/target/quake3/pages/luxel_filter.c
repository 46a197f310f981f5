/* Blurs luxels, as the options or shaders ask for it, and darkens those at edges. */
#include <math.h>
#include <string.h>

#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "vrad/target/quake3/pages/pages.h"

/* Of -filter, in luxels; measured on maps that were made with it. */
#define FILTER_RADIUS 3.0

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
            total += portable_fmax(weight, 0);
        }
    }
    for (int k = 0; k < 3 && total > 0; k++)
        out[k] = (float)(sum[k] / total);
}

/* The darkest of the luxels around one that lie on the surface, for each colour. */
static void darken(const struct face_light *face, const struct receiver *receiver,
                   const float *from, int at, float out[3])
{
    int s = at % face->width, t = at / face->width;
    for (int j = t > 0 ? t - 1 : t; j <= t + 1 && j < face->height; j++)
        for (int i = s > 0 ? s - 1 : s; i <= s + 1 && i < face->width; i++) {
            int other = j * face->width + i;
            if (!quake3_is_used(receiver, other) || !(luxel_area(face, other) > 0))
                continue;
            for (int k = 0; k < 3; k++)
                out[k] = portable_fminf(out[k], from[3 * other + k]);
        }
}

/* Luxels beside the surface have no light of their own. */
static void darken_edges(const struct quake3_light *q, int number, const float *from,
                         float *colours)
{
    const struct face_light *face = &q->map.faces[number];
    for (int i = 0; i < face->count; i++)
        if (quake3_is_used(&q->receivers[number], i) && !(luxel_area(face, i) > 0))
            darken(face, &q->receivers[number], from, i, colours + 3 * i);
}

void quake3_filter_luxels(const struct quake3_light *q, int number, float *colours)
{
    const struct receiver *receiver = &q->receivers[number];
    const struct shader *shader = q->surfaces[receiver->surfaces[0]].material->shader;
    int count = q->map.faces[number].count, width = receiver->light.width;
    double radius = shader ? shader->lightmap_filter_radius / receiver->size : 0;
    if (q->options->quake3.filter)
        radius = portable_fmax(radius, FILTER_RADIUS);
    if (!(radius > 1) && !q->options->quake3.dark)
        return;
    radius = portable_fmin(radius, q->page_side);
    size_t bytes = 3 * (size_t)count * sizeof *colours;
    float *from = memory_alloc(bytes);
    memcpy(from, colours, bytes);
    if (q->options->quake3.dark) {
        darken_edges(q, number, from, colours);
        memcpy(from, colours, bytes);
    }
    for (int i = 0; i < count && radius > 1; i++)
        blur(receiver, from, radius, (const int[]){i % width, i / width}, colours + 3 * i);
    memory_free(from);
}
