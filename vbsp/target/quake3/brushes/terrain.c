/* Terrain: the sides of an entity's brushes with an indexed shader (q3map_terrain, q3map_indexed)
 * get the shaders of layers that an image assigns to their corners, by position. (Names of shaders
 * and alpha as measured on shipped maps.) */
#include <string.h>

#include "common/assets/textures/pcx.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/quake3_terrain.def"
#include "vbsp/target/quake3/brushes/brushes.h"

enum { MAX_LAYERS = 256 };

/* The index map of an entity. */
struct terrain {
    int entity;
    const char *shader; /* of the layers: textures/SHADER_0, textures/SHADER_0to1 ... */
    struct bounds bounds;
    int width, height;
    uint8_t *layers; /* width * height, the top row first */
};

static const char *value_of(const struct entity *keys, const char *const names[])
{
    for (size_t i = 0; names[i]; i++)
        if (*entity_value(keys, names[i]))
            return entity_value(keys, names[i]);
    return "";
}

static const char *const image_keys[] = {"_indexmap", "indexmap", "_alphamap", "alphamap", NULL};
static const char *const layer_keys[] = {"_layers", "layers", NULL};
static const char *const shader_keys[] = {"_shader", "shader", NULL};

static void report(const struct compile *compile, int entity, const char *problem,
                   const char *value)
{
    const struct map_entity *map_entity = compile->entities[entity].map_entity;
    struct diag_where where = map_where(compile->level, map_entity, NULL, NULL);
    (void)diag_report(compile->env->diag, DIAG_Q3_TERRAIN, &where, "%s \"%s\"", problem, value);
}

/* The numbers of a PCX, which has no other use in games. */
static bool read_numbers(const struct compile *compile, const char *image, struct terrain *terrain)
{
    struct bytes file = {0};
    if (str_ends_nocase(image, ".pcx") && assets_read(compile->assets, image, &file))
        terrain->layers = pcx_decode(file.data, file.size, &terrain->width, &terrain->height);
    bytes_free(&file);
    return terrain->layers;
}

static bool read_red(const struct compile *compile, const char *image, struct terrain *terrain)
{
    uint8_t *pixels;
    if (!assets_image(compile->assets, image, &pixels, &terrain->width, &terrain->height))
        return false;
    size_t count = (size_t)terrain->width * (size_t)terrain->height;
    terrain->layers = memory_alloc(count + 1);
    for (size_t i = 0; i < count; i++)
        terrain->layers[i] = pixels[4 * i];
    memory_free(pixels);
    return true;
}

/* Values of the image from 0 to 255 are divided among the layers. */
static bool read_layers(const struct compile *compile, const char *image, int layers,
                        struct terrain *terrain)
{
    if (!read_numbers(compile, image, terrain) && !read_red(compile, image, terrain))
        return false;
    size_t count = (size_t)terrain->width * (size_t)terrain->height;
    for (size_t i = 0; i < count; i++)
        terrain->layers[i] = (uint8_t)(terrain->layers[i] * layers / 256);
    return true;
}

static void read_terrain(const struct compile *compile, int entity, const char *image)
{
    const struct entity *keys = &compile->entities[entity].map_entity->keys;
    const char *shader = value_of(keys, shader_keys), *count = value_of(keys, layer_keys);
    static const char folder[] = "textures/";
    int64_t layers;
    struct terrain terrain = {.entity = entity, .bounds = bounds_empty(), .shader = shader};
    if (str_starts_nocase(shader, folder))
        terrain.shader += sizeof folder - 1;
    if (!*shader)
        report(compile, entity, "no key _shader beside the index map", image);
    else if (!str_to_int64(count, &layers) || layers < 1 || layers > MAX_LAYERS)
        report(compile, entity, "the number of _layers is", count);
    else if (!read_layers(compile, image, (int)layers, &terrain))
        report(compile, entity, "missing or invalid image", image);
    else
        arrput(quake3_of(compile)->terrains, terrain);
}

static struct terrain *terrain_of(const struct compile *compile, int entity)
{
    struct terrain *terrains = quake3_of(compile)->terrains;
    for (size_t i = 0; i < arrlenu(terrains); i++)
        if (terrains[i].entity == entity)
            return &terrains[i];
    return NULL;
}

/* In the space of its model, as brushes are. */
static void add_patches(const struct compile *compile, struct terrain *terrain)
{
    const struct compile_entity *owner = &compile->entities[terrain->entity];
    const struct map_patch *patches = owner->map_entity->patches;
    const struct vec3 origin = owner->use == USE_GROUP ? vec3(0, 0, 0) : owner->origin;
    for (size_t i = 0; i < arrlenu(patches); i++)
        for (int k = 0; k < patches[i].columns * patches[i].rows; k++)
            bounds_add_point(&terrain->bounds, vec3_sub(patches[i].points[k].p, origin));
}

void quake3_find_terrains(const struct compile *compile)
{
    for (int i = 1; i < (int)arrlen(compile->entities); i++) {
        const char *image = value_of(&compile->entities[i].map_entity->keys, image_keys);
        if (*image)
            read_terrain(compile, i, image);
    }
    for (size_t i = 0; arrlen(quake3_of(compile)->terrains) && i < arrlenu(compile->brushes); i++) {
        struct terrain *terrain = terrain_of(compile, compile->brushes[i]->entity);
        if (terrain)
            bounds_add(&terrain->bounds, &compile->brushes[i]->bounds);
    }
    for (size_t i = 0; i < arrlenu(quake3_of(compile)->terrains); i++)
        if (bounds_is_empty(&quake3_of(compile)->terrains[i].bounds))
            add_patches(compile, &quake3_of(compile)->terrains[i]);
}

const struct terrain *quake3_terrain(const struct compile *compile, int entity,
                                     const struct shader *shader, const struct diag_where *where)
{
    if (!(shader->compile_flags & SHADER_INDEXED))
        return NULL;
    const struct terrain *terrain = terrain_of(compile, entity);
    if (!terrain && !diag_count_code(compile->env->diag, DIAG_Q3_NO_INDEX_MAP))
        (void)diag_report(compile->env->diag, DIAG_Q3_NO_INDEX_MAP, where, "\"%s\"", shader->name);
    return terrain;
}

static int pixel_at(double part, int count)
{
    return (int)portable_fmin(portable_fmax(floor(part * count), 0), count - 1);
}

/* The image covers the brushes of the entity, its top towards +y. */
static int layer_at(const struct terrain *terrain, struct vec3 p)
{
    const struct bounds *bounds = &terrain->bounds;
    double width = portable_fmax(bounds->maxs.x - bounds->mins.x, 1),
           height = portable_fmax(bounds->maxs.y - bounds->mins.y, 1);
    int x = pixel_at((p.x - bounds->mins.x) / width, terrain->width);
    int y = pixel_at((bounds->maxs.y - p.y) / height, terrain->height);
    return terrain->layers[(size_t)y * (size_t)terrain->width + (size_t)x];
}

const struct shader *quake3_terrain_shader(const struct compile *compile,
                                           const struct terrain *terrain, const struct vec3 *points,
                                           int count)
{
    struct arena scratch = {0};
    int min = MAX_LAYERS, max = 0;
    for (int i = 0; i < count; i++) {
        int layer = layer_at(terrain, points[i]);
        min = layer < min ? layer : min;
        max = layer > max ? layer : max;
    }
    const char *name =
        min == max ? arena_printf(&scratch, "textures/%s_%d", terrain->shader, max)
                   : arena_printf(&scratch, "textures/%s_%dto%d", terrain->shader, min, max);
    const struct shader *shader = assets_shader(compile->assets, name);
    arena_free(&scratch);
    return shader;
}

void quake3_blend_terrain(const struct terrain *terrain, struct draw_vertex *vertices)
{
    int max = 0;
    for (size_t i = 0; i < arrlenu(vertices); i++) {
        int layer = layer_at(terrain, vertices[i].p);
        max = layer > max ? layer : max;
    }
    for (size_t i = 0; i < arrlenu(vertices); i++)
        vertices[i].colour[3] = layer_at(terrain, vertices[i].p) == max ? 255 : 0;
}

void quake3_terrains_free(struct quake3 *quake3)
{
    for (size_t i = 0; i < arrlenu(quake3->terrains); i++)
        memory_free(quake3->terrains[i].layers);
    arrfree(quake3->terrains);
}
