#include "export/model/materials.h"

#include "common/assets/shaders/shader.h"
#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/io/fs.h"
#include "scene/images/image_encode.h"
#include "vrad/luxels/colour.h"

/* Of names of images, without ending and number. */
enum { MAX_NAME = 100 };

void material_builder_open(const struct map_scene *map, const struct export_settings *settings,
                           const struct light_atlas *atlas, struct export_model *scene,
                           struct material_builder *out)
{
    *out = (struct material_builder){
        .map = map,
        .atlas = atlas,
        .scene = scene,
        .images = {.options = {settings->texture_size, settings->quality}}};
    sh_new_arena(out->names);
    sh_new_arena(out->image_names);
}

void material_builder_free(struct material_builder *builder)
{
    hmfree(builder->known);
    image_files_free(&builder->images);
    shfree(builder->names);
    shfree(builder->image_names);
}

/* --- images --- */

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

/* The last part of a path, without its ending, in lower case, so that names differ on any system.
 */
static const char *plain_name(struct arena *arena, const char *path)
{
    const char *last = path_name(path), *dot = strrchr(last, '.');
    size_t length = dot && dot > last ? (size_t)(dot - last) : strlen(last);
    char *name = arena_strndup(arena, last, length < MAX_NAME ? length : MAX_NAME);
    for (char *c = name; *c; c++)
        *c = is_plain(*c) ? *c : '_';
    return *name ? arena_strlower(arena, name) : "image";
}

/* Adds an image under a name like this one. Takes the file. */
static int export_image_add(struct export_model *scene, struct name_row **names, const char *name,
                            bool jpeg, struct bytes file)
{
    const char *plain = plain_name(&scene->arena, name), *unique = plain;
    for (int i = 2; shgeti(*names, unique) >= 0; i++)
        unique = arena_printf(&scene->arena, "%s_%d", plain, i);
    shput(*names, unique, 0);
    const struct export_image image = {
        .name = arena_printf(&scene->arena, "%s.%s", unique, jpeg ? "jpg" : "png"),
        .jpeg = jpeg,
        .file = file};
    arrput(scene->images, image);
    return (int)arrlen(scene->images) - 1;
}

/* Returns the file that a texture is from. */
static const char *file_of(const struct material_builder *b, const struct texture *texture)
{
    const struct texture_cache *cache = b->map->materials.textures;
    if (texture == b->map->materials.grid)
        return "grid";
    for (ptrdiff_t i = 0; i < shlen(cache); i++)
        if (cache[i].value == texture)
            return cache[i].key;
    return "image";
}

static int add_image(void *context, const struct texture *texture, bool jpeg, struct bytes *file)
{
    struct material_builder *b = context;
    const struct bytes taken = *file;
    *file = (struct bytes){0};
    return export_image_add(b->scene, &b->image_names, file_of(b, texture), jpeg, taken);
}

static int image_of(struct material_builder *b, const struct texture *texture, bool alpha)
{
    return image_files_number(&b->images, texture, alpha, add_image, b);
}

/* --- materials --- */

static const char *interned(struct material_builder *b, const char *name)
{
    if (shgeti(b->names, name) < 0)
        shput(b->names, name, 0);
    return b->names[shgeti(b->names, name)].key;
}

static int add(struct material_builder *b, const struct material_key *key)
{
    struct material_row row;
    memset(&row, 0, sizeof row);
    row.key = *key;
    ptrdiff_t at = hmgeti(b->known, row.key);
    if (at >= 0)
        return b->known[at].value;
    struct export_material material = {.name = arena_strdup(&b->scene->arena, key->name),
                                       .page = key->page,
                                       .alpha = (enum draw_kind)key->alpha,
                                       .two_sided = key->two_sided,
                                       .unlit = key->unlit,
                                       .own_light = key->own_light,
                                       .coloured = key->coloured};
    memcpy(material.colour, key->colour, sizeof material.colour);
    material.image =
        key->baked ? b->scene->baked : image_of(b, key->base, key->alpha != DRAW_OPAQUE);
    material.second = image_of(b, key->second, key->alpha != DRAW_OPAQUE);
    row.value = (int)arrlen(b->scene->materials);
    arrput(b->scene->materials, material);
    hmputs(b->known, row);
    return row.value;
}

static float share_of(float value)
{
    return value > 0 ? portable_fminf(value, 1) : 0; /* NaN is 0 */
}

/* Pictures show the backs of all surfaces of Quake 3, since a ray that comes from outside should
 * see something; its shaders say which are meant to be seen. */
static bool is_two_sided(const struct material_builder *b, const struct surface *surface,
                         const char *name)
{
    struct assets *assets = b->map->materials.assets;
    if (b->map->bsp->engine->geometry.has_surfaces)
        return assets_have_shaders(assets) &&
               assets_shader(assets, name)->compile_flags & SHADER_TWO_SIDED;
    return surface->two_sided && !surface->paired;
}

/* A material with baked light shows nothing else: on an image all that makes its look, or the light
 * of vertices as a factor of its texture. */
static void bake_material(const struct material_builder *b, struct material_key *key)
{
    if (b->bake->form == EXPORT_BAKE_NONE)
        return;
    key->unlit = true;
    key->own_light = false;
    key->coloured = b->bake->form == EXPORT_BAKE_VERTEX;
    key->baked = b->bake->form == EXPORT_BAKE_ATLAS;
    if (!key->baked)
        return;
    key->base = key->second = NULL;
    for (int k = 0; k < 4; k++)
        key->colour[k] = 1;
}

int material_builder_add(struct material_builder *b, const struct surface *surface,
                         const char *name, int page)
{
    const struct scene_material *from = &b->map->mesh.materials[surface->material];
    float opacity = share_of(surface->opacity * from->opacity);
    struct material_key key;
    if (opacity <= 0)
        return -1;
    memset(&key, 0, sizeof key); /* compared with its padding */
    key.name = interned(b, name);
    key.base = from->grid ? from->grid : from->base;
    key.second = from->second;
    for (int k = 0; k < 3; k++)
        key.colour[k] = share_of(from->colour[k] / (from->grid ? grid_mean(from->grid) : 1));
    key.colour[3] = opacity;
    key.page = page;
    key.alpha = (int)scene_material_draw_kind(from, surface->opacity);
    key.two_sided = is_two_sided(b, surface, name);
    key.unlit = surface->lit_by == LIT_FULLBRIGHT;
    key.own_light = surface->lit_by == LIT_BY_VERTICES && surface->prop < 0;
    bake_material(b, &key);
    return add(b, &key);
}

int material_builder_plain(struct material_builder *b, const char *name, const float colour[4])
{
    struct material_key key;
    memset(&key, 0, sizeof key);
    key.name = interned(b, name);
    memcpy(key.colour, colour, sizeof key.colour);
    key.page = -1;
    key.alpha = colour[3] < 1 ? DRAW_BLENDED : DRAW_OPAQUE;
    key.unlit = b->bake->form != EXPORT_BAKE_NONE;
    return add(b, &key);
}

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
static float share_of_light(const struct page_job *job, float light)
{
    return portable_fminf(portable_fmaxf(light / (WHITE * job->range), 0), 1);
}

static void store(const struct page_job *job, struct bsp_colour luxel, unsigned char *to)
{
    float rgb[3], max = 0;
    colour_decode(luxel, rgb);
    for (int k = 0; k < 3; k++)
        max = portable_fmaxf(max, share_of_light(job, rgb[k]));
    float factor = portable_fmaxf(ceilf(max * TOP), 1);
    for (int k = 0; k < 3; k++) {
        float share = share_of_light(job, rgb[k]);
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
