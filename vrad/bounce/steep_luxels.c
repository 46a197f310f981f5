#include "vrad/bounce/steep_luxels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/farm/env_loop.h"
#include "common/farm/rank_values.h"
#include "common/parallel/parallel.h"
#include "vrad/bounce/bounce_solve.h"

/* The light of transport points around a luxel: brightest to darkest; and their difference,
 * reflected, relative to the mean radiosity of the map. */
#define MIN_CONTRAST   8.0f
#define MIN_DIFFERENCE 0.25

/* Only so many luxels, and one of so many of all, have rays of their own: those in the steepest
 * light. */
enum { MAX_COUNT = 512, MAX_SHARE = 256 };

/* Bounces that are looked at: what a lamp lights reflects its light onto what it does not light,
 * and that may lie as close before it as a panel before the wall that it lights. */
enum { BOUNCES = 2 };

/* The light of a bounce at the points: one brightness for each, by face. */
struct early_bounce {
    const struct transport_rays *transport;
    float **light;     /* NULL: of a face without points */
    float *reflected;  /* one per luxel: of the bounce before; zeros in the first */
    double mean;       /* radiosity of direct light */
    float *difference; /* one per luxel, of the reflected light around it; 0: it is not steep */
};

static size_t points_of(const struct transport_rays *transport, size_t face)
{
    return (size_t)irradiance_grid_points(&transport->of_face[face].grid);
}

static float brightness_seen(const struct early_bounce *early, uint32_t seen)
{
    const struct radiosity *radiosity = early->transport->radiosity;
    size_t luxel = radiosity_whole(radiosity, seen & ~GATHER_CLAMPED);
    return transport_brightness(early->transport, seen) +
           (luxel < radiosity_sky(radiosity) ? early->reflected[luxel] : 0);
}

static void gather_face(void *context, size_t face, int thread)
{
    struct early_bounce *early = context;
    const struct face_transport *traced = &early->transport->of_face[face];
    size_t rays = (size_t)early->transport->table->rays;
    (void)thread;
    if (!traced->seen)
        return;
    size_t points = points_of(early->transport, face);
    early->light[face] = memory_alloc(points * sizeof **early->light);
    for (size_t i = 0; i < points; i++) {
        float sum = 0;
        for (size_t k = 0; k < rays; k++)
            sum += brightness_seen(early, traced->seen[i * rays + k]);
        early->light[face][i] = sum / (float)rays + mean_channel(traced->secondary + 3 * i);
    }
}

/* The mean of the points around each luxel, reflected. */
static void reflect_face(void *context, size_t face, int thread)
{
    struct early_bounce *early = context;
    const struct radiosity *radiosity = early->transport->radiosity;
    const struct face_light *light = &radiosity->map->faces[face];
    float share = mean_channel(light->reflectivity) / 4, *reflected;
    (void)thread;
    reflected = early->reflected + radiosity->first[face];
    for (int i = 0; early->light[face] && i < light->count; i++) {
        int points[4];
        irradiance_grid_around(light, &early->transport->of_face[face].grid, i, points);
        reflected[i] = 0;
        for (int p = 0; p < 4; p++)
            reflected[i] += share * early->light[face][points[p]];
    }
}

/* A ranks_pack_rest: of the faces whose rays this rank has. */
static void pack_own(void *context, struct bytes *out)
{
    const struct early_bounce *early = context;
    for (size_t i = 0; i < (size_t)early->transport->radiosity->map->face_count; i++) {
        if (!early->light[i])
            continue;
        bytes_u32(out, (uint32_t)i);
        bytes_append(out, early->light[i], points_of(early->transport, i) * sizeof(float));
    }
}

/* A ranks_unpack_rest. */
static void unpack_others(void *context, struct byte_reader *from)
{
    const struct early_bounce *early = context;
    while (from->at < from->size && !from->failed) {
        uint32_t face = read_u32(from);
        /* Each face is of one rank. */
        if (face >= (uint32_t)early->transport->radiosity->map->face_count || early->light[face] ||
            !rank_has(from, points_of(early->transport, face), sizeof(float))) {
            from->failed = true;
            return;
        }
        early->light[face] = memory_alloc((points_of(early->transport, face) + 1) * sizeof(float));
        rank_floats(from, early->light[face], points_of(early->transport, face));
    }
}

struct light_range {
    float low, high;
};

static void widen_range(struct light_range *range, float light)
{
    range->low = portable_fminf(range->low, light);
    range->high = portable_fmaxf(range->high, light);
}

/* Of the points around a luxel. */
static struct light_range range_around(const struct early_bounce *early, size_t face, int luxel)
{
    struct light_range range = {INFINITY, 0};
    int points[4];
    irradiance_grid_around(&early->transport->radiosity->map->faces[face],
                           &early->transport->of_face[face].grid, luxel, points);
    for (int p = 0; p < 4; p++)
        widen_range(&range, early->light[face][points[p]]);
    return range;
}

/* Of those whose light is interpolated: the luxel sees them. */
static struct light_range range_seen(const struct early_bounce *early, size_t face,
                                     const struct point_views *views, int luxel)
{
    const struct point_blend blend =
        point_blend_at(early->transport->radiosity, (int)face,
                       &early->transport->of_face[face].grid, views, luxel);
    struct light_range range = {INFINITY, 0};
    for (int p = 0; p < 4; p++)
        if (blend.weight[p] > 0 || blend.weight[p] < 0)
            widen_range(&range, early->light[face][blend.point[p]]);
    return range;
}

static bool is_steep(const struct early_bounce *early, const struct face_light *light,
                     struct light_range range)
{
    return range.high > MIN_CONTRAST * range.low &&
           (double)((range.high - range.low) * mean_channel(light->reflectivity)) >
               MIN_DIFFERENCE * early->mean;
}

/* The difference of the reflected light of the points around a luxel; 0: it is interpolated. */
static float difference_at(const struct early_bounce *early, size_t face,
                           const struct point_views *views, int luxel)
{
    const struct face_light *light = &early->transport->radiosity->map->faces[face];
    struct light_range range = range_around(early, face, luxel);
    if (!is_steep(early, light, range) || !(luxel_area(light, luxel) > 0) ||
        luxel_is_hidden(light, luxel))
        return 0;
    range = range_seen(early, face, views, luxel);
    return is_steep(early, light, range)
               ? (range.high - range.low) * mean_channel(light->reflectivity)
               : 0;
}

static void look_at_face(void *context, size_t face, int thread)
{
    struct early_bounce *early = context;
    const struct radiosity *radiosity = early->transport->radiosity;
    float *difference = early->difference + radiosity->first[face];
    (void)thread;
    if (!early->light[face])
        return;
    /* As if no cell were open: whatever is seen is traced. */
    struct point_views views = {.open = memory_zalloc(points_of(early->transport, face) + 1, 1)};
    for (int i = 0; i < radiosity->map->faces[face].count; i++)
        difference[i] = portable_fmaxf(difference[i], difference_at(early, face, &views, i));
    point_views_free(&views);
}

/* Descending. */
static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* Above it light is steep. */
static float limit_of(const struct early_bounce *early)
{
    size_t luxels = radiosity_sky(early->transport->radiosity),
           max = MAX_COUNT + luxels / MAX_SHARE;
    float *steep = NULL, limit = 0;
    for (size_t i = 0; i < luxels; i++)
        if (early->difference[i] > 0)
            arrput(steep, early->difference[i]);
    if (arrlenu(steep) > max) {
        qsort(steep, arrlenu(steep), sizeof *steep, by_value);
        limit = steep[max];
    }
    arrfree(steep);
    return limit;
}

/* The area-weighted mean radiosity of the luxels. */
static double mean_radiosity(const struct radiosity *radiosity)
{
    double sum = 0, area = 0;
    for (int f = 0; f < radiosity->map->face_count; f++) {
        const struct face_light *face = &radiosity->map->faces[f];
        for (int i = 0; face->width > 0 && i < face->count; i++) {
            float out[3];
            radiosity_evaluate_luxel(radiosity, f, i, out);
            sum += (double)(luxel_area(face, i) * mean_channel(out));
            area += (double)luxel_area(face, i);
        }
    }
    return area > 0 ? sum / area : 0;
}

static void list_steep(const struct early_bounce *early, struct steep_luxels *out)
{
    const struct radiosity *radiosity = early->transport->radiosity;
    const float limit = limit_of(early);
    for (size_t i = 0; i < radiosity_sky(radiosity); i++)
        if (early->difference[i] > limit)
            luxel_set_add(&out->set, i);
    out->luxels = memory_alloc(((size_t)luxel_set_rank_all(&out->set) + 1) * sizeof *out->luxels);
    for (int f = 0; f < radiosity->map->face_count; f++) {
        const struct face_light *face = &radiosity->map->faces[f];
        for (int i = 0; face->width > 0 && i < face->count; i++)
            if (luxel_set_has(&out->set, radiosity->first[f] + (size_t)i))
                out->luxels[out->count++] = (struct steep_luxel){f, i};
    }
    out->seen = memory_alloc((out->count * (size_t)out->table->rays + 1) * sizeof *out->seen);
    out->light = memory_zalloc(3 * out->count + 1, sizeof *out->light);
}

struct trace_job {
    const struct radiosity *radiosity;
    struct steep_luxels *steep;
};

static void trace_luxel(void *context, size_t number, int thread)
{
    const struct trace_job *job = context;
    const struct steep_luxel at = job->steep->luxels[number];
    struct gather_point point = gather_point_at(job->radiosity, at.face, at.luxel, NULL);
    (void)thread;
    point.cache_slot = 0;
    point.slots = 1;
    gather_trace(job->radiosity, job->steep->table, &point, 1,
                 job->steep->seen + number * (size_t)job->steep->table->rays);
}

static void emit_direct(void *context, size_t face, int thread)
{
    (void)thread;
    if (((struct radiosity *)context)->map->faces[face].width > 0)
        radiosity_set_face(context, (int)face, NULL);
}

/* As before: only the sky and props emit. */
static void emit_nothing(struct radiosity *radiosity)
{
    size_t first = radiosity_subluxel(radiosity, 0), end = radiosity_count(radiosity);
    memset(radiosity->leaving, 0, 3 * radiosity_sky(radiosity) * sizeof *radiosity->leaving);
    memset(radiosity->leaving + 3 * first, 0, 3 * (end - first) * sizeof *radiosity->leaving);
}

static void free_light(struct early_bounce *early)
{
    for (int i = 0; i < early->transport->radiosity->map->face_count; i++) {
        memory_free(early->light[i]);
        early->light[i] = NULL;
    }
}

static void look_at_bounces(const struct env *env, struct early_bounce *early)
{
    size_t faces = (size_t)early->transport->radiosity->map->face_count;
    for (int i = 0; i < BOUNCES; i++) {
        if (i > 0)
            parallel_for(env->threads, faces, reflect_face, early);
        free_light(early);
        parallel_for(env->threads, faces, gather_face, early);
        env_exchange(env, early, pack_own, unpack_others);
        parallel_for(env->threads, faces, look_at_face, early);
    }
    free_light(early);
}

/* For as long as the surfaces emit their direct light. */
static void look_at_direct(const struct env *env, struct radiosity *radiosity,
                           struct early_bounce *early)
{
    size_t faces = (size_t)radiosity->map->face_count;
    bool emits = radiosity->emits;
    radiosity->emits = true;
    early->mean = mean_radiosity(radiosity);
    if (radiosity->leaving) {
        parallel_for(env->threads, faces, emit_direct, radiosity);
        radiosity_take_subluxels(radiosity);
    }
    look_at_bounces(env, early);
    radiosity->emits = emits;
    if (radiosity->leaving)
        emit_nothing(radiosity);
}

void steep_luxels_find(const struct env *env, const struct transport_rays *transport,
                       const struct gather_table *table, struct steep_luxels *out)
{
    struct radiosity *radiosity = transport->radiosity;
    size_t faces = (size_t)radiosity->map->face_count, luxels = radiosity_sky(radiosity);
    struct early_bounce early = {.transport = transport,
                                 .light = memory_zalloc(faces + 1, sizeof *early.light),
                                 .reflected = memory_zalloc(luxels + 1, sizeof *early.reflected),
                                 .difference = memory_zalloc(luxels + 1, sizeof *early.difference)};
    struct trace_job job = {radiosity, out};
    *out = (struct steep_luxels){.table = table, .set = luxel_set_new(luxels)};
    look_at_direct(env, radiosity, &early);
    list_steep(&early, out);
    parallel_for(env->threads, out->count, trace_luxel, &job);
    memory_free(early.light);
    memory_free(early.reflected);
    memory_free(early.difference);
}

void steep_luxels_free(struct steep_luxels *steep)
{
    luxel_set_free(&steep->set);
    memory_free(steep->luxels);
    memory_free(steep->seen);
    memory_free(steep->light);
    *steep = (struct steep_luxels){0};
}

struct bounce_job {
    const struct steep_luxels *steep;
    seen_light_look *look;
    const void *context;
    float *light; /* apart from that of the luxels, which `look` may read */
};

static void bounce_to(void *context, size_t number, int thread)
{
    const struct bounce_job *job = context;
    size_t rays = (size_t)job->steep->table->rays;
    (void)thread;
    seen_light_mean(job->look, job->context, job->steep->seen + number * rays, rays,
                    job->light + 3 * number);
}

void steep_luxels_bounce(const struct env *env, struct steep_luxels *steep, seen_light_look *look,
                         const void *context)
{
    size_t numbers = 3 * steep->count;
    struct bounce_job job = {steep, look, context, memory_alloc((numbers + 1) * sizeof *job.light)};
    parallel_for(env->threads, steep->count, bounce_to, &job);
    memcpy(steep->light, job.light, numbers * sizeof *job.light);
    memory_free(job.light);
}
