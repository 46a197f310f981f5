#include "vrad/bounce/subluxel_bounce.h"

#include <string.h>

#include "common/core/memory.h"
#include "common/core/random.h"
#include "common/parallel/parallel.h"

/* Seeds beside those of luxels. */
#define SEED 0x7375626c7578656cull

static size_t blocks_of(const struct split_luxel *split)
{
    size_t across = (size_t)(split->side / SUBLUXEL_BLOCK);
    return across * across;
}

/* The number of the first block of a luxel. */
static size_t first_block(const struct split_luxel *split)
{
    return split->first / (SUBLUXEL_BLOCK * SUBLUXEL_BLOCK);
}

/* Subluxel `i` of those of a block. */
static size_t in_block(const struct split_luxel *split, size_t block, size_t i)
{
    size_t across = (size_t)(split->side / SUBLUXEL_BLOCK);
    size_t column = block % across * SUBLUXEL_BLOCK + i % SUBLUXEL_BLOCK;
    size_t row = block / across * SUBLUXEL_BLOCK + i / SUBLUXEL_BLOCK;
    return split->first + row * (size_t)split->side + column;
}

struct trace_job {
    const struct radiosity *radiosity;
    struct subluxel_rays *rays;
};

/* Puts the middle of the open subluxels into the point; returns false if there are none. */
static bool place_block(const struct radiosity *radiosity, const struct split_luxel *split,
                        size_t block, struct gather_point *point)
{
    const struct subluxels *subluxels = radiosity->subluxels;
    const struct face_light *face = &radiosity->map->faces[split->face];
    double s = 0, t = 0, open = 0;
    for (size_t i = 0; i < SUBLUXEL_BLOCK * SUBLUXEL_BLOCK; i++) {
        size_t number = in_block(split, block, i), at = number - split->first;
        if (!subluxels->open[number])
            continue;
        s += ((double)(at % (size_t)split->side) + 0.5) / split->side - 0.5;
        t += ((double)(at / (size_t)split->side) + 0.5) / split->side - 0.5;
        open++;
    }
    if (open == 0)
        return false;
    struct point2 middle = {split->luxel % face->width + s / open,
                            split->luxel / face->width + t / open};
    *point = gather_point_at(radiosity, split->face, split->luxel, NULL);
    point->position = luxel_point(radiosity->map, face, middle, NULL);
    point->cache_slot = 0;
    point->slots = 1;
    point->seed = hash_pair(SEED, first_block(split) + block);
    double scale =
        open < SUBLUXEL_BLOCK * SUBLUXEL_BLOCK ? 0 : (double)SUBLUXEL_BLOCK / split->side;
    for (int k = 0; k < 2; k++)
        point->jitter[k] = vec3_scale(face->axis[k], scale);
    return true;
}

static void trace_luxel(void *context, size_t luxel, int thread)
{
    const struct trace_job *job = context;
    const struct radiosity *radiosity = job->radiosity;
    const struct split_luxel *split = &radiosity->subluxels->luxels[luxel];
    size_t rays = (size_t)job->rays->table->rays;
    uint32_t *seen = job->rays->seen + first_block(split) * rays;
    (void)thread;
    for (size_t i = 0; i < blocks_of(split); i++) {
        struct gather_point point;
        bool open = place_block(radiosity, split, i, &point);
        if (open)
            gather_trace(radiosity, job->rays->table, &point, 1, seen + i * rays);
        for (size_t k = 0; k < rays && !open; k++)
            seen[i * rays + k] = (uint32_t)radiosity_black(radiosity);
    }
}

void subluxel_rays_trace(const struct env *env, const struct radiosity *radiosity,
                         const struct gather_table *table, struct subluxel_rays *out)
{
    const struct subluxels *subluxels = radiosity->subluxels;
    *out = (struct subluxel_rays){.table = table};
    if (!subluxels)
        return;
    out->count = subluxels->count / (SUBLUXEL_BLOCK * SUBLUXEL_BLOCK) * (size_t)table->rays;
    out->seen = memory_alloc((out->count + 1) * sizeof *out->seen);
    struct trace_job job = {radiosity, out};
    parallel_for(env->threads, subluxels->luxel_count, trace_luxel, &job);
}

void subluxel_rays_free(struct subluxel_rays *rays)
{
    memory_free(rays->seen);
    *rays = (struct subluxel_rays){0};
}

struct bounce_job {
    const struct subluxel_rays *rays;
    const struct luxel_map *map;
    seen_light_look *look;
    const void *context;
    float *leaving;
};

static void bounce_to_block(const struct bounce_job *job, const struct split_luxel *split,
                            size_t block)
{
    const struct subluxels *subluxels = job->map->subluxels;
    const float *reflectivity = job->map->faces[split->face].reflectivity;
    size_t rays = (size_t)job->rays->table->rays;
    const uint32_t *seen = job->rays->seen + (first_block(split) + block) * rays;
    float bounced[3];
    seen_light_mean(job->look, job->context, seen, rays, bounced);
    for (size_t i = 0; i < SUBLUXEL_BLOCK * SUBLUXEL_BLOCK; i++) {
        size_t at = 3 * in_block(split, block, i);
        for (size_t k = 0; k < 3; k++)
            job->leaving[at + k] = (subluxels->direct[at + k] + bounced[k]) * reflectivity[k];
    }
}

static void bounce_to_luxel(void *context, size_t luxel, int thread)
{
    const struct bounce_job *job = context;
    const struct split_luxel *split = &job->map->subluxels->luxels[luxel];
    (void)thread;
    for (size_t i = 0; i < blocks_of(split); i++)
        bounce_to_block(job, split, i);
}

void subluxel_bounce(const struct env *env, const struct subluxel_rays *rays, seen_light_look *look,
                     const void *context, const struct luxel_map *map)
{
    struct subluxels *subluxels = map->subluxels;
    if (!subluxels)
        return;
    size_t numbers = 3 * subluxels->count;
    struct bounce_job job = {rays, map, look, context,
                             memory_alloc((numbers + 1) * sizeof *job.leaving)};
    parallel_for(env->threads, subluxels->luxel_count, bounce_to_luxel, &job);
    memcpy(subluxels->leaving, job.leaving, numbers * sizeof *job.leaving);
    memory_free(job.leaving);
}
