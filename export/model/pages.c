#include "export/model/pages.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "scene/images/png.h"
#include "vrad/luxels/colour.h"

#define WHITE 255.0f
#define TOP   255.0f /* of a channel */

enum {
    MAX_RANGE = 4, /* with 8 bits more would be banded */
    MAX_RGBM_RANGE = 64,
    STEPS = 65535, /* of light, in the table of sRGB */
    RGB = 3,
    RGBM = 4,
};

struct page_job {
    const struct light_atlas *atlas;
    bool rgbm;
    float range;
    uint8_t *srgb; /* of each step */
};

static float range_for(const struct light_atlas *atlas, float max)
{
    float brightest = 0, range = 1;
    for (size_t i = 0; i < arrlenu(atlas->luxels); i++) {
        float rgb[3];
        colour_decode(atlas->luxels[i], rgb);
        for (int k = 0; k < 3; k++)
            brightest = portable_fmaxf(brightest, rgb[k] / WHITE);
    }
    while (range < brightest && range < max)
        range *= 2;
    return range;
}

static uint8_t srgb_of(double linear)
{
    double value =
        linear <= 0.0031308 ? 12.92 * linear : 1.055 * portable_pow(linear, 1 / 2.4) - 0.055;
    return (uint8_t)lround((double)TOP * value);
}

/* Light from 0 to the range as 0 .. 1. */
static float share_of(const struct page_job *job, float light)
{
    return portable_fminf(portable_fmaxf(light / (WHITE * job->range), 0), 1);
}

static void store(const struct page_job *job, struct bsp_colour luxel, unsigned char *to)
{
    float rgb[3], max = 0;
    colour_decode(luxel, rgb);
    for (int k = 0; k < 3; k++)
        max = portable_fmaxf(max, share_of(job, rgb[k]));
    float factor = portable_fmaxf(ceilf(max * TOP), 1);
    for (int k = 0; k < 3; k++) {
        float share = share_of(job, rgb[k]);
        to[k] = job->rgbm ? (uint8_t)lroundf(share * TOP / factor * TOP)
                          : job->srgb[lroundf(share * (float)STEPS)];
    }
    if (job->rgbm)
        to[3] = (uint8_t)factor;
}

static void fill_page(const struct page_job *job, int page, size_t channels, unsigned char *pixels)
{
    const struct light_atlas *atlas = job->atlas;
    for (size_t i = 0; i < arrlenu(atlas->blocks); i++) {
        const struct light_block *block = &atlas->blocks[i];
        const struct bsp_colour *from = &atlas->luxels[block->luxels];
        for (int y = 0; block->page == page && y < block->height; y++)
            for (int x = 0; x < block->width; x++) {
                size_t row = (size_t)block->y + (size_t)y, column = (size_t)block->x + (size_t)x;
                store(job, *from++, pixels + channels * ((size_t)atlas->side * row + column));
            }
    }
}

void export_light_pages(struct material_builder *materials)
{
    struct export_model *scene = materials->scene;
    const struct light_atlas *atlas = materials->atlas;
    bool rgbm = scene->page_form == EXPORT_PAGES_RGBM;
    size_t channels = rgbm ? RGBM : RGB, side = (size_t)atlas->side;
    struct page_job job = {.atlas = atlas, .rgbm = rgbm};
    job.range = range_for(atlas, rgbm ? MAX_RGBM_RANGE : MAX_RANGE);
    job.srgb = memory_alloc(STEPS + 1);
    for (int i = 0; i <= STEPS; i++)
        job.srgb[i] = srgb_of((double)i / (double)STEPS);
    scene->light_range = (double)job.range;
    for (int page = 0; page < atlas->pages; page++) {
        unsigned char *pixels = memory_zalloc(channels * side, side);
        struct bytes file = {0};
        const char *name = arena_printf(&scene->arena, "light_%d", page);
        fill_page(&job, page, channels, pixels);
        png_encode(pixels, (int)channels, atlas->side, atlas->side, &file);
        memory_free(pixels);
        arrput(scene->pages, export_image_add(scene, &materials->image_names, name, false, file));
    }
    memory_free(job.srgb);
}

/* Without the last of four bytes. */
static void drop_alpha(unsigned char *pixels, size_t count)
{
    for (size_t i = 0; i < RGB * count; i++)
        pixels[i] = pixels[i / RGB * RGBM + i % RGB];
}

void export_baked_image(struct material_builder *materials)
{
    const struct bake *bake = materials->bake;
    struct bytes file = {0};
    if (!bake->pixels)
        return;
    if (!bake->has_alpha)
        drop_alpha(bake->pixels, (size_t)bake->side * (size_t)bake->side);
    png_encode(bake->pixels, bake->has_alpha ? RGBM : RGB, bake->side, bake->side, &file);
    materials->scene->baked =
        export_image_add(materials->scene, &materials->image_names, "baked", false, file);
}
