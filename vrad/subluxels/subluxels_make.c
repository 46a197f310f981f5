#include "vrad/subluxels/subluxels_make.h"

#include <math.h>
#include <string.h>

#include "common/bsp/query.h"
#include "common/core/memory.h"
#include "common/core/random.h"
#include "common/parallel/parallel.h"
#include "vrad/ambient/irradiance_point.h"
#include "vrad/luxels/luxel_hidden.h"
#include "vrad/luxels/luxel_samples.h"
#include "vrad/subluxels/luxel_splitting.h"

enum { SUN_RAYS = 4 };

/* Side of a subluxel, in units. */
#define SUBLUXEL_UNITS 2.0

struct job {
    const struct luxel_map *map;
    struct radiosity radiosity; /* for the numbers of luxels */
    double limit;               /* luxel_split_limit */
    struct irradiance_sampler sampler;
    unsigned char *split; /* one per luxel */
    struct subluxels *out;
};

/* ---- which ---- */

static void choose_in_face(void *context, size_t number, int thread)
{
    const struct job *job = context;
    const struct face_light *face = &job->map->faces[number];
    unsigned char *split = job->split + job->radiosity.first[number];
    (void)thread;
    for (int i = 0; face->width > 0 && i < face->count; i++)
        split[i] = luxel_is_to_split(job->map, face, i, job->limit);
}

static int side_of(const struct face_light *face)
{
    int side = SUBLUXEL_BLOCK;
    while (side < SUBLUXEL_MAX_SIDE && face->square > SUBLUXEL_UNITS * SUBLUXEL_UNITS * side * side)
        side *= 2;
    return side;
}

static void list_split(const struct job *job)
{
    struct subluxels *out = job->out;
    out->split = luxel_set_new(radiosity_count(&job->radiosity));
    for (size_t i = 0; i < radiosity_sky(&job->radiosity); i++)
        if (job->split[i])
            luxel_set_add(&out->split, i);
    size_t total = luxel_set_rank_all(&out->split);
    out->luxels = memory_alloc((total + 1) * sizeof *out->luxels);
    for (int f = 0; f < job->map->face_count; f++) {
        const struct face_light *face = &job->map->faces[f];
        for (int i = 0; face->width > 0 && i < face->count; i++) {
            if (!job->split[job->radiosity.first[f] + (size_t)i])
                continue;
            int side = side_of(face);
            out->luxels[out->luxel_count++] =
                (struct split_luxel){(uint32_t)out->count, f, i, side};
            out->count += (size_t)side * (size_t)side;
        }
    }
    out->open = memory_zalloc(out->count + 1, sizeof *out->open);
    out->direct = memory_zalloc(3 * out->count + 1, sizeof *out->direct);
    out->leaving = memory_zalloc(3 * out->count + 1, sizeof *out->leaving);
}

/* ---- their direct light ---- */

static bool is_on_face(const struct face_light *face, struct point2 at)
{
    for (int i = 0; i < face->corners; i++) {
        const struct point2 *a = &face->polygon[i], *b = &face->polygon[(i + 1) % face->corners];
        double side = (b->s - a->s) * (at.t - a->t) - (b->t - a->t) * (at.s - a->s);
        if (face->turns_left ? side < 0 : side > 0)
            return false;
    }
    return true;
}

static void light_at_point(const struct job *job, const struct split_luxel *split, int part,
                           struct vec3 position, float out[3])
{
    const struct face_light *face = &job->map->faces[split->face];
    const struct bsp *bsp = job->map->scene->bsp;
    struct luxel room;
    struct irradiance_point point = {
        .position = vec3_mad(position, face->normal, SCENE_RAY_OFFSET),
        .normal = vec3_from_floats(luxel_normal(face, luxel_of(face, split->luxel, &room))),
        .no_shadows = face->no_shadows,
        .no_sun_shadows = face->no_shadows,
        .viewer = {.prop = -1},
        .seed = hash_pair(luxel_seed(job->map, face, split->luxel), (uint64_t)part)};
    const struct bsp_leaf *leaf = &bsp->leaves[bsp_leaf_at(bsp, 0, point.position)];
    struct point_irradiance light;
    point.cluster = leaf->cluster;
    point.viewer.area = leaf->area;
    irradiance_at_point(&job->sampler, &point, NULL, &light);
    memcpy(out, light.direct, sizeof light.direct);
}

/* Returns false for a part that nothing sees. */
static bool light_part(const struct job *job, const struct split_luxel *split, int part,
                       float out[3])
{
    const struct face_light *face = &job->map->faces[split->face];
    double side = split->side;
    struct point2 at = {split->luxel % face->width + (part % split->side + 0.5) / side - 0.5,
                        split->luxel / face->width + (part / split->side + 0.5) / side - 0.5};
    struct vec3 position = luxel_point(job->map, face, at, NULL);
    if (!is_on_face(face, at) || luxel_point_is_hidden(job->map->scene, position, face->normal))
        return false;
    light_at_point(job, split, part, position, out);
    return true;
}

/* Scales the light of the parts to the mean of the luxel, which is more exact: that of surface
 * lights follows their model there. */
static void scale_light(const struct face_light *face, const struct split_luxel *split,
                        const struct subluxels *out)
{
    const float *whole = face->direct[0] + 3 * (size_t)split->luxel;
    size_t parts = (size_t)split->side * (size_t)split->side;
    double open = 0, sum[3] = {0, 0, 0};
    for (size_t i = split->first; i < split->first + parts; i++) {
        open += out->open[i];
        for (size_t k = 0; k < 3; k++)
            sum[k] += (double)out->direct[3 * i + k];
    }
    for (size_t i = split->first; i < split->first + parts; i++) {
        for (size_t k = 0; k < 3; k++) {
            float *direct = &out->direct[3 * i + k];
            if (out->open[i])
                *direct = sum[k] > 0 ? (float)((double)*direct * open * (double)whole[k] / sum[k])
                                     : whole[k];
            out->leaving[3 * i + k] = *direct * face->reflectivity[k];
        }
    }
}

static void light_luxel(void *context, size_t luxel, int thread)
{
    const struct job *job = context;
    const struct split_luxel *split = &job->out->luxels[luxel];
    (void)thread;
    for (int i = 0; i < split->side * split->side; i++) {
        size_t part = split->first + (size_t)i;
        job->out->open[part] = light_part(job, split, i, job->out->direct + 3 * part);
    }
    scale_light(&job->map->faces[split->face], split, job->out);
}

/* ---- all ---- */

/* Takes the radiosity that a checkpoint had. */
static void take_kept(const struct subluxels *kept, struct subluxels *out)
{
    if (kept && kept->count == out->count)
        memcpy(out->leaving, kept->leaving, 3 * out->count * sizeof *out->leaving);
}

void subluxels_make(const struct env *env, const struct light_set *lights, bool bounced,
                    struct luxel_map *map)
{
    struct subluxels *kept = map->subluxels;
    struct job job = {.map = map,
                      .limit = luxel_split_limit(map),
                      .sampler = {.scene = map->scene, .lights = lights, .sun_rays = SUN_RAYS}};
    map->subluxels = NULL;
    if (isfinite(job.limit)) {
        radiosity_init(&job.radiosity, map->scene, map, vec3(0, 0, 0));
        job.split = memory_zalloc(radiosity_sky(&job.radiosity) + 1, 1);
        job.out = memory_zalloc(1, sizeof *job.out);
        parallel_for(env->threads, (size_t)map->face_count, choose_in_face, &job);
        list_split(&job);
        parallel_for(env->threads, job.out->luxel_count, light_luxel, &job);
        if (bounced)
            take_kept(kept, job.out);
        map->subluxels = job.out->luxel_count ? job.out : NULL;
        if (!map->subluxels)
            subluxels_free(job.out);
        memory_free(job.split);
        radiosity_free(&job.radiosity);
    }
    subluxels_free(kept);
}
