#include "vrad/direct_face.h"

#include <string.h>

/* Rays go to every third luxel of each row and column. Where those around a luxel agree, it goes
 * with them; where any two luxels side by side do not, both are tried: so a shadow that is found is
 * followed along its edge. */

struct probing {
    struct direct_face *face;
    struct light_share *share;
    struct ray_queue queue;
    bool far;
};

static void try_luxel(struct probing *p, int luxel)
{
    struct direct_face *work = p->face;
    int first = luxel * LUXEL_COARSE, count = work->coarse_count[luxel];
    p->share->state[luxel] |= LUXEL_TRIED;
    if (p->far)
        ray_queue_probe_far(&p->queue, luxel, &work->middle, &work->coarse,
                            first + (count ? luxel % count : 0));
    else
        ray_queue_probe(&p->queue, luxel, &work->coarse, first, count);
}

static bool is_open(const struct probing *p, int luxel)
{
    return p->face->coarse_count[luxel] && !(p->share->state[luxel] & LUXEL_TRIED);
}

/* LUXEL_SEES or LUXEL_BLOCKED; 0 when the states do not agree or cannot tell. */
static unsigned char agreed(int any)
{
    any &= LUXEL_SEES | LUXEL_BLOCKED;
    return any == (LUXEL_SEES | LUXEL_BLOCKED) ? 0 : (unsigned char)any;
}

/* All states of the luxel and those around it. */
static int around(const struct face_light *face, const unsigned char *state, int luxel)
{
    int s = luxel % face->width, t = luxel / face->width, any = 0;
    for (int j = t > 0 ? t - 1 : t; j <= t + 1 && j < face->height; j++)
        for (int i = s > 0 ? s - 1 : s; i <= s + 1 && i < face->width; i++)
            any |= state[j * face->width + i];
    return any;
}

static void try_pattern(struct probing *p, bool everywhere)
{
    const struct face_light *face = p->face->face;
    for (int t = 0; t < face->height; t++)
        for (int s = 0; s < face->width; s++)
            if ((everywhere || (s + t) % 3 == 0) && is_open(p, t * face->width + s))
                try_luxel(p, t * face->width + s);
    ray_queue_flush(&p->queue);
}

/* What each luxel sees, or would if it went with those around. */
static void foretell(const struct probing *p, unsigned char *state)
{
    const unsigned char *found = p->share->state;
    for (int l = 0; l < p->face->face->count; l++)
        state[l] = is_open(p, l) ? agreed(around(p->face->face, found, l)) : found[l];
}

/* Round by round: what is found may call for more. */
static void follow_edges(struct probing *p, unsigned char *state)
{
    int count = p->face->face->count, found = 1;
    int *list = ARENA_ARRAY(p->face->arena, int, (size_t)count);
    while (found) {
        found = 0;
        foretell(p, state);
        for (int l = 0; l < count; l++)
            if (is_open(p, l) && !(state[l] && agreed(around(p->face->face, state, l))))
                list[found++] = l;
        for (int i = 0; i < found; i++)
            try_luxel(p, list[i]);
        ray_queue_flush(&p->queue);
    }
}

static void assume_rest(struct probing *p, const unsigned char *state)
{
    struct direct_face *work = p->face;
    for (int l = 0; l < work->face->count; l++) {
        if (!is_open(p, l))
            continue;
        bool sees = state[l] & LUXEL_SEES;
        if (p->far)
            ray_queue_assume_far(&p->queue, l, &work->middle, sees);
        else
            ray_queue_assume(&p->queue, l, &work->coarse, l * LUXEL_COARSE, work->coarse_count[l],
                             sees);
    }
    ray_queue_flush(&p->queue);
}

void probe_share(struct direct_face *face, struct light_share *share, bool far)
{
    struct probing p = {.face = face, .share = share, .far = far};
    ray_queue_start(&p.queue, face, share, ray_kind_of(share->light));
    if (far)
        ray_queue_aim(&p.queue, &face->middle, face->face->count);
    else
        ray_queue_aim(&p.queue, &face->coarse, face->face->count * LUXEL_COARSE);
    try_pattern(&p, face->options->thorough);
    if (face->options->thorough)
        return;
    size_t count = (size_t)face->face->count;
    int any = 0;
    for (size_t l = 0; l < count; l++)
        any |= share->state[l];
    unsigned char all = agreed(any), *state = ARENA_ARRAY(face->arena, unsigned char, count);
    if (all)
        memset(state, all, count);
    else
        follow_edges(&p, state);
    assume_rest(&p, state);
}
