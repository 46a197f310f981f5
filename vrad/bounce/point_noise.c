#include "vrad/bounce/point_noise.h"

#include "common/core/memory.h"
#include "common/core/portable_math.h"

/* Points up to so many luxels away, along rows and columns, have the same noise. */
enum { REACH = 5 };

/* Fewer points say nothing. */
enum { MIN_POINTS = 3 };

/* Sums over all luxels above and to the left: of relative variance, light and points. */
struct sums {
    double relative, light;
    int points;
};

static float mean_of(const float *colour)
{
    return (colour[0] + colour[1] + colour[2]) * (1.0f / 3);
}

static float direct_of(const struct face_light *light, int luxel)
{
    return light->direct[0] ? mean_of(light->direct[0] + 3 * (ptrdiff_t)luxel) : 0;
}

/* The mean over all slots. */
static float variance_of(const struct face_light *light, const float *variance, int luxel)
{
    float sum = 0;
    for (int j = 0; j < light->slots; j++)
        sum += variance[j * light->count + luxel];
    return sum / (float)light->slots;
}

static struct sums of_luxel(const struct face_light *light, const unsigned char *known,
                            const float *variance, float min_level, int luxel)
{
    if (known[luxel] != LUXEL_GATHERED)
        return (struct sums){0};
    float own = mean_of(light->indirect + 3 * (ptrdiff_t)luxel);
    float level = portable_fmaxf(direct_of(light, luxel) + own, min_level);
    return (struct sums){(double)(variance_of(light, variance, luxel) / (level * level)),
                         (double)own, 1};
}

static struct sums plus(struct sums a, struct sums b, int sign)
{
    return (struct sums){a.relative + sign * b.relative, a.light + sign * b.light,
                         a.points + sign * b.points};
}

/* Sums of columns and rows before: (width + 1) * (height + 1). */
static struct sums *sum_up(const struct face_light *light, const unsigned char *known,
                           const float *variance, float min_level)
{
    const int stride = light->width + 1;
    struct sums *sums = memory_zalloc((size_t)stride * (size_t)(light->height + 1), sizeof *sums);
    for (int row = 0; row < light->height; row++) {
        struct sums line = {0};
        for (int column = 0; column < light->width; column++) {
            struct sums *at = sums + (ptrdiff_t)(row + 1) * stride + column + 1;
            line = plus(line,
                        of_luxel(light, known, variance, min_level,
                                 irradiance_cell_luxel(light, column, row)),
                        1);
            *at = plus(at[-stride], line, 1);
        }
    }
    return sums;
}

static struct sums sum_around(const struct face_light *light, const struct sums *sums, int luxel)
{
    const int stride = light->width + 1, column = luxel % light->width, row = luxel / light->width;
    int left = column > REACH ? column - REACH : 0, top = row > REACH ? row - REACH : 0;
    int right = column + REACH < light->width ? column + REACH + 1 : light->width;
    int bottom = row + REACH < light->height ? row + REACH + 1 : light->height;
    struct sums below = plus(sums[bottom * stride + right], sums[bottom * stride + left], -1);
    struct sums above = plus(sums[top * stride + right], sums[top * stride + left], -1);
    return plus(below, above, -1);
}

void point_noise(const struct face_light *light, const unsigned char *known, const float *variance,
                 float min_level, float *out)
{
    struct sums *sums = sum_up(light, known, variance, min_level);
    for (int i = 0; i < light->count; i++) {
        out[i] = 0;
        if (known[i] != LUXEL_GATHERED)
            continue;
        struct sums others =
            plus(sum_around(light, sums, i), of_luxel(light, known, variance, min_level, i), -1);
        if (others.points >= MIN_POINTS)
            out[i] = sqrtf(portable_fmaxf((float)(others.relative / others.points), 0));
    }
    memory_free(sums);
}
