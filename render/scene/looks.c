#include "render/scene/looks.h"

#include <math.h>

#include "common/assets/materials/vmt.h"
#include "common/assets/mounts/asset_name.h"
#include "common/assets/shaders/shader.h"
#include "common/core/array.h"
#include "common/core/strings.h"

/* Sharper than this no picture shows them, and it bounds what they take. */
enum { MAX_TEXELS = 1024 };

/* Of a shader that adds its image to what is behind it. */
#define ADDED_OPACITY 0.5f

void looks_open(const struct env *env, struct assets *assets, struct looks *out)
{
    *out = (struct looks){.env = env, .assets = assets};
    out->quiet = diag_new(NULL, NULL);
    sh_new_arena(out->textures);
    sh_new_arena(out->cells);
}

void looks_free(struct looks *looks)
{
    for (ptrdiff_t i = 0; i < shlen(looks->textures); i++)
        texture_free(looks->textures[i].value);
    shfree(looks->textures);
    shfree(looks->cells);
    diag_free(looks->quiet);
    arena_free(&looks->arena);
}

static struct texture *load_texture(struct looks *looks, const char *file)
{
    struct bytes bytes = {0};
    struct vtf_image image = {0};
    struct texture *texture = NULL;
    const struct diag_where where = {.file = file};
    if (assets_read(looks->assets, file, &bytes)) {
        if (vtf_read_image(bytes.data, bytes.size, MAX_TEXELS, &image))
            texture = texture_new(&image);
        else
            diag_report(looks->env->diag, DIAG_PICTURE_TEXTURE, &where, "%zu bytes", bytes.size);
    }
    bytes_free(&bytes);
    return texture;
}

/* The texture that a key of the material names, or NULL. */
static const struct texture *texture_of(struct looks *looks, const struct vmt *vmt, const char *key)
{
    const char *name = vmt_value(vmt, key);
    const char *file = name && *name ? asset_texture_file(&looks->arena, name) : NULL;
    if (!file)
        return NULL;
    ptrdiff_t at = shgeti(looks->textures, file);
    if (at < 0) {
        struct texture *texture = load_texture(looks, file);
        shput(looks->textures, file, texture);
        return texture;
    }
    return looks->textures[at].value;
}

/* "[.2 .3 .3]", or "{51 77 77}" of 255. */
static bool colour_of(const struct vmt *vmt, const char *key, double out[3])
{
    const char *text = vmt_value(vmt, key);
    if (!text || str_to_doubles(text + strspn(text, "{"), out, 3) != 3)
        return false;
    for (int k = 0; k < 3 && text[0] == '{'; k++)
        out[k] /= 255;
    return true;
}

/* What the material says of the colour of its texture, or of its water. */
static void tint(const struct vmt *vmt, struct look *look)
{
    double colour[3];
    look->has_colour = look->base != NULL;
    for (int k = 0; k < 3 && look->base; k++)
        look->colour[k] = 1;
    if (look->water && colour_of(vmt, "$fogcolor", colour)) {
        look->has_colour = true;
        for (int k = 0; k < 3; k++)
            look->colour[k] = (float)pow(fmin(fmax(colour[k], 0), 1), 2.2);
    } else if (look->base &&
               (colour_of(vmt, "$color", colour) || colour_of(vmt, "$color2", colour)))
        for (int k = 0; k < 3; k++)
            look->colour[k] *= (float)fmin(fmax(colour[k], 0), 1);
}

static void read_material(struct looks *looks, const struct vmt *vmt, struct look *look)
{
    const char *alpha = vmt_value(vmt, "$alpha");
    double opacity;
    look->found = true;
    look->base = texture_of(looks, vmt, "$basetexture");
    look->second = texture_of(looks, vmt, "$basetexture2");
    look->water = str_starts_nocase(vmt->shader, "water");
    look->unlit = str_starts_nocase(vmt->shader, "unlit");
    look->alpha_tested = vmt_flag(vmt, "$alphatest");
    look->translucent = vmt_flag(vmt, "$translucent") || vmt_flag(vmt, "$additive");
    if (alpha && str_to_double(alpha, &opacity))
        look->opacity = (float)fmin(fmax(opacity, 0), 1);
    tint(vmt, look);
}

static struct look load_look(struct looks *looks, const char *clean)
{
    struct look look = {.opacity = 1};
    struct vmt vmt;
    if (assets_vmt(looks->assets, clean, &looks->arena, looks->quiet, &vmt))
        read_material(looks, &vmt, &look);
    *(look.base ? &looks->textured : &looks->plain) += 1;
    shput(looks->cells, clean, look);
    return look;
}

struct look looks_find(struct looks *looks, const char *material, const float colour[3])
{
    const char *clean = asset_material_name(&looks->arena, material);
    struct look look = {.opacity = 1};
    if (clean) {
        ptrdiff_t at = shgeti(looks->cells, clean);
        look = at >= 0 ? looks->cells[at].value : load_look(looks, clean);
    }
    for (int k = 0; k < 3 && !look.has_colour; k++)
        look.colour[k] = colour[k] > 0 ? fminf(colour[k], 1) : 0;
    return look;
}

/* Shrinks to what texture_new is to hold, pixel by pixel. */
static struct texture *texture_of_pixels(uint8_t *pixels, int width, int height)
{
    int step = 1;
    while (width / step > MAX_TEXELS || height / step > MAX_TEXELS)
        step *= 2;
    struct vtf_image image = {width > step ? width / step : 1, height > step ? height / step : 1,
                              pixels};
    for (int y = 0; y < image.height && step > 1; y++)
        for (int x = 0; x < image.width; x++)
            memcpy(pixels + 4 * ((size_t)y * (size_t)image.width + (size_t)x),
                   pixels +
                       4 * ((size_t)y * (size_t)step * (size_t)width + (size_t)x * (size_t)step),
                   4);
    return texture_new(&image);
}

static const struct texture *image_of(struct looks *looks, const char *name)
{
    const char *clean = asset_name(&looks->arena, name);
    if (!clean)
        return NULL;
    ptrdiff_t at = shgeti(looks->textures, clean);
    if (at >= 0)
        return looks->textures[at].value;
    uint8_t *pixels;
    int width, height;
    struct texture *texture = NULL;
    if (assets_image(looks->assets, clean, &pixels, &width, &height))
        texture = texture_of_pixels(pixels, width, height);
    shput(looks->textures, clean, texture);
    return texture;
}

static struct look load_shader_look(struct looks *looks, const char *name)
{
    const struct shader *shader = assets_shader(looks->assets, name);
    struct look look = {.opacity = shader->stage_added ? ADDED_OPACITY : 1};
    look.found = !shader->missing;
    look.base = image_of(looks, shader->stage_image ? shader->stage_image : name);
    if (!look.base && shader->image)
        look.base = image_of(looks, shader->image);
    look.has_colour = look.base != NULL;
    for (int k = 0; k < 3 && look.base; k++)
        look.colour[k] = 1;
    look.alpha_tested = shader->stage_alpha_tested;
    look.translucent = shader->stage_blended;
    *(look.base ? &looks->textured : &looks->plain) += 1;
    return look;
}

struct look looks_find_shader(struct looks *looks, const char *shader, const float colour[3])
{
    const char *clean = asset_name(&looks->arena, shader);
    struct look look = {.opacity = 1};
    if (clean && assets_is_quake3(looks->assets)) {
        ptrdiff_t at = shgeti(looks->cells, clean);
        look = at >= 0 ? looks->cells[at].value : load_shader_look(looks, clean);
        if (at < 0)
            shput(looks->cells, clean, look);
    }
    for (int k = 0; k < 3 && !look.has_colour; k++)
        look.colour[k] = colour[k];
    return look;
}
