#include "vrad/direct/visibility_sampling.h"

#include <string.h>

#include "vrad/direct/ray_queue.h"

/* Rays go to every third luxel of each row and column. Where those around a luxel agree, it goes
 * with them; where any two luxels side by side do not, both are tried: so a shadow that is found is
 * followed along its edge. */

/* Luxels of a block, each way: what a lamp reaches is asked for each block. */
enum { PROBE_BLOCK = 8 };

struct probing {
    struct receiver *to;
    struct ray_samples *samples;
    struct light_share *share;
    struct ray_queue queue;
    bool far;
};

static void try_luxel(struct probing *p, int luxel)
{
    const struct ray_samples *samples = p->samples;
    int first = luxel * LUXEL_COARSE, count = p->to->coarse_count[luxel];
    p->share->state[luxel] |= LUXEL_TRIED;
    if (p->far)
        ray_queue_probe_far(&p->queue, luxel, &samples->middle, &samples->coarse,
                            first + (count ? luxel % count : 0));
    else
        ray_queue_probe(&p->queue, luxel, &samples->coarse, first, count);
}

static bool is_open(const struct probing *p, int luxel)
{
    return p->to->coarse_count[luxel] && !(p->share->state[luxel] & LUXEL_TRIED);
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
    const struct face_light *face = p->to->face;
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
    for (int l = 0; l < p->to->face->count; l++)
        state[l] = is_open(p, l) ? agreed(around(p->to->face, found, l)) : found[l];
}

/* Round by round: what is found may call for more. */
static void follow_edges(struct probing *p, unsigned char *state)
{
    int count = p->to->face->count, found = 1;
    int *list = ARENA_ARRAY(p->to->arena, int, (size_t)count);
    while (found) {
        found = 0;
        foretell(p, state);
        for (int l = 0; l < count; l++)
            if (is_open(p, l) && !(state[l] && agreed(around(p->to->face, state, l))))
                list[found++] = l;
        for (int i = 0; i < found; i++)
            try_luxel(p, list[i]);
        ray_queue_flush(&p->queue);
    }
}

static void assume_rest(struct probing *p, const unsigned char *state)
{
    const struct ray_samples *samples = p->samples;
    for (int l = 0; l < p->to->face->count; l++) {
        if (!is_open(p, l))
            continue;
        bool sees = state[l] & LUXEL_SEES;
        if (p->far)
            ray_queue_assume_far(&p->queue, l, &samples->middle, sees);
        else
            ray_queue_assume(&p->queue, l, &samples->coarse, l * LUXEL_COARSE,
                             p->to->coarse_count[l], sees);
    }
    ray_queue_flush(&p->queue);
}

/* The boxes of blocks of luxels; made once for the face. */
static void make_blocks(const struct receiver *to, struct ray_samples *samples)
{
    const struct face_light *face = to->face;
    double half = (vec3_length(face->axis[0]) + vec3_length(face->axis[1])) / 2;
    int across = (face->width + PROBE_BLOCK - 1) / PROBE_BLOCK;
    int along = (face->height + PROBE_BLOCK - 1) / PROBE_BLOCK;
    samples->blocks = ARENA_ARRAY(to->arena, struct bounds, (size_t)across * (size_t)along);
    for (int i = 0; i < across * along; i++)
        samples->blocks[i] = bounds_empty();
    for (int l = 0; l < face->count; l++) {
        int column = l % face->width / PROBE_BLOCK, row = l / face->width / PROBE_BLOCK;
        struct bounds *box = &samples->blocks[row * across + column];
        for (int i = 0; i < to->coarse_count[l]; i++) {
            struct vec3 at;
            for (int k = 0; k < 3; k++)
                at.e[k] = (double)samples->coarse.point[k][l * LUXEL_COARSE + i];
            bounds_add_point(box, vec3_add(at, vec3(half, half, half)));
            bounds_add_point(box, vec3_sub(at, vec3(half, half, half)));
        }
    }
}

static bool reaches(const struct light_share *share, const struct bounds *box)
{
    const struct light *light = share->light;
    double sum = 0, ahead = 0;
    for (int k = 0; k < 3; k++) {
        double below = box->mins.e[k] - light->origin.e[k];
        double above = light->origin.e[k] - box->maxs.e[k], gap = below > above ? below : above;
        double far_end = light->normal.e[k] > 0 ? box->maxs.e[k] : box->mins.e[k];
        sum += gap > 0 ? gap * gap : 0;
        ahead += light->normal.e[k] * (far_end - light->origin.e[k]);
    }
    return sum <= share->reach * share->reach && (light->type == WORLDLIGHT_POINT || ahead > 0);
}

/* Luxels that the lamp does not reach count as tried. */
static void leave_out(const struct receiver *to, struct ray_samples *samples,
                      const struct light_share *share)
{
    const struct face_light *face = to->face;
    int across = (face->width + PROBE_BLOCK - 1) / PROBE_BLOCK;
    if (!samples->blocks)
        make_blocks(to, samples);
    for (int t = 0; t < face->height; t++) {
        for (int s = 0; s < face->width; s += PROBE_BLOCK) {
            int width = face->width - s < PROBE_BLOCK ? face->width - s : PROBE_BLOCK;
            if (!reaches(share, &samples->blocks[t / PROBE_BLOCK * across + s / PROBE_BLOCK]))
                memset(share->state + t * face->width + s, LUXEL_TRIED, (size_t)width);
        }
    }
}

static void probe(struct receiver *to, struct ray_samples *samples, struct light_share *share,
                  bool far)
{
    struct probing p = {.to = to, .samples = samples, .share = share, .far = far};
    if (ray_kind_of(share->light) == RAYS_LIGHT)
        leave_out(to, samples, share);
    ray_queue_start(&p.queue, to, share, ray_kind_of(share->light));
    if (far)
        ray_queue_aim(&p.queue, &samples->middle, to->face->count);
    else
        ray_queue_aim(&p.queue, &samples->coarse, to->face->count * LUXEL_COARSE);
    try_pattern(&p, to->options->thorough);
    if (to->options->thorough)
        return;
    size_t count = (size_t)to->face->count;
    int any = 0;
    for (size_t l = 0; l < count; l++)
        any |= share->state[l];
    unsigned char all = agreed(any), *state = ARENA_ARRAY(to->arena, unsigned char, count);
    if (all)
        memset(state, all, count);
    else
        follow_edges(&p, state);
    assume_rest(&p, state);
}

/* Where one ray stood for a luxel, or none, and it lies beside a shadow's edge, all its samples
 * have their own. */
static void look_closer(struct receiver *to, struct ray_samples *samples, struct light_share *share,
                        bool far)
{
    const struct face_light *face = to->face;
    struct ray_queue queue;
    bool aimed = !far;
    if (!light_share_has_edges(share, face->count))
        return;
    ray_queue_start(&queue, to, share, ray_kind_of(share->light));
    for (int l = 0; l < face->count; l++) {
        if (!(share->state[l] & LUXEL_PROBED) || !luxel_borders_shadow(face, share->state, l))
            continue;
        if (!aimed)
            ray_queue_aim(&queue, &samples->coarse, face->count * LUXEL_COARSE);
        aimed = true;
        light_share_forget(face, share, l);
        ray_queue_add(&queue, l, &samples->coarse, l * LUXEL_COARSE, to->coarse_count[l]);
    }
    ray_queue_flush(&queue);
}

void sample_visibility(struct receiver *to, struct ray_samples *samples, struct light_share *share,
                       bool far)
{
    size_t count = (size_t)to->face->count;
    share->width = to->face->width;
    share->height = to->face->height;
    share->left = share->top = 0;
    share->sum = ARENA_ARRAY(to->arena, float, (size_t)to->face->slots *count);
    share->peak = ARENA_ARRAY(to->arena, float, count);
    share->state = ARENA_ARRAY(to->arena, unsigned char, count);
    probe(to, samples, share, far);
    look_closer(to, samples, share, far);
}
