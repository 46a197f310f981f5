#include "scene/shade/light_atlas.h"

#include <stdlib.h>

#include "common/bsp/engine.h"
#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "vrad/luxels/colour.h"

enum {
    MIN_SIDE = 256,
    USUAL_SIDE = 1024, /* as many pages of it as are needed */
    MAX_SIDE = 4096,   /* what WebGL draws anywhere */
    COLOUR_BYTES = 4,  /* of a luxel in a file */
};

struct block_key {
    size_t key; /* offset in the luxels of the mesh */
    int value;
};

struct builder {
    const struct map_scene *scene;
    struct light_atlas *atlas;
    bool all_styles;
    struct block_key *known; /* stb_ds map: surfaces of Quake 3 share pages */
    size_t budget;           /* of luxels: faces of a damaged file may share theirs */
};

/* --- luxels --- */

static void copy_style(struct builder *b, struct light_block *block, const unsigned char *from)
{
    size_t count = (size_t)block->width * (size_t)block->height;
    struct bsp_colour *to = arraddnptr(b->atlas->luxels, count);
    for (size_t i = 0; i < count; i++, from += COLOUR_BYTES) {
        float rgb[3];
        colour_decode((struct bsp_colour){from[0], from[1], from[2], (int8_t)from[3]}, rgb);
        to[i] = colour_encode(rgb);
    }
}

/* All styles of a face of Source. Bumped ones have the light of three directions too, after the
 * flat one. */
static void add_styles(struct builder *b, const struct bsp_face *face, struct light_block *block)
{
    const struct bsp *bsp = b->scene->bsp;
    const struct bytes *lighting = &b->scene->light->lighting;
    bool bumped = face->texinfo >= 0 && bsp->texinfo[face->texinfo].flags & SURFACE_BUMPLIGHT;
    int64_t size = (int64_t)COLOUR_BYTES * block->width * block->height;
    for (int i = 0; i < BSP_FACE_STYLES && face->styles[i] != BSP_STYLE_NONE; i++) {
        int64_t at = face->light_offset + size * i * (bumped ? 4 : 1);
        if (at + size > (int64_t)lighting->size || (uint64_t)size > b->budget * COLOUR_BYTES)
            return;
        b->budget -= (size_t)size / COLOUR_BYTES;
        copy_style(b, block, lighting->data + at);
        block->styles[block->style_count++] = face->styles[i];
    }
}

static void add_mesh_luxels(struct builder *b, const struct surface *surface,
                            struct light_block *block)
{
    size_t count = (size_t)block->width * (size_t)block->height;
    struct bsp_colour *to = arraddnptr(b->atlas->luxels, count);
    for (size_t i = 0; i < count; i++)
        to[i] = colour_encode(b->scene->mesh.luxels[surface->luxels + i]);
    block->styles[block->style_count++] = 0;
}

static int add_block(struct builder *b, const struct surface *surface)
{
    struct light_block block = {
        .width = surface->width, .height = surface->height, .luxels = arrlenu(b->atlas->luxels)};
    memset(block.styles, BSP_STYLE_NONE, sizeof block.styles);
    if (block.width > MAX_SIDE || block.height > MAX_SIDE / BSP_FACE_STYLES)
        return -1;
    if (b->all_styles && surface->face >= 0 && !b->scene->bsp->engine->geometry.has_surfaces)
        add_styles(b, &bsp_faces_of(b->scene->bsp, b->scene->light)[surface->face], &block);
    else
        add_mesh_luxels(b, surface, &block);
    if (block.style_count == 0)
        return -1;
    arrput(b->atlas->blocks, block);
    return (int)arrlen(b->atlas->blocks) - 1;
}

/* --- places --- */

static int compare_blocks(const void *a, const void *b)
{
    const struct light_block *const *first = a, *const *second = b;
    int high = (*first)->height * (*first)->style_count,
        other = (*second)->height * (*second)->style_count;
    if (high != other)
        return other - high;
    if ((*first)->width != (*second)->width)
        return (*second)->width - (*first)->width;
    return (*first > *second) - (*first < *second);
}

static int side_for(const struct light_atlas *atlas)
{
    int side = MIN_SIDE, largest = 0;
    for (size_t i = 0; i < arrlenu(atlas->blocks); i++) {
        const struct light_block *block = &atlas->blocks[i];
        int high = block->height * block->style_count;
        largest = largest > high ? largest : high;
        largest = largest > block->width ? largest : block->width;
    }
    while (side < USUAL_SIDE && (size_t)side * (size_t)side < arrlenu(atlas->luxels))
        side *= 2;
    while (side < largest)
        side *= 2;
    return side;
}

/* In rows, the highest blocks first. */
void light_atlas_place(struct light_atlas *atlas)
{
    size_t count = arrlenu(atlas->blocks);
    struct light_block **order = memory_alloc((count + 1) * sizeof(struct light_block *));
    for (size_t i = 0; i < count; i++)
        order[i] = &atlas->blocks[i];
    if (count > 1)
        qsort(order, count, sizeof *order, compare_blocks);
    atlas->side = side_for(atlas);
    int x = 0, y = 0, row = 0, page = 0;
    for (size_t i = 0; i < count; i++) {
        struct light_block *block = order[i];
        int high = block->height * block->style_count;
        if (x + block->width > atlas->side) {
            y += row;
            x = row = 0;
        }
        if (y + high > atlas->side) {
            page++;
            x = y = row = 0;
        }
        block->page = page;
        block->x = x;
        block->y = y;
        x += block->width;
        row = row > high ? row : high;
    }
    atlas->pages = count ? page + 1 : 0;
    memory_free(order);
}

void light_atlas_list(const struct map_scene *scene, bool all_styles, struct light_atlas *out)
{
    *out = (struct light_atlas){0};
    const struct mesh *mesh = &scene->mesh;
    struct builder b = {.scene = scene,
                        .atlas = out,
                        .all_styles = all_styles,
                        .budget = scene->light->lighting.size / COLOUR_BYTES};
    for (size_t i = 0; i < arrlenu(mesh->surfaces); i++) {
        const struct surface *surface = &mesh->surfaces[i];
        int block = -1;
        if (surface->lit_by == LIT_BY_LUXELS) {
            ptrdiff_t at = hmgeti(b.known, surface->luxels);
            block = at >= 0 ? b.known[at].value : add_block(&b, surface);
            if (at < 0)
                hmput(b.known, surface->luxels, block);
        }
        arrput(out->block_of, block);
    }
    hmfree(b.known);
}

int light_atlas_add(struct light_atlas *atlas, int width, int height, const float (*luxels)[3])
{
    struct light_block block = {
        .width = width, .height = height, .style_count = 1, .luxels = arrlenu(atlas->luxels)};
    size_t count = (size_t)width * (size_t)height;
    memset(block.styles, BSP_STYLE_NONE, sizeof block.styles);
    block.styles[0] = 0;
    struct bsp_colour *to = arraddnptr(atlas->luxels, count);
    for (size_t i = 0; i < count; i++)
        to[i] = colour_encode(luxels[i]);
    arrput(atlas->blocks, block);
    return (int)arrlen(atlas->blocks) - 1;
}

void light_atlas_build(const struct map_scene *scene, bool all_styles, struct light_atlas *out)
{
    light_atlas_list(scene, all_styles, out);
    light_atlas_place(out);
}

void light_atlas_free(struct light_atlas *atlas)
{
    arrfree(atlas->blocks);
    arrfree(atlas->block_of);
    arrfree(atlas->luxels);
}
