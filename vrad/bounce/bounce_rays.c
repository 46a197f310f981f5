#include "vrad/bounce/bounce_rays.h"

#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/farm/env_loop.h"
#include "common/farm/rank_values.h"
#include "common/parallel/parallel.h"

/* Relative standard deviation of single rays at which a point gets the default number of rays. */
#define USUAL_DEVIATION 0.34

/* Minimum light, of 255, for relative values. */
#define MIN_LEVEL 1.0

/* Few rays miss what is small and bright. So the map's mean weighs as much as so many points of a
 * face, and the face's mean as so many beside the four points around a luxel. */
#define PRIOR_POINTS 1.0
#define FACE_POINTS  8.0f

static float brightness(const float *colour)
{
    return (colour[0] + colour[1] + colour[2]) * (1.0f / 3);
}

static float seen_brightness(const struct transport_rays *transport, uint32_t seen)
{
    size_t luxel = seen & ~GATHER_CLAMPED;
    float room[3], bright = brightness(radiosity_at(transport->radiosity, luxel, room));
    if (seen & GATHER_CLAMPED)
        bright -= brightness(secondary_luxel_at(transport->secondary, luxel)->residual);
    return bright;
}

/* The variance of single rays, relative to the squared light there. */
static double point_variance(const struct transport_rays *transport, int face, int point)
{
    const struct face_light *light = &transport->radiosity->map->faces[face];
    const struct face_transport *traced = &transport->of_face[face];
    int rays = transport->table->rays, luxel = irradiance_grid_luxel(light, &traced->grid, point);
    const uint32_t *seen = traced->seen + (size_t)point * (size_t)rays;
    float first = seen_brightness(transport, seen[0]), sum = 0, squares = 0;
    for (int i = 1; i < rays; i++) {
        float bright = seen_brightness(transport, seen[i]) - first;
        sum += bright;
        squares += bright * bright;
    }
    double variance = (double)portable_fmaxf(squares - sum * sum / (float)rays, 0) / (rays - 1);
    double level =
        (double)(first + sum / (float)rays + brightness(traced->secondary + 3 * (size_t)point));
    if (light->style_count)
        level += (double)brightness(light->direct[0] + 3 * (size_t)luxel);
    level = portable_fmax(level, MIN_LEVEL);
    return variance / (level * level);
}

static void estimate_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct bounce_rays *out = context;
    const struct face_transport *traced = &out->transport->of_face[face];
    if (!traced->seen)
        return;
    int points = irradiance_grid_points(&traced->grid);
    float *scatter = memory_zalloc((size_t)points + 1, sizeof *scatter);
    for (int i = 0; i < points; i++) {
        scatter[i] = (float)point_variance(out->transport, (int)face, i);
        scatter[points] += scatter[i];
    }
    out->scatter[face] = scatter;
}

static size_t scatter_size(const struct bounce_rays *rays, size_t face)
{
    size_t points = (size_t)irradiance_grid_points(&rays->transport->of_face[face].grid);
    return (points + 1) * sizeof **rays->scatter;
}

/* A ranks_pack_rest: of the faces whose rays this rank has. */
static void pack_own(void *context, struct bytes *out)
{
    const struct bounce_rays *rays = context;
    for (size_t i = 0; i < (size_t)rays->transport->radiosity->map->face_count; i++) {
        if (!rays->scatter[i])
            continue;
        bytes_u32(out, (uint32_t)i);
        bytes_append(out, rays->scatter[i], scatter_size(rays, i));
    }
}

/* A ranks_unpack_rest. */
static void unpack_others(void *context, struct byte_reader *from)
{
    const struct bounce_rays *rays = context;
    while (from->at < from->size && !from->failed) {
        uint32_t face = read_u32(from);
        /* Each face is of one rank. */
        if (face >= (uint32_t)rays->transport->radiosity->map->face_count || rays->scatter[face]) {
            from->failed = true;
            return;
        }
        rays->scatter[face] = memory_alloc(scatter_size(rays, face));
        rank_floats(from, rays->scatter[face], scatter_size(rays, face) / sizeof(float));
    }
}

/* Turns the sums of the faces into means; those with few points lean on the map's. */
static void take_means(struct bounce_rays *out, size_t faces)
{
    double sum = 0;
    for (size_t i = 0; i < faces; i++)
        if (out->scatter[i])
            sum +=
                (double)out->scatter[i][irradiance_grid_points(&out->transport->of_face[i].grid)];
    double prior = sum / portable_fmax((double)out->transport->points, 1) * PRIOR_POINTS;
    for (size_t i = 0; i < faces; i++) {
        int points = irradiance_grid_points(&out->transport->of_face[i].grid);
        if (out->scatter[i])
            out->scatter[i][points] = (float)(((double)out->scatter[i][points] + prior) /
                                              ((double)points + PRIOR_POINTS));
    }
}

void bounce_rays_estimate(const struct env *env, const struct transport_rays *transport,
                          struct bounce_rays *out)
{
    size_t faces = (size_t)transport->radiosity->map->face_count;
    *out = (struct bounce_rays){transport, memory_zalloc(faces + 1, sizeof *out->scatter)};
    parallel_for(env->threads, faces, estimate_face, out);
    env_exchange(env, out, pack_own, unpack_others);
    take_means(out, faces);
}

void bounce_rays_free(struct bounce_rays *rays)
{
    for (int i = 0; rays->scatter && i < rays->transport->radiosity->map->face_count; i++)
        memory_free(rays->scatter[i]);
    memory_free(rays->scatter);
    *rays = (struct bounce_rays){0};
}

/* The grid lines on both sides. */
static void lines_around(const int16_t *lines, int count, int at, int out[2])
{
    int high = 0;
    while (high < count - 1 && lines[high] < at)
        high++;
    out[1] = high;
    out[0] = high > 0 ? high - 1 : 0;
}

/* A number of rays in proportion to the standard deviation minimises the error for the same
 * total. */
int bounce_rays_step(const struct bounce_rays *rays, int face, int luxel)
{
    const float *scatter = rays->scatter ? rays->scatter[face] : NULL;
    if (!scatter)
        return 0;
    const struct irradiance_grid *grid = &rays->transport->of_face[face].grid;
    int width = rays->transport->radiosity->map->faces[face].width, columns[2], rows[2];
    lines_around(grid->columns, grid->column_count, luxel % width, columns);
    lines_around(grid->rows, grid->row_count, luxel / width, rows);
    float sum = FACE_POINTS * scatter[irradiance_grid_points(grid)];
    for (int i = 0; i < 4; i++)
        sum += scatter[rows[i / 2] * grid->column_count + columns[i % 2]];
    float usual = sum / ((4 + FACE_POINTS) * (float)(USUAL_DEVIATION * USUAL_DEVIATION));
    int step = BOUNCE_MIN;
    /* The limit between two steps is their geometric mean: a factor of two in variance. */
    for (float limit = ldexpf(1, 2 * BOUNCE_MIN + 1); step < BOUNCE_MAX && usual > limit;
         limit *= 4)
        step++;
    return step;
}
