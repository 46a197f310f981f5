#include "common/core/array.h"
#include "vrad/direct/ray_queue.h"
#include "vrad/direct/sun_rays.h"
#include "vrad/direct/visibility_sampling.h"

/* Samples that test whether a shadow edge crosses a luxel at all. */
enum { FIRST_FINE = 16, FIRST_SOFT = 32 };

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
    if (to->coarse_count[luxel] == 0 || luxel_area(face, luxel) == 0 ||
        (contribution->near && contribution->near[luxel]))
        return false;
    if (to->options->everywhere)
        return true;
    if (!(contribution->state[luxel] & LUXEL_STEEP) &&
        !luxel_borders_shadow(face, contribution->state, luxel))
        return false;
    float penumbra = contribution->grey * neighbourhood_max(face, contribution->peak, luxel);
    return penumbra_matters(to, penumbra, luxel);
}

/* A wide sun casts gradual shadows. */
static bool is_soft(const struct light *light)
{
    return light->type == WORLDLIGHT_SKY && light->spread > 0;
}

static void cast(struct ray_queue *queue, const struct fine_samples *fine, int luxel, int begin,
                 int end)
{
    ray_queue_evaluate(queue, fine->rows, end);
    ray_queue_add_part(queue, luxel, fine->rows, begin, end, begin ? fine->count : end);
}

/* How far a luxel has been supersampled. */
enum refinement { REFINED_NOT, REFINED_FIRST, REFINED_WHOLE };

/* The luxels that a contribution is supersampled on. */
struct refined {
    unsigned char *how; /* one per luxel: enum refinement */
    int *list;          /* room for each luxel twice */
    int count;
};

/* The number of first rays: all in steep light, else a few that test for a shadow edge. */
static int first_rays(const struct receiver *to, const struct light_contribution *contribution,
                      const struct fine_samples *fine, const struct refined *refined, int luxel)
{
    if (to->options->thorough || contribution->state[luxel] & (LUXEL_STEEP | LUXEL_EDGE) ||
        refined->how[luxel] == REFINED_WHOLE)
        return fine->count;
    int first = is_soft(contribution->light) ? FIRST_SOFT : FIRST_FINE;
    return fine->count < first ? fine->count : first;
}

/* Supersamples the luxels of the list from `first` on. */
static void refine_luxels(struct ray_queue *queue, const struct refined *refined, int first,
                          struct fine_cache *cache)
{
    const unsigned char both = LUXEL_SEES | LUXEL_BLOCKED;
    struct receiver *to = queue->to;
    struct light_contribution *contribution = queue->contribution;
    bool counts = sun_rays_can_count(to, contribution);
    for (int i = first; i < refined->count; i++) {
        int l = refined->list[i];
        const struct fine_samples *fine = fine_samples_of(to, cache, l);
        int rays = first_rays(to, contribution, fine, refined, l);
        luxel_set_supersampled(to->face, l);
        contribution->state[l] &= (unsigned char)~both;
        if (counts) {
            sun_rays_measure(to, contribution, fine, l, rays);
            continue;
        }
        light_contribution_clear(to->face, contribution, l);
        cast(queue, fine, l, 0, rays);
    }
    ray_queue_flush(queue);
    for (int i = first; i < refined->count && !counts; i++) {
        int l = refined->list[i];
        struct fine_samples *fine = &cache->luxels[l];
        int done = first_rays(to, contribution, fine, refined, l);
        if ((contribution->state[l] & both) != both || done == fine->count)
            continue;
        light_contribution_scale(to->face, contribution, l, (float)done / (float)fine->count);
        cast(queue, fine, l, done, fine->count);
    }
    ray_queue_flush(queue);
}

/* Adds the neighbours of a luxel that sees a part of a soft sun: its penumbra goes on where a few
 * rays agree by chance. */
static void follow_luxel(const struct receiver *to, const struct light_contribution *contribution,
                         struct refined *refined, int luxel)
{
    const unsigned char both = LUXEL_SEES | LUXEL_BLOCKED;
    const struct face_light *face = to->face;
    int s = luxel % face->width, t = luxel / face->width;
    for (int n = 0; n < 9; n++) {
        int column = s + n % 3 - 1, row = t + n / 3 - 1, l = row * face->width + column;
        if (column < 0 || row < 0 || column >= face->width || row >= face->height ||
            !to->coarse_count[l] || luxel_area(face, l) == 0 || refined->how[l] == REFINED_WHOLE ||
            (refined->how[l] == REFINED_FIRST && (contribution->state[l] & both) == both))
            continue;
        refined->how[l] = REFINED_WHOLE;
        refined->list[refined->count++] = l;
    }
}

static void follow_penumbra(const struct receiver *to,
                            const struct light_contribution *contribution, struct refined *refined,
                            int first)
{
    const unsigned char both = LUXEL_SEES | LUXEL_BLOCKED;
    for (int i = first, end = refined->count; i < end; i++)
        if ((contribution->state[refined->list[i]] & both) == both)
            follow_luxel(to, contribution, refined, refined->list[i]);
}

static void refine(struct receiver *to, struct light_contribution *contribution, int *list,
                   struct fine_cache *cache)
{
    struct ray_queue queue;
    struct refined refined = {.how = ARENA_ARRAY(to->arena, unsigned char, (size_t)to->face->count),
                              .list = list};
    for (int l = 0; l < to->face->count; l++) {
        if (!is_penumbra(to, contribution, l))
            continue;
        refined.how[l] = REFINED_FIRST;
        refined.list[refined.count++] = l;
    }
    ray_queue_start(&queue, to, contribution, RAYS_FINE);
    for (int first = 0; first < refined.count;) {
        int end = refined.count;
        refine_luxels(&queue, &refined, first, cache);
        if (is_soft(contribution->light))
            follow_penumbra(to, contribution, &refined, first);
        first = end;
    }
}

void supersample(struct receiver *to, const struct face_shadows *shadows,
                 struct light_contribution *contributions, struct fine_cache *cache)
{
    size_t count = (size_t)to->face->count;
    struct fine_cache soft = {.wanted = to->options->soft ? to->options->soft : LUXEL_FINE,
                              .luxels = ARENA_ARRAY(to->arena, struct fine_samples, count)};
    int *candidates = ARENA_ARRAY(to->arena, int, 2 * count);
    for (ptrdiff_t i = 0; i < arrlen(contributions); i++)
        if (contributions[i].cast)
            local_light_refine(to, shadows, &contributions[i], cache);
        else if (to->options->everywhere ||
                 light_contribution_has_edges(&contributions[i], to->face->count))
            refine(to, &contributions[i], candidates,
                   is_soft(contributions[i].light) ? &soft : cache);
}
