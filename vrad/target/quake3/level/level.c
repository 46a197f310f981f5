/* Entities of a Quake 3 map: keys for its lighting, and baked lights to remove. */
#include "vrad/target/quake3/level/level.h"

#include <string.h>

#include "common/bsp/dialect.h"
#include "common/bsp/engine.h"
#include "common/bsp/sidecar/baked_lights.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/light_options.def"
#include "common/diag/codes/lightmap_pages.def"
#include "vrad/target/quake3/level/srgb.h"

/* --- materials --- */

/* Reflectivity of an unknown image. */
#define PLAIN_GREY 0.4

/* Maps are tuned for tools with this fraction of the images' reflectivity: bright rooms would be
 * too bright with all of it. */
#define BOUNCE_SHARE 0.5

/* Maximum reflectivity. */
#define MAX_REFLECTED 0.95

enum {
    UNDRAWN = Q3_SURFACE_NODRAW | Q3_SURFACE_HINT | Q3_SURFACE_SKIP | Q3_SURFACE_SKY,
    BY_VERTEX = Q3_SURFACE_NOLIGHTMAP | Q3_SURFACE_POINTLIGHT,
    FILTERS = Q3_SURFACE_LIGHTFILTER | Q3_SURFACE_ALPHASHADOW,
};

/* Flags of a shader of the BSP by their meaning; those that the game cannot store are the
 * script's. */
struct meaning {
    int surface, contents;
};

static struct meaning meaning_of(const struct dialect *dialect, const struct bsp_shader *from,
                                 const struct shader *shader)
{
    struct meaning meaning = {dialect_surface(dialect, from->surface_flags).meaning,
                              dialect_contents(dialect, from->contents).meaning};
    if (shader)
        meaning.surface |= shader->surface_flags & dialect_unstored_surface(dialect);
    return meaning;
}

static enum material_blocking blocking_of(struct meaning from, const struct shader *shader)
{
    if (from.surface & Q3_SURFACE_SKY)
        return MATERIAL_SKY;
    if (from.surface & UNDRAWN)
        return MATERIAL_TRANSPARENT;
    if (shader && shader->compile_flags & SHADER_AUTOSPRITE)
        return MATERIAL_TRANSPARENT;
    if (from.surface & FILTERS)
        return shader ? MATERIAL_ALPHA : MATERIAL_TRANSPARENT;
    return from.contents & Q3_CONTENTS_TRANSLUCENT ? MATERIAL_TRANSPARENT : MATERIAL_OPAQUE;
}

static struct vec3 average_of(const struct quake3_options *own, const struct shader *shader)
{
    return srgb_colour(shader->average,
                       shader->own_colour ? own->srgb_colours : own->srgb_textures);
}

/* The share of each colour of light that is reflected. */
static void find_reflectivity(const struct quake3_options *own, struct quake3_material *material)
{
    const struct shader *shader = material->shader;
    bool known = shader && shader->image;
    double share[3], grey = 0;
    for (int k = 0; k < 3; k++) {
        share[k] = known ? material->average.e[k] * shader->bounce_scale : PLAIN_GREY;
        share[k] *= BOUNCE_SHARE * own->bounce_scale;
        grey += share[k] / 3;
    }
    for (int k = 0; k < 3; k++) {
        if (own->bounce_colour < 1)
            share[k] = grey + own->bounce_colour * (share[k] - grey);
        material->reflectivity[k] = (float)portable_fmin(portable_fmax(share[k], 0), MAX_REFLECTED);
    }
}

static void find_material(struct quake3_light *q, const struct bsp_shader *from,
                          struct quake3_material *material)
{
    char name[SHADER_NAME + 1] = {0};
    memcpy(name, from->name, SHADER_NAME);
    material->shader = q->assets ? assets_shader(q->assets, name) : NULL;
    const struct meaning meaning = meaning_of(q->bsp->engine->dialect, from, material->shader);
    material->blocking = blocking_of(meaning, material->shader);
    material->drawn = !(meaning.surface & UNDRAWN);
    material->by_alpha = meaning.surface & Q3_SURFACE_ALPHASHADOW;
    material->lightmapped = !(meaning.surface & BY_VERTEX);
    material->alpha_texture = -1;
    if (material->shader)
        material->average = average_of(&q->options->quake3, material->shader);
    find_reflectivity(&q->options->quake3, material);
    q->has_flood |= quake3_flood_of(q, material).distance > 0;
}

void quake3_find_materials(struct quake3_light *q)
{
    size_t count = arrlenu(q->bsp->shaders);
    q->materials = ARENA_ARRAY(&q->arena, struct quake3_material, count + 1);
    for (size_t i = 0; i < count; i++)
        find_material(q, &q->bsp->shaders[i], &q->materials[i]);
}

const struct surface_note *quake3_note(const struct quake3_light *q, int surface)
{
    const struct surface_notes *notes = q->options->quake3.notes;
    return notes && surface < (int)arrlen(notes->items) ? &notes->items[surface] : NULL;
}

struct vec3 quake3_ambient_of(const struct quake3_light *q, int surface)
{
    const struct surface_note *note = quake3_note(q, surface);
    return note ? vec3_add(q->ambient, vec3_from_floats(note->ambient)) : q->ambient;
}

/* --- level --- */

static const struct entity_filter light_filters[] = {{.key = "classname", .value = "light"},
                                                     {.key = "classname", .value = "lightJunior"}};
const struct entity_query quake3_lights = {light_filters, 2};

/* ---- models ---- */

/* The world casts shadows and brush entities do not, unless their key overrides it. */
void quake3_place_models(struct quake3_light *q)
{
    size_t models = arrlenu(q->bsp->models);
    q->origins = ARENA_ARRAY(&q->arena, struct vec3, models + 1);
    q->casts = ARENA_ARRAY(&q->arena, unsigned char, models + 1);
    q->casts[0] = 1;
    const struct entity *entity = entity_view_world(q->entities);
    while (entity && (entity = entity_view_next(q->entities, entity_query_models, entity))) {
        int64_t model = entity_model_number(entity, models);
        if (model < 0)
            continue;
        double casts = entity_number(entity, "_castShadows", entity_number(entity, "_cs", 0));
        q->casts[model] = casts != 0;
        struct vec3 origin;
        if ((q->casts[model] || q->bsp->models[model].face_count) &&
            entity_vector(entity, "origin", &origin) && vec3_is_finite(origin))
            q->origins[model] = origin;
    }
}

/* ---- the world ---- */

/* Floodlight where neither option nor key sets it, and its maximum distance. */
#define FLOOD_DISTANCE  1024.0
#define FLOOD_INTENSITY 128.0
#define MAX_FLOOD       16384.0

struct vec3 quake3_colour_of(const struct quake3_light *q, const struct entity *entity)
{
    struct vec3 colour;
    bool sound = entity_vector(entity, "_color", &colour) && vec3_is_finite(colour) &&
                 colour.x >= 0 && colour.y >= 0 && colour.z >= 0;
    return sound ? srgb_colour(colour, q->options->quake3.srgb_colours) : vec3(1, 1, 1);
}

/* Rays per point of floodlight. */
static int flood_rays(const struct quake3_light *q, bool low_quality)
{
    enum { RAYS = 64, RAYS_FAST = 32, RAYS_LOW = 16 };
    if (low_quality || q->options->quake3.flood.low_quality)
        return RAYS_LOW;
    return q->options->fast ? RAYS_FAST : RAYS;
}

static struct open_light flood_from(const struct quake3_light *q, struct vec3 colour,
                                    double distance, double intensity, bool low_quality)
{
    struct vec3 unit = srgb_colour(quake3_unit_colour(colour), q->options->quake3.srgb_colours);
    return (struct open_light){.colour = vec3_scale(unit, intensity),
                               .distance = portable_fmin(distance, MAX_FLOOD),
                               .rays = flood_rays(q, low_quality)};
}

struct open_light quake3_flood_of(const struct quake3_light *q,
                                  const struct quake3_material *material)
{
    if (!material->shader || !(material->shader->flood.distance > 0))
        return (struct open_light){.distance = 0};
    const struct shader_flood *flood = &material->shader->flood;
    return flood_from(q, flood->colour, flood->distance, flood->intensity, false);
}

/* "RED GREEN BLUE DISTANCE INTENSITY LOW-QUALITY", of which the last may be left out. */
static void read_flood(struct quake3_light *q, const struct entity *world)
{
    double v[6] = {1, 1, 1, FLOOD_DISTANCE, FLOOD_INTENSITY, 0};
    const char *text = entity_value(world, "_floodlight");
    size_t count = *text ? str_to_doubles(text, v, 6) : 0;
    bool sound = count == 0 || count >= 3;
    for (int i = 0; i < 5; i++)
        sound = sound && v[i] >= 0 && v[i] <= 1e6;
    if (*text && (!sound || count == 0)) {
        diag_report(q->env->diag, DIAG_FLOOD_KEY, NULL, "\"_floodlight\" \"%s\"", text);
        return;
    }
    if (*text || q->options->quake3.flood.on)
        q->flood = flood_from(q, vec3(v[0], v[1], v[2]), v[3], v[4], v[5] != 0);
    q->has_flood = q->flood.distance > 0;
}

struct vec3 quake3_unit_colour(struct vec3 colour)
{
    double max = portable_fmax(colour.x, portable_fmax(colour.y, colour.z));
    return max > 0 ? vec3_scale(colour, 1 / max) : vec3(1, 1, 1);
}

void quake3_read_world(struct quake3_light *q)
{
    const struct entity *world = entity_view_world(q->entities);
    q->max_light = 255;
    if (!world)
        return;
    const double max = entity_number(world, "_maxlight", 0);
    if (max > 0)
        q->max_light = portable_fmin(max, 255);
    read_flood(q, world);
    struct vec3 colour = quake3_colour_of(q, world);
    double ambient = entity_number(world, "_ambient", entity_number(world, "ambient", 0));
    double min = entity_number(world, "_minlight", 0);
    double min_grid = entity_number(world, "_mingridlight", min);
    q->no_shader_sun = entity_number(world, "_noshadersun", 0) != 0;
    q->ambient = vec3_scale(colour, portable_fmin(portable_fmax(ambient, -255), 255));
    q->min = vec3_scale(colour, portable_fmin(portable_fmax(min, 0), 255));
    q->min_grid = vec3_scale(colour, portable_fmin(portable_fmax(min_grid, 0), 255));
    q->min_vertex = vec3_scale(
        colour, portable_fmin(portable_fmax(entity_number(world, "_minvertexlight", min), 0), 255));
}

/* ---- keys without effect ---- */

/* Other shadow groups than all and none. */
static void report_groups(struct quake3_light *q)
{
    const struct surface_notes *notes = q->options->quake3.notes;
    for (ptrdiff_t i = 0; notes && i < arrlen(notes->items); i++) {
        const int32_t groups[] = {notes->items[i].cast_shadows, notes->items[i].receive_shadows};
        for (int k = 0; k < 2; k++) {
            if (groups[k] == 0 || groups[k] == 1 || groups[k] == SHADOWS_OF_PATCH)
                continue;
            diag_report(q->env->diag, DIAG_LIGHT_KEY, NULL,
                        "%s %d counts as 1: shadow groups are 0 and 1",
                        k ? "_receiveShadows" : "_castShadows", (int)groups[k]);
            return;
        }
    }
}

/* Returns the first of the keys that the light has, or NULL. */
static const char *idle_key_of(const struct entity *light)
{
    static const char *const keys[] = {"_filterradius", "filterradius", "_filteradius",
                                       "filteradius",   "_filter",      "filter"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (entity_has(light, keys[i]))
            return keys[i];
    return NULL;
}

void quake3_report_keys(struct quake3_light *q)
{
    const char *key = NULL;
    const struct entity *entity = entity_view_world(q->entities);
    while (entity && !key && (entity = entity_view_next(q->entities, quake3_lights, entity))) {
        struct diag_where where = {0};
        struct vec3 origin = vec3(0, 0, 0);
        key = idle_key_of(entity);
        if (!key)
            continue;
        where.has_point = entity_vector(entity, "origin", &origin);
        memcpy(where.point, origin.e, sizeof where.point);
        diag_report(q->env->diag, DIAG_LIGHT_KEY, &where, "\"%s\" of lights", key);
    }
    report_groups(q);
}

/* ---- baked lights ---- */

static bool has_baked_lights(const struct entity_view *entities)
{
    const struct entity *entity = entity_view_world(entities);
    while (entity && (entity = entity_view_next(entities, quake3_lights, entity)))
        if (entity_is_baked_light(entity))
            return true;
    return false;
}

enum status quake3_restore_lights(struct quake3_light *q)
{
    const struct surface_notes *notes = q->options->quake3.notes;
    bool lit_before = q->bsp->ldr.lighting.size > 0 || arrlen(q->bsp->light_grid) > 0;
    if (has_baked_lights(q->entities))
        return STATUS_OK;
    if (notes && arrlen(notes->lights)) {
        size_t restored;
        TRY(entity_view_add(q->entities, notes->lights, arrlenu(notes->lights),
                            "lights of the .srf file", q->env->diag, &restored));
        progress_count(q->env->progress, "restored lights", (int64_t)restored);
    } else if (lit_before && !notes) {
        diag_report(q->env->diag, DIAG_LIGHTS_GONE, NULL,
                    "it has no light entities, which leave a map once it is lit, and no .srf file "
                    "that lists them");
    }
    return STATUS_OK;
}

void quake3_drop_baked_lights(struct quake3_light *q)
{
    const struct entity *world = entity_view_world(q->entities);
    if (world && !world_keeps_lights(world))
        entity_view_remove(q->entities, quake3_lights, entity_is_baked_light);
}
