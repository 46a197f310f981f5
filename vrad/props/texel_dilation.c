#include "vrad/props/texel_dilation.h"

#include <math.h>
#include <string.h>

#include "common/core/array.h"
#include "common/parallel/parallel.h"

/* Texels more than so many texel widths apart in the map are on different surfaces, even if
 * adjacent in the image. */
#define SAME_SURFACE 4.0f

static size_t wrap(int at, int side)
{
    return (size_t)(at < 0 ? at + side : at >= side ? at - side : at);
}

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

float texel_bilateral_weight(const struct lit_texel *a, const struct lit_texel *b, int radius)
{
    float reach = (float)(radius + 1) * a->width;
    float near = reach > 0 ? 1 - square_gap(a, b) / (reach * reach) : 0;
    float like = facing(a, b);
    return near > 0 ? near * like * like * like * like : 0;
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
