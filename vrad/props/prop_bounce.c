#include "vrad/props/prop_bounce.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/parallel/parallel.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_set.h"
#include "vrad/luxels/radiosity.h"
#include "vrad/props/prop_point.h"
#include "vrad/scene/hemisphere.h"

/* A packet of rays for each sample of a luxel; some samples may serve several. */
enum { PACKETS = PROP_LUXEL_SAMPLES, RAYS = PACKETS * TRACE_PACKET, SUN_RAYS = 4, CHUNK = 32 };

/* A sample is covered if more than this many rays of its packet hit the backs of solids. */
enum { MAX_INSIDE = TRACE_PACKET / 4 };

/* Enough for the light of a closed room to have died away. */
enum { SETTLE_BOUNCES = 16 };

struct job {
    const struct env *env;
    const struct scene *scene;
    const struct radiosity *radiosity; /* of the rays */
    struct irradiance_sampler sampler; /* of direct light */
    struct vec3 sky;
    struct prop_radiosity *props;
};

static size_t chunks_of(const struct prop_radiosity *props)
{
    return (props->count + CHUNK - 1) / CHUNK;
}

static void place_sample(const struct job *job, size_t luxel, int sample,
                         struct irradiance_point *point)
{
    const struct prop_luxel *at = &job->props->charts->luxels[luxel];
    *point = (struct irradiance_point){.normal = vec3_from_floats(at->normal[sample]),
                                       .seed = hash_pair(luxel, (uint64_t)sample),
                                       .viewer.prop = at->prop};
    struct vec3 position = vec3_from_floats(at->position[sample]);
    prop_point_place(job->scene->bsp, vec3_mad(position, point->normal, SCENE_RAY_OFFSET), point);
}

/* ---- rays ---- */

static void load_packet(const struct irradiance_point *point, int first, uint64_t seed,
                        struct trace_packet *packet)
{
    struct vec3 x, y;
    frame_around(point->normal, &x, &y);
    for (int i = 0; i < TRACE_PACKET; i++) {
        double square[2];
        sample_square((uint32_t)(first + i), seed, square);
        struct vec3 way = frame_point(square_to_cosine(square), x, y, point->normal);
        for (int k = 0; k < 3; k++) {
            packet->origin[k][i] = (float)point->position.e[k];
            packet->direction[k][i] = (float)way.e[k];
        }
        packet->near[i] = 0;
        packet->far[i] = SCENE_FAR_AWAY;
    }
}

/* Traces a packet of the luxel; returns false when solids cover the sample. */
static bool trace_packet_of(const struct job *job, size_t luxel, int packet_number, int sample,
                            uint32_t seen[TRACE_PACKET], int *sky)
{
    struct irradiance_point point;
    struct trace_packet packet;
    struct scene_hit hits[TRACE_PACKET];
    int inside = 0;
    place_sample(job, luxel, sample, &point);
    load_packet(&point, packet_number * TRACE_PACKET, hash_u64(luxel), &packet);
    prop_view_trace16(job->scene, &point.viewer, &packet, 0xffff, hits);
    if (job->scene->alpha_shadows.triangles)
        scene_stop_at_alpha(job->scene, &packet, 0xffff, -1, hits);
    *sky = 0;
    for (int i = 0; i < TRACE_PACKET; i++) {
        bool is_sky = hits[i].face == SCENE_SKY;
        inside += hits[i].face == SCENE_INSIDE;
        *sky += is_sky;
        seen[i] = (uint32_t)(is_sky ? radiosity_black(job->radiosity)
                                    : radiosity_seen(job->radiosity, &hits[i]));
    }
    return inside <= MAX_INSIDE;
}

/* Samples that are covered take the rays of the one before that is not. A luxel without any stays
 * black. */
static void trace_luxel(const struct job *job, size_t luxel)
{
    struct prop_radiosity *props = job->props;
    const struct prop_luxel *at = &props->charts->luxels[luxel];
    uint32_t *seen = props->seen + luxel * RAYS;
    int last = -1, sky[PACKETS], all = 0;
    unsigned char covered = 0;
    for (int i = 0; i < PACKETS; i++)
        if (!trace_packet_of(job, luxel, i, i % at->samples, seen + i * TRACE_PACKET, &sky[i]))
            covered |= (unsigned char)(1 << i);
        else
            last = i;
    for (int i = 0; i < PACKETS; i++) {
        int from = covered >> i & 1 ? last : i;
        for (int k = 0; k < TRACE_PACKET && from < 0; k++)
            seen[i * TRACE_PACKET + k] = (uint32_t)radiosity_black(job->radiosity);
        if (from >= 0 && from != i)
            memcpy(seen + i * TRACE_PACKET, seen + from * TRACE_PACKET,
                   TRACE_PACKET * sizeof *seen);
        all += from >= 0 ? sky[from] : 0;
        last = covered >> i & 1 ? last : i;
    }
    props->sky[luxel] = (float)all / (float)RAYS;
    props->covered[luxel] = covered;
}

static void trace_chunk(void *context, size_t chunk, int thread)
{
    const struct job *job = context;
    (void)thread;
    for (size_t i = chunk * CHUNK; i < (chunk + 1) * CHUNK && i < job->props->count; i++)
        trace_luxel(job, i);
    progress_step(job->env->progress);
}

void prop_bounce_trace(const struct env *env, const struct scene *scene, int bounces,
                       struct luxel_map *map)
{
    size_t count = arrlenu(scene->prop_charts.luxels);
    struct prop_radiosity *props = count ? memory_zalloc(1, sizeof *props) : NULL;
    struct radiosity radiosity;
    if (!props)
        return;
    *props = (struct prop_radiosity){.charts = &scene->prop_charts,
                                     .count = count,
                                     .rays = RAYS,
                                     .seen = memory_zalloc(count * RAYS, sizeof *props->seen),
                                     .sky = memory_zalloc(count, sizeof *props->sky),
                                     .covered = memory_zalloc(count, 1),
                                     .direct = memory_zalloc(3 * count, sizeof *props->direct),
                                     .leaving = memory_zalloc(3 * count, sizeof *props->leaving),
                                     .bounces = bounces};
    map->props = props;
    radiosity_init(&radiosity, scene, map, vec3(0, 0, 0));
    struct job job = {.env = env, .scene = scene, .radiosity = &radiosity, .props = props};
    progress_begin(env->progress, "light off static props", chunks_of(props));
    parallel_for_until(env->stop, env->threads, chunks_of(props), trace_chunk, &job);
    progress_end(env->progress);
    progress_count(env->progress, "luxels of static props", (int64_t)count);
    radiosity_free(&radiosity);
}

/* ---- light ---- */

static void light_luxel(const struct job *job, size_t luxel)
{
    const struct prop_luxel *at = &job->props->charts->luxels[luxel];
    float *direct = job->props->direct + 3 * luxel, sum[3] = {0, 0, 0};
    int count = 0;
    for (int i = 0; i < at->samples; i++) {
        struct irradiance_point point;
        struct point_irradiance light;
        if (job->props->covered[luxel] >> i & 1)
            continue;
        place_sample(job, luxel, i, &point);
        irradiance_at_point(&job->sampler, &point, NULL, &light);
        for (int k = 0; k < 3; k++)
            sum[k] += light.direct[k];
        count++;
    }
    for (int k = 0; k < 3; k++)
        direct[k] =
            (count ? sum[k] / (float)count : 0) + job->props->sky[luxel] * (float)job->sky.e[k];
}

static void light_chunk(void *context, size_t chunk, int thread)
{
    const struct job *job = context;
    (void)thread;
    for (size_t i = chunk * CHUNK; i < (chunk + 1) * CHUNK && i < job->props->count; i++)
        light_luxel(job, i);
}

void prop_bounce_light(const struct env *env, const struct scene *scene,
                       const struct light_set *lights, struct luxel_map *map)
{
    struct job job = {.env = env,
                      .scene = scene,
                      .sampler = {.scene = scene, .lights = lights, .sun_rays = SUN_RAYS},
                      .props = map->props};
    if (!map->props)
        return;
    if (lights->sky >= 0 && lights->lights[lights->sky].style == 0)
        job.sky = lights->lights[lights->sky].intensity;
    parallel_for_until(env->stop, env->threads, chunks_of(map->props), light_chunk, &job);
    prop_radiosity_start(map->props);
}

void prop_bounce_settle(const struct env *env, const struct scene *scene,
                        const struct light_set *lights, struct luxel_map *map)
{
    struct radiosity radiosity;
    if (!map->props)
        return;
    prop_bounce_light(env, scene, lights, map);
    radiosity_init(&radiosity, scene, map, vec3(0, 0, 0));
    radiosity_collect(&radiosity, env->threads);
    for (int i = 0; i < SETTLE_BOUNCES; i++) {
        prop_radiosity_bounce(map->props, env->threads, radiosity_look, &radiosity);
        radiosity_take_props(&radiosity);
    }
    radiosity_free(&radiosity);
}
