#include "vrad/ambient/irradiance_point.h"

#include <math.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_set.h"
#include "vrad/scene/hemisphere.h"
#include "vrad/scene/ray_hit_cache.h"

/* A point gets more rays until the error of its light is below this share of it, and of a level
 * below which light is black. */
#define NOISE_SHARE 0.08
#define MIN_LEVEL   1.0

/* Gain that is worth a shadow ray to secondary lights: of 255, and relative to the light of the
 * point. */
#define MIN_WORTH   0.2
#define SHARE_WORTH 0.005

/* Minimum light, of 255, that is worth a ray. */
#define MIN_LIGHT 0.002

static bool is_omnidirectional(const struct irradiance_point *point)
{
    return vec3_dot(point->normal, point->normal) == 0;
}

/* ---- local lights and suns ---- */

struct ray_batch {
    const struct irradiance_sampler *sampler;
    const struct irradiance_point *point;
    struct trace_packet packet;
    const struct light *lights[TRACE_PACKET];
    double share[TRACE_PACKET]; /* of the light's intensity, unoccluded */
    int count;
    float *styles;
    struct point_irradiance *out;
};

/* Transmittance of the lanes through alpha shadows, by channel. */
static void attenuate(const struct ray_batch *batch, uint32_t lanes, bool to_sky,
                      float pass[3][TRACE_PACKET])
{
    const struct prop_viewer *viewer = &batch->point->viewer;
    for (int i = 0; i < TRACE_PACKET; i++)
        pass[0][i] = pass[1][i] = pass[2][i] = 1;
    if (lanes && batch->sampler->scene->alpha_shadows.triangles)
        alpha_transmittance_except16(batch->sampler->scene, &batch->packet, lanes, to_sky,
                                     viewer->no_self_shadow ? viewer->prop : -1, pass);
}

static void add_light(struct ray_batch *batch, int lane, float pass[3][TRACE_PACKET])
{
    const struct light *light = batch->lights[lane];
    float *to = batch->out->direct;
    if (light->style != 0)
        to = batch->styles + 3 * (size_t)light->style;
    for (int k = 0; k < 3; k++)
        to[k] += (float)(light->intensity.e[k] * batch->share[lane] * (double)pass[k][lane]);
}

static void trace_local_lights(struct ray_batch *batch)
{
    uint32_t lanes = (uint32_t)((1u << batch->count) - 1);
    uint32_t blocked = 0;
    if (lanes && !batch->point->no_shadows)
        blocked = prop_view_blocked16(batch->sampler->scene, &batch->point->viewer, &batch->packet,
                                      lanes);
    float pass[3][TRACE_PACKET];
    attenuate(batch, lanes & ~blocked, false, pass);
    for (int i = 0; i < batch->count; i++)
        if (!(blocked >> i & 1))
            add_light(batch, i, pass);
    batch->count = 0;
}

static bool opens(const struct irradiance_point *point, struct vec3 direction)
{
    return !point->opens || point->opens(point->context, direction);
}

static void trace_sun(struct ray_batch *batch)
{
    struct scene_hit hits[TRACE_PACKET] = {{0}};
    uint32_t lanes = (uint32_t)((1u << batch->count) - 1);
    prop_view_trace16(batch->sampler->scene, &batch->point->viewer, &batch->packet, lanes, hits);
    uint32_t sky = 0;
    for (int i = 0; i < batch->count; i++) {
        struct vec3 way;
        for (int k = 0; k < 3; k++)
            way.e[k] = (double)batch->packet.direction[k][i];
        bool seen = hits[i].face == SCENE_SKY && opens(batch->point, way);
        sky |= (uint32_t)(seen || batch->point->no_sun_shadows) << i;
    }
    float pass[3][TRACE_PACKET];
    attenuate(batch, sky, true, pass);
    for (int i = 0; i < batch->count; i++)
        if (sky >> i & 1)
            add_light(batch, i, pass);
    batch->count = 0;
}

static int push_ray(struct ray_batch *batch, const struct light *light, double share,
                    struct vec3 direction, double far_end)
{
    int lane = batch->count++;
    batch->lights[lane] = light;
    batch->share[lane] = share;
    for (int k = 0; k < 3; k++) {
        batch->packet.origin[k][lane] = (float)batch->point->position.e[k];
        batch->packet.direction[k][lane] = (float)direction.e[k];
    }
    batch->packet.near[lane] = 0;
    batch->packet.far[lane] = (float)far_end;
    return batch->count;
}

static double cosine_at(const struct irradiance_point *point, struct vec3 direction)
{
    return is_omnidirectional(point) ? 1 : vec3_dot(point->normal, direction);
}

static bool wanted(const struct ray_batch *batch, const struct light *light)
{
    return light->style == 0 ||
           (batch->styles && light->style > 0 && light->style < IRRADIANCE_STYLES);
}

/* Returns true if so much of a local light may be seen. */
static bool is_worth(const struct ray_batch *batch, const struct light *light, double share,
                     double distance)
{
    const struct light_set *set = batch->sampler->lights;
    const double grey = light_grey(light);
    const double end = batch->point->on_luxels ? light_end_received(set, light) : 0;
    return share * fabs(grey) > MIN_LIGHT && !light_has_ended(set, light, distance, share) &&
           (end <= 0 || light_whole(light, grey) * share > end);
}

static void add_local_lights(struct ray_batch *batch)
{
    const struct light_set *set = batch->sampler->lights;
    for (int i = 0; i < (int)arrlen(set->lights); i++) {
        const struct light *light = &set->lights[i];
        struct vec3 direction;
        double distance;
        if (light->type != WORLDLIGHT_POINT && light->type != WORLDLIGHT_SPOT &&
            light->type != WORLDLIGHT_SURFACE)
            continue;
        if (!wanted(batch, light) || !light_reaches(set, i, batch->point->cluster))
            continue;
        double share = light_at(light, batch->point->position, &direction, &distance);
        share *= share > 0 ? light_facing(light, cosine_at(batch->point, direction)) : 0;
        if (is_worth(batch, light, share, distance) &&
            push_ray(batch, light, share, direction, portable_fmax(distance - LIGHT_GAP, 0)) ==
                TRACE_PACKET)
            trace_local_lights(batch);
    }
    trace_local_lights(batch);
}

static void add_sun(struct ray_batch *batch, const struct light *sun)
{
    struct vec3 towards = vec3_neg(sun->normal);
    double cosine = cosine_at(batch->point, towards);
    int rays = sun->spread > 0 ? batch->sampler->sun_rays : 1;
    if (!wanted(batch, sun) || cosine <= 0)
        return;
    for (int i = 0; i < rays; i++) {
        double square[2];
        sample_square((uint32_t)i, ~batch->point->seed, square);
        struct vec3 direction = towards;
        if (sun->spread > 0)
            direction = vec3_mad(towards, sphere_point(square), sun->spread);
        if (push_ray(batch, sun, cosine / rays, direction, (double)SCENE_FAR_AWAY) == TRACE_PACKET)
            trace_sun(batch);
    }
    trace_sun(batch);
}

static void add_suns(struct ray_batch *batch)
{
    const struct light_set *set = batch->sampler->lights;
    if (!batch->point->no_sun_shadows &&
        !scene_sees_sky(batch->sampler->scene, batch->point->cluster))
        return;
    for (ptrdiff_t i = 0; i < arrlen(set->lights); i++)
        if (set->lights[i].type == WORLDLIGHT_SKY &&
            light_reaches(set, (int)i, batch->point->cluster))
            add_sun(batch, &set->lights[i]);
}

/* ---- indirect light ---- */

/* A batch of rays: the first ones of a point, or as many again as it had before. */
struct indirect_rays {
    int first, count;
    struct vec3 directions[IRRADIANCE_RAYS_MAX];
};

/* Orders rays by the boxes of their directions, so that the rays of a packet are coherent. */
static void make_indirect_rays(const struct irradiance_point *point, int first, int count,
                               struct indirect_rays *rays)
{
    int filled[SAMPLE_BOXES] = {0}, room = count / SAMPLE_BOXES;
    bool round = is_omnidirectional(point) || point->even_indirect;
    struct vec3 x, y;
    frame_around(point->normal, &x, &y);
    rays->first = first;
    rays->count = count;
    for (int i = 0; i < count; i++) {
        double square[2];
        sample_square((uint32_t)(first + i), point->seed, square);
        int box = sample_box(square);
        struct vec3 *direction = &rays->directions[box * room + filled[box]++];
        *direction = round ? sphere_point(square)
                           : frame_point(square_to_cosine(square), x, y, point->normal);
    }
}

/* Adds the light of other styles that a surface reflects. */
static void add_styles(const struct radiosity *radiosity, const struct scene_hit *hit, double share,
                       float *styles)
{
    const struct luxel_map *map = radiosity->map; /* behind its faces: props, with style 0 only */
    const struct face_light *face =
        hit->face >= 0 && hit->face < map->face_count ? &map->faces[hit->face] : NULL;
    if (!face || face->width <= 0)
        return;
    size_t luxel = (size_t)luxel_nearest(face, hit->s, hit->t);
    for (int i = 1; i < face->style_count; i++)
        for (int k = 0; k < 3 && face->styles[i] < IRRADIANCE_STYLES; k++)
            styles[3 * face->styles[i] + k] +=
                (float)share * face->direct[i][3 * luxel + (size_t)k] * face->reflectivity[k];
}

/* Set in the hits of indirect rays, next to radiosity_seen: for back sides of solids, and for
 * surfaces that are near for their luxels. */
enum { SEEN_INSIDE = 1 << 30, SEEN_NEAR = 1 << 29, SEEN_MARKS = SEEN_INSIDE | SEEN_NEAR };

/* Kind of the cache keys of these points; those of gather tables are smaller. */
enum { POINT_KIND = 64 };

static const float *residual_of(const struct irradiance_point *point,
                                const struct culled_lights *secondary, uint32_t met)
{
    size_t seen = met & ~(uint32_t)SEEN_MARKS;
    return secondary ? secondary_residual(secondary, seen, point->position) : NULL;
}

static void load_packet(const struct irradiance_point *point, const struct vec3 *directions,
                        struct trace_packet *packet)
{
    for (int i = 0; i < TRACE_PACKET; i++) {
        for (int k = 0; k < 3; k++) {
            packet->origin[k][i] = (float)point->position.e[k];
            packet->direction[k][i] = (float)directions[i].e[k];
        }
        packet->near[i] = 0;
        packet->far[i] = SCENE_FAR_AWAY;
    }
}

/* Shadow rays to secondary lights ignore that the point may lie inside a hull, so such points use
 * none. */
static const struct culled_lights *usable_lights(const struct irradiance_sampler *sampler,
                                                 const struct irradiance_point *point)
{
    bool by_paths = sampler->paths && sampler->paths->everywhere;
    bool usable = !by_paths && point->secondary && !point->viewer.no_self_shadow &&
                  !is_omnidirectional(point) && !point->even_indirect &&
                  prop_view_inside(sampler->scene, point->position) < 0;
    return usable ? point->secondary : NULL;
}

static uint32_t met_by(const struct radiosity *radiosity, const struct scene_hit *hit)
{
    uint32_t seen = radiosity ? (uint32_t)radiosity_seen(radiosity, hit) : 0;
    if (radiosity && radiosity_is_near(radiosity, hit))
        seen |= (uint32_t)SEEN_NEAR;
    return seen | (hit->face == SCENE_INSIDE ? (uint32_t)SEEN_INSIDE : 0);
}

static void trace_packet(const struct irradiance_sampler *sampler,
                         const struct irradiance_point *point, const struct indirect_rays *rays,
                         int first, struct scene_hit *hits)
{
    struct trace_packet packet;
    load_packet(point, rays->directions + first, &packet);
    prop_view_trace16(sampler->scene, &point->viewer, &packet, 0xffff, hits + first);
    if (sampler->scene->alpha_shadows.triangles)
        scene_stop_at_alpha(sampler->scene, &packet, 0xffff,
                            point->viewer.no_self_shadow ? point->viewer.prop : -1, hits + first);
}

static void trace_indirect(const struct irradiance_sampler *sampler,
                           const struct irradiance_point *point, const struct indirect_rays *rays,
                           float *styles, struct scene_hit *hits, uint32_t *met)
{
    const struct radiosity *radiosity = sampler->radiosity;
    for (int first = 0; first < rays->count; first += TRACE_PACKET)
        trace_packet(sampler, point, rays, first, hits);
    for (int i = 0; i < rays->count; i++) {
        if (radiosity && styles)
            add_styles(radiosity, &hits[i], 1.0 / rays->count, styles);
        met[i] = met_by(radiosity, &hits[i]);
    }
}

static bool starts_path(const struct irradiance_sampler *sampler, uint32_t met)
{
    return sampler->paths && (met & SEEN_NEAR || sampler->paths->everywhere);
}

/* The cache does not hold the places where rays hit, which paths start from: packets with any are
 * traced again. */
static void trace_starts(const struct irradiance_sampler *sampler,
                         const struct irradiance_point *point, const struct indirect_rays *rays,
                         const uint32_t *met, struct scene_hit *hits)
{
    for (int first = 0; first < rays->count; first += TRACE_PACKET) {
        bool starts = false;
        for (int i = 0; i < TRACE_PACKET; i++)
            starts |= starts_path(sampler, met[first + i]);
        if (starts)
            trace_packet(sampler, point, rays, first, hits);
    }
}

/* The cache has luxels as a whole: which of them are split is of this run. */
static bool meets_split(const struct radiosity *radiosity, const uint32_t *met, int rays)
{
    for (int i = 0; i < rays; i++)
        if (radiosity_is_split(radiosity, met[i] & ~(uint32_t)SEEN_MARKS))
            return true;
    return false;
}

static void store_whole(const struct radiosity *radiosity, const struct irradiance_point *point,
                        const struct ray_hit_key *key, const uint32_t *met)
{
    uint32_t whole[IRRADIANCE_RAYS_MAX];
    for (int i = 0; i < key->rays; i++)
        whole[i] = (met[i] & (uint32_t)SEEN_MARKS) |
                   (uint32_t)radiosity_whole(radiosity, met[i] & ~(uint32_t)SEEN_MARKS);
    ray_hit_cache_store(radiosity->scene->ray_hit_cache, point->cache_slot - 1, key, whole);
}

/* Traces the indirect rays, or takes what they met from the cache; `hits` are those of all
 * packets in which a path starts. */
static const uint32_t *trace_or_reuse(const struct irradiance_sampler *sampler,
                                      const struct irradiance_point *point,
                                      const struct indirect_rays *rays, float *styles,
                                      struct scene_hit *hits, uint32_t *met)
{
    struct ray_hit_cache *cache = sampler->scene->ray_hit_cache;
    struct ray_hit_key key = {
        .seed = point->seed, .rays = rays->count, .kind = POINT_KIND + (rays->first > 0)};
    for (int k = 0; k < 3; k++)
        key.position[k] = (float)point->position.e[k];
    bool cached = cache && point->cache_slot && sampler->radiosity && !styles;
    const uint32_t *known = cached ? ray_hit_cache_find(cache, point->cache_slot - 1, &key) : NULL;
    if (known && !meets_split(sampler->radiosity, known, rays->count)) {
        trace_starts(sampler, point, rays, known, hits);
        return known;
    }
    trace_indirect(sampler, point, rays, styles, hits, met);
    if (cached && !known)
        store_whole(sampler->radiosity, point, &key, met);
    return met;
}

/* The sum over the rays of a point so far. */
struct gathered {
    int rays, inside;
    double light[3], square; /* sums: of the light, and of its square in grey */
    struct vec3 away;
};

static void add_ray(struct gathered *sum, const double light[3])
{
    double level = (light[0] + light[1] + light[2]) / 3;
    for (int k = 0; k < 3; k++)
        sum->light[k] += light[k];
    sum->square += level * level;
    sum->rays++;
}

/* A batch of rays, and what they met. */
struct indirect_batch {
    struct indirect_rays rays;
    struct scene_hit hits[IRRADIANCE_RAYS_MAX];
    uint32_t cast[IRRADIANCE_RAYS_MAX];
    const uint32_t *met;
    const struct culled_lights *secondary;
};

/* The light less what rays leave to secondary lights. */
static void add_less(const struct irradiance_point *point, const struct indirect_batch *batch,
                     int ray, double light[3], struct gathered *sum)
{
    const float *residual = residual_of(point, batch->secondary, batch->met[ray]);
    for (int k = 0; k < 3 && residual; k++)
        light[k] -= (double)residual[k];
    add_ray(sum, light);
}

/* Paths of a batch of rays, in the order in which they are followed. */
struct path_plan {
    int count;
    int rays[IRRADIANCE_RAYS_MAX];
    double scatter[IRRADIANCE_RAYS_MAX][3];
};

/* Multiples of it, less their whole part, are spread evenly: of no fraction are they as far. */
#define GOLDEN 0.61803398874989485

/* The directions in which the paths of a point go on are spread evenly, and dealt out at random to
 * its rays, which are spread evenly, too. Paths with similar ones follow each other, so that their
 * next rays are coherent. */
static void plan_paths(int *rays, int count, uint64_t seed, struct path_plan *out)
{
    int first[SAMPLE_BOXES + 1] = {0}, boxes[IRRADIANCE_RAYS_MAX];
    double square[IRRADIANCE_RAYS_MAX][2], start = random_unit(seed, (uint64_t)count);
    for (int i = 0; i < count; i++) {
        sample_square((uint32_t)i, seed, square[i]);
        boxes[i] = sample_box(square[i]);
        first[boxes[i] + 1]++;
    }
    for (int i = 0; i < SAMPLE_BOXES; i++)
        first[i + 1] += first[i];
    for (int i = 0; i < count; i++) {
        int other = i + (int)(random_unit(seed, (uint64_t)i) * (count - i));
        int ray = rays[other], at = first[boxes[i]]++;
        rays[other] = rays[i];
        out->rays[at] = ray;
        memcpy(out->scatter[at], square[i], sizeof square[i]);
        double along = start + i * GOLDEN;
        out->scatter[at][2] = along - floor(along);
    }
    out->count = count;
}

/* Follows paths along some of the rays. */
static void add_paths(const struct irradiance_paths *paths, const struct irradiance_point *point,
                      const struct indirect_batch *batch, const struct path_plan *plan,
                      struct gathered *sum)
{
    for (int first = 0; first < plan->count; first += TRACE_PACKET) {
        struct vec3 directions[TRACE_PACKET];
        struct scene_hit hits[TRACE_PACKET];
        double light[TRACE_PACKET][3];
        int lanes = plan->count - first < TRACE_PACKET ? plan->count - first : TRACE_PACKET;
        const int *rays = plan->rays + first;
        for (int i = 0; i < lanes; i++) {
            directions[i] = batch->rays.directions[rays[i]];
            hits[i] = batch->hits[rays[i]];
        }
        paths->light(paths->context, point->position, directions, hits,
                     (const double(*)[3])plan->scatter + first, lanes,
                     hash_pair(point->seed, (uint64_t)batch->rays.first + (uint64_t)first), light);
        for (int i = 0; i < lanes; i++)
            add_less(point, batch, rays[i], light[i], sum);
    }
}

static void add_seen(const struct radiosity *radiosity, const struct irradiance_point *point,
                     const struct indirect_batch *batch, int ray, struct gathered *sum)
{
    float room[3];
    const float *leaving = radiosity_at(radiosity, batch->met[ray] & ~(uint32_t)SEEN_MARKS, room);
    double light[3] = {(double)leaving[0], (double)leaving[1], (double)leaving[2]};
    if (batch->hits[ray].face == SCENE_SKY && leaving[0] + leaving[1] + leaving[2] > 0 &&
        !opens(point, batch->rays.directions[ray]))
        memset(light, 0, sizeof light);
    add_less(point, batch, ray, light, sum);
}

/* Light of styles comes from the first batch. */
static void add_batch(const struct irradiance_sampler *sampler,
                      const struct irradiance_point *point, int first, int count,
                      const struct culled_lights *secondary, float *styles, struct gathered *sum)
{
    struct indirect_batch batch;
    int paths[IRRADIANCE_RAYS_MAX], path_count = 0;
    batch.secondary = secondary;
    make_indirect_rays(point, first, count, &batch.rays);
    batch.met =
        trace_or_reuse(sampler, point, &batch.rays, first ? NULL : styles, batch.hits, batch.cast);
    for (int i = 0; i < count; i++) {
        if (batch.met[i] & SEEN_INSIDE) {
            sum->inside++;
            sum->away = vec3_sub(sum->away, batch.rays.directions[i]);
        }
        if (starts_path(sampler, batch.met[i]))
            paths[path_count++] = i;
        else if (sampler->radiosity)
            add_seen(sampler->radiosity, point, &batch, i, sum);
        else
            sum->rays++;
    }
    if (path_count) {
        struct path_plan plan;
        plan_paths(paths, path_count, hash_pair(~point->seed, (uint64_t)first), &plan);
        add_paths(sampler->paths, point, &batch, &plan, sum);
    }
}

/* Returns true when the mean of so many independent rays has a larger error than wanted. Rays that
 * are evenly spread have a smaller one. */
static bool is_noisy(const struct gathered *sum, const struct point_irradiance *out)
{
    double total = 0, mean, n = sum->rays;
    for (int k = 0; k < 3; k++)
        total += ((double)out->direct[k] + sum->light[k] / n) / 3;
    mean = (sum->light[0] + sum->light[1] + sum->light[2]) / (3 * n);
    double variance = portable_fmax(sum->square / n - mean * mean, 0) / n;
    double limit = NOISE_SHARE * portable_fmax(total, MIN_LEVEL);
    return variance > limit * limit;
}

static void add_indirect(const struct irradiance_sampler *sampler,
                         const struct irradiance_point *point, float *styles,
                         struct point_irradiance *out)
{
    struct gathered sum = {0};
    const struct culled_lights *secondary = usable_lights(sampler, point);
    add_batch(sampler, point, 0, sampler->rays, secondary, styles, &sum);
    while (sum.rays < sampler->most_rays && sampler->radiosity && is_noisy(&sum, out))
        add_batch(sampler, point, sum.rays, sum.rays, secondary, styles, &sum);
    out->inside = (double)sum.inside / sum.rays;
    out->away = sum.away;
    double level = 0;
    for (int k = 0; k < 3; k++) {
        out->indirect[k] = (float)(sum.light[k] / sum.rays);
        level += (double)(out->direct[k] + out->indirect[k]) / 3;
    }
    const struct next_event_receiver to = {.position = point->position,
                                           .start = point->position,
                                           .axis[0] = point->normal,
                                           .axes = 1,
                                           .min = portable_fmax(MIN_WORTH, SHARE_WORTH * level),
                                           .seed = point->seed};
    if (secondary)
        next_event_light(secondary, &to, out->indirect);
}

void irradiance_at_point(const struct irradiance_sampler *sampler,
                         const struct irradiance_point *point, float *styles,
                         struct point_irradiance *out)
{
    struct ray_batch batch = {.sampler = sampler, .point = point, .styles = styles, .out = out};
    *out = (struct point_irradiance){0};
    if (!point->no_local)
        add_local_lights(&batch);
    add_suns(&batch);
    if (sampler->rays)
        add_indirect(sampler, point, styles, out);
}
