#include "export/model/materials.h"

#include "common/assets/shaders/shader.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/io/fs.h"

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

int export_image_add(struct export_model *scene, struct name_row **names, const char *name,
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
