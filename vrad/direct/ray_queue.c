#include "vrad/direct/ray_queue.h"

#include <string.h>

#include "vrad/direct/sun_rays.h"
#include "vrad/scene/hemisphere.h"

/* Samples of a luxel that differ by this factor call for supersampling. */
#define STEEP_RATIO 1.5f

/* A light that could contribute less than this fraction of the luxel's stronger lights gets one
 * sample. */
#define WEAK_SHARE 0.01f

/* The unoccluded contribution of a light to a sample, and its shadow ray. */
struct sample_ray {
    float weight[LUXEL_SLOTS]; /* cosine and attenuation */
    float towards[3];          /* direction of the ray, which ends at 1, or never for a sun */
};

static bool is_sun(const struct light *light)
{
    return light->type == WORLDLIGHT_SKY;
}

enum ray_kind ray_kind_of(const struct light *light)
{
    return is_sun(light) ? RAYS_SUN : RAYS_LIGHT;
}

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A direction towards the sun's disk, for sample `index` of the luxel. */
static struct vec3 towards_sun(const struct ray_queue *queue, int luxel, int index)
{
    const struct receiver *to = queue->to;
    struct vec3 towards = vec3_neg(queue->contribution->light->normal), place;
    uint64_t seed = luxel_seed(to->map, to->face, luxel);
    double square[2];
    double spread = queue->contribution->light->spread;
    if (!(spread > 0))
        return towards;
    if (queue->kind == RAYS_FINE) {
        const struct sun_disk disk = sun_disk_of(to, queue->contribution->light, luxel);
        return sun_disk_direction(&disk, (uint32_t)index);
    }
    sample_square((uint32_t)index, ~seed, square);
    sphere_point_in_quarters(square[0], square[1], &place.x, &place.y, &place.z);
    return vec3_mad(towards, place, spread);
}

static void ray_to_sun(const struct ray_queue *queue, int luxel, int index, float direction[3],
                       struct sample_ray *ray)
{
    struct vec3 towards = towards_sun(queue, luxel, index);
    for (int k = 0; k < 3; k++) {
        direction[k] = -(float)queue->contribution->light->normal.e[k];
        ray->towards[k] = (float)towards.e[k];
    }
}

static void ray_to_light(const struct sample_rows *rows, int row, float direction[3],
                         struct sample_ray *ray)
{
    float distance = rows->light.distance[row] - (float)LIGHT_GAP;
    distance = distance > 0 ? distance : 0;
    for (int k = 0; k < 3; k++) {
        direction[k] = rows->light.direction[k][row];
        float end = rows->light.point[k][row] + direction[k] * distance;
        ray->towards[k] = end - rows->origin[k][row];
    }
}

static float facing_of(const struct light *light, float cosine)
{
    return light_has_facing(light) ? (float)light_facing(light, (double)cosine) : cosine;
}

/* Returns false if the light contributes nothing even unoccluded. */
static bool make_ray(const struct ray_queue *queue, int luxel, const struct sample_rows *rows,
                     int row, int index, struct sample_ray *ray)
{
    const struct receiver *to = queue->to;
    const struct light_contribution *from = queue->contribution;
    float attenuation = 1, direction[3];
    if (queue->sun) {
        ray_to_sun(queue, luxel, index, direction, ray);
    } else {
        attenuation = rows->light.attenuation[row];
        if (!(attenuation > from->min) || rows->light.distance[row] > from->end)
            return false;
        ray_to_light(rows, row, direction, ray);
    }
    const float(*normals)[3] = receiver_normals(to, luxel);
    float facing = dot(direction, to->face->mesh ? normals[0] : to->surface);
    if (facing <= LIGHT_GRAZING)
        return false;
    if (!queue->sun && attenuation * facing_of(from->light, facing) < from->received)
        return false;
    for (int j = 0; j < to->face->slots; j++) {
        float cosine = facing_of(from->light, dot(direction, normals[j]));
        ray->weight[j] = cosine > 0 ? attenuation * cosine : 0;
    }
    return true;
}

/* Queues a ray that stands for a part of the luxel, from the origin of a row. */
static void push_as(struct ray_queue *queue, const struct visibility_ray *of,
                    const struct sample_rows *rows, int row, const struct sample_ray *ray,
                    float part)
{
    int lane = queue->count++, luxel = of->luxel;
    queue->of[lane] = *of;
    for (int j = 0; j < queue->to->face->slots; j++)
        queue->weight[lane][j] = ray->weight[j] * part;
    queue->luxel[lane] = luxel;
    for (int k = 0; k < 3; k++) {
        queue->packet.origin[k][lane] = rows->origin[k][row];
        queue->packet.direction[k][lane] = ray->towards[k];
    }
    if (queue->count == TRACE_PACKET)
        ray_queue_flush(queue);
}

/* The same; the row is that of the sample. */
static void push(struct ray_queue *queue, int luxel, const struct sample_rows *rows, int row,
                 enum visibility_ray_kind visibility, const struct sample_ray *ray, float part)
{
    int samples = visibility == VISIBILITY_FINE ? VISIBILITY_FINE_MAX : VISIBILITY_COARSE_MAX;
    const struct visibility_ray of = {visibility, luxel, row % samples};
    push_as(queue, &of, rows, row, ray, part);
}

void ray_queue_start(struct ray_queue *queue, struct receiver *to,
                     struct light_contribution *contribution, enum ray_kind kind)
{
    queue->to = to;
    queue->contribution = contribution;
    queue->kind = kind;
    queue->sun = is_sun(contribution->light);
    queue->visibility =
        ray_hit_cache_visibility(to->scene->ray_hit_cache, (size_t)(to->face - to->map->faces),
                                 (size_t)contribution->light->match_id, to->face->count);
    queue->count = 0;
    for (int lane = 0; lane < TRACE_PACKET; lane++) {
        queue->packet.near[lane] = 0;
        queue->packet.far[lane] = queue->sun ? SCENE_FAR_AWAY : 1;
    }
}

void ray_queue_evaluate(const struct ray_queue *queue, struct sample_rows *rows, int count)
{
    rows->light.count = count;
    if (!queue->sun)
        light_at_batch(queue->contribution->light, &rows->light);
}

/* The unoccluded samples of a luxel. */
struct luxel_rays {
    struct sample_ray rays[LUXEL_FINE];
    bool lit[LUXEL_FINE]; /* the light contributes to it */
    bool weak;            /* too weak for more than the first sample */
    float part;           /* share of the luxel per sample */
    float min, max, sum;  /* of the flat weights; the sum is weighted by `part` */
};

static bool is_weak(const struct ray_queue *queue, int luxel, float flat)
{
    return queue->kind != RAYS_FINE &&
           flat * queue->contribution->grey < WEAK_SHARE * queue->to->total[luxel];
}

static void make_rays(struct ray_queue *queue, int luxel, const struct sample_rows *rows, int first,
                      int count, struct luxel_rays *out)
{
    struct light_contribution *contribution = queue->contribution;
    out->part = count ? 1 / (float)count : 0;
    out->weak = false;
    out->min = INFINITY;
    out->max = out->sum = 0;
    for (int i = 0; i < count; i++) {
        struct sample_ray *ray = &out->rays[i];
        out->lit[i] = make_ray(queue, luxel, rows, first + i, i, ray);
        float flat = out->lit[i] ? ray->weight[0] : 0;
        if (out->lit[i] && i == 0 && is_weak(queue, luxel, flat)) {
            out->weak = true;
            contribution->peak[luxel] = flat;
            return;
        }
        out->min = flat < out->min ? flat : out->min;
        out->max = flat > out->max ? flat : out->max;
        out->sum += flat * out->part;
    }
    contribution->peak[luxel] = out->sum;
}

static bool is_steep(const struct luxel_rays *rays)
{
    return rays->max > STEEP_RATIO * rays->min;
}

static void push_all(struct ray_queue *queue, int luxel, const struct sample_rows *rows, int first,
                     int count, const struct luxel_rays *rays)
{
    for (int i = 0; i < count; i++)
        if (rays->lit[i])
            push(queue, luxel, rows, first + i, VISIBILITY_COARSE, &rays->rays[i], rays->part);
    if (is_steep(rays))
        queue->contribution->state[luxel] |= LUXEL_STEEP;
}

void ray_queue_add(struct ray_queue *queue, int luxel, const struct sample_rows *rows, int first,
                   int count)
{
    struct luxel_rays rays;
    make_rays(queue, luxel, rows, first, count, &rays);
    if (rays.weak)
        push(queue, luxel, rows, first, VISIBILITY_COARSE, &rays.rays[0], 1);
    else
        push_all(queue, luxel, rows, first, count, &rays);
}

/* One ray for all samples of the luxel. */
static struct sample_ray combined_ray(const struct luxel_rays *rays, int slots, int count, int pick)
{
    struct sample_ray whole = rays->rays[pick];
    for (int j = 0; j < slots; j++) {
        whole.weight[j] = 0;
        for (int i = 0; i < count; i++)
            whole.weight[j] += rays->lit[i] ? rays->rays[i].weight[j] * rays->part : 0;
    }
    return whole;
}

void ray_queue_add_single(struct ray_queue *queue, int luxel, const struct sample_rows *rows,
                          int first, int count)
{
    struct luxel_rays rays;
    /* Alternates the sample between luxels, so that thin shadows are not missed along a row. */
    int pick = luxel % (count ? count : 1);
    make_rays(queue, luxel, rows, first, count, &rays);
    if (rays.weak) {
        push(queue, luxel, rows, first, VISIBILITY_COARSE, &rays.rays[0], 1);
    } else if (is_steep(&rays) || queue->sun || count <= 0 || !rays.lit[pick]) {
        push_all(queue, luxel, rows, first, count, &rays);
    } else {
        struct sample_ray whole = combined_ray(&rays, queue->to->face->slots, count, pick);
        push(queue, luxel, rows, first + pick, VISIBILITY_COARSE, &whole, 1);
        queue->contribution->state[luxel] |= LUXEL_ONE_RAY;
    }
}

/* Adds the light of the luxel without a ray. */
static void add_untraced(struct ray_queue *queue, int luxel, const struct sample_ray *ray,
                         bool sees)
{
    struct light_contribution *contribution = queue->contribution;
    int slots = queue->to->face->slots, luxels = queue->to->face->count;
    contribution->state[luxel] |=
        (unsigned char)((sees ? LUXEL_SEES : LUXEL_BLOCKED) | LUXEL_ONE_RAY);
    for (int j = 0; j < slots && sees; j++)
        contribution->sum[j * luxels + luxel] += ray->weight[j];
}

static void assume_sun(struct ray_queue *queue, int luxel, bool sees)
{
    struct sample_ray ray = {.weight = {0}};
    bool lit = sun_weights(queue->to, queue->contribution->light, luxel, ray.weight);
    queue->contribution->peak[luxel] = lit ? ray.weight[0] : 0;
    if (lit && ray.weight[0] > 0)
        add_untraced(queue, luxel, &ray, sees);
}

void ray_queue_assume(struct ray_queue *queue, int luxel, const struct sample_rows *rows, int first,
                      int count, bool sees)
{
    struct luxel_rays rays;
    if (queue->sun) {
        assume_sun(queue, luxel, sees);
        return;
    }
    make_rays(queue, luxel, rows, first, count, &rays);
    if (rays.weak) {
        add_untraced(queue, luxel, &rays.rays[0], sees);
    } else if (is_steep(&rays)) {
        push_all(queue, luxel, rows, first, count, &rays);
    } else if (rays.max > 0) {
        struct sample_ray whole = combined_ray(&rays, queue->to->face->slots, count, 0);
        add_untraced(queue, luxel, &whole, sees);
    }
}

static bool evaluate_middle(struct ray_queue *queue, int luxel, const struct sample_rows *middle,
                            struct sample_ray *ray)
{
    bool lit = make_ray(queue, luxel, middle, luxel, 0, ray);
    queue->contribution->peak[luxel] = lit ? ray->weight[0] : 0;
    return lit;
}

void ray_queue_add_single_far(struct ray_queue *queue, int luxel, const struct sample_rows *middle,
                              const struct sample_rows *rows, int row)
{
    struct sample_ray ray;
    if (!evaluate_middle(queue, luxel, middle, &ray))
        return;
    for (int k = 0; k < 3; k++)
        ray.towards[k] += middle->origin[k][luxel] - rows->origin[k][row];
    push(queue, luxel, rows, row, VISIBILITY_FAR, &ray, 1);
    if (!is_weak(queue, luxel, ray.weight[0]))
        queue->contribution->state[luxel] |= LUXEL_ONE_RAY;
}

void ray_queue_assume_far(struct ray_queue *queue, int luxel, const struct sample_rows *middle,
                          bool sees)
{
    struct sample_ray ray;
    if (evaluate_middle(queue, luxel, middle, &ray))
        add_untraced(queue, luxel, &ray, sees);
}

void ray_queue_add_part(struct ray_queue *queue, int luxel, const struct sample_rows *rows,
                        int begin, int end, int of)
{
    struct sample_ray ray;
    for (int i = begin; i < end; i++)
        if (make_ray(queue, luxel, rows, i, i, &ray))
            push(queue, luxel, rows, i, VISIBILITY_FINE, &ray, 1 / (float)of);
}

void ray_queue_add_ray(struct ray_queue *queue, int luxel, const struct sample_rows *rows, int row,
                       int index, const float towards[3], const float weight[LUXEL_SLOTS])
{
    const struct visibility_ray of = {VISIBILITY_FINE, luxel, index};
    struct sample_ray ray = {.towards = {towards[0], towards[1], towards[2]}};
    memcpy(ray.weight, weight, sizeof ray.weight);
    push_as(queue, &of, rows, row, &ray, 1);
}

/* Applies the transmittance of alpha shadows to the rays. Their luxels count as shadow edges, which
 * are supersampled. Returns the lanes that are still lit. */
static uint32_t attenuate(struct ray_queue *queue, uint32_t seen)
{
    struct receiver *to = queue->to;
    struct light_contribution *contribution = queue->contribution;
    float pass[3][TRACE_PACKET];
    int slots = to->face->slots, luxels = to->face->count;
    uint32_t met =
        seen ? alpha_transmittance16(to->scene, &queue->packet, seen, queue->sun, pass) : 0;
    for (int i = 0; i < queue->count; i++) {
        if (!(met >> i & 1))
            continue;
        float mean = (pass[0][i] + pass[1][i] + pass[2][i]) / 3;
        bool tints = pass[0][i] != mean || pass[1][i] != mean || pass[2][i] != mean;
        if (tints && !contribution->tint)
            contribution->tint = ARENA_ARRAY(to->arena, float, 3 * (size_t)slots * (size_t)luxels);
        for (int j = 0; j < slots; j++) {
            float weight = queue->weight[i][j];
            for (int k = 0; k < 3 && tints; k++)
                contribution->tint[3 * (j * luxels + queue->luxel[i]) + k] +=
                    weight * (pass[k][i] - mean);
            queue->weight[i][j] = weight * mean;
        }
        contribution->state[queue->luxel[i]] |= LUXEL_SEES | LUXEL_BLOCKED;
    }
    return seen;
}

void ray_queue_flush(struct ray_queue *queue)
{
    struct receiver *to = queue->to;
    struct light_contribution *contribution = queue->contribution;
    if (queue->count == 0)
        return;
    uint32_t seen = 0, known = visibility_find16(queue->visibility, queue->of, queue->count, &seen);
    uint32_t valid = (uint32_t)((1u << queue->count) - 1) & ~known;
    if (to->face->no_shadows)
        seen |= valid;
    else if (valid && queue->sun)
        seen |= scene_sky16(to->scene, &queue->packet, valid, true, to->face->area);
    else if (valid)
        seen |= valid & ~scene_blocked16(to->scene, &queue->packet, valid);
    visibility_store16(queue->visibility, queue->of, valid, seen);
    to->rays[queue->kind] += __builtin_popcount(valid);
    if (to->scene->alpha_shadows.triangles && !to->face->no_shadows)
        seen = attenuate(queue, seen);
    int slots = to->face->slots, luxels = to->face->count;
    for (int i = 0; i < queue->count; i++) {
        int luxel = queue->luxel[i];
        bool sees = seen >> i & 1;
        contribution->state[luxel] |= (unsigned char)(sees ? LUXEL_SEES : LUXEL_BLOCKED);
        for (int j = 0; j < slots && sees; j++)
            contribution->sum[j * luxels + luxel] += queue->weight[i][j];
    }
    queue->count = 0;
}
