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
#include "vrad/luxels/radiosity.h"
#include "vrad/reference/light_choice.h"
#include "vrad/scene/hemisphere.h"

/* Light of a uniform hemisphere in a bump direction. */
#define BUMP_SHARE 0.78867513459481288

/* Paths with a throughput below this are subject to Russian roulette. */
#define ROULETTE_LIMIT 0.1

/* The triangle of a prop that a ray has hit is looked up in this fraction of its distance. */
#define NEAR_SHARE 1e-4f

struct job {
    const struct env *env;
    const struct scene *scene;
    const struct light_set *lights;
    const struct reference_options *options;
    const struct luxel_map *map;
    const struct radiosity *beyond;    /* where paths end on surfaces that are not near; or NULL */
    struct radiosity skybox_radiosity; /* for rays that cross the 3D skybox */
    struct vec3 sky;
    float *light_weights; /* TRACE_PACKET per light and thread */
};

/* 16 paths. */
struct walk {
    const struct job *job;
    float *light_weights;
    uint32_t alive;
    struct trace_ray rays[TRACE_PACKET];
    int areas[TRACE_PACKET];
    int left[TRACE_PACKET];              /* further bounces, at most */
    struct light_place at[TRACE_PACKET]; /* their last vertices */
    double throughput[TRACE_PACKET][3];  /* from the path's end to its start */
    double light[TRACE_PACKET][3];
    uint64_t seeds[TRACE_PACKET];
    uint64_t drawn; /* random numbers so far */
    const double (
        *scatter)[3]; /* choose the next direction and the light of each; NULL: random numbers do */
};

static double draw(struct walk *walk, int lane)
{
    return random_unit(walk->seeds[lane], walk->drawn++);
}

static void set_ray(struct trace_ray *ray, struct vec3 from, struct vec3 way)
{
    for (int k = 0; k < 3; k++) {
        ray->origin[k] = (float)from.e[k];
        ray->direction[k] = (float)way.e[k];
    }
    ray->near = 0;
    ray->far = INFINITY;
}

/* ---- direct light at a vertex ---- */

static struct vec3 onto_sun(struct walk *walk, int lane, const struct light *sun, struct vec3 way)
{
    double z = 1 - 2 * draw(walk, lane), angle = 2 * PI * draw(walk, lane);
    double r = sqrt(portable_fmax(1 - z * z, 0));
    return vec3_mad(way, vec3(r * portable_cos(angle), r * portable_sin(angle), z), sun->spread);
}

/* The lanes of `left` in the area of the first of them. */
static uint32_t lanes_of_one_area(const struct walk *walk, uint32_t left)
{
    uint32_t lanes = 0;
    int area = walk->areas[__builtin_ctz(left)];
    for (; left; left &= left - 1)
        if (walk->areas[__builtin_ctz(left)] == area)
            lanes |= left & -left;
    return lanes;
}

/* Returns the lanes whose rays to a sun or a local light are unoccluded. */
static uint32_t test_rays(const struct walk *walk, const struct trace_packet *packet, uint32_t suns,
                          uint32_t local_lights)
{
    const struct scene *scene = walk->job->scene;
    uint32_t sees = 0;
    uint32_t seen = local_lights ? local_lights & ~scene_blocked16(scene, packet, local_lights) : 0;
    seen = scene_through_alpha16(scene, packet, seen, false);
    while (suns) {
        uint32_t lanes = lanes_of_one_area(walk, suns);
        sees |= scene_sky16(scene, packet, lanes, false, walk->areas[__builtin_ctz(lanes)]);
        suns &= ~lanes;
    }
    return seen | scene_through_alpha16(scene, packet, sees, true);
}

/* Adds the direct light at the vertices of the paths in `lanes`. */
static void add_direct(struct walk *walk, uint32_t lanes)
{
    struct trace_packet packet = {0};
    struct light_choice choices[TRACE_PACKET];
    double random[TRACE_PACKET];
    uint32_t suns = 0, local_lights = 0;
    for (int i = 0; i < TRACE_PACKET; i++)
        random[i] = !(lanes >> i & 1) ? 0 : walk->scatter ? walk->scatter[i][2] : draw(walk, i);
    lights_choose(walk->job->scene, walk->job->lights, lanes, walk->at, random, walk->light_weights,
                  choices);
    for (int i = 0; i < TRACE_PACKET; i++) {
        if (!(lanes >> i & 1) || !choices[i].light)
            continue;
        bool sun = choices[i].light->type == WORLDLIGHT_SKY;
        struct vec3 way =
            sun ? onto_sun(walk, i, choices[i].light, choices[i].way) : choices[i].way;
        *(sun ? &suns : &local_lights) |= 1u << i;
        packet.far[i] = sun ? SCENE_FAR_AWAY : 1;
        for (int k = 0; k < 3; k++) {
            packet.origin[k][i] = (float)walk->at[i].start.e[k];
            packet.direction[k][i] = (float)way.e[k];
        }
    }
    uint32_t seen = suns | local_lights ? test_rays(walk, &packet, suns, local_lights) : 0;
    for (; seen; seen &= seen - 1) {
        int i = __builtin_ctz(seen);
        for (int k = 0; k < 3; k++)
            walk->light[i][k] +=
                walk->throughput[i][k] * choices[i].scale * choices[i].light->intensity.e[k];
    }
}

/* ---- steps ---- */

static struct vec3 scattered(struct walk *walk, int lane, const struct light_place *at)
{
    double square[2];
    struct vec3 x, y;
    for (int k = 0; k < 2; k++)
        square[k] = walk->scatter ? walk->scatter[lane][k] : draw(walk, lane);
    frame_around(at->normal, &x, &y);
    return frame_point(square_to_cosine(square), x, y, at->normal);
}

/* Multiplies by what a surface reflects: false when that is nothing. */
static bool reflects(struct walk *walk, int lane, const float reflectivity[3])
{
    double max = 0;
    for (int k = 0; k < 3; k++) {
        walk->throughput[lane][k] *= (double)reflectivity[k];
        max = portable_fmax(max, walk->throughput[lane][k]);
    }
    return max > 0;
}

/* A prop reflects only light of its first bounces, so that the path ends so many steps later. The
 * very triangle is that of another ray, since charts are coarser. */
static bool hit_prop(struct walk *walk, int lane, const struct scene_hit *hit)
{
    const struct job *job = walk->job;
    const struct scene *scene = job->scene;
    const struct prop_charts *charts = &scene->prop_charts;
    size_t chart = (size_t)(hit->face - job->map->face_count);
    struct trace_ray ray = walk->rays[lane];
    struct light_place *at = &walk->at[lane];
    ray.near = hit->distance * (1 - NEAR_SHARE);
    ray.far = hit->distance * (1 + NEAR_SHARE);
    struct trace_hit found = trace_closest(scene->trace, TRACE_PROP, &ray);
    if (chart >= arrlenu(charts->charts) || found.distance < 0)
        return false;
    for (int k = 0; k < 3; k++)
        at->point.e[k] = (double)ray.origin[k] + (double)found.distance * (double)ray.direction[k];
    at->normal = vec3_normalize(vec3_from_floats(scene->prop_triangles[found.triangle].normal));
    at->surface = at->normal;
    at->start = vec3_mad(at->point, at->normal, SCENE_RAY_OFFSET);
    walk->areas[lane] = scene->bsp->leaves[leaf_tree_at(&scene->tree, at->start)].area;
    if (walk->left[lane] > job->options->prop_bounces - 1)
        walk->left[lane] = job->options->prop_bounces - 1;
    return reflects(walk, lane, charts->luxels[charts->charts[chart].first].reflectivity);
}

/* Moves the path to a face: false when it ends there. */
static bool hit_face(struct walk *walk, int lane, const struct scene_hit *hit)
{
    const struct luxel_map *map = walk->job->map;
    const struct radiosity *beyond = walk->job->beyond;
    if (beyond && !radiosity_is_near(beyond, hit)) {
        float room[3];
        const float *light = radiosity_at(beyond, radiosity_seen(beyond, hit), room);
        for (int k = 0; k < 3; k++)
            walk->light[lane][k] += walk->throughput[lane][k] * (double)light[k];
        return false;
    }
    if (walk->left[lane]-- <= 0 && hit->face != SCENE_SKY)
        return false;
    if (hit->face >= map->face_count)
        return hit_prop(walk, lane, hit);
    if (hit->face == SCENE_SKY)
        for (int k = 0; k < 3; k++)
            walk->light[lane][k] += walk->throughput[lane][k] * walk->job->sky.e[k];
    if (hit->face < 0 || map->faces[hit->face].width <= 0)
        return false;
    const struct face_light *face = &map->faces[hit->face];
    struct light_place *at = &walk->at[lane];
    struct point2 place = {(double)hit->s, (double)hit->t};
    at->point = luxel_point(map, face, place, &at->normal);
    at->surface = face->mesh ? at->normal : face->normal;
    at->start = vec3_mad(at->point, at->surface, SCENE_RAY_OFFSET);
    walk->areas[lane] = face->area;
    return reflects(walk, lane, face->reflectivity);
}

/* Russian roulette: weak paths end at random; the survivors are scaled up. */
static bool survives_roulette(struct walk *walk, int lane)
{
    double *share = walk->throughput[lane],
           max = portable_fmax(share[0], portable_fmax(share[1], share[2]));
    if (max >= ROULETTE_LIMIT)
        return true;
    if (draw(walk, lane) >= max / ROULETTE_LIMIT)
        return false;
    for (int k = 0; k < 3; k++)
        share[k] *= ROULETTE_LIMIT / max;
    return true;
}

/* Lights are left out by visibility where paths end early: ground truth does without. */
static void find_clusters(struct walk *walk)
{
    const struct scene *scene = walk->job->scene;
    for (uint32_t left = walk->alive; left; left &= left - 1) {
        struct light_place *at = &walk->at[__builtin_ctz(left)];
        at->cluster = walk->job->beyond
                          ? scene->bsp->leaves[leaf_tree_at(&scene->tree, at->start)].cluster
                          : -1;
    }
}

/* Areas, which differ between paths, matter only with a 3D skybox. */
static void trace_lanes(const struct walk *walk, struct scene_hit hits[TRACE_PACKET])
{
    const struct radiosity *through = &walk->job->skybox_radiosity;
    if (!walk->job->scene->skybox.present) {
        radiosity_trace(through, walk->rays, TRACE_PACKET, 0, hits);
        return;
    }
    for (int i = 0; i < TRACE_PACKET; i++)
        if (walk->alive >> i & 1)
            radiosity_trace(through, &walk->rays[i], 1, walk->areas[i], &hits[i]);
}

/* Continues the paths from what they hit. */
static void step_from(struct walk *walk, const struct scene_hit hits[TRACE_PACKET])
{
    uint32_t landed = 0;
    for (int i = 0; i < TRACE_PACKET; i++)
        if (walk->alive >> i & 1 && hit_face(walk, i, &hits[i]))
            landed |= 1u << i;
    walk->alive = landed;
    if (!walk->alive)
        return;
    find_clusters(walk);
    add_direct(walk, walk->alive);
    for (int i = 0; i < TRACE_PACKET; i++) {
        if (!(walk->alive >> i & 1))
            continue;
        struct vec3 way = scattered(walk, i, &walk->at[i]);
        bool above = vec3_dot(way, walk->at[i].surface) > 0;
        if (!above || !survives_roulette(walk, i))
            walk->alive &= ~(1u << i);
        else
            set_ray(&walk->rays[i], walk->at[i].start, way);
    }
    walk->scatter = NULL;
}

static void step(struct walk *walk)
{
    struct scene_hit hits[TRACE_PACKET];
    trace_lanes(walk, hits);
    step_from(walk, hits);
}

/* ---- luxels ---- */

struct luxel_sum {
    struct vec3 axis[LUXEL_SLOTS];
    int slots;
    double light[LUXEL_SLOTS][3], weight[LUXEL_SLOTS];
};

/* Half of the directions of a bumped luxel are uniform over the hemisphere. */
static struct vec3 first_direction(struct walk *walk, int lane, int path,
                                   const struct luxel_sum *sum)
{
    const double square[2] = {draw(walk, lane), draw(walk, lane)};
    struct vec3 x, y;
    struct vec3 local = square_to_cosine(square);
    if (sum->slots > 1 && path % 2) {
        double r = sqrt(portable_fmax(1 - square[0] * square[0], 0)), angle = 2 * PI * square[1];
        local = vec3(r * portable_cos(angle), r * portable_sin(angle), square[0]);
    }
    frame_around(sum->axis[0], &x, &y);
    return frame_point(local, x, y, sum->axis[0]);
}

static void add_path(const struct walk *walk, int lane, struct vec3 way, struct luxel_sum *sum)
{
    double cosine = portable_fmax(vec3_dot(way, sum->axis[0]), 0);
    for (int j = 0; j < sum->slots; j++) {
        double along = vec3_dot(way, sum->axis[j]);
        double weight = sum->slots > 1 ? portable_fmax(along, 0) / (cosine + 0.5) : 1;
        sum->weight[j] += weight;
        for (int k = 0; k < 3; k++)
            sum->light[j][k] += weight * walk->light[lane][k];
    }
}

/* Traces 16 paths from the samples of a luxel. */
static void walk_paths(struct walk *walk, const struct face_light *face, int first,
                       const struct luxel_sample *samples, int count, struct luxel_sum *sum)
{
    struct vec3 ways[TRACE_PACKET];
    walk->alive = 0;
    walk->drawn = 0;
    for (int i = 0; i < TRACE_PACKET; i++) {
        struct vec3 start;
        for (int k = 0; k < 3; k++) {
            start.e[k] = (double)samples[(first + i) % count].origin[k];
            walk->throughput[i][k] = 1;
            walk->light[i][k] = 0;
        }
        walk->areas[i] = face->area;
        walk->left[i] = walk->job->options->bounces;
        ways[i] = first_direction(walk, i, first + i, sum);
        struct vec3 surface = face->mesh ? sum->axis[0] : face->normal;
        if (vec3_dot(ways[i], surface) > 0)
            walk->alive |= 1u << i;
        set_ray(&walk->rays[i], start, ways[i]);
    }
    while (walk->alive)
        step(walk);
    for (int i = 0; i < TRACE_PACKET; i++)
        add_path(walk, i, ways[i], sum);
}

static void light_luxel(struct walk *walk, struct face_light *face, int luxel)
{
    const struct job *job = walk->job;
    struct luxel_sample samples[LUXEL_FINE];
    struct luxel_sum sum = {.slots = face->slots};
    int count = luxel_samples(job->map, job->scene, face, luxel, LUXEL_FINE, samples);
    if (count == 0)
        return;
    struct luxel room;
    const struct luxel *at = luxel_of(face, luxel, &room);
    sum.axis[0] = vec3_from_floats(luxel_normal(face, at));
    if (face->slots > 1)
        luxel_bump_basis(job->scene, face, at, sum.axis + 1);
    uint64_t seed = luxel_seed(job->map, face, luxel);
    for (int first = 0; first < job->options->paths; first += TRACE_PACKET) {
        for (int i = 0; i < TRACE_PACKET; i++)
            walk->seeds[i] = hash_pair(seed, (uint64_t)first + (uint64_t)i);
        walk_paths(walk, face, first, samples, count, &sum);
    }
    for (int j = 0; j < face->slots; j++)
        for (int k = 0; k < 3; k++)
            face->indirect[3 * (j * face->count + luxel) + k] =
                (float)((j ? BUMP_SHARE : 1) * sum.light[j][k] /
                        portable_fmax(sum.weight[j], 1e-9));
}

static void light_face(void *context, size_t index, int thread)
{
    const struct job *job = context;
    struct face_light *face = &job->map->faces[index];
    struct walk walk = {.job = job,
                        .light_weights = job->light_weights + (size_t)thread * TRACE_PACKET *
                                                                  arrlenu(job->lights->lights)};
    progress_step(job->env->progress);
    for (int i = 0; i < face->count; i++)
        light_luxel(&walk, face, i);
}

/* A ranks_pack. */
static void pack_face(void *context, size_t index, struct bytes *out)
{
    const struct job *job = context;
    luxel_state_append_bounced(&job->map->faces[index], out);
}

/* A ranks_unpack. */
static void unpack_face(void *context, size_t index, struct byte_reader *from)
{
    const struct job *job = context;
    luxel_state_take_bounced(from, &job->map->faces[index]);
}

void reference_light(const struct env *env, const struct scene *scene,
                     const struct light_set *lights, const struct reference_options *options,
                     struct luxel_map *map)
{
    size_t threads = (size_t)env->threads;
    struct job job = {.env = env, .scene = scene, .lights = lights, .options = options, .map = map};
    job.skybox_radiosity = (struct radiosity){.scene = scene, .map = map};
    if (lights->sky >= 0)
        job.sky = lights->lights[lights->sky].intensity;
    job.light_weights = memory_alloc((threads * TRACE_PACKET * arrlenu(lights->lights) + 1) *
                                     sizeof *job.light_weights);
    for (int i = 0; i < map->face_count; i++) {
        struct face_light *face = &map->faces[i];
        if (face->count)
            face->indirect =
                memory_zalloc(3 * (size_t)face->slots * (size_t)face->count, sizeof(float));
    }
    progress_begin(env->progress, "path tracing", (size_t)map->face_count);
    env_loop(env, &(struct ranks_loop){.count = (size_t)map->face_count,
                                       .item = light_face,
                                       .context = &job,
                                       .pack = pack_face,
                                       .unpack = unpack_face,
                                       .progress = env->progress});
    progress_end(env->progress);
    memory_free(job.light_weights);
}

/* ---- points of props ---- */

/* Paths of a run per path of a ray. */
enum { PATHS_PER_RAY = 1024 };

struct reference_points {
    struct job job;
    struct reference_options options;
};

struct reference_points *reference_points_new(const struct scene *scene,
                                              const struct light_set *lights,
                                              const struct reference_options *options,
                                              const struct luxel_map *map,
                                              const struct radiosity *beyond)
{
    struct reference_points *points = memory_zalloc(1, sizeof *points);
    points->options = *options;
    points->job = (struct job){.scene = scene,
                               .lights = lights,
                               .options = &points->options,
                               .map = map,
                               .beyond = beyond};
    points->job.skybox_radiosity = (struct radiosity){.scene = scene, .map = map};
    if (lights->sky >= 0 && lights->lights[lights->sky].style == 0)
        points->job.sky = lights->lights[lights->sky].intensity;
    return points;
}

void reference_points_free(struct reference_points *points)
{
    memory_free(points);
}

/* A path along each of the rays. */
static void walk_from(struct walk *walk, struct vec3 position, const struct vec3 *directions,
                      const struct scene_hit *hits, int count)
{
    walk->drawn = 0;
    walk->alive = (uint32_t)((1u << count) - 1);
    for (int i = 0; i < count; i++) {
        set_ray(&walk->rays[i], position, directions[i]);
        for (int k = 0; k < 3; k++) {
            walk->throughput[i][k] = 1;
            walk->light[i][k] = 0;
        }
        walk->left[i] = walk->job->options->bounces;
    }
    step_from(walk, hits);
    while (walk->alive)
        step(walk);
}

void reference_at_point(const void *context, struct vec3 position, const struct vec3 *directions,
                        const struct scene_hit *hits, const double (*scatter)[3], int count,
                        uint64_t seed, double out[TRACE_PACKET][3])
{
    const struct reference_points *points = context;
    struct walk walk = {.job = &points->job};
    size_t lights = arrlenu(points->job.lights->lights);
    int paths = (points->options.paths + PATHS_PER_RAY - 1) / PATHS_PER_RAY;
    walk.light_weights = memory_alloc((TRACE_PACKET * lights + 1) * sizeof *walk.light_weights);
    memset(out, 0, TRACE_PACKET * sizeof *out);
    for (int p = 0; p < paths || p == 0; p++) {
        for (int i = 0; i < TRACE_PACKET; i++)
            walk.seeds[i] = hash_pair(hash_pair(~seed, (uint64_t)p), (uint64_t)i);
        walk.scatter = p == 0 ? scatter : NULL; /* further paths of a ray go their own ways */
        walk_from(&walk, position, directions, hits, count);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 3; k++)
                out[i][k] += walk.light[i][k] / (paths > 1 ? paths : 1);
    }
    memory_free(walk.light_weights);
}
