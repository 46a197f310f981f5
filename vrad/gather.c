#include "vrad/gather.h"

#include "vrad/hemisphere.h"

/* Light of a whole bright hemisphere as a bump direction sees it: the direction leans from the
 * normal by the angle of cosine 1 / sqrt 3, and what lies below the surface is cut off. */
#define BUMP_SHARE 0.78867513459481288

struct gather_rays {
    struct trace_ray rays[GATHER_RAYS];
    struct scene_hit hits[GATHER_RAYS];
};

struct gather_point gather_point_at(const struct radiosity *radiosity, int face, int luxel,
                                    int rays, const struct hot_view *hot)
{
    const struct face_light *light = &radiosity->map->faces[face];
    const struct luxel *at = &light->luxels[luxel];
    struct gather_point point = {
        .slots = light->slots, .area = light->area, .rays = rays, .hot = hot};
    for (int k = 0; k < 3; k++) {
        point.position.e[k] = (double)at->position[k];
        point.normal.e[k] = (double)at->normal[k];
    }
    bool flat = light->face->dispinfo < 0;
    point.face_normal = flat ? light->normal : point.normal;
    double whole = vec3_length(vec3_cross(light->axis[0], light->axis[1]));
    if (flat && (double)at->area > 0.999 * whole) {
        point.jitter[0] = light->axis[0];
        point.jitter[1] = light->axis[1];
    }
    if (point.slots > 1)
        luxel_bump_basis(radiosity->scene, light, at, point.bump);
    point.seed = radiosity->first[face] + (uint64_t)luxel;
    return point;
}

/* Directions of bumped points are half cosine-weighted and half uniform, so that no bump map gives
 * a ray near the surface a great weight. */
static struct vec3 local_direction(const struct gather_point *point, uint32_t index, int *box)
{
    double square[2];
    bool bumped = point->slots > 1;
    uint64_t seed = bumped ? hash_pair(point->seed, index & 1) : point->seed;
    sample_square(bumped ? index >> 1 : index, seed, square);
    *box = sample_box(square);
    struct vec3 local = square_to_cosine(square);
    if (bumped && index & 1) {
        /* The disk's areas as heights: 1 - r^2 is the cosine of a uniform direction. */
        double cosine = local.z * local.z, across = sqrt(1 - cosine * cosine);
        double radius = sqrt(local.x * local.x + local.y * local.y);
        double scale = radius > 0 ? across / radius : 0;
        local = vec3(local.x * scale, local.y * scale, cosine);
    }
    return local;
}

static void cast_rays(const struct radiosity *radiosity, const struct gather_point *point,
                      struct gather_rays *out)
{
    struct vec3 x, y;
    frame_around(point->normal, &x, &y);
    struct vec3 start = vec3_mad(point->position, point->face_normal, SCENE_RAY_OFFSET);
    int filled[SAMPLE_BOXES] = {0}, room = point->rays / SAMPLE_BOXES;
    for (int i = 0; i < point->rays; i++) {
        int box;
        struct vec3 local = local_direction(point, (uint32_t)i, &box);
        struct vec3 direction = frame_point(local, x, y, point->normal);
        uint64_t random = hash_pair(point->seed, (uint64_t)i);
        struct vec3 origin =
            vec3_mad(start, point->jitter[0], (double)(uint32_t)random * 0x1p-32 - 0.5);
        origin = vec3_mad(origin, point->jitter[1], (double)(random >> 32) * 0x1p-32 - 0.5);
        struct trace_ray *ray = &out->rays[box * room + filled[box]++];
        for (int k = 0; k < 3; k++) {
            ray->origin[k] = (float)origin.e[k];
            ray->direction[k] = (float)direction.e[k];
        }
        ray->near = 0;
        ray->far = INFINITY;
    }
    radiosity_look(radiosity, out->rays, point->rays, point->area, out->hits);
}

static double ray_dot(const struct trace_ray *ray, struct vec3 axis)
{
    return (double)ray->direction[0] * axis.x + (double)ray->direction[1] * axis.y +
           (double)ray->direction[2] * axis.z;
}

struct gather_sum {
    double light[LUXEL_SLOTS][3], weight[LUXEL_SLOTS];
};

static void add_ray(const struct radiosity *radiosity, const struct gather_point *point,
                    const struct trace_ray *ray, const struct scene_hit *hit,
                    struct gather_sum *sum)
{
    bool above = ray_dot(ray, point->face_normal) > 0;
    size_t seen = above ? radiosity_seen(radiosity, hit) : radiosity_black(radiosity);
    const float *light = radiosity->leaving + 3 * seen;
    const float *excess = hot_excess(point->hot, seen, point->position);
    float cool[3];
    for (int k = 0; k < 3 && excess; k++)
        cool[k] = light[k] - excess[k];
    if (excess)
        light = cool;
    double cosine = ray_dot(ray, point->normal);
    cosine = cosine > 0 ? cosine : 0;
    for (int j = 0; j < point->slots; j++) {
        double weight = 1;
        if (point->slots > 1) {
            double along = j ? ray_dot(ray, point->bump[j - 1]) : cosine;
            weight = along > 0 ? along / (cosine + 0.5) : 0;
        }
        sum->weight[j] += weight;
        for (int k = 0; k < 3; k++)
            sum->light[j][k] += weight * (double)light[k];
    }
}

int gather_light(const struct radiosity *radiosity, const struct gather_point *point, float *out)
{
    struct gather_rays cast;
    struct gather_sum sum = {0};
    cast_rays(radiosity, point, &cast);
    for (int i = 0; i < point->rays; i++)
        add_ray(radiosity, point, &cast.rays[i], &cast.hits[i], &sum);
    for (int j = 0; j < point->slots; j++) {
        double scale = (j ? BUMP_SHARE : 1) / fmax(sum.weight[j], 1e-9);
        for (int k = 0; k < 3; k++)
            out[3 * j + k] = (float)(sum.light[j][k] * scale);
    }
    return gather_hot(point, out);
}

int gather_hot(const struct gather_point *point, float *out)
{
    struct hot_receiver to = {.position = point->position,
                              .start =
                                  vec3_mad(point->position, point->face_normal, SCENE_RAY_OFFSET),
                              .axis[0] = point->normal,
                              .axes = point->slots,
                              .seed = point->seed};
    for (int j = 1; j < point->slots; j++)
        to.axis[j] = point->bump[j - 1];
    return hot_light(point->hot, &to, out);
}

void gather_seen(const struct radiosity *radiosity, const struct gather_point *point,
                 uint32_t *seen)
{
    struct gather_rays cast;
    cast_rays(radiosity, point, &cast);
    for (int i = 0; i < point->rays; i++) {
        bool above = ray_dot(&cast.rays[i], point->face_normal) > 0;
        seen[i] = (uint32_t)(above ? radiosity_seen(radiosity, &cast.hits[i])
                                   : radiosity_black(radiosity));
        if (hot_excess(point->hot, seen[i], point->position))
            seen[i] |= GATHER_COOL;
    }
}
