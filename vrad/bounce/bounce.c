#include "vrad/bounce/bounce.h"

#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/farm/env_loop.h"
#include "common/farm/rank_values.h"
#include "common/parallel/parallel.h"
#include "vrad/bounce/bounce_denoise.h"
#include "vrad/bounce/face_gather.h"
#include "vrad/luxels/luxel_state.h"
#include "vrad/scene/hemisphere.h"

/* How much is done for the light. */
struct bounce_effort {
    double spacing, transport_spacing; /* units between points */
    double tolerance;
    double worth;       /* of a shadow ray to a secondary light, times the usual one */
    int rays, max_step; /* of a gather point: the usual number, and bounce_rays_step at most */
    bool aims;          /* the rays of some points are aimed */
};

static const struct bounce_effort usual_effort = {.spacing = 80,
                                                  .transport_spacing = 64,
                                                  .tolerance = 0.12,
                                                  .worth = 1,
                                                  .rays = GATHER_DEFAULT_RAYS,
                                                  .max_step = BOUNCE_USUAL_MAX,
                                                  .aims = true};
static const struct bounce_effort coarse_effort = {.spacing = 256,
                                                   .transport_spacing = 128,
                                                   .tolerance = 1,
                                                   .worth = 10,
                                                   .rays = GATHER_DEFAULT_RAYS / 2,
                                                   .max_step = -1,
                                                   .aims = false};

static struct bounce_effort effort_of(const struct bounce_options *options)
{
    struct bounce_effort effort = options->coarse ? coarse_effort : usual_effort;
    if (options->coarse)
        return effort;
    effort.rays = sample_count(options->rays, GATHER_DEFAULT_RAYS, GATHER_RAYS);
    if (options->spacing > 0)
        effort.spacing = options->spacing;
    if (options->tolerance > 0)
        effort.tolerance = options->tolerance;
    return effort;
}

enum {
    /* Rays per transport point, and for the whole map, with which there are enough. */
    MAX_TRANSPORT_RAYS = 256,
    ENOUGH_RAYS = 1 << 18,
    FINE_RAYS = 32, /* of a block of subluxels, or of a luxel in steep light */
};

static void gather_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct gather_job *shared = context;
    struct face_light *light = &shared->map->faces[face];
    struct face_gather at;
    progress_step(shared->progress);
    transport_place_face(shared->transport, (int)face);
    if (!irradiance_grid_points(&shared->transport->of_face[face].grid))
        return;
    face_gather_open(shared, (int)face, &at);
    face_refine(&at);
    bounce_denoise(light, at.smooth, arrlen(at.smooth), at.known, at.variance);
    bounced_store(light, at.smooth, (int)arrlen(at.smooth), at.known, shared->map->narrow);
    shared->counts[face] = at.counts;
    face_gather_close(&at);
}

/* A ranks_pack. */
static void pack_face(void *context, size_t face, struct bytes *out)
{
    const struct gather_job *shared = context;
    luxel_state_append_bounced(&shared->map->faces[face], out);
    bytes_append(out, &shared->counts[face], sizeof shared->counts[face]);
}

/* A ranks_unpack. */
static void unpack_face(void *context, size_t face, struct byte_reader *from)
{
    struct gather_job *shared = context;
    struct byte_reader look = *from;
    if (!luxel_state_look_bounced(&look, &shared->map->faces[face]) ||
        !rank_has(&look, 1, sizeof shared->counts[face])) {
        from->failed = true;
        return;
    }
    luxel_state_take_bounced(from, &shared->map->faces[face]);
    read_into(from, &shared->counts[face], sizeof shared->counts[face]);
}

static void count_transport(const struct transport_rays *transport, struct bounce_counts *counts)
{
    for (int i = 0; i < transport->radiosity->map->face_count; i++) {
        const struct face_transport *traced = &transport->of_face[i];
        counts->secondary_rays += traced->secondary_rays;
        if (irradiance_grid_points(&traced->grid))
            counts->rays += (int64_t)irradiance_grid_points(&traced->grid) * transport->table->rays;
    }
}

/* Few rays per transport point are enough, since the final gather averages over many points; small
 * maps have few points. */
static int transport_ray_count(int64_t points)
{
    int rays = GATHER_PARTS;
    while (rays < MAX_TRANSPORT_RAYS && 2 * rays * points <= ENOUGH_RAYS)
        rays *= 2;
    return rays;
}

struct transport_job {
    struct gather_table table, fine_table;
    struct transport_rays transport;
    struct subluxel_rays subluxels;
    struct steep_luxels steep;
    struct bounce_solution *solution;
    struct bounce_rays estimates;
    struct ray_guide guide;
};

/* The rays where the light is finer than transport points and luxels. */
static void trace_fine(const struct env *env, struct transport_job *job)
{
    struct transport_rays *transport = &job->transport;
    gather_table_init(&job->fine_table, FINE_RAYS, GATHER_PLAIN);
    subluxel_rays_trace(env, transport->radiosity, &job->fine_table, &job->subluxels);
    steep_luxels_find(env, transport, &job->fine_table, &job->steep);
    transport->subluxels = &job->subluxels;
    transport->steep = &job->steep;
}

/* Computes all bounces but the last on transport points of their own: these keep the sum of the
 * light over each face, while those of the final gather need its borders. */
static int solve(const struct env *env, struct radiosity *radiosity,
                 const struct secondary_lights *secondary, struct culled_lights *views,
                 const struct bounce_effort *effort, int bounces, struct bounce_counts *counts,
                 struct transport_job *job)
{
    struct transport_rays *transport = &job->transport;
    transport_rays_init(radiosity, secondary, views, effort->transport_spacing, true, transport);
    transport_rays_place(env, transport);
    gather_table_init(&job->table, transport_ray_count(transport->points), GATHER_PLAIN);
    transport_rays_trace(env, transport, &job->table);
    int followed = 0;
    if (env_stopped(env))
        return followed;
    trace_fine(env, job);
    job->solution = bounce_solve(env, transport, bounces, &followed);
    if (!radiosity->map->narrow) { /* all luxels have their light */
        bounce_solution_free(job->solution);
        job->solution = NULL;
    }
    if (env_stopped(env))
        return followed;
    bounce_rays_estimate(env, transport, effort->max_step, &job->estimates);
    if (effort->aims)
        ray_guide_build(env, transport, &job->guide);
    count_transport(transport, counts);
    return followed;
}

static void free_transport(struct transport_job *job)
{
    bounce_rays_free(&job->estimates);
    ray_guide_free(&job->guide);
    bounce_solution_free(job->solution);
    transport_rays_free(&job->transport);
    gather_table_free(&job->table);
    subluxel_rays_free(&job->subluxels);
    steep_luxels_free(&job->steep);
    gather_table_free(&job->fine_table);
}

static void report(struct progress *progress, const struct gather_job *shared,
                   struct bounce_counts counts, int bounces)
{
    for (int i = 0; i < shared->map->face_count; i++) {
        counts.points += shared->counts[i].points;
        counts.rays += shared->counts[i].rays;
        counts.secondary_rays += shared->counts[i].secondary_rays;
    }
    progress_count(progress, "bounces", bounces);
    progress_count(progress, "bounce points", counts.points);
    progress_count(progress, "bounce rays", counts.rays);
    progress_count(progress, "secondary-light shadow rays", counts.secondary_rays);
}

void bounce_light(const struct env *env, const struct scene *scene, struct luxel_map *map,
                  const struct bounce_options *options)
{
    const struct vec3 sky = options->sky;
    if (options->bounces <= 0 && sky.x <= 0 && sky.y <= 0 && sky.z <= 0)
        return;
    size_t faces = (size_t)map->face_count;
    struct radiosity radiosity;
    struct secondary_lights secondary = {.radiosity = &radiosity};
    struct gather_tables tables;
    struct transport_rays transport;
    const struct bounce_effort effort = effort_of(options);
    progress_begin(env->progress, "bounced light", faces);
    radiosity_init(&radiosity, scene, map, sky);
    if (options->bounces > 0)
        secondary_lights_find(&radiosity, &secondary);
    struct culled_lights *views = memory_zalloc(faces + 1, sizeof *views);
    struct transport_job job = {.table = {.rays = 0}};
    int bounces = 0;
    struct bounce_counts counts = {0};
    if (options->bounces > 0)
        bounces = 1 + solve(env, &radiosity, &secondary, views, &effort, options->bounces - 1,
                            &counts, &job);
    transport_rays_init(&radiosity, &secondary, views, effort.spacing, false, &transport);
    gather_tables_init(&tables, effort.rays);
    struct gather_job shared = {&transport,
                                &tables,
                                &job.estimates,
                                &job.guide,
                                job.table.rays == GATHER_PARTS,
                                effort.rays,
                                map,
                                effort.tolerance,
                                effort.worth,
                                memory_zalloc(faces + 1, sizeof *shared.counts),
                                env->progress};
    env_loop(env, &(struct ranks_loop){.count = faces,
                                       .item = gather_face,
                                       .context = &shared,
                                       .pack = pack_face,
                                       .unpack = unpack_face,
                                       .progress = env->progress});
    progress_end(env->progress);
    report(env->progress, &shared, counts, bounces);
    memory_free(shared.counts);
    transport_rays_free(&transport);
    gather_tables_free(&tables);
    if (options->bounces > 0)
        free_transport(&job);
    for (size_t i = 0; i < faces; i++)
        culled_lights_free(&views[i]);
    memory_free(views);
    secondary_lights_free(&secondary);
    radiosity_free(&radiosity);
}
