#include "common/core/portable_math.h"
#include "vrad/props/texel_light.h"

#include <math.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/random.h"
#include "vrad/props/prop_point.h"

enum { GRID = 3, SUN_RAYS = 16 };

/* Of 255, after screen gamma. */
#define VISIBLE_STEP 4.0f
#define SCREEN_GAMMA 2.2f

struct job {
    const struct texel_lighting *lighting;
    struct irradiance_sampler sampler; /* of direct light */
    float *shown;                      /* one per texel: its direct light after screen gamma */
    size_t *pending;                   /* stb_ds array */
};

static float shown_as(const float light[3])
{
    float grey = (light[0] + light[1] + light[2]) / 3;
    return grey > 0 ? 127.5f * (float)portable_pow((double)(grey / 255), (double)(1 / SCREEN_GAMMA))
                    : 0;
}

/* Next to a covered texel other points may lie inside of the solid, so it is not supersampled. */
static bool is_edge(const struct job *job, int x, int y)
{
    const struct texel_lighting *lighting = job->lighting;
    ptrdiff_t at = (ptrdiff_t)y * lighting->width + x;
    bool differs = false;
    for (int i = 0; i < 9; i++) {
        int column = x + i % 3 - 1, row = y + i / 3 - 1;
        ptrdiff_t other = (ptrdiff_t)row * lighting->width + column;
        if (column < 0 || row < 0 || column >= lighting->width || row >= lighting->height)
            continue;
        if (lighting->texels[other].state == TEXEL_COVERED)
            return false;
        differs = differs ||
                  (fabsf(job->shown[at] - job->shown[other]) > VISIBLE_STEP &&
                   texel_bilateral_weight(&lighting->texels[at], &lighting->texels[other], 1) > 0);
    }
    return differs;
}

static void list_edges(struct job *job)
{
    const struct texel_lighting *lighting = job->lighting;
    size_t size = (size_t)lighting->width * (size_t)lighting->height;
    for (size_t i = 0; i < size; i++)
        job->shown[i] = shown_as(lighting->texels[i].direct);
    for (int y = 0; y < lighting->height; y++)
        for (int x = 0; x < lighting->width; x++) {
            size_t index = (size_t)y * (size_t)lighting->width + (size_t)x;
            const struct lit_texel *texel = &lighting->texels[index];
            if (texel->state == TEXEL_LIT && !texel->aside && is_edge(job, x, y))
                arrput(job->pending, index);
        }
}

/* The middle is already lit. */
static void light_edge(const struct job *job, size_t index)
{
    const struct texel_lighting *lighting = job->lighting;
    struct lit_texel *texel = &lighting->texels[index];
    float sum[3];
    int count = 1;
    memcpy(sum, texel->direct, sizeof sum);
    for (int i = 0; i < GRID * GRID; i++) {
        const double at[2] = {(i % GRID + 0.5) / (double)GRID, (i / GRID + 0.5) / (double)GRID};
        struct texel_place place;
        struct point_irradiance light;
        if (i == GRID * GRID / 2 || !lighting->place(lighting->placer, index, at, &place))
            continue;
        struct irradiance_point point = {
            .position = place.position,
            .normal = place.normal,
            .viewer.prop = (int)lighting->prop,
            .viewer.no_self_shadow = lighting->no_self_shadow,
            .seed = hash_pair(hash_pair(lighting->prop, index), (uint64_t)i)};
        prop_point_light(&job->sampler, lighting->bsp, &point, &light);
        for (int k = 0; k < 3; k++)
            sum[k] += light.direct[k];
        count++;
    }
    for (int k = 0; k < 3; k++)
        texel->direct[k] = sum[k] / (float)count;
}

/* A texel_item. */
static void light_chunk(const void *context, size_t first, size_t end)
{
    const struct job *job = context;
    for (size_t i = first; i < end; i++)
        light_edge(job, job->pending[i]);
}

void texel_supersample(const struct texel_lighting *lighting)
{
    size_t size = (size_t)lighting->width * (size_t)lighting->height;
    struct job job = {.lighting = lighting, .sampler = *lighting->sampler};
    job.sampler.rays = 0;
    if (job.sampler.sun_rays > SUN_RAYS)
        job.sampler.sun_rays = SUN_RAYS;
    job.shown = memory_alloc(size * sizeof *job.shown);
    list_edges(&job);
    texel_loop(lighting, job.pending, light_chunk, &job);
    arrfree(job.pending);
    memory_free(job.shown);
}
