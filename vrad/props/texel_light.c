#include "vrad/props/texel_light.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/random.h"
#include "common/farm/env_loop.h"
#include "common/farm/rank_values.h"
#include "vrad/props/prop_point.h"

enum { CHUNK = 64 };

/* Number of texels from which on indirect light is gathered at every second and fourth one only. */
enum { MANY = 4096, VERY_MANY = 16384 };

/* Gathered light is interpolated if the sum of its bilateral weights is at least this (1: at the
 * same position), and it differs by at most this share of its mean. */
#define MIN_WEIGHT 0.3f
#define MAX_SPREAD 0.2f

struct job {
    const struct texel_lighting *lighting;
    int stride;
    size_t *pending; /* stb_ds array */
};

static void light_texel(const struct job *job, const struct irradiance_sampler *sampler,
                        size_t index, const struct culled_lights *secondary, float indirect[3])
{
    const struct texel_lighting *lighting = job->lighting;
    struct lit_texel *lit = &lighting->texels[index];
    struct irradiance_point point = {.position = vec3_from_floats(lit->position),
                                     .normal = vec3_from_floats(lit->normal),
                                     .secondary = secondary,
                                     .seed = hash_pair(lighting->prop, ~(uint64_t)index)};
    struct point_irradiance light;
    point.viewer.prop = (int)lighting->prop;
    point.viewer.no_self_shadow = lighting->no_self_shadow;
    enum prop_point found = prop_point_light(sampler, lighting->bsp, &point, &light);
    if (found == PROP_POINT_COVERED)
        return;
    lit->aside = found == PROP_POINT_ASIDE;
    lit->state = TEXEL_LIT;
    memcpy(lit->direct, light.direct, sizeof lit->direct);
    memcpy(indirect, light.indirect, sizeof light.indirect);
}

/* ---- interpolation ---- */

struct neighbours {
    float sum[3], weight, min, max;
    bool at_solid; /* a neighbour is covered, or was moved out of a solid, on any surface */
};

/* `share` is the bilinear weight in the cell of the grid. */
static void add_neighbour(const struct lit_texel *at, const struct lit_texel *other, int reach,
                          float share, struct neighbours *neighbours)
{
    float weight = share * texel_bilateral_weight(at, other, reach);
    neighbours->at_solid |= other->state == TEXEL_COVERED || other->aside;
    if (other->state == TEXEL_EMPTY || !(weight > 0))
        return;
    float grey = 0;
    for (int k = 0; k < 3; k++) {
        neighbours->sum[k] += weight * other->indirect[k];
        grey += other->indirect[k] / 3;
    }
    neighbours->weight += weight;
    neighbours->min = grey < neighbours->min ? grey : neighbours->min;
    neighbours->max = grey > neighbours->max ? grey : neighbours->max;
}

/* Returns false if the surrounding texels of the grid do not allow interpolation. */
static bool interpolate(const struct job *job, size_t index, float indirect[3])
{
    const struct texel_lighting *lighting = job->lighting;
    const struct lit_texel *at = &lighting->texels[index];
    struct neighbours neighbours = {.min = 1e30f, .max = -1e30f};
    int stride = job->stride, x = (int)(index % (size_t)lighting->width);
    int y = (int)(index / (size_t)lighting->width);
    for (int i = 0; i < 4; i++) {
        int dx = i & 1 ? stride - x % stride : x % stride;
        int dy = i & 2 ? stride - y % stride : y % stride;
        int column = i & 1 ? x + dx : x - dx, row = i & 2 ? y + dy : y - dy;
        float share = (float)((stride - dx) * (stride - dy)) / (float)(stride * stride);
        if (column < lighting->width && row < lighting->height)
            add_neighbour(at, &lighting->texels[row * lighting->width + column], stride, share,
                          &neighbours);
    }
    float mean = (neighbours.sum[0] + neighbours.sum[1] + neighbours.sum[2]) / 3;
    if (neighbours.at_solid || neighbours.weight < MIN_WEIGHT ||
        (neighbours.max - neighbours.min) * neighbours.weight > MAX_SPREAD * mean)
        return false;
    for (int k = 0; k < 3; k++)
        indirect[k] = neighbours.sum[k] / neighbours.weight;
    return true;
}

/* ---- all texels ---- */

struct texel_job {
    const struct texel_lighting *lighting;
    const size_t *list; /* stb_ds array */
    texel_item *item;
    const void *context;
};

static size_t chunk_end(const struct texel_job *job, size_t chunk)
{
    size_t end = (chunk + 1) * CHUNK;
    return end < arrlenu(job->list) ? end : arrlenu(job->list);
}

static void do_chunk(void *context, size_t chunk, int thread)
{
    const struct texel_job *job = context;
    (void)thread;
    job->item(job->context, chunk * CHUNK, chunk_end(job, chunk));
}

/* A ranks_pack. */
static void pack_chunk(void *context, size_t chunk, struct bytes *out)
{
    const struct texel_job *job = context;
    for (size_t i = chunk * CHUNK; i < chunk_end(job, chunk); i++)
        bytes_append(out, &job->lighting->texels[job->list[i]], sizeof *job->lighting->texels);
}

static bool is_sound(const struct lit_texel *texel)
{
    return texel->state < TEXEL_STATES && rank_is_flag(&texel->aside) &&
           rank_are_finite(texel->position, 3) && rank_are_finite(texel->normal, 3) &&
           rank_are_finite(&texel->width, 1) && rank_are_finite(texel->direct, 3) &&
           rank_are_finite(texel->indirect, 3);
}

/* A ranks_unpack. */
static void unpack_chunk(void *context, size_t chunk, struct byte_reader *from)
{
    const struct texel_job *job = context;
    for (size_t i = chunk * CHUNK; i < chunk_end(job, chunk); i++) {
        struct lit_texel *texel = &job->lighting->texels[job->list[i]];
        read_into(from, texel, sizeof *texel);
        if (!is_sound(texel))
            from->failed = true;
    }
}

void texel_loop(const struct texel_lighting *lighting, const size_t *list, texel_item *item,
                const void *context)
{
    struct texel_job job = {lighting, list, item, context};
    env_loop(lighting->env, &(struct ranks_loop){.count = (arrlenu(list) + CHUNK - 1) / CHUNK,
                                                 .item = do_chunk,
                                                 .context = &job,
                                                 .pack = pack_chunk,
                                                 .unpack = unpack_chunk});
}

static void cull_lights(const struct job *job, size_t first, size_t end,
                        struct culled_lights *secondary)
{
    struct bounds box = bounds_empty();
    for (size_t i = first; i < end; i++)
        bounds_add_point(&box, vec3_from_floats(job->lighting->texels[job->pending[i]].position));
    for (int k = 0; k < 3; k++) {
        box.mins.e[k] -= 1;
        box.maxs.e[k] += 1;
    }
    culled_lights_of_box(job->lighting->sampler->secondary, &box, NULL, 0, secondary);
}

/* Texels of the grid write gathered light; others only read that of the grid. A texel_item. */
static void light_chunk(const void *context, size_t first, size_t end)
{
    const struct job *job = context;
    const struct irradiance_sampler *sampler = job->lighting->sampler;
    struct irradiance_sampler direct = *sampler;
    struct culled_lights secondary = {0};
    direct.rays = 0;
    if (sampler->secondary)
        cull_lights(job, first, end, &secondary);
    for (size_t i = first; i < end; i++) {
        float indirect[3] = {0}, unused[3];
        bool known = job->stride > 1 && interpolate(job, job->pending[i], indirect);
        light_texel(job, known ? &direct : sampler, job->pending[i],
                    sampler->secondary ? &secondary : NULL, known ? unused : indirect);
        memcpy(job->lighting->texels[job->pending[i]].indirect, indirect, sizeof indirect);
    }
    if (sampler->secondary)
        culled_lights_free(&secondary);
}

/* Lists the texels of the grid of that stride, or all others. */
static void list_texels(const struct texel_lighting *lighting, int stride, bool on_grid,
                        size_t **out)
{
    arrsetlen(*out, 0);
    for (int y = 0; y < lighting->height; y++) {
        for (int x = 0; x < lighting->width; x++) {
            size_t index = (size_t)y * (size_t)lighting->width + (size_t)x;
            bool is_on = x % stride == 0 && y % stride == 0;
            if (is_on == on_grid && lighting->texels[index].state == TEXEL_COVERED)
                arrput(*out, index);
        }
    }
}

size_t texel_light(const struct texel_lighting *lighting)
{
    struct job job = {.lighting = lighting, .stride = 1};
    list_texels(lighting, 1, true, &job.pending);
    size_t count = arrlenu(job.pending);
    int stride = count > VERY_MANY ? 4 : count > MANY ? 2 : 1;
    list_texels(lighting, stride, true, &job.pending);
    texel_loop(lighting, job.pending, light_chunk, &job);
    if (stride > 1) {
        job.stride = stride;
        list_texels(lighting, stride, false, &job.pending);
        texel_loop(lighting, job.pending, light_chunk, &job);
    }
    if (lighting->place)
        texel_supersample(lighting);
    texel_smooth(lighting->env->threads, lighting->width, lighting->height, stride,
                 lighting->texels);
    arrfree(job.pending);
    return count;
}
