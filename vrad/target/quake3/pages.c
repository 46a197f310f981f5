/* Pages of light: what luxels come out as bytes, packed into squares of 128 x 128. */
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/parallel.h"
#include "vrad/lightmap.h"
#include "vrad/target/quake3/page_pack.h"
#include "vrad/target/quake3/parts.h"

/* Levels by which the luxels of a receiver may differ and still count as one colour. */
enum { PLAIN_STEPS = 0 };

/* A picture of bytes that one or more receivers share. */
struct block {
    int receiver; /* the first that has it */
    int width, height;
    uint8_t *bytes; /* heap */
    uint64_t hash;
};

struct packing {
    struct quake3_light *q;
    struct tone tone;
    struct block *blocks; /* one a receiver; no bytes: not stored */
};

static float at_least(float value, double least)
{
    return value < (float)least ? (float)least : value;
}

static bool is_plain(const struct block *block)
{
    for (int i = 1; i < block->width * block->height; i++)
        for (int k = 0; k < 3; k++)
            if (abs(block->bytes[3 * i + k] - block->bytes[k]) > PLAIN_STEPS)
                return false;
    return true;
}

static uint64_t hash_of(const struct block *block)
{
    uint64_t hash = 14695981039346656037u ^ (uint64_t)block->width << 32 ^ (uint64_t)block->height;
    for (size_t i = 0; i < 3 * (size_t)block->width * (size_t)block->height; i++)
        hash = (hash ^ block->bytes[i]) * 1099511628211u;
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
    struct lightmap_options options = {.scale = 1,
                                       .coring = (float)q->options->coring,
                                       .red_errors = q->options->red_errors,
                                       .debug_extra = q->options->debug_extra};
    if (face->count == 0)
        return;
    for (int k = 0; k < 3; k++)
        options.ambient[k] = (float)q->ambient.e[k];
    receiver->colours = memory_alloc(3 * (size_t)face->count * sizeof(float));
    lightmap_colours(face, &options, 0, 0, 0, receiver->colours);
    for (int i = 0; i < 3 * face->count; i++)
        receiver->colours[i] = at_least(receiver->colours[i], q->least.e[i % 3]);
    if (!receiver->stored)
        return;
    *block = (struct block){.receiver = (int)index, .width = face->width, .height = face->height};
    block->bytes = memory_alloc(3 * (size_t)face->count);
    for (int i = 0; i < face->count; i++)
        quake3_bytes(&packing->tone, receiver->colours + 3 * (size_t)i, block->bytes + 3 * i);
    receiver->plain = is_plain(block);
    if (receiver->plain)
        block->width = block->height = 1;
    block->hash = hash_of(block);
}

/* ---- equal blocks once ---- */

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
    return bytes ? bytes : x->receiver - y->receiver;
}

static bool is_same(const struct block *a, const struct block *b)
{
    return a->hash == b->hash && a->width == b->width && a->height == b->height &&
           memcmp(a->bytes, b->bytes, 3 * (size_t)a->width * (size_t)a->height) == 0;
}

/* Large ones first: small ones find room between them. */
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

static void place_blocks(struct packing *packing, struct block **blocks)
{
    struct page_pack pack = {0};
    struct block **heads = NULL; /* of groups of equal ones */
    int *head_of = memory_alloc((arrlenu(packing->q->receivers) + 1) * sizeof *head_of);
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
    struct bytes *pages = &packing->q->bsp->ldr.lighting;
    for (ptrdiff_t i = 0; i < arrlen(heads); i++) {
        struct receiver *to = &packing->q->receivers[heads[i]->receiver];
        page_pack_add(&pack, heads[i]->width, heads[i]->height, &to->page, to->place);
        while (pages->size < ((size_t)to->page + 1) * LIGHTMAP_PAGE)
            bytes_fill(pages, 0, LIGHTMAP_PAGE);
        for (int row = 0; row < heads[i]->height; row++) {
            size_t at = (size_t)to->page * LIGHTMAP_PAGE +
                        3 * (size_t)((to->place[1] + row) * PAGE_SIDE + to->place[0]);
            memcpy(pages->data + at, heads[i]->bytes + 3 * (size_t)(row * heads[i]->width),
                   3 * (size_t)heads[i]->width);
        }
    }
    for (ptrdiff_t i = 0; i < arrlen(blocks); i++) {
        struct receiver *to = &packing->q->receivers[blocks[i]->receiver];
        const struct receiver *from = &packing->q->receivers[head_of[blocks[i]->receiver]];
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

/* Luxel 0, 0 and the steps to its neighbours. Those of patches say how they are drawn instead. */
static void set_vectors(const struct luxel_receiver *light, bool patch, struct bsp_surface *surface)
{
    for (int k = 0; k < 3; k++) {
        surface->lightmap_origin[k] = light->mesh ? 0 : (float)light->origin.e[k];
        for (int i = 0; i < 2 && !patch; i++)
            surface->lightmap_vectors[i][k] = light->mesh ? 0 : (float)light->axis[i].e[k];
    }
}

static void set_page(struct quake3_light *q, int number)
{
    const struct receiver *receiver = &q->receivers[q->surfaces[number].receiver];
    struct bsp_surface *surface = &q->bsp->surfaces[number];
    surface->lightmap = receiver->page;
    memcpy(surface->lightmap_start, receiver->place, sizeof receiver->place);
    surface->lightmap_size[0] = receiver->plain ? 1 : receiver->light.width;
    surface->lightmap_size[1] = receiver->plain ? 1 : receiver->light.height;
    set_vectors(&receiver->light, receiver->axis < 0, surface);
    for (int i = 0; i < surface->vertex_count; i++) {
        double st[2] = {0, 0};
        if (!receiver->plain)
            quake3_luxel_at(q, number, i, st);
        float *at = q->bsp->draw_vertices[surface->first_vertex + i].lightmap;
        for (int k = 0; k < 2; k++)
            at[k] = (float)((receiver->place[k] + st[k] + 0.5) / PAGE_SIDE);
    }
}

void quake3_store_luxels(struct quake3_light *q)
{
    size_t count = arrlenu(q->receivers);
    struct packing packing = {.q = q, .tone = quake3_tone(q->options)};
    struct block **stored = NULL;
    packing.blocks = memory_zalloc(count + 1, sizeof *packing.blocks);
    parallel_for(q->env->threads, count, finish_receiver, &packing);
    for (size_t i = 0; i < count; i++)
        if (packing.blocks[i].bytes)
            arrput(stored, &packing.blocks[i]);
    bytes_free(&q->bsp->ldr.lighting);
    place_blocks(&packing, stored);
    /* Of a file with a single page the engine reads on behind it. */
    if (q->bsp->ldr.lighting.size == LIGHTMAP_PAGE)
        bytes_fill(&q->bsp->ldr.lighting, 0, LIGHTMAP_PAGE);
    for (ptrdiff_t i = 0; i < arrlen(q->bsp->surfaces); i++) {
        int receiver = q->surfaces[i].receiver;
        if (receiver >= 0 && q->receivers[receiver].stored)
            set_page(q, (int)i);
        else if (q->bsp->surfaces[i].lightmap >= 0 || q->surfaces[i].look->drawn)
            set_no_page(&q->bsp->surfaces[i]);
    }
    progress_count(q->env->progress, "pages", (int64_t)(q->bsp->ldr.lighting.size / LIGHTMAP_PAGE));
    for (size_t i = 0; i < count; i++)
        memory_free(packing.blocks[i].bytes);
    memory_free(packing.blocks);
    arrfree(stored);
}
