#include "vrad/reference/reference.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/farm/env_loop.h"
#include "common/geom/angle.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_set.h"
#include "vrad/luxels/luxel_samples.h"
#include "vrad/luxels/luxel_state.h"
#include "vrad/reference/emitters.h"
#include "vrad/reference/luxel_errors.h"
#include "vrad/reference/walk.h"
#include "vrad/scene/hemisphere.h"

/* Light of a uniform hemisphere in a bump direction. */
#define BUMP_SHARE 0.78867513459481288

/* A light is chosen in proportion to the part of a few rays that see it, and this at least. */
#define MIN_SEEN 0.05f

/* Packets of paths before their error tells whether there are enough; then they grow by half each
 * time. */
enum { FIRST_PACKETS = 16 };

/* Luxels to each side whose paths tell how far those of a luxel scatter. Its own do not alone: they
 * scatter little as long as they have missed what is small and bright, and luxels that stop then
 * would be too dark. */
enum { SCATTER_REACH = 2 };

/* Paths per luxel that tell what is bright; and rays that tell what sees it, as a part of all
 * paths. */
enum { FEW_PATHS = 32 };
#define SHARE_RAYS 0.5

struct job {
    struct walk_job walk; /* first: what the paths need */
    struct luxel_map *map;
    struct luxel_errors *errors; /* or NULL */
    float *rooms;                /* `room` numbers per thread */
    size_t room;
    struct target_weights *weights; /* TRACE_PACKET per thread */
};

/* A luxel of which paths are traced. */
struct luxel_paths {
    const struct job *job;
    struct face_light *face;
    int luxel;
    uint64_t seed;
    struct vec3 axis[LUXEL_SLOTS];
    struct vec3 surface;
    struct luxel_sample samples[LUXEL_FINE];
    int sample_count;
    float *shares; /* one per light: see lights_pick */
    /* Sums of what lights send straight to it, of the first hits of paths, and of what they find
     * later. */
    double direct[BSP_FACE_STYLES][LUXEL_SLOTS][3];
    double emitted[WALK_RAYS][LUXEL_SLOTS][3], light[WALK_RAYS][LUXEL_SLOTS][3];
    double weight[LUXEL_SLOTS]; /* of scattered rays */
    int packets;
    bool has_enough;
    /* Of the means of the packets, grey and flat, by style. */
    double mean[BSP_FACE_STYLES], total[BSP_FACE_STYLES], squares[BSP_FACE_STYLES];
};

static double grey(const double colour[3])
{
    return (colour[0] + colour[1] + colour[2]) / 3;
}

/* ---- the places of a packet ---- */

/* A new pattern of points after all of one. */
static void find_places(struct luxel_paths *of, struct walk *walk)
{
    const struct face_light *face = of->face;
    int first = of->packets * TRACE_PACKET;
    if (first % LUXEL_FINE == 0)
        of->sample_count =
            luxel_samples_seeded(of->job->map, of->job->walk.scene, face, of->luxel,
                                 hash_pair(~of->seed, (uint64_t)first), LUXEL_FINE, of->samples);
    for (int i = 0; i < TRACE_PACKET && of->sample_count; i++) {
        const struct luxel_sample *sample = &of->samples[(first + i) % of->sample_count];
        walk->ends.at[i] = (struct light_place){.point = vec3_from_floats(sample->point),
                                                .start = vec3_from_floats(sample->origin),
                                                .normal = of->axis[0],
                                                .surface = of->surface,
                                                .cluster = -1};
        walk->ends.areas[i] = face->area;
        walk->ends.faces[i] = (int)(face - of->job->map->faces);
        walk->seeds[i] = hash_pair(of->seed, (uint64_t)first + (uint64_t)i);
    }
    walk->drawn = 0;
}

/* ---- direct light ---- */

static uint32_t sees(const struct luxel_paths *of, const struct walk *walk, uint32_t lanes,
                     const struct walk_light lights[TRACE_PACKET])
{
    return of->face->no_shadows ? lanes : walk_sees(walk, lanes, lights);
}

static void add_seen(struct luxel_paths *of, int style, uint32_t seen,
                     const struct walk_light lights[TRACE_PACKET])
{
    for (; seen; seen &= seen - 1) {
        const struct walk_light *light = &lights[__builtin_ctz(seen)];
        for (int j = 0; j < of->face->slots; j++) {
            double share =
                light->attenuation * portable_fmax(vec3_dot(light->direction, of->axis[j]), 0);
            for (int k = 0; k < 3; k++)
                of->direct[style][j][k] += share * light->colour[k];
            if (j == 0)
                of->mean[style] += share * grey(light->colour) / (double)TRACE_PACKET;
        }
    }
}

static void weigh_lights(const struct luxel_paths *of, struct walk *walk)
{
    const struct walk_job *job = &of->job->walk;
    const struct light_filter filter = {.skipped = job->emitters->replaces, .all_styles = true};
    lights_weigh(job->scene, job->lights, &filter, (1u << TRACE_PACKET) - 1, walk->ends.at,
                 walk->light_weights);
}

/* One light of each style for each place, and an emitter that rays do not hit. */
static void add_direct(struct luxel_paths *of, struct walk *walk)
{
    struct walk_light lights[TRACE_PACKET];
    weigh_lights(of, walk);
    for (int s = 0; s < of->face->style_count; s++) {
        uint32_t found = 0;
        for (int i = 0; i < TRACE_PACKET; i++)
            if (walk_sample_light(walk, i, of->face->styles[s], walk_draw(walk, i), of->shares,
                                  &lights[i]))
                found |= 1u << i;
        add_seen(of, s, sees(of, walk, found, lights), lights);
    }
    if (!of->job->walk.emitters->any_unhit || !of->face->style_count)
        return;
    uint32_t found = 0;
    for (int i = 0; i < TRACE_PACKET; i++)
        if (walk_sample_emitter(walk, i, &lights[i]))
            found |= 1u << i;
    add_seen(of, 0, sees(of, walk, found, lights), lights);
}

/* Finds which lights a few rays see. They are no part of the light, so that it stays unbiased. */
static void find_shares(struct luxel_paths *of, struct walk *walk)
{
    const struct light_set *set = of->job->walk.lights;
    struct walk_light lights[TRACE_PACKET];
    for (int i = 0; i < TRACE_PACKET; i++)
        walk->seeds[i] = hash_pair(~of->seed, (uint64_t)i);
    weigh_lights(of, walk);
    for (ptrdiff_t n = 0; n < arrlen(set->lights); n++) {
        const float *weights = walk->light_weights + n * TRACE_PACKET;
        uint32_t lit = 0;
        for (int i = 0; i < TRACE_PACKET; i++)
            if (weights[i] > 0) {
                walk_take_light(walk, i, &set->lights[n], &lights[i]);
                lit |= 1u << i;
            }
        uint32_t seen = lit ? sees(of, walk, lit, lights) : 0;
        of->shares[n] =
            MIN_SEEN + (1 - MIN_SEEN) * (float)__builtin_popcount(seen) / (float)TRACE_PACKET;
    }
}

/* ---- paths ---- */

/* Half of the directions of a bumped luxel are uniform over the hemisphere. */
static struct vec3 first_direction(struct walk *walk, int lane, const struct luxel_paths *of)
{
    double square[2];
    struct vec3 x, y;
    walk_draw_many(walk, lane, 2, square);
    struct vec3 local = square_to_cosine(square);
    if (of->face->slots > 1 && lane % 2) {
        double r = sqrt(portable_fmax(1 - square[0] * square[0], 0)), angle = 2 * PI * square[1];
        local = vec3(r * portable_cos(angle), r * portable_sin(angle), square[0]);
    }
    frame_around(of->axis[0], &x, &y);
    return frame_point(local, x, y, of->axis[0]);
}

/* Adds what has come along one of the first rays of a path. Weight of a slot: its cosine over PI,
 * divided by the density of scattered rays, by which the paths are weighed already. */
static void add_path(const struct walk *walk, int lane, int kind, struct vec3 way,
                     struct luxel_paths *of)
{
    const double *emitted = walk->emitted[kind][lane], *light = walk->light[kind][lane];
    double cosine = portable_fmax(vec3_dot(way, of->axis[0]), 0);
    for (int j = 0; j < of->face->slots; j++) {
        double along = portable_fmax(vec3_dot(way, of->axis[j]), 0);
        double weight = of->face->slots > 1 ? 2 * along / (cosine + 0.5) : 1;
        if (kind == WALK_SCATTERED)
            of->weight[j] += weight;
        for (int k = 0; k < 3; k++) {
            of->emitted[kind][j][k] += weight * emitted[k];
            of->light[kind][j][k] += weight * light[k];
        }
        if (j == 0)
            of->mean[0] += weight * (grey(emitted) + grey(light)) / (double)TRACE_PACKET;
    }
}

static void trace_paths(struct luxel_paths *of, struct walk *walk)
{
    struct vec3 ways[WALK_RAYS][TRACE_PACKET];
    walk->ends.alive = 0;
    walk->is_first = true;
    memset(walk->light, 0, sizeof walk->light);
    memset(walk->emitted, 0, sizeof walk->emitted);
    memset(walk->roots, 0, sizeof walk->roots);
    walk_weigh_targets(walk, (1u << TRACE_PACKET) - 1);
    for (int i = 0; i < TRACE_PACKET; i++) {
        for (int k = 0; k < 3; k++)
            walk->ends.throughput[i][k] = 1;
        walk->ends.left[i] = walk->job->options->bounces;
        ways[WALK_SCATTERED][i] = first_direction(walk, i, of);
        ways[WALK_AIMED][i] = of->axis[0];
        if (walk_set_rays(walk, i, of->face->slots > 1, ways[WALK_SCATTERED][i],
                          &ways[WALK_AIMED][i]))
            walk->ends.alive |= 1u << i;
    }
    while (walk->ends.alive)
        walk_step(walk);
    for (int i = 0; i < TRACE_PACKET; i++)
        for (int kind = 0; kind < WALK_RAYS; kind++)
            add_path(walk, i, kind, ways[kind][i], of);
}

static void trace_packet(struct luxel_paths *of, struct walk *walk)
{
    memset(of->mean, 0, sizeof of->mean);
    find_places(of, walk);
    add_direct(of, walk);
    trace_paths(of, walk);
    of->packets++;
    for (int s = 0; s < BSP_FACE_STYLES; s++) {
        of->total[s] += of->mean[s];
        of->squares[s] += of->mean[s] * of->mean[s];
    }
}

/* ---- luxels ---- */

/* The variance of the means of packets. */
static double scatter_of(const struct luxel_paths *of, int style)
{
    double count = of->packets, mean = of->total[style] / count;
    double square = of->squares[style] / count - mean * mean;
    return count > 1 ? portable_fmax(square, 0) * count / (count - 1) : mean * mean;
}

/* Standard error of the mean of the packets. */
static double error_of(const struct luxel_paths *of, int style)
{
    return sqrt(scatter_of(of, style) / of->packets);
}

/* The means of the luxels around, all of `face`, whose paths are `of`. */
static void mean_around(const struct luxel_paths *of, const struct face_light *face, int luxel,
                        int style, double *light, double *scatter)
{
    int s = luxel % face->width, t = luxel / face->width, count = 0;
    *light = *scatter = 0;
    for (int j = t - SCATTER_REACH; j <= t + SCATTER_REACH; j++) {
        for (int i = s - SCATTER_REACH; i <= s + SCATTER_REACH; i++) {
            if (i < 0 || i >= face->width || j < 0 || j >= face->height)
                continue;
            const struct luxel_paths *other = &of[j * face->width + i];
            if (!other->packets)
                continue;
            *light += other->total[style] / other->packets;
            *scatter += scatter_of(other, style);
            count++;
        }
    }
    *light /= count;
    *scatter /= count;
}

static bool is_enough(const struct luxel_paths *of, const struct face_light *face, int luxel)
{
    double wanted = of->job->walk.options->error;
    for (int s = 0; s < face->style_count || s == 0; s++) {
        double packets = of[luxel].packets, own = of[luxel].total[s] / packets, light, scatter;
        mean_around(of, face, luxel, s, &light, &scatter);
        if (error_of(&of[luxel], s) > wanted * portable_fmax(own, REFERENCE_FLOOR) ||
            sqrt(scatter / packets) > wanted * portable_fmax(light, REFERENCE_FLOOR))
            return false;
    }
    return true;
}

/* On bumped faces the weights of scattered rays are known on average, and light is divided by what
 * they are instead, so that even light is even; the bias is of the order of one path. */
static void store_luxel(const struct luxel_paths *of)
{
    struct face_light *face = of->face;
    double paths = of->packets * TRACE_PACKET;
    for (int j = 0; j < face->slots; j++) {
        double share = (j ? BUMP_SHARE : 1) / portable_fmax(of->weight[j], 1e-9);
        for (int k = 0; k < 3; k++) {
            int at = 3 * (j * face->count + of->luxel) + k;
            double emitted =
                of->emitted[WALK_SCATTERED][j][k] * share + of->emitted[WALK_AIMED][j][k] / paths;
            face->indirect[at] = (float)(of->light[WALK_SCATTERED][j][k] * share +
                                         of->light[WALK_AIMED][j][k] / paths);
            for (int s = 0; s < face->style_count; s++)
                face->direct[s][at] = (float)(of->direct[s][j][k] / paths + (s == 0 ? emitted : 0));
        }
    }
    if (!of->job->errors)
        return;
    const struct face_errors *errors = &of->job->errors->faces[face - of->job->map->faces];
    errors->paths[of->luxel] = (uint32_t)paths;
    for (int s = 0; s < face->style_count || s == 0; s++)
        errors->errors[s * face->count + of->luxel] = (float)error_of(of, s);
}

static void luxel_paths_begin(const struct job *job, struct face_light *face, int luxel,
                              struct luxel_paths *of)
{
    struct luxel room;
    const struct luxel *at = luxel_of(face, luxel, &room);
    *of = (struct luxel_paths){
        .job = job,
        .face = face,
        .luxel = luxel,
        .seed = hash_pair(luxel_seed(job->map, face, luxel), job->walk.options->seed)};
    of->axis[0] = vec3_from_floats(luxel_normal(face, at));
    of->surface = face->mesh ? of->axis[0] : face->normal;
    if (face->slots > 1)
        luxel_bump_basis(job->walk.scene, face, at, of->axis + 1);
}

/* Up to so many packets in all. */
static void trace_packets(struct luxel_paths *of, struct walk *walk, int packets, float *shares)
{
    if (of->has_enough)
        return;
    find_places(of, walk);
    of->has_enough = !of->sample_count;
    if (of->has_enough)
        return;
    of->shares = shares;
    find_shares(of, walk);
    while (of->packets < packets)
        trace_packet(of, walk);
}

/* All luxels have as many paths, but those that have enough. */
static void trace_face(struct luxel_paths *of, struct face_light *face, struct walk *walk,
                       float *shares)
{
    const struct reference_options *options = walk->job->options;
    int all = (options->paths + TRACE_PACKET - 1) / TRACE_PACKET;
    int packets = options->error > 0 && FIRST_PACKETS < all ? FIRST_PACKETS : all;
    while (true) {
        for (int i = 0; i < face->count; i++)
            trace_packets(&of[i], walk, packets, shares);
        if (packets >= all)
            return;
        for (int i = 0; i < face->count; i++)
            of[i].has_enough = of[i].has_enough || is_enough(of, face, i);
        packets = packets + packets / 2 < all ? packets + packets / 2 : all;
    }
}

static void light_face(void *context, size_t index, int thread)
{
    const struct job *job = context;
    size_t lights = arrlenu(job->walk.lights->lights);
    float *room = job->rooms + (size_t)thread * job->room;
    struct face_light *face = &job->map->faces[index];
    struct walk walk = {.job = &job->walk,
                        .light_weights = room,
                        .target_weights = job->weights + (size_t)thread * TRACE_PACKET};
    progress_step(job->walk.env->progress);
    struct luxel_paths *of = memory_alloc(((size_t)face->count + 1) * sizeof *of);
    for (int i = 0; i < face->count; i++)
        luxel_paths_begin(job, face, i, &of[i]);
    trace_face(of, face, &walk, room + job->room - lights);
    for (int i = 0; i < face->count; i++)
        if (of[i].packets)
            store_luxel(&of[i]);
    memory_free(of);
}

/* A ranks_pack. */
static void pack_face(void *context, size_t index, struct bytes *out)
{
    const struct job *job = context;
    luxel_state_append_direct(&job->map->faces[index], out);
    luxel_state_append_bounced(&job->map->faces[index], out);
    if (job->errors)
        luxel_errors_append_face(job->errors, job->map, (int)index, out);
}

/* A ranks_unpack. */
static void unpack_face(void *context, size_t index, struct byte_reader *from)
{
    const struct job *job = context;
    luxel_state_take_direct(from, &job->map->faces[index]);
    luxel_state_take_bounced(from, &job->map->faces[index]);
    if (job->errors)
        luxel_errors_read_face(job->errors, job->map, (int)index, from);
}

/* ---- all ---- */

static void trace_all(struct job *job, const char *phase)
{
    const struct env *env = job->walk.env;
    size_t threads = (size_t)env->threads, lights = arrlenu(job->walk.lights->lights);
    job->room = TRACE_PACKET * lights + lights + 1;
    job->rooms = memory_alloc(threads * job->room * sizeof *job->rooms);
    job->weights = memory_alloc(threads * TRACE_PACKET * sizeof *job->weights);
    progress_begin(env->progress, phase, (size_t)job->map->face_count);
    env_loop(env, &(struct ranks_loop){.count = (size_t)job->map->face_count,
                                       .item = light_face,
                                       .context = job,
                                       .pack = pack_face,
                                       .unpack = unpack_face,
                                       .progress = env->progress});
    progress_end(env->progress);
    memory_free(job->rooms);
    memory_free(job->weights);
}

/* The paths aim by the light that the map has now. */
static void find_targets(struct job *job, struct targets *targets)
{
    const struct walk_job *walk = &job->walk;
    targets_make(job->map, walk->emitters, targets);
    targets_find_shares(walk->env, walk->scene,
                        SHARE_RAYS * (double)walk->options->paths * (double)job->map->luxel_count,
                        targets);
    job->walk.targets = arrlen(targets->list) ? targets : NULL;
}

/* A few paths tell roughly what is bright by bounces, and beside texture lights. */
static void find_bright(struct job *job, struct targets *targets)
{
    struct reference_options few = *job->walk.options;
    const struct reference_options *options = job->walk.options;
    if (options->no_aim)
        return;
    few.paths = FEW_PATHS;
    few.seed = ~options->seed;
    find_targets(job, targets);
    job->walk.options = &few;
    trace_all(job, "bright surfaces");
    job->walk.options = options;
    targets_free(targets);
    find_targets(job, targets);
}

void reference_light(const struct env *env, const struct scene *scene,
                     const struct light_set *lights, const struct reference_options *options,
                     struct luxel_map *map, struct luxel_errors *errors)
{
    struct emitters emitters;
    struct targets *targets = memory_zalloc(1, sizeof *targets);
    emitters_make(scene, lights, map, &emitters);
    struct job job = {.walk = {.env = env,
                               .scene = scene,
                               .lights = lights,
                               .options = options,
                               .map = map,
                               .emitters = &emitters},
                      .map = map,
                      .errors = errors};
    job.walk.skybox_radiosity = (struct radiosity){.scene = scene, .map = map};
    if (lights->sky >= 0)
        job.walk.sky = lights->lights[lights->sky].intensity;
    for (int i = 0; i < map->face_count; i++) {
        struct face_light *face = &map->faces[i];
        if (face->count)
            face->indirect =
                memory_zalloc(3 * (size_t)face->slots * (size_t)face->count, sizeof(float));
    }
    if (errors)
        luxel_errors_init(map, errors);
    find_bright(&job, targets);
    trace_all(&job, "path tracing");
    targets_free(targets);
    emitters_free(&emitters);
    memory_free(targets);
}
