#include "scene/materials/texture.h"

#include <math.h>

#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "scene/light/gamma.h"

/* The mean of up to four pixels: an odd side loses its last row. */
static void mean_pixel(const struct texture *texture, const struct gamma_table *gamma,
                       const struct texture_level *from, int x, int y, uint8_t out[4])
{
    double sum[4] = {0};
    for (int i = 0; i < 4; i++) {
        int px = 2 * x + i % 2, py = 2 * y + i / 2;
        px = px < from->width ? px : from->width - 1;
        py = py < from->height ? py : from->height - 1;
        const uint8_t *p = from->rgba + 4 * ((size_t)py * (size_t)from->width + (size_t)px);
        for (int k = 0; k < 3; k++)
            sum[k] += (double)texture->linear[p[k]];
        sum[3] += p[3];
    }
    for (int k = 0; k < 3; k++)
        out[k] = gamma_table_byte(gamma, sum[k] / 4);
    out[3] = (uint8_t)floor(sum[3] / 4 + 0.5);
}

static void add_level(struct texture *texture, const struct gamma_table *gamma)
{
    const struct texture_level *from = &texture->levels[texture->count - 1];
    struct texture_level level = {from->width > 1 ? from->width / 2 : 1,
                                  from->height > 1 ? from->height / 2 : 1, NULL};
    level.rgba = memory_alloc(4 * (size_t)level.width * (size_t)level.height);
    for (int y = 0; y < level.height; y++)
        for (int x = 0; x < level.width; x++)
            mean_pixel(texture, gamma, from, x, y,
                       level.rgba + 4 * ((size_t)y * (size_t)level.width + (size_t)x));
    texture->levels[texture->count++] = level;
}

struct texture *texture_new(struct vtf_image *image)
{
    struct texture *texture = memory_zalloc(1, sizeof *texture);
    struct gamma_table gamma;
    gamma_table_fill(&gamma);
    for (int i = 0; i < 256; i++)
        texture->linear[i] = (float)portable_pow(i / 255.0, GAMMA);
    texture->levels[0] = (struct texture_level){image->width, image->height, image->rgba};
    texture->count = 1;
    *image = (struct vtf_image){0};
    const struct texture_level *last = &texture->levels[0];
    while (texture->count < TEXTURE_LEVELS && (last->width > 1 || last->height > 1)) {
        add_level(texture, &gamma);
        last = &texture->levels[texture->count - 1];
    }
    return texture;
}

void texture_free(struct texture *texture)
{
    for (int i = 0; texture && i < texture->count; i++)
        memory_free(texture->levels[i].rgba);
    memory_free(texture);
}

static int wrapped(int at, int side)
{
    int rest = at % side;
    return rest < 0 ? rest + side : rest;
}

static void level_at(const struct texture *texture, int number, double u, double v, double weight,
                     double sum[4])
{
    const struct texture_level *level = &texture->levels[number];
    double x = (u - floor(u)) * level->width - 0.5, y = (v - floor(v)) * level->height - 0.5;
    int left = (int)floor(x), top = (int)floor(y);
    for (int i = 0; i < 4; i++) {
        int px = left + i % 2, py = top + i / 2;
        double share = weight * (1 - fabs(px - x)) * (1 - fabs(py - y));
        const uint8_t *p =
            level->rgba + 4 * ((size_t)wrapped(py, level->height) * (size_t)level->width +
                               (size_t)wrapped(px, level->width));
        for (int k = 0; k < 3; k++)
            sum[k] += share * (double)texture->linear[p[k]];
        sum[3] += share * p[3] / 255;
    }
}

void texture_at(const struct texture *texture, double u, double v, double footprint, float out[4])
{
    const struct texture_level *first = &texture->levels[0];
    double texels = footprint * sqrt((double)first->width * first->height), sum[4] = {0};
    double level = texels > 1 ? portable_log2(texels) : 0;
    if (!isfinite(u) || !isfinite(v))
        u = v = 0;
    if (!(level < texture->count - 1))
        level = texture->count - 1;
    int whole = (int)level;
    double part = level - whole;
    level_at(texture, whole, u, v, 1 - part, sum);
    if (part > 0)
        level_at(texture, whole + 1, u, v, part, sum);
    for (int k = 0; k < 4; k++)
        out[k] = (float)sum[k];
}
