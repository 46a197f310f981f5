#include "vrad/bounce/bounce_rays.h"

#include "common/core/memory.h"
#include "common/parallel/parallel.h"

/* Scatter of the light by single rays, as a share of the light there, at which a point gets the
 * usual number. */
#define USUAL_SCATTER 0.34

/* Light, of 255, below which the share is not taken. */
#define MIN_LEVEL 1.0

/* Few rays find what is small and bright. So the mean of the map weighs as much as so many points
 * of a face, and that of the face, beside the four points around a place, as so many. */
#define PRIOR_POINTS 1.0
#define FACE_POINTS  8.0f

static float brightness(const float *colour)
{
    return (colour[0] + colour[1] + colour[2]) * (1.0f / 3);
}

static float seen_brightness(const struct bounce_webs *webs, uint32_t seen)
{
    size_t luxel = seen & ~GATHER_COOL;
    float bright = brightness(webs->radiosity->leaving + 3 * luxel);
    if (seen & GATHER_COOL)
        bright -= brightness(hot_luxel_at(webs->hot, luxel)->excess);
    return bright;
}

/* The variance of what single rays bring, by the square of the light there. */
static double point_scatter(const struct bounce_webs *webs, int face, int point)
{
    const struct face_light *light = &webs->radiosity->map->faces[face];
    const struct bounce_web *web = &webs->of_face[face];
    int rays = webs->table->rays, luxel = lattice_luxel(light, &web->lattice, point);
    const uint32_t *seen = web->seen + (size_t)point * (size_t)rays;
    float first = seen_brightness(webs, seen[0]), sum = 0, squares = 0;
    for (int i = 1; i < rays; i++) {
        float bright = seen_brightness(webs, seen[i]) - first;
        sum += bright;
        squares += bright * bright;
    }
    double variance = (double)fmaxf(squares - sum * sum / (float)rays, 0) / (rays - 1);
    double level = (double)(first + sum / (float)rays + brightness(web->hot + 3 * (size_t)point));
    if (light->style_count)
        level += (double)brightness(light->direct[0] + 3 * (size_t)luxel);
    return variance / pow(fmax(level, MIN_LEVEL), 2);
}

static void learn_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct bounce_rays *out = context;
    const struct bounce_web *web = &out->webs->of_face[face];
    if (!web->seen)
        return;
    int points = lattice_points(&web->lattice);
    float *scatter = memory_zalloc((size_t)points + 1, sizeof *scatter);
    for (int i = 0; i < points; i++) {
        scatter[i] = (float)point_scatter(out->webs, (int)face, i);
        scatter[points] += scatter[i];
    }
    out->scatter[face] = scatter;
}

/* The sums of the faces become means; those of few points lean on the map's. */
static void take_means(struct bounce_rays *out, size_t faces)
{
    double sum = 0;
    for (size_t i = 0; i < faces; i++)
        if (out->scatter[i])
            sum += (double)out->scatter[i][lattice_points(&out->webs->of_face[i].lattice)];
    double prior = sum / fmax((double)out->webs->points, 1) * PRIOR_POINTS;
    for (size_t i = 0; i < faces; i++) {
        int points = lattice_points(&out->webs->of_face[i].lattice);
        if (out->scatter[i])
            out->scatter[i][points] = (float)(((double)out->scatter[i][points] + prior) /
                                              ((double)points + PRIOR_POINTS));
    }
}

void bounce_rays_learn(const struct env *env, const struct bounce_webs *webs,
                       struct bounce_rays *out)
{
    size_t faces = (size_t)webs->radiosity->map->face_count;
    *out = (struct bounce_rays){webs, memory_zalloc(faces + 1, sizeof *out->scatter)};
    parallel_for(env->threads, faces, learn_face, out);
    take_means(out, faces);
}

void bounce_rays_free(struct bounce_rays *rays)
{
    for (int i = 0; rays->scatter && i < rays->webs->radiosity->map->face_count; i++)
        memory_free(rays->scatter[i]);
    memory_free(rays->scatter);
    *rays = (struct bounce_rays){0};
}

/* The lines on both sides. */
static void lines_around(const int16_t *lines, int count, int at, int out[2])
{
    int high = 0;
    while (high < count - 1 && lines[high] < at)
        high++;
    out[1] = high;
    out[0] = high > 0 ? high - 1 : 0;
}

/* Rays like the scatter leave the least error for their sum. */
int bounce_rays_step(const struct bounce_rays *rays, int face, int luxel)
{
    const float *scatter = rays->scatter ? rays->scatter[face] : NULL;
    if (!scatter)
        return 0;
    const struct lattice *lattice = &rays->webs->of_face[face].lattice;
    int width = rays->webs->radiosity->map->faces[face].width, columns[2], rows[2];
    lines_around(lattice->columns, lattice->column_count, luxel % width, columns);
    lines_around(lattice->rows, lattice->row_count, luxel / width, rows);
    float sum = FACE_POINTS * scatter[lattice_points(lattice)];
    for (int i = 0; i < 4; i++)
        sum += scatter[rows[i / 2] * lattice->column_count + columns[i % 2]];
    float usual = sum / ((4 + FACE_POINTS) * (float)(USUAL_SCATTER * USUAL_SCATTER));
    int step = BOUNCE_FEWEST;
    /* Halfway between two steps by their ratio: a factor of two of the variance. */
    for (float limit = ldexpf(1, 2 * BOUNCE_FEWEST + 1); step < BOUNCE_MAX && usual > limit;
         limit *= 4)
        step++;
    return step;
}
