#include "vrad/direct/near_patch.h"

#include "vrad/direct/ray_queue.h"
#include "vrad/lights/patch_shape.h"
#include "vrad/lights/polygon.h"
#include "vrad/scene/hemisphere.h"

/* Rays that test whether a luxel sees all of the patch or nothing of it. */
enum { FIRST_RAYS = 16 };

/* First samples that differ by this factor call for all of them. */
#define STEEP_RATIO 1.5

/* If they differ by this one, or in what they see, the light has an edge in the luxel, for which
 * the usual number of samples is too small. */
#define SHARP_RATIO 4.0

/* A light that could contribute less than this fraction of the luxel's stronger lights gets the
 * first rays only. */
#define WEAK_SHARE 0.01f

/* Height over the plane of the light, at or below which a point receives nothing. */
#define IN_PLANE 1e-3

/* The fractions of the powers of the plastic number: multiples of them are even in the plane, and
 * have nothing to do with the binary digits of the samples in the luxel. */
#define EVEN_U 0.7548776662466927
#define EVEN_V 0.5698402909980532

struct near_job {
    struct receiver *to;
    struct near_caches *caches;
    const struct light *light;
    struct light_contribution *out;
    struct ray_queue queue;
    const unsigned char *near; /* one per luxel */
    unsigned char *whole;      /* one per luxel: all of its rays are traced */
    unsigned char *sharp;      /* one per luxel: there is an edge of the light in it */
};

/* The light without occluders at a sample of a luxel, and its ray. */
struct near_sample {
    int row; /* of the luxel's samples */
    double light[LUXEL_SLOTS];
    double weight[LUXEL_SLOTS]; /* of the ray: cosine by solid angle */
    float towards[3];
};

unsigned char *near_patch_luxels(const struct receiver *to, const struct light *light)
{
    const struct face_light *face = to->face;
    unsigned char *near = NULL;
    for (int l = 0; l < face->count; l++) {
        struct vec3 way = vec3_sub(luxel_position(face, l), light->origin);
        double half = vec3_length(face->axis[0]) + vec3_length(face->axis[1]);
        if (!to->coarse_count[l] || !patch_is_near(light->shape, vec3_length(way)) ||
            vec3_dot(way, light->normal) <= -half)
            continue;
        if (!near)
            near = ARENA_ARRAY(to->arena, unsigned char, (size_t)face->count);
        near[l] = 1;
    }
    return near;
}

/* ---- one sample ---- */

static int unit_polygon(struct vec3 *corners, int count)
{
    for (int i = 0; i < count; i++)
        corners[i] = vec3_normalize(corners[i]);
    return count;
}

/* The light of the polygon on a surface with that normal; `sum` is that of the whole polygon. */
static double light_on(const struct vec3 *corners, int count, struct vec3 sum, struct vec3 normal)
{
    struct vec3 part[PATCH_CORNERS + 2];
    bool above = true;
    for (int i = 0; i < count; i++)
        above = above && vec3_dot(corners[i], normal) >= 0;
    if (above)
        return portable_fmax(vec3_dot(sum, normal), 0);
    int kept = unit_polygon(part, polygon_above(corners, count, normal, part));
    return kept ? fabs(vec3_dot(polygon_irradiance(part, kept), normal)) : 0;
}

static void set_ray(const struct near_job *job, struct vec3 point, double height,
                    struct vec3 direction, const struct sample_rows *rows,
                    struct near_sample *sample)
{
    double cosine = portable_fmax(-vec3_dot(direction, job->light->normal), 1e-6);
    struct vec3 end = vec3_mad(point, direction, height / cosine);
    end = vec3_mad(end, job->light->normal, portable_fmin(SURFACE_LIFT, height / 2));
    for (int k = 0; k < 3; k++)
        sample->towards[k] = (float)end.e[k] - rows->origin[k][sample->row];
}

/* Returns false if the point gets no light. */
static bool measure(const struct near_job *job, int luxel, const struct sample_rows *rows,
                    const double at[2], struct near_sample *sample)
{
    const struct receiver *to = job->to;
    const struct light *light = job->light;
    const struct patch_shape *shape = light->shape;
    const float(*normals)[3] = receiver_normals(to, luxel);
    struct vec3 ways[PATCH_CORNERS], seen[PATCH_CORNERS + 1], direction, point;
    for (int k = 0; k < 3; k++)
        point.e[k] = (double)rows->point[k][sample->row];
    double height = vec3_dot(vec3_sub(point, light->origin), light->normal);
    if (height <= IN_PLANE)
        return false;
    for (int i = 0; i < shape->count; i++)
        ways[i] = vec3_sub(shape->corners[i], point);
    struct vec3 surface = vec3_from_floats(to->face->mesh ? normals[0] : to->surface);
    int count = unit_polygon(seen, polygon_above(ways, shape->count, surface, seen));
    double solid = count ? polygon_direction(seen, count, at, &direction) : 0;
    if (!(solid > 0))
        return false;
    struct vec3 sum = polygon_irradiance(seen, count);
    if (vec3_dot(sum, light->normal) > 0)
        sum = vec3_neg(sum);
    for (int j = 0; j < to->face->slots; j++) {
        struct vec3 normal = vec3_from_floats(normals[j]);
        sample->light[j] = light_on(seen, count, sum, normal) / shape->area;
        sample->weight[j] = solid * portable_fmax(vec3_dot(direction, normal), 0);
    }
    set_ray(job, point, height, direction, rows, sample);
    return true;
}

/* ---- one luxel ---- */

/* The samples of a luxel that get light. */
struct near_luxel {
    int count;
    double light[LUXEL_SLOTS], weight[LUXEL_SLOTS]; /* sums */
    double min, max;                                /* of the light on the flat slot */
    struct near_sample samples[LUXEL_FINE];
};

static void measure_all(const struct near_job *job, int luxel, const struct fine_samples *fine,
                        int rays, struct near_luxel *out)
{
    double shift[2];
    sample_square(0, ~luxel_seed(job->to->map, job->to->face, luxel), shift);
    *out = (struct near_luxel){.min = (double)INFINITY};
    for (int i = 0; i < rays; i++) {
        struct near_sample *sample = &out->samples[out->count];
        const double at[2] = {fmod(shift[0] + i * EVEN_U, 1), fmod(shift[1] + i * EVEN_V, 1)};
        sample->row = i % fine->count;
        if (!measure(job, luxel, fine->rows, at, sample)) {
            out->min = 0;
            continue;
        }
        for (int j = 0; j < job->to->face->slots; j++) {
            out->light[j] += sample->light[j] / rays;
            out->weight[j] += sample->weight[j];
        }
        out->min = portable_fmin(out->min, sample->light[0]);
        out->max = portable_fmax(out->max, sample->light[0]);
        out->count++;
    }
}

/* Traces so many rays for a luxel; they share the light without occluders by their weights. */
static void cast(struct near_job *job, int luxel, struct fine_cache *cache, int rays)
{
    struct near_luxel lit;
    const struct fine_samples *fine = fine_samples_of(job->to, cache, luxel);
    if (!fine->count)
        return;
    measure_all(job, luxel, fine, rays, &lit);
    job->out->peak[luxel] = (float)lit.light[0];
    if (lit.max > STEEP_RATIO * lit.min)
        job->out->state[luxel] |= LUXEL_STEEP;
    job->sharp[luxel] = lit.max > SHARP_RATIO * lit.min;
    for (int i = 0; i < lit.count; i++) {
        const struct near_sample *sample = &lit.samples[i];
        float weight[LUXEL_SLOTS] = {0};
        for (int j = 0; j < job->to->face->slots; j++)
            weight[j] = (float)(lit.weight[j] > 0 ? lit.light[j] * sample->weight[j] / lit.weight[j]
                                                  : lit.light[j] / lit.count);
        ray_queue_add_ray(&job->queue, luxel, fine->rows, sample->row, i, sample->towards, weight);
    }
}

/* ---- all luxels ---- */

/* The samples that a luxel needs after its first rays. */
enum samples { ENOUGH, USUAL, SHARP };

static enum samples needs(const struct near_job *job, int luxel)
{
    const struct receiver *to = job->to;
    const struct light_contribution *out = job->out;
    float light = out->grey * out->peak[luxel];
    if (!job->near[luxel] || job->whole[luxel] || light < WEAK_SHARE * to->total[luxel])
        return ENOUGH;
    if (job->sharp[luxel] || luxel_borders_shadow(to->face, out->state, luxel))
        return SHARP;
    bool more = job->caches->usual.wanted > FIRST_RAYS;
    return more && out->state[luxel] & LUXEL_STEEP ? USUAL : ENOUGH;
}

static void cast_first(struct near_job *job, int rays)
{
    for (int l = 0; l < job->to->face->count; l++)
        if (job->near[l])
            cast(job, l, &job->caches->usual, rays);
    ray_queue_flush(&job->queue);
}

/* Returns false if there are no luxels left that need all of their rays. */
static bool cast_whole(struct near_job *job)
{
    bool any = false;
    unsigned char *now = ARENA_ARRAY(job->to->arena, unsigned char, (size_t)job->to->face->count);
    for (int l = 0; l < job->to->face->count; l++)
        any |= now[l] = (unsigned char)needs(job, l);
    for (int l = 0; l < job->to->face->count && any; l++) {
        if (!now[l])
            continue;
        job->whole[l] = 1;
        job->out->state[l] = 0;
        luxel_set_supersampled(job->to->face, l);
        light_contribution_clear(job->to->face, job->out, l);
        struct fine_cache *cache = now[l] == SHARP ? &job->caches->sharp : &job->caches->usual;
        cast(job, l, cache, cache->wanted);
    }
    ray_queue_flush(&job->queue);
    return any;
}

struct light_contribution near_patch_light(struct receiver *to, struct near_caches *caches,
                                           const struct light_contribution *from)
{
    size_t count = (size_t)to->face->count;
    struct light_contribution out = {.light = from->light,
                                     .number = from->number,
                                     .grey = from->grey,
                                     .width = to->face->width,
                                     .height = to->face->height,
                                     .cast = true};
    struct near_job job = {.to = to, .caches = caches, .light = from->light, .out = &out};
    job.near = from->near;
    job.whole = ARENA_ARRAY(to->arena, unsigned char, count);
    job.sharp = ARENA_ARRAY(to->arena, unsigned char, count);
    out.sum = ARENA_ARRAY(to->arena, float, (size_t)to->face->slots *count);
    out.peak = ARENA_ARRAY(to->arena, float, count);
    out.state = ARENA_ARRAY(to->arena, unsigned char, count);
    ray_queue_start(&job.queue, to, &out, RAYS_LIGHT);
    int rays = caches->usual.wanted;
    bool adaptive = !to->options->thorough;
    cast_first(&job, adaptive && rays > FIRST_RAYS ? FIRST_RAYS : rays);
    while (adaptive && cast_whole(&job)) {
    }
    return out;
}
