#include "vrad/props/texel_light.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/random.h"
#include "common/parallel/parallel.h"
#include "vrad/props/prop_point.h"

enum { CHUNK = 64 };

/* Texels from which on light from around is gathered at every second and fourth one. */
enum { MANY = 4096, VERY_MANY = 16384 };

/* Gathered light stands for a texel between when it lies this near in all (1: at the same place),
 * and differs by no more than this share of its mean. */
#define MIN_WEIGHT 0.3f
#define MAX_SPREAD 0.2f

struct job {
    const struct texel_lighting *lighting;
    int stride;
    size_t *todo; /* stb_ds array */
};

static void light_texel(const struct job *job, const struct point_lighter *lighter, size_t index,
                        const struct hot_view *hot, float around[3])
{
    const struct texel_lighting *lighting = job->lighting;
    struct lit_texel *lit = &lighting->texels[index];
    struct light_point point = {.position = vec3_from_floats(lit->position),
                                .normal = vec3_from_floats(lit->normal),
                                .hot = hot,
                                .seed = hash_pair(lighting->prop, ~(uint64_t)index)};
    struct point_light light;
    point.viewer.prop = (int)lighting->prop;
    point.viewer.no_self_shadow = lighting->no_self_shadow;
    enum prop_point found = prop_point_light(lighter, lighting->bsp, &point, &light);
    if (found == PROP_POINT_COVERED)
        return;
    lit->aside = found == PROP_POINT_ASIDE;
    lit->state = TEXEL_LIT;
    memcpy(lit->direct, light.direct, sizeof lit->direct);
    memcpy(around, light.around, sizeof light.around);
}

/* ---- light gathered beside the texel ---- */

struct between {
    float sum[3], weight, min, max;
    bool at_solid; /* one is covered, or lit from a step aside, be it on another surface */
};

/* `share` is that of a tent over the cell of the grid. */
static void add_neighbour(const struct lit_texel *at, const struct lit_texel *other, int reach,
                          float share, struct between *between)
{
    float weight = share * texel_likeness(at, other, reach);
    between->at_solid |= other->state == TEXEL_COVERED || other->aside;
    if (other->state == TEXEL_EMPTY || !(weight > 0))
        return;
    float grey = 0;
    for (int k = 0; k < 3; k++) {
        between->sum[k] += weight * other->around[k];
        grey += other->around[k] / 3;
    }
    between->weight += weight;
    between->min = grey < between->min ? grey : between->min;
    between->max = grey > between->max ? grey : between->max;
}

/* False when those of the grid around it do not tell. */
static bool take_between(const struct job *job, size_t index, float around[3])
{
    const struct texel_lighting *lighting = job->lighting;
    const struct lit_texel *at = &lighting->texels[index];
    struct between between = {.min = 1e30f, .max = -1e30f};
    int stride = job->stride, x = (int)(index % (size_t)lighting->width);
    int y = (int)(index / (size_t)lighting->width);
    for (int i = 0; i < 4; i++) {
        int dx = i & 1 ? stride - x % stride : x % stride;
        int dy = i & 2 ? stride - y % stride : y % stride;
        int column = i & 1 ? x + dx : x - dx, row = i & 2 ? y + dy : y - dy;
        float share = (float)((stride - dx) * (stride - dy)) / (float)(stride * stride);
        if (column < lighting->width && row < lighting->height)
            add_neighbour(at, &lighting->texels[row * lighting->width + column], stride, share,
                          &between);
    }
    float mean = (between.sum[0] + between.sum[1] + between.sum[2]) / 3;
    if (between.at_solid || between.weight < MIN_WEIGHT ||
        (between.max - between.min) * between.weight > MAX_SPREAD * mean)
        return false;
    for (int k = 0; k < 3; k++)
        around[k] = between.sum[k] / between.weight;
    return true;
}

/* ---- all texels ---- */

static void find_spots(const struct job *job, size_t first, size_t end, struct hot_view *hot)
{
    struct bounds box = bounds_empty();
    for (size_t i = first; i < end; i++)
        bounds_add_point(&box, vec3_from_floats(job->lighting->texels[job->todo[i]].position));
    for (int k = 0; k < 3; k++) {
        box.mins.e[k] -= 1;
        box.maxs.e[k] += 1;
    }
    hot_view_of_box(job->lighting->lighter->hot, &box, NULL, 0, hot);
}

/* Texels of the grid write what they gather; others read that of the grid alone. */
static void light_chunk(void *context, size_t chunk, int thread)
{
    const struct job *job = context;
    const struct point_lighter *lighter = job->lighting->lighter;
    struct point_lighter direct = *lighter;
    size_t first = chunk * CHUNK, end = first + CHUNK;
    struct hot_view hot = {0};
    (void)thread;
    direct.rays = 0;
    end = end < arrlenu(job->todo) ? end : arrlenu(job->todo);
    if (lighter->hot)
        find_spots(job, first, end, &hot);
    for (size_t i = first; i < end; i++) {
        float around[3] = {0}, unused[3];
        bool known = job->stride > 1 && take_between(job, job->todo[i], around);
        light_texel(job, known ? &direct : lighter, job->todo[i], lighter->hot ? &hot : NULL,
                    known ? unused : around);
        memcpy(job->lighting->texels[job->todo[i]].around, around, sizeof around);
    }
    if (lighter->hot)
        hot_view_free(&hot);
}

static void light_todo(struct job *job)
{
    parallel_for(job->lighting->threads, (arrlenu(job->todo) + CHUNK - 1) / CHUNK, light_chunk,
                 job);
}

/* Texels of the grid of that stride, or all others. */
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
    list_texels(lighting, 1, true, &job.todo);
    size_t count = arrlenu(job.todo);
    int stride = count > VERY_MANY ? 4 : count > MANY ? 2 : 1;
    list_texels(lighting, stride, true, &job.todo);
    light_todo(&job);
    if (stride > 1) {
        job.stride = stride;
        list_texels(lighting, stride, false, &job.todo);
        light_todo(&job);
    }
    if (lighting->place)
        texel_edges(lighting);
    texel_smooth(lighting->threads, lighting->width, lighting->height, stride, lighting->texels);
    arrfree(job.todo);
    return count;
}
