/* Entities of a Quake 3 map: keys for its lighting, and baked lights to remove. */
#include <string.h>

#include "common/bsp/sidecar/baked_lights.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "vrad/target/quake3/level/level.h"
#include "vrad/target/quake3/level/srgb.h"

/* ---- models ---- */

static int model_of(const struct quake3_light *q, const struct entity *entity)
{
    const char *name = entity_value(entity, "model");
    long number;
    if (name[0] != '*' || !str_to_long(name + 1, &number) || number < 1 ||
        number >= arrlen(q->bsp->models))
        return -1;
    return (int)number;
}

/* The world casts shadows and brush entities do not, unless their key overrides it. */
void quake3_place_models(struct quake3_light *q)
{
    size_t models = arrlenu(q->bsp->models);
    q->origins = ARENA_ARRAY(&q->arena, struct vec3, models + 1);
    q->casts = ARENA_ARRAY(&q->arena, unsigned char, models + 1);
    q->casts[0] = 1;
    for (ptrdiff_t i = 1; i < arrlen(q->entities.entities); i++) {
        const struct entity *entity = &q->entities.entities[i];
        int model = model_of(q, entity);
        if (model < 0)
            continue;
        struct vec3 origin;
        if (entity_vector(entity, "origin", &origin) && vec3_is_finite(origin))
            q->origins[model] = origin;
        double casts = entity_number(entity, "_castShadows", entity_number(entity, "_cs", 0));
        q->casts[model] = casts != 0;
    }
}

/* ---- the world ---- */

struct vec3 quake3_colour_of(const struct quake3_light *q, const struct entity *entity)
{
    struct vec3 colour;
    bool sound = entity_vector(entity, "_color", &colour) && vec3_is_finite(colour) &&
                 colour.x >= 0 && colour.y >= 0 && colour.z >= 0;
    return sound ? srgb_colour(colour, q->options->quake3.srgb_colours) : vec3(1, 1, 1);
}

void quake3_read_world(struct quake3_light *q)
{
    if (!arrlen(q->entities.entities))
        return;
    const struct entity *world = &q->entities.entities[0];
    struct vec3 colour = quake3_colour_of(q, world);
    double ambient = entity_number(world, "_ambient", entity_number(world, "ambient", 0));
    double min = entity_number(world, "_minlight", 0);
    double min_grid = entity_number(world, "_mingridlight", min);
    q->no_shader_sun = entity_number(world, "_noshadersun", 0) != 0;
    q->ambient = vec3_scale(colour, portable_fmin(portable_fmax(ambient, 0), 255));
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
                                       "filteradius"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (entity_has(light, keys[i]))
            return keys[i];
    return NULL;
}

void quake3_report_keys(struct quake3_light *q)
{
    const char *key = NULL;
    for (ptrdiff_t i = 1; i < arrlen(q->entities.entities) && !key; i++) {
        const struct entity *entity = &q->entities.entities[i];
        struct diag_where where = {0};
        struct vec3 origin = vec3(0, 0, 0);
        key = entity_is_light(entity) ? idle_key_of(entity) : NULL;
        if (!key)
            continue;
        where.has_point = entity_vector(entity, "origin", &origin);
        memcpy(where.point, origin.e, sizeof where.point);
        diag_report(q->env->diag, DIAG_LIGHT_KEY, &where, "\"%s\" of lights", key);
    }
    report_groups(q);
}

/* ---- baked lights ---- */

void quake3_write_entities(struct quake3_light *q)
{
    struct bytes lump = {0};
    entities_format(&q->entities, &lump);
    arrsetlen(q->bsp->entities, lump.size);
    memcpy(q->bsp->entities, lump.data, lump.size);
    bytes_free(&lump);
}

static bool has_baked_lights(const struct entity_list *list)
{
    for (ptrdiff_t i = 1; i < arrlen(list->entities); i++)
        if (entity_is_baked_light(&list->entities[i]))
            return true;
    return false;
}

enum status quake3_restore_lights(struct quake3_light *q)
{
    const struct surface_notes *notes = q->options->quake3.notes;
    bool lit_before = q->bsp->ldr.lighting.size > 0 || arrlen(q->bsp->light_grid) > 0;
    if (has_baked_lights(&q->entities))
        return STATUS_OK;
    if (notes && arrlen(notes->lights)) {
        TRY(entities_parse(notes->lights, arrlenu(notes->lights), "lights of the .srf file",
                           q->env->diag, &q->restored));
        for (ptrdiff_t i = 0; i < arrlen(q->restored.entities); i++)
            arrput(q->entities.entities, q->restored.entities[i]);
        progress_count(q->env->progress, "restored lights", arrlen(q->restored.entities));
        arrsetlen(q->restored.entities, 0); /* their pairs have moved */
    } else if (lit_before && (!notes || !arrlen(notes->items))) {
        diag_report(q->env->diag, DIAG_LIGHTS_GONE, NULL,
                    "it has no light entities, which leave a map once it is lit, and no .srf file "
                    "that lists them");
    }
    return STATUS_OK;
}

void quake3_drop_baked_lights(struct quake3_light *q)
{
    struct entity *entities = q->entities.entities;
    ptrdiff_t count = arrlen(entities), kept = 0;
    if (count == 0 || world_keeps_lights(&entities[0]))
        return;
    for (ptrdiff_t i = 0; i < count; i++) {
        if (i > 0 && entity_is_baked_light(&entities[i]))
            arrfree(entities[i].pairs);
        else
            entities[kept++] = entities[i];
    }
    arrsetlen(q->entities.entities, (size_t)kept);
    if (kept < count)
        quake3_write_entities(q);
}
