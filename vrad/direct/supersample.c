#include "common/core/array.h"
#include "vrad/direct/ray_queue.h"
#include "vrad/direct/sun_rays.h"
#include "vrad/direct/surface_points.h"
#include "vrad/direct/visibility_sampling.h"

/* Samples that test whether a shadow edge crosses a luxel at all. */
enum { FIRST_FINE = 16 };

/* Maximum unoccluded contribution to the luxel and its neighbours. */
static float neighbourhood_max(const struct face_light *face, const float *values, int luxel)
{
    int s = luxel % face->width, t = luxel / face->width;
    float max = 0;
    for (int j = t > 0 ? t - 1 : t; j <= t + 1 && j < face->height; j++)
        for (int i = s > 0 ? s - 1 : s; i <= s + 1 && i < face->width; i++)
            if (values[j * face->width + i] > max)
                max = values[j * face->width + i];
    return max;
}

static bool is_penumbra(const struct receiver *to, const struct light_contribution *contribution,
                        int luxel)
{
    const struct face_light *face = to->face;
    if (to->coarse_count[luxel] == 0 || face->luxels[luxel].area == 0)
        return false;
    if (to->options->everywhere)
        return true;
    if (!(contribution->state[luxel] & LUXEL_STEEP) &&
        !luxel_borders_shadow(face, contribution->state, luxel))
        return false;
    float penumbra = contribution->grey * neighbourhood_max(face, contribution->peak, luxel);
    return penumbra_matters(to, penumbra, luxel);
}

static void cast(struct ray_queue *queue, const struct fine_samples *fine, int luxel, int begin,
                 int end)
{
    surface_points_choose(queue->to, queue->contribution->light, fine->rows, ROWS_FINE, luxel,
                          fine->count);
    ray_queue_evaluate(queue, fine->rows, end);
    ray_queue_add_part(queue, luxel, fine->rows, begin, end, begin ? fine->count : end);
}

/* The number of first samples: all in steep light, else a few that test for a shadow edge. */
static int first_samples(const struct receiver *to, const struct light_contribution *contribution,
                         const struct fine_samples *fine, int luxel)
{
    bool soft = contribution->light->spread > 0; /* a wide sun casts gradual shadows */
    bool all = soft || to->options->thorough || contribution->state[luxel] & LUXEL_STEEP;
    return all || fine->count < FIRST_FINE ? fine->count : FIRST_FINE;
}

static void refine(struct receiver *to, struct light_contribution *contribution, int *candidates,
                   struct fine_cache *cache)
{
    const unsigned char both = LUXEL_SEES | LUXEL_BLOCKED;
    struct face_light *face = to->face;
    struct ray_queue queue;
    int count = 0;
    for (int l = 0; l < face->count; l++)
        if (is_penumbra(to, contribution, l))
            candidates[count++] = l;
    ray_queue_start(&queue, to, contribution, RAYS_FINE);
    bool counts = sun_rays_can_count(to, contribution);
    for (int i = 0; i < count; i++) {
        const struct fine_samples *fine = fine_samples_of(to, cache, candidates[i]);
        face->luxels[candidates[i]].supersampled = true;
        contribution->state[candidates[i]] &= (unsigned char)~both;
        if (counts) {
            sun_rays_measure(to, contribution, fine, candidates[i],
                             first_samples(to, contribution, fine, candidates[i]));
            continue;
        }
        light_contribution_clear(face, contribution, candidates[i]);
        cast(&queue, fine, candidates[i], 0, first_samples(to, contribution, fine, candidates[i]));
    }
    ray_queue_flush(&queue);
    for (int i = 0; i < count && !counts; i++) {
        struct fine_samples *fine = &cache->luxels[candidates[i]];
        int done = first_samples(to, contribution, fine, candidates[i]);
        if ((contribution->state[candidates[i]] & both) != both || done == fine->count)
            continue;
        light_contribution_scale(face, contribution, candidates[i],
                                 (float)done / (float)fine->count);
        cast(&queue, fine, candidates[i], done, fine->count);
    }
    ray_queue_flush(&queue);
}

void supersample(struct receiver *to, const struct face_shadows *shadows,
                 struct light_contribution *contributions)
{
    size_t count = (size_t)to->face->count;
    struct fine_cache cache = {.luxels = ARENA_ARRAY(to->arena, struct fine_samples, count)};
    int *candidates = ARENA_ARRAY(to->arena, int, count);
    for (ptrdiff_t i = 0; i < arrlen(contributions); i++)
        if (contributions[i].cast)
            local_light_refine(to, shadows, &contributions[i], &cache);
        else if (to->options->everywhere ||
                 light_contribution_has_edges(&contributions[i], to->face->count))
            refine(to, &contributions[i], candidates, &cache);
}
