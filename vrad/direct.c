#include "vrad/direct.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/parallel.h"
#include "vrad/direct_face.h"
#include "vrad/hemisphere.h"

/* Lights that give a face less than this at its nearest point, of 255, are left out: a hundredth
 * of the least that a lightmap can show. */
#define LEAST_LIGHT 1e-3

/* A ray to a lamp ends this far before it, in units. */
#define LAMP_GAP 0.02

/* Samples of a luxel that differ by this factor call for supersampling. */
#define STEEP_RATIO 1.5f

#define FAR_AWAY 1e30f
#define TWO_PI   6.283185307179586

/* The number of styles that a face is followed with before the strongest are kept. */
enum { MOST_STYLES = 64 };

struct face_result {
    int dropped_styles;
    int64_t rays[RAY_KINDS];
};

struct job {
    const struct env *env;
    const struct scene *scene;
    const struct light_set *lights;
    const struct direct_options *options;
    struct luxel_map *map;
    struct arena *scratch; /* one a thread */
    struct face_result *results;
};

static struct vec3 load(const float v[3])
{
    return vec3((double)v[0], (double)v[1], (double)v[2]);
}

/* A point of the unit sphere, evenly by area. */
static struct vec3 sphere_point(const double square[2])
{
    double z = 1 - 2 * square[0], r = sqrt(fmax(1 - z * z, 0)), angle = TWO_PI * square[1];
    return vec3(r * cos(angle), r * sin(angle), z);
}

static bool is_sun(const struct light *light)
{
    return light->type == WORLDLIGHT_SKY;
}

/* ---- rays ---- */

void ray_queue_flush(struct ray_queue *queue)
{
    struct direct_face *face = queue->face;
    struct light_share *share = queue->share;
    if (queue->count == 0)
        return;
    uint32_t valid = (uint32_t)((1u << queue->count) - 1), seen;
    if (is_sun(share->light))
        seen = scene_sky16(face->scene, &queue->packet, valid, true, face->face->area);
    else
        seen = valid & ~scene_blocked16(face->scene, &queue->packet, valid);
    face->rays[queue->kind] += queue->count;
    int slots = face->face->slots, luxels = face->face->count;
    for (int i = 0; i < queue->count; i++) {
        int luxel = queue->luxel[i];
        bool sees = seen >> i & 1;
        share->state[luxel] |= (unsigned char)(sees ? LUXEL_SEES : LUXEL_BLOCKED);
        for (int j = 0; j < slots && sees; j++)
            share->sum[j * luxels + luxel] += queue->weight[i][j];
    }
    queue->count = 0;
}

/* The direction and the weight of the light at a point; false when it gives nothing there. */
static bool aim(const struct ray_queue *queue, const struct luxel_sample *sample, uint64_t seed,
                int index, double *weight, struct vec3 *towards, struct vec3 *direction)
{
    const struct light *light = queue->share->light;
    struct vec3 point = load(sample->point);
    if (is_sun(light)) {
        double square[2];
        *weight = 1;
        *direction = vec3_neg(light->normal);
        *towards = *direction;
        double spread = queue->face->lights->sun_radius;
        if (spread > 0) {
            /* An odd factor mixes the order, lest the place in the luxel tells that in the sun. */
            uint32_t mixed = ((uint32_t)index * 37 + (uint32_t)seed) % LUXEL_FINE;
            sample_square(queue->kind == RAYS_FINE ? mixed : (uint32_t)index, ~seed, square);
            *towards = vec3_mad(*towards, sphere_point(square), spread);
        }
        return true;
    }
    double distance;
    *weight = light_at(light, point, direction, &distance);
    struct vec3 lamp = vec3_mad(point, *direction, fmax(distance - LAMP_GAP, 0));
    *towards = vec3_sub(lamp, load(sample->origin));
    return *weight > 0;
}

void ray_queue_add(struct ray_queue *queue, int luxel, const struct luxel_sample *samples,
                   int count)
{
    struct direct_face *face = queue->face;
    const struct vec3 *normals = face->normals[luxel];
    uint64_t seed = luxel_seed(face->map, face->face, luxel);
    struct vec3 surface = face->face->mesh ? normals[0] : face->face->normal;
    float least = INFINITY, most = 0, sum = 0;
    for (int i = 0; i < count; i++) {
        double weight;
        struct vec3 towards, direction;
        float flat = 0;
        if (aim(queue, &samples[i], seed, i, &weight, &towards, &direction) &&
            vec3_dot(direction, surface) > 0) {
            int lane = queue->count++;
            for (int j = 0; j < face->face->slots; j++) {
                double cosine = fmax(vec3_dot(direction, normals[j]), 0);
                queue->weight[lane][j] = (float)(weight * cosine / count);
            }
            flat = queue->weight[lane][0];
            queue->luxel[lane] = luxel;
            for (int k = 0; k < 3; k++) {
                queue->packet.origin[k][lane] = samples[i].origin[k];
                queue->packet.direction[k][lane] = (float)towards.e[k];
            }
            queue->packet.near[lane] = 0;
            queue->packet.far[lane] = is_sun(queue->share->light) ? FAR_AWAY : 1;
            if (queue->count == TRACE_PACKET)
                ray_queue_flush(queue);
        }
        least = flat < least ? flat : least;
        most = flat > most ? flat : most;
        sum += flat;
    }
    queue->share->peak[luxel] = sum;
    if (most > STEEP_RATIO * least)
        queue->share->state[luxel] |= LUXEL_STEEP;
}

/* ---- one face ---- */

static void prepare(struct direct_face *work)
{
    struct face_light *face = work->face;
    size_t count = (size_t)face->count;
    int wanted = work->options->fast ? 1 : LUXEL_COARSE;
    work->normals = arena_alloc(work->arena, count, sizeof *work->normals);
    work->coarse = ARENA_ARRAY(work->arena, struct luxel_sample, count * LUXEL_COARSE);
    work->coarse_count = ARENA_ARRAY(work->arena, unsigned char, count);
    work->total = ARENA_ARRAY(work->arena, float, count);
    for (int i = 0; i < face->count; i++) {
        struct luxel_sample samples[LUXEL_FINE];
        int found = luxel_samples(work->map, work->scene, face, i, wanted, samples);
        memcpy(work->coarse + (size_t)i * LUXEL_COARSE, samples, (size_t)found * sizeof *samples);
        work->coarse_count[i] = (unsigned char)found;
        work->normals[i][0] = load(face->luxels[i].normal);
        if (face->slots > 1)
            luxel_bump_basis(work->scene, face, &face->luxels[i], work->normals[i] + 1);
    }
}

static bool reaches_cluster(const struct direct_face *work, int light)
{
    const int *clusters = work->face->clusters;
    for (ptrdiff_t i = 0; i < arrlen(clusters); i++)
        if (light_reaches(work->lights, light, clusters[i]))
            return true;
    return arrlen(clusters) == 0;
}

/* The least distance from a point to the luxels' box, and whether the point can see the face's
 * front. */
static bool in_reach(const struct direct_face *work, const struct light *light,
                     const struct bounds *box)
{
    const struct face_light *face = work->face;
    struct vec3 corner = face->mesh ? light->origin : load(face->luxels[0].position);
    if (vec3_dot(face->normal, vec3_sub(light->origin, corner)) < 0 && !face->mesh)
        return false;
    if (light->type == WORLDLIGHT_SURFACE) {
        /* The corner of the box that lies furthest along the light. */
        struct vec3 top;
        for (int k = 0; k < 3; k++)
            top.e[k] = light->normal.e[k] > 0 ? box->maxs.e[k] : box->mins.e[k];
        if (vec3_dot(light->normal, vec3_sub(top, light->origin)) <= 0)
            return false;
    }
    struct vec3 gap;
    for (int k = 0; k < 3; k++)
        gap.e[k] =
            fmax(fmax(box->mins.e[k] - light->origin.e[k], light->origin.e[k] - box->maxs.e[k]), 0);
    double brightest = fmax(light->intensity.x, fmax(light->intensity.y, light->intensity.z));
    return brightest * light_falloff(light, vec3_length(gap)) > LEAST_LIGHT;
}

static bool may_light(const struct direct_face *work, int index, const struct bounds *box)
{
    const struct light *light = &work->lights->lights[index];
    switch (light->type) {
    case WORLDLIGHT_POINT:
    case WORLDLIGHT_SPOT:
    case WORLDLIGHT_SURFACE:
        return in_reach(work, light, box) && reaches_cluster(work, index);
    case WORLDLIGHT_SKY:
        if (index != work->lights->sun)
            return false;
        if (!work->face->mesh && vec3_dot(work->face->normal, light->normal) >= 0)
            return false;
        return reaches_cluster(work, index);
    default:
        return false;
    }
}

static struct bounds luxel_box(const struct face_light *face)
{
    struct bounds box = bounds_empty();
    double half = vec3_length(face->axis[0]) + vec3_length(face->axis[1]);
    for (int i = 0; i < face->count; i++)
        bounds_add_point(&box, load(face->luxels[i].position));
    for (int k = 0; k < 3; k++) {
        box.mins.e[k] -= half / 2;
        box.maxs.e[k] += half / 2;
    }
    return box;
}

static void trace_shares(struct direct_face *work)
{
    struct face_light *face = work->face;
    struct bounds box = luxel_box(face);
    size_t count = (size_t)face->count, slots = (size_t)face->slots;
    for (ptrdiff_t i = 0; i < arrlen(work->lights->lights); i++) {
        if (!may_light(work, (int)i, &box))
            continue;
        struct light_share share = {.light = &work->lights->lights[i]};
        share.sum = ARENA_ARRAY(work->arena, float, slots *count);
        share.peak = ARENA_ARRAY(work->arena, float, count);
        share.state = ARENA_ARRAY(work->arena, unsigned char, count);
        struct ray_queue queue = {
            .face = work, .share = &share, .kind = is_sun(share.light) ? RAYS_SUN : RAYS_LIGHT};
        for (int l = 0; l < face->count; l++)
            ray_queue_add(&queue, l, work->coarse + (size_t)l * LUXEL_COARSE,
                          work->coarse_count[l]);
        ray_queue_flush(&queue);
        arrput(work->shares, share);
        double grey =
            (share.light->intensity.x + share.light->intensity.y + share.light->intensity.z) / 3;
        for (size_t l = 0; l < count; l++)
            work->total[l] += (float)(grey * (double)share.sum[l]);
    }
}

/* ---- styles ---- */

struct style_sum {
    int style;
    double weight; /* all its light on the face, to choose by */
    float *colours;
};

struct style_table {
    struct style_sum sums[MOST_STYLES];
    int count;
};

static float *style_colours(struct style_table *table, const struct face_light *face, int style)
{
    for (int i = 0; i < table->count; i++)
        if (table->sums[i].style == style)
            return table->sums[i].colours;
    if (table->count == MOST_STYLES)
        return NULL;
    struct style_sum *sum = &table->sums[table->count++];
    sum->style = style;
    sum->weight = 0;
    sum->colours = memory_zalloc(3 * (size_t)(face->slots * face->count), sizeof(float));
    return sum->colours;
}

static void add_colours(struct style_table *table, const struct face_light *face,
                        const struct light *light, const float *shares)
{
    bool any = false;
    for (int i = 0; i < face->slots * face->count && !any; i++)
        any = shares[i] > 0;
    float *colours = any ? style_colours(table, face, light->style) : NULL;
    for (int i = 0; i < face->slots * face->count && colours; i++)
        for (int k = 0; k < 3; k++)
            colours[3 * i + k] += shares[i] * (float)light->intensity.e[k];
}

/* Keeps style 0 and the strongest others, in the order in which lights brought them. Returns how
 * many are dropped. */
static int keep_styles(struct style_table *table, struct face_light *face)
{
    int dropped = 0;
    for (int s = 1; s < table->count; s++)
        for (int i = 0; i < 3 * face->count; i++)
            table->sums[s].weight += (double)table->sums[s].colours[i];
    while (table->count > BSP_FACE_STYLES) {
        int weakest = 1;
        for (int s = 2; s < table->count; s++)
            if (table->sums[s].weight < table->sums[weakest].weight)
                weakest = s;
        memory_free(table->sums[weakest].colours);
        memmove(&table->sums[weakest], &table->sums[weakest + 1],
                (size_t)(table->count - weakest - 1) * sizeof *table->sums);
        table->count--;
        dropped++;
    }
    face->style_count = table->count;
    for (int s = 0; s < table->count; s++) {
        face->styles[s] = (uint8_t)table->sums[s].style;
        face->direct[s] = table->sums[s].colours;
    }
    return dropped;
}

static void light_face(void *context, size_t index, int thread)
{
    struct job *job = context;
    struct face_result *result = &job->results[index];
    struct direct_face work = {.scene = job->scene,
                               .lights = job->lights,
                               .options = job->options,
                               .map = job->map,
                               .face = &job->map->faces[index],
                               .arena = &job->scratch[thread]};
    if (work.face->count) {
        struct style_table table = {.count = 0};
        prepare(&work);
        trace_shares(&work);
        if (!job->options->fast && !job->options->no_extra)
            supersample(&work);
        style_colours(&table, work.face, 0);
        for (ptrdiff_t i = 0; i < arrlen(work.shares); i++)
            add_colours(&table, work.face, work.shares[i].light, work.shares[i].sum);
        if (job->lights->sky >= 0 && reaches_cluster(&work, job->lights->sky)) {
            float *sums =
                ARENA_ARRAY(work.arena, float, (size_t)(work.face->slots * work.face->count));
            sky_light(&work, sums);
            add_colours(&table, work.face, &job->lights->lights[job->lights->sky], sums);
        }
        result->dropped_styles = keep_styles(&table, work.face);
        memcpy(result->rays, work.rays, sizeof work.rays);
        arrfree(work.shares);
        arena_reset(work.arena);
    }
    progress_step(job->env->progress);
}

static void report(const struct job *job)
{
    static const char *const names[RAY_KINDS] = {"rays to lights", "rays to the sun",
                                                 "rays to the sky", "rays of supersampling"};
    int64_t rays[RAY_KINDS] = {0};
    for (int i = 0; i < job->map->face_count; i++) {
        const struct face_result *result = &job->results[i];
        for (int k = 0; k < RAY_KINDS; k++)
            rays[k] += result->rays[k];
        if (!result->dropped_styles)
            continue;
        struct diag_where where = {.has_point = true};
        for (int k = 0; k < 3; k++)
            where.point[k] = (double)job->map->faces[i].luxels[0].position[k];
        diag_report(job->env->diag, DIAG_LIGHTMAP_STYLES, &where,
                    "face %d has %d light styles too many", i, result->dropped_styles);
    }
    for (int k = 0; k < RAY_KINDS; k++)
        progress_count(job->env->progress, names[k], rays[k]);
}

void direct_light(const struct env *env, const struct scene *scene, const struct light_set *lights,
                  const struct direct_options *options, struct luxel_map *map)
{
    size_t faces = (size_t)map->face_count, threads = (size_t)env->threads;
    struct job job = {.env = env,
                      .scene = scene,
                      .lights = lights,
                      .options = options,
                      .map = map,
                      .scratch = memory_zalloc(threads, sizeof(struct arena)),
                      .results = memory_zalloc(faces + 1, sizeof(struct face_result))};
    progress_begin(env->progress, "direct light", faces);
    parallel_for(env->threads, faces, light_face, &job);
    progress_end(env->progress);
    report(&job);
    for (size_t i = 0; i < threads; i++)
        arena_free(&job.scratch[i]);
    memory_free(job.scratch);
    memory_free(job.results);
}
