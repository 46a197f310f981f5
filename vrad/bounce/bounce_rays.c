#include "vrad/bounce/bounce_rays.h"

#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/farm/env_loop.h"
#include "common/farm/rank_values.h"
#include "common/parallel/parallel.h"

/* Relative standard deviation of single rays at which a point gets the default number of rays: in
 * the dark; and how much more it may be in light far above a level, of 255, where the same relative
 * error is lost in the light of lamps. */
#define USUAL_DEVIATION 0.34
#define MORE_IN_LIGHT   0.9
#define BRIGHT_LEVEL    32.0

/* Small maps can afford half as many rays again: their transport points trace so many. */
#define GENEROUS 2.0
enum { GENEROUS_RAYS = 64 };

/* Minimum light, of 255, for relative values. */
#define MIN_LEVEL 0.5

/* Few rays miss what is small and bright. So the map's mean weighs as much as so many points of a
 * face, and the face's mean as so many beside the four points around a luxel. */
#define PRIOR_POINTS 1.0
#define FACE_POINTS  8.0f

/* After the numbers of its points a face has the mean, and sums over the points. */
enum { MEAN, RELATIVE, LEVELS, SUMS };

/* The variance of single rays, and the light there. */
static double point_variance(const struct transport_rays *transport, int face, int point,
                             double *level)
{
    const struct face_light *light = &transport->radiosity->map->faces[face];
    const struct face_transport *traced = &transport->of_face[face];
    int rays = transport->table->rays, luxel = irradiance_grid_luxel(light, &traced->grid, point);
    const uint32_t *seen = traced->seen + (size_t)point * (size_t)rays;
    float first = transport_brightness(transport, seen[0]), sum = 0, squares = 0;
    for (int i = 1; i < rays; i++) {
        float bright = transport_brightness(transport, seen[i]) - first;
        sum += bright;
        squares += bright * bright;
    }
    *level =
        (double)(first + sum / (float)rays + mean_channel(traced->secondary + 3 * (size_t)point));
    *level = portable_fmax(*level + (double)direct_brightness(light, luxel), MIN_LEVEL);
    return (double)portable_fmaxf(squares - sum * sum / (float)rays, 0) / (rays - 1);
}

static void estimate_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct bounce_rays *out = context;
    const struct face_transport *traced = &out->transport->of_face[face];
    if (!traced->seen)
        return;
    int points = irradiance_grid_points(&traced->grid);
    float *scatter = memory_zalloc((size_t)points + SUMS, sizeof *scatter);
    for (int i = 0; i < points; i++) {
        double level, variance = point_variance(out->transport, (int)face, i, &level);
        scatter[i] = (float)variance;
        scatter[points + MEAN] += (float)variance;
        scatter[points + RELATIVE] += (float)(variance / (level * level));
        scatter[points + LEVELS] += (float)(level * level);
    }
    out->scatter[face] = scatter;
}

static size_t scatter_size(const struct bounce_rays *rays, size_t face)
{
    size_t points = (size_t)irradiance_grid_points(&rays->transport->of_face[face].grid);
    return (points + SUMS) * sizeof **rays->scatter;
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

/* Turns the sums of the faces into means; those with few points lean on the map's relative
 * variance. */
static void take_means(struct bounce_rays *out, size_t faces)
{
    double sum = 0;
    for (size_t i = 0; i < faces; i++) {
        int points = irradiance_grid_points(&out->transport->of_face[i].grid);
        sum += out->scatter[i] ? (double)out->scatter[i][points + RELATIVE] : 0;
    }
    double prior = sum / portable_fmax((double)out->transport->points, 1) * PRIOR_POINTS;
    for (size_t i = 0; i < faces; i++) {
        int points = irradiance_grid_points(&out->transport->of_face[i].grid);
        float *sums = out->scatter[i] ? out->scatter[i] + points : NULL;
        if (sums)
            sums[MEAN] = (float)(((double)sums[MEAN] + prior * (double)sums[LEVELS] / points) /
                                 ((double)points + PRIOR_POINTS));
    }
}

void bounce_rays_estimate(const struct env *env, const struct transport_rays *transport, int max,
                          struct bounce_rays *out)
{
    size_t faces = (size_t)transport->radiosity->map->face_count;
    const bool generous = transport->table->rays >= GENEROUS_RAYS;
    *out = (struct bounce_rays){transport, generous, max + generous,
                                memory_zalloc(faces + 1, sizeof *out->scatter)};
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

/* The variance of single rays around a luxel, which varies little within a face. */
static float variance_at(const struct bounce_rays *rays, int face, int luxel, const float *scatter)
{
    const struct irradiance_grid *grid = &rays->transport->of_face[face].grid;
    int width = rays->transport->radiosity->map->faces[face].width, columns[2], rows[2];
    lines_around(grid->columns, grid->column_count, luxel % width, columns);
    lines_around(grid->rows, grid->row_count, luxel / width, rows);
    float sum = FACE_POINTS * scatter[irradiance_grid_points(grid) + MEAN];
    for (int i = 0; i < 4; i++)
        sum += scatter[rows[i / 2] * grid->column_count + columns[i % 2]];
    return sum / (4 + FACE_POINTS);
}

static double usual_deviation(double level)
{
    return USUAL_DEVIATION * level * (1 + MORE_IN_LIGHT * level / (level + BRIGHT_LEVEL));
}

/* A number of rays in proportion to the standard deviation minimises the error for the same
 * total. The light that it is relative to is that of the luxel itself, which may lie in shadow
 * beside lit ones. */
int bounce_rays_step(const struct bounce_rays *rays, int face, int luxel)
{
    const float *scatter = rays->scatter ? rays->scatter[face] : NULL;
    if (!scatter)
        return 0;
    double level = radiosity_level(rays->transport->radiosity, face, luxel);
    double usual = usual_deviation(portable_fmax(level, MIN_LEVEL));
    double excess = (double)variance_at(rays, face, luxel, scatter) / (usual * usual);
    int step = BOUNCE_MIN;
    if (rays->generous)
        excess *= GENEROUS;
    /* The limit between two steps is their geometric mean: a factor of two in variance. */
    for (double limit = ldexp(1, 2 * BOUNCE_MIN + 1); step < rays->max && excess > limit;
         limit *= 4)
        step++;
    return step;
}
