#include "vrad/direct/direct_face.h"

#include "common/core/array.h"
#include "vrad/direct/lamp_share.h"
#include "vrad/direct/sun_fine.h"

/* Samples that tell whether a shadow's edge crosses a luxel at all. */
enum { FIRST_FINE = 16 };

bool luxel_borders_shadow(const struct face_light *face, const unsigned char *state, int luxel)
{
    const unsigned char both = LUXEL_SEES | LUXEL_BLOCKED;
    int s = luxel % face->width, t = luxel / face->width;
    unsigned char own = state[luxel] & both;
    if (own == both)
        return true;
    for (int j = t > 0 ? t - 1 : t; j <= t + 1 && j < face->height; j++) {
        for (int i = s > 0 ? s - 1 : s; i <= s + 1 && i < face->width; i++) {
            unsigned char other = state[j * face->width + i] & both;
            if (own && other && other != own)
                return true;
        }
    }
    return false;
}

/* Most of the light that a luxel or one beside it would have of the share if nothing stood in the
 * way. */
static float around(const struct face_light *face, const float *values, int luxel)
{
    int s = luxel % face->width, t = luxel / face->width;
    float most = 0;
    for (int j = t > 0 ? t - 1 : t; j <= t + 1 && j < face->height; j++)
        for (int i = s > 0 ? s - 1 : s; i <= s + 1 && i < face->width; i++)
            if (values[j * face->width + i] > most)
                most = values[j * face->width + i];
    return most;
}

static bool is_doubtful(const struct direct_face *work, const struct light_share *share, int luxel)
{
    const struct face_light *face = work->face;
    if (work->coarse_count[luxel] == 0 || face->luxels[luxel].area == 0)
        return false;
    if (work->options->everywhere)
        return true;
    if (!(share->state[luxel] & LUXEL_STEEP) && !luxel_borders_shadow(face, share->state, luxel))
        return false;
    float doubt = share->grey * around(face, share->peak, luxel);
    return doubt_matters(work, doubt, luxel);
}

static void fill_flat(const struct direct_face *work, struct fine_samples *fine, int luxel)
{
    const struct aimed_rows *rows = fine->rows;
    struct luxel_rows out = {.st = {fine->st[0], fine->st[1]}};
    for (int k = 0; k < 3; k++) {
        out.point[k] = rows->point[k];
        out.origin[k] = rows->origin[k];
    }
    fine->count = luxel_rows(work->map, work->scene, work->face, luxel, work->options->fine, &out);
}

const struct fine_samples *fine_samples(struct direct_face *work, struct fine_samples *cache,
                                        int luxel)
{
    struct fine_samples *fine = &cache[luxel];
    struct luxel_sample samples[LUXEL_FINE];
    size_t room = (size_t)work->options->fine;
    if (fine->rows)
        return fine;
    float *numbers = ARENA_ARRAY(work->arena, float, 8 * room);
    fine->rows = ARENA_NEW(work->arena, struct aimed_rows);
    if (!work->fine.light.share)
        aimed_rows_init(&work->fine, work->arena, room);
    *fine->rows = work->fine; /* what lights give to one luxel after the other */
    for (int k = 0; k < 3; k++) {
        fine->rows->light.point[k] = fine->rows->point[k] = numbers + (size_t)k * room;
        fine->rows->origin[k] = numbers + (size_t)(3 + k) * room;
    }
    fine->st[0] = numbers + 6 * room;
    fine->st[1] = numbers + 7 * room;
    if (!work->face->mesh) {
        fill_flat(work, fine, luxel);
        return fine;
    }
    fine->count =
        luxel_samples(work->map, work->scene, work->face, luxel, work->options->fine, samples);
    for (int i = 0; i < fine->count; i++)
        aimed_rows_put(fine->rows, (size_t)i, &samples[i]);
    return fine;
}

bool share_has_edges(const struct light_share *share, int count)
{
    const unsigned char both = LUXEL_SEES | LUXEL_BLOCKED;
    unsigned char any = 0;
    for (int l = 0; l < count; l++)
        any |= share->state[l];
    return any & LUXEL_STEEP || (any & both) == both;
}

static void cast(struct ray_queue *queue, const struct fine_samples *fine, int luxel, int begin,
                 int end)
{
    ray_queue_aim(queue, fine->rows, end);
    ray_queue_add_part(queue, luxel, fine->rows, begin, end, begin ? fine->count : end);
}

/* The first samples of a luxel: all where the light is steep, else some, which say whether an edge
 * is there at all. Returns their number. */
static int first_samples(const struct direct_face *work, const struct light_share *share,
                         const struct fine_samples *fine, int luxel)
{
    bool soft = share->light->spread > 0; /* its shadows have no edge, but fade */
    bool all = soft || work->options->thorough || share->state[luxel] & LUXEL_STEEP;
    return all || fine->count < FIRST_FINE ? fine->count : FIRST_FINE;
}

static void refine(struct direct_face *work, struct light_share *share, int *doubtful,
                   struct fine_samples *cache)
{
    const unsigned char both = LUXEL_SEES | LUXEL_BLOCKED;
    struct face_light *face = work->face;
    struct ray_queue queue;
    int count = 0;
    for (int l = 0; l < face->count; l++)
        if (is_doubtful(work, share, l))
            doubtful[count++] = l;
    ray_queue_start(&queue, work, share, RAYS_FINE);
    bool counts = sun_fine_serves(work, share);
    for (int i = 0; i < count; i++) {
        const struct fine_samples *fine = fine_samples(work, cache, doubtful[i]);
        face->luxels[doubtful[i]].supersampled = true;
        share->state[doubtful[i]] &= (unsigned char)~both;
        if (counts) {
            sun_fine_measure(work, share, fine, doubtful[i],
                             first_samples(work, share, fine, doubtful[i]));
            continue;
        }
        light_share_forget(work, share, doubtful[i]);
        cast(&queue, fine, doubtful[i], 0, first_samples(work, share, fine, doubtful[i]));
    }
    ray_queue_flush(&queue);
    for (int i = 0; i < count && !counts; i++) {
        struct fine_samples *fine = &cache[doubtful[i]];
        int done = first_samples(work, share, fine, doubtful[i]);
        if ((share->state[doubtful[i]] & both) != both || done == fine->count)
            continue;
        light_share_scale(work, share, doubtful[i], (float)done / (float)fine->count);
        cast(&queue, fine, doubtful[i], done, fine->count);
    }
    ray_queue_flush(&queue);
}

void supersample(struct direct_face *work)
{
    size_t count = (size_t)work->face->count;
    struct fine_samples *cache = ARENA_ARRAY(work->arena, struct fine_samples, count);
    int *doubtful = ARENA_ARRAY(work->arena, int, count);
    for (ptrdiff_t i = 0; i < arrlen(work->shares); i++)
        if (work->shares[i].cast)
            lamp_share_refine(work, &work->shares[i], cache);
        else if (work->options->everywhere || share_has_edges(&work->shares[i], work->face->count))
            refine(work, &work->shares[i], doubtful, cache);
}
