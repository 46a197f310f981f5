#include "common/core/array.h"
#include "vrad/direct/ray_queue.h"
#include "vrad/direct/sun_rays.h"
#include "vrad/direct/visibility_sampling.h"

/* Samples that tell whether a shadow's edge crosses a luxel at all. */
enum { FIRST_FINE = 16 };

/* Most of the light that a luxel or one beside it would have of the share if nothing stood in the
 * way. */
static float around(const struct face_light *face, const float *values, int luxel)
{
    int s = luxel % face->width, t = luxel / face->width;
    float max = 0;
    for (int j = t > 0 ? t - 1 : t; j <= t + 1 && j < face->height; j++)
        for (int i = s > 0 ? s - 1 : s; i <= s + 1 && i < face->width; i++)
            if (values[j * face->width + i] > max)
                max = values[j * face->width + i];
    return max;
}

static bool is_doubtful(const struct receiver *to, const struct light_share *share, int luxel)
{
    const struct face_light *face = to->face;
    if (to->coarse_count[luxel] == 0 || face->luxels[luxel].area == 0)
        return false;
    if (to->options->everywhere)
        return true;
    if (!(share->state[luxel] & LUXEL_STEEP) && !luxel_borders_shadow(face, share->state, luxel))
        return false;
    float doubt = share->grey * around(face, share->peak, luxel);
    return doubt_matters(to, doubt, luxel);
}

static void cast(struct ray_queue *queue, const struct fine_samples *fine, int luxel, int begin,
                 int end)
{
    ray_queue_aim(queue, fine->rows, end);
    ray_queue_add_part(queue, luxel, fine->rows, begin, end, begin ? fine->count : end);
}

/* The first samples of a luxel: all where the light is steep, else some, which say whether an edge
 * is there at all. Returns their number. */
static int first_samples(const struct receiver *to, const struct light_share *share,
                         const struct fine_samples *fine, int luxel)
{
    bool soft = share->light->spread > 0; /* its shadows have no edge, but fade */
    bool all = soft || to->options->thorough || share->state[luxel] & LUXEL_STEEP;
    return all || fine->count < FIRST_FINE ? fine->count : FIRST_FINE;
}

static void refine(struct receiver *to, struct light_share *share, int *doubtful,
                   struct fine_cache *cache)
{
    const unsigned char both = LUXEL_SEES | LUXEL_BLOCKED;
    struct face_light *face = to->face;
    struct ray_queue queue;
    int count = 0;
    for (int l = 0; l < face->count; l++)
        if (is_doubtful(to, share, l))
            doubtful[count++] = l;
    ray_queue_start(&queue, to, share, RAYS_FINE);
    bool counts = sun_rays_serve(to, share);
    for (int i = 0; i < count; i++) {
        const struct fine_samples *fine = fine_samples_of(to, cache, doubtful[i]);
        face->luxels[doubtful[i]].supersampled = true;
        share->state[doubtful[i]] &= (unsigned char)~both;
        if (counts) {
            sun_rays_measure(to, share, fine, doubtful[i],
                             first_samples(to, share, fine, doubtful[i]));
            continue;
        }
        light_share_forget(face, share, doubtful[i]);
        cast(&queue, fine, doubtful[i], 0, first_samples(to, share, fine, doubtful[i]));
    }
    ray_queue_flush(&queue);
    for (int i = 0; i < count && !counts; i++) {
        struct fine_samples *fine = &cache->luxels[doubtful[i]];
        int done = first_samples(to, share, fine, doubtful[i]);
        if ((share->state[doubtful[i]] & both) != both || done == fine->count)
            continue;
        light_share_scale(face, share, doubtful[i], (float)done / (float)fine->count);
        cast(&queue, fine, doubtful[i], done, fine->count);
    }
    ray_queue_flush(&queue);
}

void supersample(struct receiver *to, const struct face_shadows *shadows,
                 struct light_share *shares)
{
    size_t count = (size_t)to->face->count;
    struct fine_cache cache = {.luxels = ARENA_ARRAY(to->arena, struct fine_samples, count)};
    int *doubtful = ARENA_ARRAY(to->arena, int, count);
    for (ptrdiff_t i = 0; i < arrlen(shares); i++)
        if (shares[i].cast)
            lamp_share_refine(to, shadows, &shares[i], &cache);
        else if (to->options->everywhere || light_share_has_edges(&shares[i], to->face->count))
            refine(to, &shares[i], doubtful, &cache);
}
