#include "vrad/reference/walk.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_set.h"
#include "vrad/reference/emitters.h"
#include "vrad/reference/reference.h"
#include "vrad/scene/hemisphere.h"

/* Paths with a throughput below this are subject to Russian roulette. */
#define ROULETTE_LIMIT 0.1

/* The triangle of a prop that a ray has hit is looked up in this fraction of its distance. */
#define NEAR_SHARE 1e-4f

double walk_draw(struct walk *walk, int lane)
{
    return random_unit(walk->seeds[lane], walk->drawn++);
}

void walk_draw_many(struct walk *walk, int lane, int count, double *out)
{
    for (int i = 0; i < count; i++)
        out[i] = walk_draw(walk, lane);
}

void walk_set_ray(struct trace_ray *ray, struct vec3 from, struct vec3 way)
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
    double z = 1 - 2 * walk_draw(walk, lane), angle = 2 * PI * walk_draw(walk, lane);
    double r = sqrt(portable_fmax(1 - z * z, 0));
    return vec3_mad(way, vec3(r * portable_cos(angle), r * portable_sin(angle), z), sun->spread);
}

/* The lanes of `left` in the area of the first of them. */
static uint32_t lanes_of_one_area(const struct walk *walk, uint32_t left)
{
    uint32_t lanes = 0;
    int area = walk->ends.areas[__builtin_ctz(left)];
    for (; left; left &= left - 1)
        if (walk->ends.areas[__builtin_ctz(left)] == area)
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
        sees |= scene_sky16(scene, packet, lanes, false, walk->ends.areas[__builtin_ctz(lanes)]);
        suns &= ~lanes;
    }
    return seen | scene_through_alpha16(scene, packet, sees, true);
}

static void set_light(struct walk *walk, int lane, const struct light_choice *choice,
                      struct walk_light *out)
{
    out->is_sun = choice->light->type == WORLDLIGHT_SKY;
    out->way = out->is_sun ? onto_sun(walk, lane, choice->light, choice->way) : choice->way;
    out->direction = choice->direction;
    out->colour = choice->light->intensity.e;
    out->attenuation = choice->attenuation;
    out->scale = choice->scale;
}

bool walk_sample_light(struct walk *walk, int lane, int style, double random, const float *shares,
                       struct walk_light *out)
{
    struct light_choice choice;
    lights_pick(walk->job->lights, &walk->ends.at[lane], lane, random, style, walk->light_weights,
                shares, &choice);
    if (!choice.light)
        return false;
    set_light(walk, lane, &choice, out);
    return true;
}

void walk_take_light(struct walk *walk, int lane, const struct light *light, struct walk_light *out)
{
    struct light_choice choice;
    lights_take(light, &walk->ends.at[lane], &choice);
    set_light(walk, lane, &choice, out);
}

bool walk_sample_emitter(struct walk *walk, int lane, struct walk_light *out)
{
    double random[3];
    struct emitter_sample sample;
    walk_draw_many(walk, lane, 3, random);
    emitters_sample(walk->job->emitters, walk->ends.at[lane].start, random, &sample);
    if (!sample.emitter || vec3_dot(sample.direction, walk->ends.at[lane].surface) <= 0)
        return false;
    out->is_sun = false;
    out->way = sample.way;
    out->direction = sample.direction;
    out->colour = sample.emitter->radiosity;
    out->attenuation = sample.scale;
    out->scale =
        sample.scale * portable_fmax(vec3_dot(sample.direction, walk->ends.at[lane].normal), 0);
    return true;
}

uint32_t walk_sees(const struct walk *walk, uint32_t lanes,
                   const struct walk_light lights[TRACE_PACKET])
{
    struct trace_packet packet = {0};
    uint32_t suns = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        packet.far[i] = lights[i].is_sun ? SCENE_FAR_AWAY : 1;
        suns |= lights[i].is_sun ? 1u << i : 0;
        for (int k = 0; k < 3; k++) {
            packet.origin[k][i] = (float)walk->ends.at[i].start.e[k];
            packet.direction[k][i] = (float)lights[i].way.e[k];
        }
    }
    return lanes ? test_rays(walk, &packet, suns, lanes & ~suns) : 0;
}

/* Adds light that comes straight to the vertices of the paths in `lanes`. */
static void add_seen(struct walk *walk, uint32_t lanes,
                     const struct walk_light lights[TRACE_PACKET])
{
    for (uint32_t seen = walk_sees(walk, lanes, lights); seen; seen &= seen - 1) {
        int i = __builtin_ctz(seen);
        for (int k = 0; k < 3; k++)
            walk->light[walk->roots[i]][i][k] +=
                walk->ends.throughput[i][k] * lights[i].scale * lights[i].colour[k];
    }
}

/* Adds the direct light at the vertices of the paths in `lanes`. */
static void add_direct(struct walk *walk, uint32_t lanes)
{
    const struct walk_job *job = walk->job;
    const struct light_filter filter = {.skipped = job->emitters ? job->emitters->replaces : NULL};
    struct walk_light lights[TRACE_PACKET];
    double random[TRACE_PACKET];
    uint32_t found = 0;
    for (int i = 0; i < TRACE_PACKET; i++)
        random[i] = !(lanes >> i & 1) ? 0
                    : walk->scatter   ? walk->scatter[i][2]
                                      : walk_draw(walk, i);
    lights_weigh(job->scene, job->lights, &filter, lanes, walk->ends.at, walk->light_weights);
    for (int i = 0; i < TRACE_PACKET; i++)
        if (lanes >> i & 1 && walk_sample_light(walk, i, 0, random[i], NULL, &lights[i]))
            found |= 1u << i;
    add_seen(walk, found, lights);
    if (!job->emitters || !job->emitters->any_unhit)
        return;
    found = 0;
    for (int i = 0; i < TRACE_PACKET; i++)
        if (lanes >> i & 1 && walk_sample_emitter(walk, i, &lights[i]))
            found |= 1u << i;
    add_seen(walk, found, lights);
}

/* ---- targets ---- */

void walk_weigh_targets(struct walk *walk, uint32_t lanes)
{
    const struct targets *targets = walk->job->targets;
    for (; targets && lanes; lanes &= lanes - 1) {
        int i = __builtin_ctz(lanes);
        targets_weigh(targets, &walk->ends.at[i],
                      targets_place(targets, walk->ends.faces[i], walk->ends.at[i].point),
                      &walk->target_weights[i]);
    }
}

/* The density of directions that are not aimed: cosine-weighted, or half of them uniform. */
static double density_of(const struct light_place *at, struct vec3 way, bool half_uniform)
{
    double cosine = portable_fmax(vec3_dot(way, at->normal), 0);
    return half_uniform ? (cosine + 0.5) / (2 * PI) : cosine / PI;
}

static void set_rays(struct walk *walk, int lane, int kind, struct vec3 way, int target,
                     double density)
{
    struct walk_rays *rays = &walk->rays[kind];
    walk_set_ray(&rays->rays[lane], walk->ends.at[lane].start, way);
    rays->targets[lane] = target;
    rays->densities[lane] = density;
}

bool walk_set_rays(struct walk *walk, int lane, bool half_uniform, struct vec3 way,
                   struct vec3 *aimed)
{
    const struct light_place *at = &walk->ends.at[lane];
    const struct target_weights *weights = walk->job->targets ? &walk->target_weights[lane] : NULL;
    const bool above = vec3_dot(way, at->surface) > 0;
    walk->aimed &= ~(1u << lane);
    walk->scattered &= ~(1u << lane);
    walk->scattered |= (uint32_t)above << lane;
    if (!weights || !(weights->total > 0)) {
        set_rays(walk, lane, WALK_SCATTERED, way, -1, 0);
        return above;
    }
    double random[3];
    struct vec3 point;
    walk_draw_many(walk, lane, 3, random);
    int target = targets_sample(walk->job->targets, weights, random, &point);
    *aimed = vec3_normalize(vec3_sub(point, at->start));
    double density = density_of(at, *aimed, half_uniform);
    if (density > 0 && vec3_dot(*aimed, at->surface) > 0) {
        set_rays(walk, lane, WALK_AIMED, *aimed, target, density);
        walk->aimed |= 1u << lane;
    }
    density = above ? density_of(at, way, half_uniform) : 0;
    set_rays(walk, lane, WALK_SCATTERED, way, -1, density);
    return above || walk->aimed >> lane & 1;
}

/* The density of rays that aim at the target where a ray has arrived, per solid angle. */
static double aimed_density(const struct walk *walk, int lane, const struct trace_ray *ray,
                            int target, double distance)
{
    const struct target *at = &walk->job->targets->list[target];
    const struct target_weights *weights = &walk->target_weights[lane];
    double facing = 0;
    for (int k = 0; k < 3; k++)
        facing -= (double)ray->direction[k] * at->normal.e[k];
    if (!(facing > 0))
        return 0;
    return (double)weights->weights[target] / (double)weights->total * distance * distance /
           (at->area * facing);
}

/* Weighs a ray by the balance heuristic. False for one that has aimed at a target and has arrived
 * elsewhere. */
static bool arrives(struct walk *walk, int lane, const struct walk_rays *rays,
                    const struct scene_hit *hit)
{
    const struct trace_ray *ray = &rays->rays[lane];
    double density = rays->densities[lane], distance = (double)hit->distance;
    int target = -1;
    if (!walk->job->targets || !(density > 0))
        return true;
    if (hit->face >= 0 && hit->face < walk->job->map->face_count) {
        struct vec3 point =
            vec3_mad(vec3_from_floats(ray->origin), vec3_from_floats(ray->direction), distance);
        target = targets_at(walk->job->targets, hit->face, point);
    }
    if (rays->targets[lane] >= 0 && rays->targets[lane] != target)
        return false;
    if (target < 0)
        return true;
    double aimed = aimed_density(walk, lane, ray, target, distance);
    for (int k = 0; k < 3; k++)
        walk->ends.throughput[lane][k] *= density / (density + aimed);
    return true;
}

static void add_emission(struct walk *walk, int lane, const struct scene_hit *hit)
{
    const struct emitter *emitter = hit->face < walk->job->map->face_count
                                        ? emitter_seen(walk->job->emitters, hit->face)
                                        : NULL;
    double *light = walk->is_first ? walk->emitted[walk->roots[lane]][lane]
                                   : walk->light[walk->roots[lane]][lane];
    for (int k = 0; k < 3 && emitter; k++)
        light[k] += walk->ends.throughput[lane][k] * emitter->radiosity[k];
}

/* ---- steps ---- */

static struct vec3 scattered(struct walk *walk, int lane, const struct light_place *at)
{
    double square[2];
    struct vec3 x, y;
    for (int k = 0; k < 2; k++)
        square[k] = walk->scatter ? walk->scatter[lane][k] : walk_draw(walk, lane);
    frame_around(at->normal, &x, &y);
    return frame_point(square_to_cosine(square), x, y, at->normal);
}

/* Multiplies by what a surface reflects: false when that is nothing. */
static bool reflects(struct walk *walk, int lane, const float reflectivity[3])
{
    double max = 0;
    for (int k = 0; k < 3; k++) {
        walk->ends.throughput[lane][k] *= (double)reflectivity[k];
        max = portable_fmax(max, walk->ends.throughput[lane][k]);
    }
    return max > 0;
}

/* A prop reflects only light of its first bounces, so that the path ends so many steps later. The
 * very triangle is that of another ray, since charts are coarser. */
static bool hit_prop(struct walk *walk, int lane, const struct walk_rays *rays,
                     const struct scene_hit *hit)
{
    const struct walk_job *job = walk->job;
    const struct scene *scene = job->scene;
    const struct prop_charts *charts = &scene->prop_charts;
    size_t chart = (size_t)(hit->face - job->map->face_count);
    struct trace_ray ray = rays->rays[lane];
    struct light_place *at = &walk->ends.at[lane];
    ray.near = hit->distance * (1 - NEAR_SHARE);
    ray.far = hit->distance * (1 + NEAR_SHARE);
    struct trace_hit found = trace_closest(scene->trace, TRACE_PROP, &ray);
    if (chart >= arrlenu(charts->charts) || found.distance < 0)
        return false;
    for (int k = 0; k < 3; k++)
        at->point.e[k] = (double)ray.origin[k] + (double)found.distance * (double)ray.direction[k];
    at->normal = vec3_normalize(vec3_from_floats(scene->prop_triangles[found.triangle].normal));
    at->surface = at->normal;
    walk->ends.faces[lane] = -1;
    at->start = vec3_mad(at->point, at->normal, SCENE_RAY_OFFSET);
    walk->ends.areas[lane] = scene->bsp->leaves[leaf_tree_at(&scene->tree, at->start)].area;
    if (walk->ends.left[lane] > job->options->prop_bounces - 1)
        walk->ends.left[lane] = job->options->prop_bounces - 1;
    return reflects(walk, lane, charts->luxels[charts->charts[chart].first].reflectivity);
}

/* Moves the path to a face: false when it ends there. */
static bool hit_face(struct walk *walk, int lane, const struct walk_rays *rays,
                     const struct scene_hit *hit)
{
    const struct luxel_map *map = walk->job->map;
    const struct radiosity *beyond = walk->job->beyond;
    if (beyond && !radiosity_is_near(beyond, hit)) {
        float room[3];
        const float *light = radiosity_at(beyond, radiosity_seen(beyond, hit), room);
        for (int k = 0; k < 3; k++)
            walk->light[walk->roots[lane]][lane][k] +=
                walk->ends.throughput[lane][k] * (double)light[k];
        return false;
    }
    if (walk->ends.left[lane]-- <= 0 && hit->face != SCENE_SKY)
        return false;
    if (hit->face >= map->face_count)
        return hit_prop(walk, lane, rays, hit);
    if (hit->face == SCENE_SKY)
        for (int k = 0; k < 3; k++)
            walk->light[walk->roots[lane]][lane][k] +=
                walk->ends.throughput[lane][k] * walk->job->sky.e[k];
    if (hit->face < 0 || map->faces[hit->face].width <= 0)
        return false;
    const struct face_light *face = &map->faces[hit->face];
    struct light_place *at = &walk->ends.at[lane];
    struct point2 place = {(double)hit->s, (double)hit->t};
    at->point = luxel_point(map, face, place, &at->normal);
    at->surface = face->mesh ? at->normal : face->normal;
    at->start = vec3_mad(at->point, at->surface, SCENE_RAY_OFFSET);
    walk->ends.areas[lane] = face->area;
    walk->ends.faces[lane] = hit->face;
    return reflects(walk, lane, face->reflectivity);
}

/* Russian roulette: weak paths end at random; the survivors are scaled up. */
static bool survives_roulette(struct walk *walk, int lane)
{
    double *share = walk->ends.throughput[lane],
           max = portable_fmax(share[0], portable_fmax(share[1], share[2]));
    if (max >= ROULETTE_LIMIT)
        return true;
    if (walk_draw(walk, lane) >= max / ROULETTE_LIMIT)
        return false;
    for (int k = 0; k < 3; k++)
        share[k] *= ROULETTE_LIMIT / max;
    return true;
}

/* Lights are left out by visibility where paths end early: ground truth does without. */
static void find_clusters(struct walk *walk)
{
    const struct scene *scene = walk->job->scene;
    for (uint32_t left = walk->ends.alive; left; left &= left - 1) {
        struct light_place *at = &walk->ends.at[__builtin_ctz(left)];
        at->cluster = walk->job->beyond
                          ? scene->bsp->leaves[leaf_tree_at(&scene->tree, at->start)].cluster
                          : -1;
    }
}

/* Areas, which differ between paths, matter only with a 3D skybox. */
static void trace_lanes(const struct walk *walk, const struct walk_rays *rays, uint32_t lanes,
                        struct scene_hit hits[TRACE_PACKET])
{
    const struct radiosity *through = &walk->job->skybox_radiosity;
    if (!walk->job->scene->skybox.present) {
        radiosity_trace(through, rays->rays, TRACE_PACKET, 0, hits);
        return;
    }
    for (int i = 0; i < TRACE_PACKET; i++)
        if (lanes >> i & 1)
            radiosity_trace(through, &rays->rays[i], 1, walk->ends.areas[i], &hits[i]);
}

/* Moves the paths to what their rays have hit, and adds what is seen there. */
static void land(struct walk *walk, const struct walk_rays *rays,
                 const struct scene_hit hits[TRACE_PACKET])
{
    uint32_t landed = 0;
    for (int i = 0; i < TRACE_PACKET; i++) {
        if (!(walk->ends.alive >> i & 1) || !arrives(walk, i, rays, &hits[i]))
            continue;
        add_emission(walk, i, &hits[i]);
        if (hit_face(walk, i, rays, &hits[i]))
            landed |= 1u << i;
    }
    walk->ends.alive = landed;
    if (!landed)
        return;
    find_clusters(walk);
    add_direct(walk, landed);
}

static double weight_of(const struct walk *walk, const struct walk_ends *ends, int lane)
{
    const double *share = ends->throughput[lane];
    if (!(ends->alive >> lane & 1))
        return 0;
    return portable_fmax(share[0], portable_fmax(share[1], share[2])) *
           targets_radiosity(walk->job->targets, ends->faces[lane], ends->at[lane].point);
}

/* Goes on from one of both ends of each path, in proportion to their throughput. `from` are those
 * of the aimed rays. */
static void choose_ends(struct walk *walk, const struct walk_ends *from)
{
    struct walk_ends *to = &walk->ends;
    for (int i = 0; i < TRACE_PACKET; i++) {
        double aimed = weight_of(walk, from, i), all = aimed + weight_of(walk, to, i),
               part = aimed / all;
        if (!(all > 0) || !(from->alive >> i & 1))
            continue;
        const bool takes = !(to->alive >> i & 1) || walk_draw(walk, i) < part;
        if (takes) {
            to->at[i] = from->at[i];
            to->areas[i] = from->areas[i];
            to->faces[i] = from->faces[i];
            to->left[i] = from->left[i];
            to->alive |= 1u << i;
            if (walk->is_first)
                walk->roots[i] = WALK_AIMED;
        }
        for (int k = 0; k < 3; k++)
            to->throughput[i][k] =
                (takes ? from : to)->throughput[i][k] / (takes ? part : 1 - part);
    }
}

/* Finds what the aimed rays hit; from where they may go on. */
static void land_aimed(struct walk *walk, struct walk_ends *out)
{
    const struct walk_ends start = walk->ends;
    struct scene_hit hits[TRACE_PACKET];
    walk->ends.alive &= walk->aimed;
    trace_lanes(walk, &walk->rays[WALK_AIMED], walk->ends.alive, hits);
    for (int i = 0; i < TRACE_PACKET && walk->is_first; i++)
        walk->roots[i] = WALK_AIMED;
    land(walk, &walk->rays[WALK_AIMED], hits);
    for (int i = 0; i < TRACE_PACKET && walk->is_first; i++)
        walk->roots[i] = WALK_SCATTERED;
    *out = walk->ends;
    walk->ends = start;
}

/* Chooses the next rays. */
static void scatter_all(struct walk *walk)
{
    struct vec3 aimed;
    walk_weigh_targets(walk, walk->ends.alive);
    for (int i = 0; i < TRACE_PACKET; i++) {
        if (!(walk->ends.alive >> i & 1))
            continue;
        struct vec3 way = scattered(walk, i, &walk->ends.at[i]);
        bool above = walk_set_rays(walk, i, false, way, &aimed);
        if (!above || !survives_roulette(walk, i))
            walk->ends.alive &= ~(1u << i);
    }
    walk->scatter = NULL;
}

void walk_step_from(struct walk *walk, const struct scene_hit hits[TRACE_PACKET])
{
    struct walk_ends aimed;
    const bool aims = walk->job->targets && walk->ends.alive & walk->aimed;
    if (aims)
        land_aimed(walk, &aimed);
    walk->ends.alive &= walk->scattered;
    land(walk, &walk->rays[WALK_SCATTERED], hits);
    if (aims)
        choose_ends(walk, &aimed);
    walk->is_first = false;
    if (walk->ends.alive)
        scatter_all(walk);
}

void walk_step(struct walk *walk)
{
    struct scene_hit hits[TRACE_PACKET];
    trace_lanes(walk, &walk->rays[WALK_SCATTERED], walk->ends.alive, hits);
    walk_step_from(walk, hits);
}
