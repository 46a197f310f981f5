/* Lightmap pages: packs luxels into squares. */
#include "vrad/target/quake3/pages/pages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/parallel/parallel.h"
#include "vrad/encode/lightmap.h"
#include "vrad/target/quake3/pages/page_pack.h"

/* ---- blocks of bytes ---- */

/* Maximum difference between bytes of luxels that count as one colour. */
enum { PLAIN_STEPS = 0 };

static const uint64_t one_luxel = 1;

/* An encoded block of luxels that one or more receivers share. */
struct block {
    int receiver; /* the first of them */
    int width, height;
    uint8_t *bytes;            /* heap; black where luxels are unused */
    const uint64_t *used_mask; /* as in struct pack_shape */
    uint64_t *common;          /* heap */
    uint8_t *directions;       /* heap, for deluxemaps; else NULL */
    bool alone;                /* not shared: styles or directions lie at its coordinates */
    uint64_t hash;
};

struct packing {
    struct quake3_light *q;
    struct tone tone;
    struct block *blocks; /* one per receiver; no bytes: not stored */
};

/* The light of style 0 of a lit face, 3 floats per luxel. */
static void colours_of(const struct quake3_light *q, const struct face_light *face,
                       struct vec3 ambient, float *out)
{
    struct lightmap_options options = {.scale = 1,
                                       .coring = (float)q->options->coring,
                                       .red_errors = q->options->red_errors,
                                       .debug_extra = q->options->debug_extra};
    struct face_light shown = *face;
    for (int k = 0; k < 3; k++)
        options.ambient[k] = (float)ambient.e[k];
    if (q->options->quake3.bounce_only)
        shown.direct[0] =
            memory_zalloc(3 * (size_t)face->count * (size_t)face->slots, sizeof(float));
    lightmap_colours(&shown, &options, 0, 0, 0, out);
    if (q->options->quake3.bounce_only)
        memory_free(shown.direct[0]);
}

/* Light of a luxel, with the minimum light of the world. */
static void encode(const struct quake3_light *q, const struct tone *tone, const float light[3],
                   uint8_t out[3])
{
    float lit[3];
    for (int k = 0; k < 3; k++)
        lit[k] = light[k] < (float)q->min.e[k] ? (float)q->min.e[k] : light[k];
    quake3_bytes(tone, lit, out);
}

/* Returns true if all used luxels have one colour, which the first then gets. */
static bool make_plain(const struct receiver *receiver, struct block *block)
{
    const uint8_t *first = NULL;
    for (int i = 0; i < block->width * block->height; i++) {
        const uint8_t *at = block->bytes + 3 * (size_t)i;
        if (!quake3_is_used(receiver, i))
            continue;
        first = first ? first : at;
        for (int k = 0; k < 3; k++)
            if (abs(at[k] - first[k]) > PLAIN_STEPS)
                return false;
    }
    if (first)
        memmove(block->bytes, first, 3);
    return true;
}

static size_t mask_words(const struct block *block)
{
    return (size_t)texel_words(block->width) * (size_t)block->height;
}

/* Black luxels may overlap those of other receivers. */
static void find_common(struct block *block)
{
    size_t words = (size_t)texel_words(block->width);
    for (int i = 0; i < block->width * block->height; i++) {
        const uint8_t *at = block->bytes + 3 * (size_t)i;
        size_t word = (size_t)(i / block->width) * words + (size_t)(i % block->width) / 64;
        uint64_t bit = UINT64_C(1) << (i % block->width % 64);
        if (!(at[0] | at[1] | at[2]))
            block->common[word] |= block->used_mask[word] & bit;
    }
}

static uint64_t hash_of(const struct block *block)
{
    uint64_t hash = 14695981039346656037u ^ (uint64_t)block->width << 32 ^ (uint64_t)block->height;
    for (size_t i = 0; i < 3 * (size_t)block->width * (size_t)block->height; i++)
        hash = (hash ^ block->bytes[i]) * 1099511628211u;
    for (size_t i = 0; i < mask_words(block); i++)
        hash = (hash ^ block->used_mask[i]) * 1099511628211u;
    return hash;
}

static void finish_receiver(void *context, size_t index, int thread)
{
    (void)thread;
    struct packing *packing = context;
    struct quake3_light *q = packing->q;
    struct receiver *receiver = &q->receivers[index];
    const struct face_light *face = &q->map.faces[index];
    struct block *block = &packing->blocks[index];
    if (face->count == 0)
        return;
    receiver->colours = memory_alloc(3 * (size_t)face->count * sizeof(float));
    colours_of(q, face, quake3_ambient_of(q, receiver->surfaces[0]), receiver->colours);
    quake3_filter_luxels(q, (int)index, receiver->colours);
    if (!receiver->stored || q->options->quake3.no_lightmaps)
        return;
    *block = (struct block){.receiver = (int)index, .width = face->width, .height = face->height};
    block->bytes = memory_zalloc(3, (size_t)face->count);
    struct tone tone = quake3_tone_of(q, receiver, &packing->tone);
    for (int i = 0; i < face->count; i++)
        if (quake3_is_used(receiver, i))
            encode(q, &tone, receiver->colours + 3 * (size_t)i, block->bytes + 3 * i);
    int styles[BSP_FACE_STYLES];
    block->alone = receiver->light.bumped || quake3_styles_of(q, (int)index, styles) > 0;
    if (receiver->light.bumped) {
        block->directions = memory_alloc(3 * (size_t)face->count);
        quake3_directions(q, (int)index, block->directions);
    }
    receiver->plain = !block->alone && make_plain(receiver, block);
    block->used_mask = receiver->used_mask;
    if (receiver->plain) {
        block->width = block->height = 1;
        block->used_mask = &one_luxel;
    }
    block->common = memory_zalloc(mask_words(block), sizeof *block->common);
    if (!block->alone)
        find_common(block);
    block->hash = hash_of(block);
}

/* ---- duplicate blocks ---- */

static int compare_blocks(const void *a, const void *b)
{
    const struct block *x = *(const struct block *const *)a, *y = *(const struct block *const *)b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    if (x->width != y->width)
        return x->width - y->width;
    if (x->height != y->height)
        return x->height - y->height;
    int bytes = memcmp(x->bytes, y->bytes, 3 * (size_t)x->width * (size_t)x->height);
    if (bytes == 0)
        bytes = memcmp(x->used_mask, y->used_mask, mask_words(x) * sizeof *x->used_mask);
    return bytes ? bytes : x->receiver - y->receiver;
}

static bool is_same(const struct block *a, const struct block *b)
{
    return !a->alone && !b->alone && a->hash == b->hash && a->width == b->width &&
           a->height == b->height &&
           memcmp(a->bytes, b->bytes, 3 * (size_t)a->width * (size_t)a->height) == 0 &&
           memcmp(a->used_mask, b->used_mask, mask_words(a) * sizeof *a->used_mask) == 0;
}

/* Large blocks first: small ones fit between them. */
static int larger_first(const void *a, const void *b)
{
    const struct block *x = *(const struct block *const *)a, *y = *(const struct block *const *)b;
    int long_x = x->width > x->height ? x->width : x->height;
    int long_y = y->width > y->height ? y->width : y->height;
    if (long_x != long_y)
        return long_y - long_x;
    if (x->width * x->height != y->width * y->height)
        return y->width * y->height - x->width * x->height;
    return x->receiver - y->receiver;
}

int quake3_pages_each(const struct quake3_light *q)
{
    return q->options->quake3.deluxe ? 2 : 1;
}

uint8_t *quake3_page_in_file(struct quake3_light *q, int page)
{
    struct bytes *pages = &q->bsp->ldr.lighting;
    const size_t bytes = bsp_page_bytes(q->bsp), each = (size_t)quake3_pages_each(q);
    while (pages->size < ((size_t)page + 1) * each * bytes)
        bytes_fill(pages, 0, bytes);
    return pages->data + (size_t)page * each * bytes;
}

/* The texels of a page, in the file or external. */
static uint8_t *page_at(struct quake3_light *q, int page)
{
    if (q->external) {
        uint8_t *light = quake3_external_page(q, page, 0);
        if (q->options->quake3.deluxe)
            (void)quake3_external_page(q, page, EXTERNAL_DIRECTIONS);
        return light;
    }
    return quake3_page_in_file(q, page);
}

static uint8_t *directions_at(struct quake3_light *q, int page)
{
    return q->external ? quake3_external_page(q, page, EXTERNAL_DIRECTIONS)
                       : page_at(q, page) + bsp_page_bytes(q->bsp);
}

static void write_block(struct quake3_light *q, const struct block *block,
                        const struct receiver *at)
{
    uint8_t *texels = page_at(q, at->page);
    uint8_t *towards = block->directions ? directions_at(q, at->page) : NULL;
    for (int i = 0; i < block->width * block->height; i++) {
        int s = i % block->width, t = i / block->width;
        ptrdiff_t row = at->place[1] + t, to = row * q->page_side + at->place[0] + s;
        if (!texel_is_set(block->used_mask, block->width, s, t))
            continue;
        memcpy(texels + 3 * to, block->bytes + 3 * (ptrdiff_t)i, 3);
        if (towards)
            memcpy(towards + 3 * to, block->directions + 3 * (ptrdiff_t)i, 3);
    }
}

/* The first of each group of equal blocks; head_of[i] is that of receiver i. */
static struct block **find_heads(struct block **blocks, int *head_of)
{
    struct block **heads = NULL;
    if (blocks)
        qsort(blocks, arrlenu(blocks), sizeof *blocks, compare_blocks);
    for (ptrdiff_t i = 0; i < arrlen(blocks); i++) {
        bool same = i > 0 && is_same(blocks[i], blocks[i - 1]);
        head_of[blocks[i]->receiver] =
            same ? head_of[blocks[i - 1]->receiver] : blocks[i]->receiver;
        if (!same)
            arrput(heads, blocks[i]);
    }
    if (heads)
        qsort(heads, arrlenu(heads), sizeof *heads, larger_first);
    return heads;
}

static void place_blocks(struct packing *packing, struct block **blocks)
{
    struct receiver *receivers = packing->q->receivers;
    struct page_pack pack = {.side = packing->q->page_side};
    int *head_of = memory_alloc((arrlenu(receivers) + 1) * sizeof *head_of);
    struct block **heads = find_heads(blocks, head_of);
    for (ptrdiff_t i = 0; i < arrlen(heads); i++) {
        struct receiver *to = &receivers[heads[i]->receiver];
        const struct pack_shape shape = {heads[i]->width, heads[i]->height, heads[i]->used_mask,
                                         heads[i]->common};
        page_pack_add(&pack, &shape, &to->page, to->place);
        write_block(packing->q, heads[i], to);
    }
    for (ptrdiff_t i = 0; i < arrlen(blocks); i++) {
        struct receiver *to = &receivers[blocks[i]->receiver];
        const struct receiver *from = &receivers[head_of[blocks[i]->receiver]];
        to->page = from->page;
        memcpy(to->place, from->place, sizeof to->place);
    }
    memory_free(head_of);
    arrfree(heads);
    page_pack_free(&pack);
}

/* ---- surfaces ---- */

static void set_no_page(struct bsp_surface *surface)
{
    surface->lightmap = -3;
    memset(surface->lightmap_start, 0, sizeof surface->lightmap_start);
    memset(surface->lightmap_size, 0, sizeof surface->lightmap_size);
    memset(surface->lightmap_origin, 0, sizeof surface->lightmap_origin);
}

/* The world position of luxel 0, 0 and the steps to its neighbours; patches store their LOD bounds
 * instead. */
static void set_vectors(const struct receiver *receiver, struct bsp_surface *surface)
{
    const struct luxel_receiver *light = &receiver->light;
    int axis = receiver->axis;
    bool patch = axis < 0;
    for (int k = 0; k < 3; k++) {
        surface->lightmap_origin[k] = light->mesh ? 0 : (float)light->origin.e[k];
        for (int i = 0; i < 2 && !patch; i++)
            surface->lightmap_vectors[i][k] = light->mesh ? 0 : (float)light->axis[i].e[k];
    }
    if (!light->mesh)
        surface->lightmap_origin[axis] -= (float)(receiver->lift / light->normal.e[axis]);
}

static void set_page(struct quake3_light *q, int number)
{
    const struct receiver *receiver = &q->receivers[q->surfaces[number].receiver];
    struct bsp_surface *surface = &q->bsp->surfaces[number];
    surface->lightmap = receiver->page * quake3_pages_each(q);
    memcpy(surface->lightmap_start, receiver->place, sizeof receiver->place);
    surface->lightmap_size[0] = receiver->plain ? 1 : receiver->light.width;
    surface->lightmap_size[1] = receiver->plain ? 1 : receiver->light.height;
    set_vectors(receiver, surface);
    for (int i = 0; i < surface->vertex_count; i++) {
        double st[2] = {0, 0};
        if (!receiver->plain)
            quake3_luxel_at(q, number, i, st);
        float *at = q->bsp->draw_vertices[surface->first_vertex + i].lightmap;
        for (int k = 0; k < 2; k++)
            at[k] = (float)((receiver->place[k] + st[k] + 0.5) / q->page_side);
    }
}

static void store_pages(struct packing *packing, struct block **stored)
{
    struct quake3_light *q = packing->q;
    bytes_free(&q->bsp->ldr.lighting);
    place_blocks(packing, stored);
    quake3_store_styles(q);
    quake3_note_deluxe(q);
    /* The engine reads past the end of a file with a single page. */
    if (q->bsp->ldr.lighting.size == bsp_page_bytes(q->bsp))
        bytes_fill(&q->bsp->ldr.lighting, 0, bsp_page_bytes(q->bsp));
    for (ptrdiff_t i = 0; i < arrlen(q->bsp->surfaces); i++) {
        int receiver = q->surfaces[i].receiver;
        if (receiver >= 0 && q->receivers[receiver].stored) {
            set_page(q, (int)i);
            quake3_show_styles(q, (int)i);
        } else if (q->bsp->surfaces[i].lightmap >= 0 || q->surfaces[i].material->drawn) {
            set_no_page(&q->bsp->surfaces[i]);
        }
    }
    progress_count(q->env->progress, "lightmap pages",
                   (int64_t)(q->bsp->ldr.lighting.size / bsp_page_bytes(q->bsp)));
}

void quake3_store_luxels(struct quake3_light *q)
{
    size_t count = arrlenu(q->receivers);
    struct packing packing = {
        .q = q, .tone = q->external ? quake3_tone_external(q->options) : quake3_tone(q->options)};
    struct block **stored = NULL;
    packing.blocks = memory_zalloc(count + 1, sizeof *packing.blocks);
    parallel_for(q->env->threads, count, finish_receiver, &packing);
    for (size_t i = 0; i < count; i++)
        if (packing.blocks[i].bytes)
            arrput(stored, &packing.blocks[i]);
    if (!q->options->quake3.no_lightmaps)
        store_pages(&packing, stored);
    for (size_t i = 0; i < count; i++) {
        memory_free(packing.blocks[i].bytes);
        memory_free(packing.blocks[i].common);
        memory_free(packing.blocks[i].directions);
    }
    memory_free(packing.blocks);
    arrfree(stored);
}

/* ---- blurred luxels, as the options or shaders ask for it, and darker ones at edges ---- */

/* Of -filter, in luxels; measured on maps that were made with it. */
#define FILTER_RADIUS 3.0

/* The weighted mean around luxel `at` of those that are used; weights fall linearly to 0 at the
 * radius, in luxels. */
static void blur(const struct receiver *receiver, const float *from, double radius, const int at[2],
                 float out[3])
{
    int width = receiver->light.width, height = receiver->light.height, reach = (int)radius;
    double sum[3] = {0}, total = 0;
    for (int t = at[1] - reach; t <= at[1] + reach; t++) {
        for (int s = at[0] - reach; s <= at[0] + reach; s++) {
            if (s < 0 || t < 0 || s >= width || t >= height ||
                !quake3_is_used(receiver, t * width + s))
                continue;
            double weight = 1 - portable_hypot(s - at[0], t - at[1]) / radius;
            for (int k = 0; k < 3 && weight > 0; k++)
                sum[k] += weight * (double)from[3 * (t * width + s) + k];
            total += portable_fmax(weight, 0);
        }
    }
    for (int k = 0; k < 3 && total > 0; k++)
        out[k] = (float)(sum[k] / total);
}

/* The darkest of the luxels around one that lie on the surface, for each colour. */
static void darken(const struct face_light *face, const struct receiver *receiver,
                   const float *from, int at, float out[3])
{
    int s = at % face->width, t = at / face->width;
    for (int j = t > 0 ? t - 1 : t; j <= t + 1 && j < face->height; j++)
        for (int i = s > 0 ? s - 1 : s; i <= s + 1 && i < face->width; i++) {
            int other = j * face->width + i;
            if (!quake3_is_used(receiver, other) || !(luxel_area(face, other) > 0))
                continue;
            for (int k = 0; k < 3; k++)
                out[k] = portable_fminf(out[k], from[3 * other + k]);
        }
}

/* Luxels beside the surface have no light of their own. */
static void darken_edges(const struct quake3_light *q, int number, const float *from,
                         float *colours)
{
    const struct face_light *face = &q->map.faces[number];
    for (int i = 0; i < face->count; i++)
        if (quake3_is_used(&q->receivers[number], i) && !(luxel_area(face, i) > 0))
            darken(face, &q->receivers[number], from, i, colours + 3 * i);
}

void quake3_filter_luxels(const struct quake3_light *q, int number, float *colours)
{
    const struct receiver *receiver = &q->receivers[number];
    const struct shader *shader = q->surfaces[receiver->surfaces[0]].material->shader;
    int count = q->map.faces[number].count, width = receiver->light.width;
    double radius = shader ? shader->lightmap_filter_radius / receiver->size : 0;
    if (q->options->quake3.filter)
        radius = portable_fmax(radius, FILTER_RADIUS);
    if (!(radius > 1) && !q->options->quake3.dark)
        return;
    radius = portable_fmin(radius, q->page_side);
    size_t bytes = 3 * (size_t)count * sizeof *colours;
    float *from = memory_alloc(bytes);
    memcpy(from, colours, bytes);
    if (q->options->quake3.dark) {
        darken_edges(q, number, from, colours);
        memcpy(from, colours, bytes);
    }
    for (int i = 0; i < count && radius > 1; i++)
        blur(receiver, from, radius, (const int[]){i % width, i / width}, colours + 3 * i);
    memory_free(from);
}
