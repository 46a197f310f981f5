#include "vrad/direct/visibility_sampling.h"

#include <string.h>

#include "vrad/direct/ray_queue.h"

/* Adaptive visibility sampling: the luxels that an outline may cross are traced, and every third
 * one of each row and column. Where the neighbours of another luxel agree, their result is assumed;
 * where any two adjacent luxels differ, both are traced, so that shadow edges are followed from
 * where they are found. */

/* Side of the blocks for which the light's culling radius is tested, in luxels. */
enum { SAMPLING_BLOCK = 8 };

struct sampling_job {
    struct receiver *to;
    struct ray_samples *samples;
    struct light_contribution *contribution;
    struct ray_queue queue;
    bool far;
};

static void trace_luxel(struct sampling_job *job, int luxel)
{
    const struct ray_samples *samples = job->samples;
    int first = luxel * LUXEL_COARSE, count = job->to->coarse_count[luxel];
    job->contribution->state[luxel] |= LUXEL_TRACED;
    if (job->far)
        ray_queue_add_single_far(&job->queue, luxel, &samples->middle, &samples->coarse,
                                 first + (count ? luxel % count : 0));
    else if (job->contribution->state[luxel] & LUXEL_UNKNOWN)
        ray_queue_add(&job->queue, luxel, &samples->coarse, first, count);
    else
        ray_queue_add_single(&job->queue, luxel, &samples->coarse, first, count);
}

static bool is_open(const struct sampling_job *job, int luxel)
{
    return job->to->coarse_count[luxel] && !(job->contribution->state[luxel] & LUXEL_TRACED);
}

/* LUXEL_SEES or LUXEL_BLOCKED; 0 when the states differ or are unknown. */
static unsigned char agreed(int any)
{
    any &= LUXEL_SEES | LUXEL_BLOCKED;
    return any == (LUXEL_SEES | LUXEL_BLOCKED) ? 0 : (unsigned char)any;
}

/* The union of the states of the luxel and its neighbours. */
static int neighbourhood(const struct face_light *face, const unsigned char *state, int luxel)
{
    int s = luxel % face->width, t = luxel / face->width, any = 0;
    for (int j = t > 0 ? t - 1 : t; j <= t + 1 && j < face->height; j++)
        for (int i = s > 0 ? s - 1 : s; i <= s + 1 && i < face->width; i++)
            any |= state[j * face->width + i];
    return any;
}

static void trace_first(struct sampling_job *job, bool everywhere)
{
    const struct face_light *face = job->to->face;
    const unsigned char *state = job->contribution->state;
    for (int t = 0, l = 0; t < face->height; t++)
        for (int s = 0; s < face->width; s++, l++) {
            bool marked = state[l] & (LUXEL_EDGE | LUXEL_UNKNOWN);
            if ((everywhere || marked || (s + t) % 3 == 0) && is_open(job, l))
                trace_luxel(job, l);
        }
    ray_queue_flush(&job->queue);
}

/* The state of each luxel, or its prediction from its neighbours. */
static void predict(const struct sampling_job *job, unsigned char *state)
{
    const unsigned char *found = job->contribution->state;
    for (int l = 0; l < job->to->face->count; l++)
        state[l] = is_open(job, l) ? agreed(neighbourhood(job->to->face, found, l)) : found[l];
}

/* Iterates: new results may reveal more edges. */
static void follow_edges(struct sampling_job *job, unsigned char *state)
{
    int count = job->to->face->count, found = 1;
    int *list = ARENA_ARRAY(job->to->arena, int, (size_t)count);
    while (found) {
        found = 0;
        predict(job, state);
        for (int l = 0; l < count; l++)
            if (is_open(job, l) && !(state[l] && agreed(neighbourhood(job->to->face, state, l))))
                list[found++] = l;
        for (int i = 0; i < found; i++)
            trace_luxel(job, list[i]);
        ray_queue_flush(&job->queue);
    }
}

static void assume_rest(struct sampling_job *job, const unsigned char *state)
{
    const struct ray_samples *samples = job->samples;
    for (int l = 0; l < job->to->face->count; l++) {
        if (!is_open(job, l))
            continue;
        bool sees = state[l] & LUXEL_SEES;
        if (job->far)
            ray_queue_assume_far(&job->queue, l, &samples->middle, sees);
        else
            ray_queue_assume(&job->queue, l, &samples->coarse, l * LUXEL_COARSE,
                             job->to->coarse_count[l], sees);
    }
    ray_queue_flush(&job->queue);
}

/* Makes the boxes of blocks of luxels, once per face. */
static void make_blocks(const struct receiver *to, struct ray_samples *samples)
{
    const struct face_light *face = to->face;
    double half = (vec3_length(face->axis[0]) + vec3_length(face->axis[1])) / 2;
    int across = (face->width + SAMPLING_BLOCK - 1) / SAMPLING_BLOCK;
    int along = (face->height + SAMPLING_BLOCK - 1) / SAMPLING_BLOCK;
    samples->blocks = ARENA_ARRAY(to->arena, struct bounds, (size_t)across * (size_t)along);
    for (int i = 0; i < across * along; i++)
        samples->blocks[i] = bounds_empty();
    for (int l = 0; l < face->count; l++) {
        int column = l % face->width / SAMPLING_BLOCK, row = l / face->width / SAMPLING_BLOCK;
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

static bool reaches(const struct light_contribution *contribution, const struct bounds *box)
{
    const struct light *light = contribution->light;
    double sum = 0, ahead = 0;
    for (int k = 0; k < 3; k++) {
        double below = box->mins.e[k] - light->origin.e[k];
        double above = light->origin.e[k] - box->maxs.e[k], gap = below > above ? below : above;
        double far_end = light->normal.e[k] > 0 ? box->maxs.e[k] : box->mins.e[k];
        sum += gap > 0 ? gap * gap : 0;
        ahead += light->normal.e[k] * (far_end - light->origin.e[k]);
    }
    return sum <= contribution->reach * contribution->reach &&
           (light->type == WORLDLIGHT_POINT || ahead > 0);
}

/* Marks luxels that the local light does not reach as traced. */
static void skip_unreached(const struct receiver *to, struct ray_samples *samples,
                           const struct light_contribution *contribution)
{
    const struct face_light *face = to->face;
    int across = (face->width + SAMPLING_BLOCK - 1) / SAMPLING_BLOCK;
    if (!samples->blocks)
        make_blocks(to, samples);
    for (int t = 0; t < face->height; t++) {
        for (int s = 0; s < face->width; s += SAMPLING_BLOCK) {
            int width = face->width - s < SAMPLING_BLOCK ? face->width - s : SAMPLING_BLOCK;
            if (!reaches(contribution,
                         &samples->blocks[t / SAMPLING_BLOCK * across + s / SAMPLING_BLOCK]))
                memset(contribution->state + t * face->width + s, LUXEL_TRACED, (size_t)width);
        }
    }
}

static void evaluate(const struct ray_queue *queue, struct ray_samples *samples, bool far)
{
    struct sample_rows *rows = far ? &samples->middle : &samples->coarse;
    int count = far ? queue->to->face->count : queue->to->face->count * LUXEL_COARSE;
    ray_queue_evaluate(queue, rows, count);
}

static void sample_light(struct receiver *to, struct ray_samples *samples,
                         struct light_contribution *contribution, bool far)
{
    struct sampling_job job = {
        .to = to, .samples = samples, .contribution = contribution, .far = far};
    if (ray_kind_of(contribution->light) == RAYS_LIGHT)
        skip_unreached(to, samples, contribution);
    for (int l = 0; contribution->near && l < to->face->count; l++)
        if (contribution->near[l])
            contribution->state[l] = LUXEL_TRACED;
    ray_queue_start(&job.queue, to, contribution, ray_kind_of(contribution->light));
    evaluate(&job.queue, samples, far);
    trace_first(&job, to->options->thorough);
    if (to->options->thorough)
        return;
    size_t count = (size_t)to->face->count;
    int any = 0;
    for (size_t l = 0; l < count; l++)
        any |= contribution->state[l];
    unsigned char all = agreed(any), *state = ARENA_ARRAY(to->arena, unsigned char, count);
    if (all)
        memset(state, all, count);
    else
        follow_edges(&job, state);
    assume_rest(&job, state);
}

/* All samples of it tell more than the ray that stands for it. */
static bool needs_all(const struct face_light *face, const unsigned char *state, int luxel)
{
    return state[luxel] & LUXEL_ONE_RAY &&
           (state[luxel] & LUXEL_UNKNOWN || luxel_borders_shadow(face, state, luxel));
}

/* Traces all samples of luxels at shadow edges that had a single ray or none. */
static void resample_edges(struct receiver *to, struct ray_samples *samples,
                           struct light_contribution *contribution, bool far)
{
    const struct face_light *face = to->face;
    struct ray_queue queue;
    bool evaluated = !far;
    if (!light_contribution_has_edges(contribution, face->count) &&
        !(light_contribution_any(contribution, face->count) & LUXEL_UNKNOWN))
        return;
    ray_queue_start(&queue, to, contribution, ray_kind_of(contribution->light));
    for (int l = 0; l < face->count; l++) {
        if (!needs_all(face, contribution->state, l))
            continue;
        if (!evaluated)
            evaluate(&queue, samples, false);
        evaluated = true;
        light_contribution_clear(face, contribution, l);
        ray_queue_add(&queue, l, &samples->coarse, l * LUXEL_COARSE, to->coarse_count[l]);
    }
    ray_queue_flush(&queue);
}

void sample_visibility(struct receiver *to, struct ray_samples *samples,
                       struct light_contribution *contribution, bool far)
{
    size_t count = (size_t)to->face->count;
    contribution->width = to->face->width;
    contribution->height = to->face->height;
    contribution->left = contribution->top = 0;
    contribution->sum = ARENA_ARRAY(to->arena, float, (size_t)to->face->slots *count);
    contribution->peak = ARENA_ARRAY(to->arena, float, count);
    if (!contribution->state)
        contribution->state = ARENA_ARRAY(to->arena, unsigned char, count);
    sample_light(to, samples, contribution, far);
    resample_edges(to, samples, contribution, far);
}
