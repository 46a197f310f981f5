#include "vrad/props/texel_light.h"

#include <math.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "common/farm/env_loop.h"
#include "common/farm/rank_values.h"
#include "common/parallel/parallel.h"
#include "vrad/props/prop_point.h"

/* --- weights between texels --- */

static float square_gap(const struct lit_texel *a, const struct lit_texel *b)
{
    float sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (a->position[k] - b->position[k]) * (a->position[k] - b->position[k]);
    return sum;
}

/* The cosine between their normals, at least 0. */
static float facing(const struct lit_texel *a, const struct lit_texel *b)
{
    float dot = 0, size = 0;
    for (int k = 0; k < 3; k++) {
        dot += a->normal[k] * b->normal[k];
        size += a->normal[k] * a->normal[k];
    }
    if (size == 0)
        return 1;
    return dot > 0 ? dot : 0;
}

/* Bilateral weight: 1 for texels with the same position and normal, less for others; 0 from a
 * distance in the map of radius + 1 texels, or at a right angle. */
static float texel_bilateral_weight(const struct lit_texel *a, const struct lit_texel *b,
                                    int radius)
{
    float reach = (float)(radius + 1) * a->width;
    float near = reach > 0 ? 1 - square_gap(a, b) / (reach * reach) : 0;
    float like = facing(a, b);
    return near > 0 ? near * like * like * like * like : 0;
}

/* --- loops over texels --- */

/* A loop over the texels of a list, in chunks: calls `item` for each of them. */
typedef void texel_item(const void *context, size_t first, size_t end);

enum { CHUNK = 64 };

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

static void texel_loop(const struct texel_lighting *lighting, const size_t *list, texel_item *item,
                       const void *context)
{
    struct texel_job job = {lighting, list, item, context};
    env_loop(lighting->env, &(struct ranks_loop){.count = (arrlenu(list) + CHUNK - 1) / CHUNK,
                                                 .item = do_chunk,
                                                 .context = &job,
                                                 .pack = pack_chunk,
                                                 .unpack = unpack_chunk});
}

/* --- texels at the edges of shadows --- */

enum { GRID = 3, SUN_RAYS = 16 };

/* Of 255, after screen gamma. */
#define VISIBLE_STEP 4.0f
#define SCREEN_GAMMA 2.2f

struct supersampling {
    const struct texel_lighting *lighting;
    struct irradiance_sampler sampler; /* of direct light */
    float *shown;                      /* one per texel: its direct light after screen gamma */
    size_t *pending;                   /* stb_ds array */
};

static float shown_as(const float light[3])
{
    float grey = (light[0] + light[1] + light[2]) / 3;
    return grey > 0 ? 127.5f * (float)portable_pow((double)(grey / 255), (double)(1 / SCREEN_GAMMA))
                    : 0;
}

/* Next to a covered texel other points may lie inside of the solid, so it is not supersampled. */
static bool is_edge(const struct supersampling *job, int x, int y)
{
    const struct texel_lighting *lighting = job->lighting;
    ptrdiff_t at = (ptrdiff_t)y * lighting->width + x;
    bool differs = false;
    for (int i = 0; i < 9; i++) {
        int column = x + i % 3 - 1, row = y + i / 3 - 1;
        ptrdiff_t other = (ptrdiff_t)row * lighting->width + column;
        if (column < 0 || row < 0 || column >= lighting->width || row >= lighting->height)
            continue;
        if (lighting->texels[other].state == TEXEL_COVERED)
            return false;
        differs = differs ||
                  (fabsf(job->shown[at] - job->shown[other]) > VISIBLE_STEP &&
                   texel_bilateral_weight(&lighting->texels[at], &lighting->texels[other], 1) > 0);
    }
    return differs;
}

static void list_edges(struct supersampling *job)
{
    const struct texel_lighting *lighting = job->lighting;
    size_t size = (size_t)lighting->width * (size_t)lighting->height;
    for (size_t i = 0; i < size; i++)
        job->shown[i] = shown_as(lighting->texels[i].direct);
    for (int y = 0; y < lighting->height; y++)
        for (int x = 0; x < lighting->width; x++) {
            size_t index = (size_t)y * (size_t)lighting->width + (size_t)x;
            const struct lit_texel *texel = &lighting->texels[index];
            if (texel->state == TEXEL_LIT && !texel->aside && is_edge(job, x, y))
                arrput(job->pending, index);
        }
}

/* The middle is already lit. */
static void light_edge(const struct supersampling *job, size_t index)
{
    const struct texel_lighting *lighting = job->lighting;
    struct lit_texel *texel = &lighting->texels[index];
    float sum[3];
    int count = 1;
    memcpy(sum, texel->direct, sizeof sum);
    for (int i = 0; i < GRID * GRID; i++) {
        const double at[2] = {(i % GRID + 0.5) / (double)GRID, (i / GRID + 0.5) / (double)GRID};
        struct texel_place place;
        struct point_irradiance light;
        if (i == GRID * GRID / 2 || !lighting->place(lighting->placer, index, at, &place))
            continue;
        struct irradiance_point point = {
            .position = place.position,
            .normal = place.normal,
            .viewer.prop = (int)lighting->prop,
            .viewer.no_self_shadow = lighting->no_self_shadow,
            .seed = hash_pair(hash_pair(lighting->prop, index), (uint64_t)i)};
        prop_point_light(&job->sampler, lighting->bsp, &point, &light);
        for (int k = 0; k < 3; k++)
            sum[k] += light.direct[k];
        count++;
    }
    for (int k = 0; k < 3; k++)
        texel->direct[k] = sum[k] / (float)count;
}

/* A texel_item. */
static void supersample_chunk(const void *context, size_t first, size_t end)
{
    const struct supersampling *job = context;
    for (size_t i = first; i < end; i++)
        light_edge(job, job->pending[i]);
}

/* The step before smoothing: texels whose direct light differs visibly from a neighbour's on the
 * same surface are supersampled at 3 x 3 points. */
static void texel_supersample(const struct texel_lighting *lighting)
{
    size_t size = (size_t)lighting->width * (size_t)lighting->height;
    struct supersampling job = {.lighting = lighting, .sampler = *lighting->sampler};
    job.sampler.rays = 0;
    if (job.sampler.sun_rays > SUN_RAYS)
        job.sampler.sun_rays = SUN_RAYS;
    job.shown = memory_alloc(size * sizeof *job.shown);
    list_edges(&job);
    texel_loop(lighting, job.pending, supersample_chunk, &job);
    arrfree(job.pending);
    memory_free(job.shown);
}

/* --- smoothing and dilation --- */

/* Texels more than so many texel widths apart in the map are on different surfaces, even if
 * adjacent in the image. */
#define SAME_SURFACE 4.0f

static size_t wrap(int at, int side)
{
    return (size_t)(at < 0 ? at + side : at >= side ? at - side : at);
}

/* ---- smoothing ---- */

struct smoothing {
    int width, height, radius;
    struct lit_texel *texels;
    float (*smooth)[3]; /* one per texel */
};

static void smooth_texel(const struct smoothing *s, int x, int y)
{
    size_t index = (size_t)y * (size_t)s->width + (size_t)x;
    const struct lit_texel *at = &s->texels[index];
    float sum[3] = {0}, all = 0;
    if (at->state != TEXEL_LIT)
        return;
    for (int dy = -s->radius; dy <= s->radius; dy++) {
        for (int dx = -s->radius; dx <= s->radius; dx++) {
            const struct lit_texel *other =
                &s->texels[wrap(y + dy, s->height) * (size_t)s->width + wrap(x + dx, s->width)];
            float weight =
                other->state == TEXEL_LIT ? texel_bilateral_weight(at, other, s->radius) : 0;
            if (dx == 0 && dy == 0)
                weight = 1;
            for (int k = 0; k < 3; k++)
                sum[k] += weight * other->indirect[k];
            all += weight;
        }
    }
    for (int k = 0; k < 3; k++)
        s->smooth[index][k] = sum[k] / all;
}

static void smooth_row(void *context, size_t row, int thread)
{
    const struct smoothing *s = context;
    (void)thread;
    for (int x = 0; x < s->width; x++)
        smooth_texel(s, x, (int)row);
}

void texel_smooth(int threads, int width, int height, int radius, struct lit_texel *texels)
{
    int side = width < height ? width : height;
    size_t size = (size_t)width * (size_t)height;
    struct smoothing s = {width, height, radius < side ? radius : side - 1, texels, NULL};
    if (s.radius <= 0)
        return;
    s.smooth = memory_alloc(size * sizeof *s.smooth);
    parallel_for(threads, (size_t)height, smooth_row, &s);
    for (size_t i = 0; i < size; i++)
        if (texels[i].state == TEXEL_LIT)
            memcpy(texels[i].indirect, s.smooth[i], sizeof s.smooth[i]);
    memory_free(s.smooth);
}

/* ---- dilation ---- */

enum filled { STATE_UNKNOWN, STATE_QUEUED, STATE_NEW, STATE_KNOWN };

struct filling {
    int width, height;
    struct lit_texel *texels;
    unsigned char *filled; /* one per texel */
    bool on_surface;       /* only covered texels, from the same surface */
};

static void neighbours_of(const struct filling *f, size_t index, size_t out[8])
{
    int x = (int)(index % (size_t)f->width), y = (int)(index / (size_t)f->width), count = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                out[count++] = wrap(y + dy, f->height) * (size_t)f->width + wrap(x + dx, f->width);
}

static bool can_fill_from(const struct filling *f, const struct lit_texel *from,
                          const struct lit_texel *to)
{
    float reach = SAME_SURFACE * to->width;
    return !f->on_surface || (square_gap(from, to) <= reach * reach && facing(to, from) > 0);
}

/* Returns true if any neighbour had light. */
static bool fill_texel(const struct filling *f, size_t index)
{
    struct lit_texel *at = &f->texels[index];
    size_t neighbours[8], count = 0;
    float sum[3] = {0};
    neighbours_of(f, index, neighbours);
    for (int i = 0; i < 8; i++) {
        const struct lit_texel *from = &f->texels[neighbours[i]];
        if (f->filled[neighbours[i]] != STATE_KNOWN || !can_fill_from(f, from, at))
            continue;
        for (int k = 0; k < 3; k++)
            sum[k] += from->direct[k];
        count++;
    }
    for (int k = 0; k < 3 && count; k++)
        at->direct[k] = sum[k] / (float)count;
    return count > 0;
}

static bool is_wanted(const struct filling *f, size_t index)
{
    return f->filled[index] == STATE_UNKNOWN &&
           (!f->on_surface || f->texels[index].state == TEXEL_COVERED);
}

/* Queues the unknown neighbours of `from`, each once per ring. */
static void queue_neighbours(const struct filling *f, const size_t *from, size_t **out)
{
    for (size_t i = 0; i < arrlenu(from); i++) {
        size_t neighbours[8];
        neighbours_of(f, from[i], neighbours);
        for (int k = 0; k < 8; k++) {
            if (!is_wanted(f, neighbours[k]))
                continue;
            f->filled[neighbours[k]] = STATE_QUEUED;
            arrput(*out, neighbours[k]);
        }
    }
}

static void fill_rings(const struct filling *f)
{
    size_t size = (size_t)f->width * (size_t)f->height;
    size_t *known = NULL, *queued = NULL;
    for (size_t i = 0; i < size; i++)
        if (f->filled[i] == STATE_KNOWN)
            arrput(known, i);
    while (arrlen(known)) {
        arrsetlen(queued, 0);
        queue_neighbours(f, known, &queued);
        arrsetlen(known, 0);
        for (size_t i = 0; i < arrlenu(queued); i++) {
            f->filled[queued[i]] = fill_texel(f, queued[i]) ? STATE_NEW : STATE_UNKNOWN;
            if (f->filled[queued[i]] == STATE_NEW)
                arrput(known, queued[i]);
        }
        for (size_t i = 0; i < arrlenu(known); i++)
            f->filled[known[i]] = STATE_KNOWN;
    }
    arrfree(known);
    arrfree(queued);
}

void texel_dilate(int width, int height, struct lit_texel *texels)
{
    size_t size = (size_t)width * (size_t)height;
    struct filling filling = {width, height, texels, memory_zalloc(size, 1), true};
    for (size_t i = 0; i < size; i++) {
        bool lit = texels[i].state == TEXEL_LIT;
        for (int k = 0; k < 3; k++)
            texels[i].direct[k] = lit ? texels[i].direct[k] + texels[i].indirect[k] : 0;
        filling.filled[i] = lit ? STATE_KNOWN : STATE_UNKNOWN;
    }
    fill_rings(&filling);
    filling.on_surface = false;
    fill_rings(&filling);
    memory_free(filling.filled);
}

/* --- texel light --- */

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
