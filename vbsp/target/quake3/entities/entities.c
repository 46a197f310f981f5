/* Entities of Quake 3: which ones are kept or join the world, and their lighting keys. */
#include "vbsp/target/quake3/entities/entities.h"

#include <math.h>
#include <string.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "common/bsp/sidecar/baked_lights.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/quake3_levels.def"
#include "common/diag/codes/quake3_models.def"
#include "common/diag/codes/updates.def"
#include "vbsp/level/adapt/adapt.h"
#include "vbsp/level/entity_lump.h"

/* -onlyents: the entities of a compiled map are replaced. */

static bool fits(const struct compile *compile, const struct bsp *bsp)
{
    ptrdiff_t models = 0;
    for (size_t i = 0; i < arrlenu(compile->entities); i++) {
        const struct compile_entity *entity = &compile->entities[i];
        if (entity->model < 0)
            continue;
        models++;
        if (entity->model >= arrlen(bsp->models) ||
            bsp->models[entity->model].brush_count != arrlen(entity->brushes))
            return false;
    }
    return models == arrlen(bsp->models);
}

/* Keys of the world that compilers write. Those that say how the light is stored are as they were
 * when it was: with others, the engine would misread it. The rest is kept unless the map has its
 * own. */
static const struct written_key {
    const char *name;
    bool of_light;
} written_keys[] = {
    {"gridsize", true},         {"deluxeMaps", true},       {PAGE_SIDE_KEY, true},
    {"_q3map2_version", false}, {"_q3map2_cmdline", false},
};

/* A value of the map that has no effect until the map is lit again. */
static void report_kept(const struct compile *compile, const char *key, const char *kept)
{
    const struct entity *world = &compile->entities[0].keys;
    const char *wanted = entity_value(world, key);
    if (!entity_has(world, key) || strcmp(wanted, kept) == 0)
        return;
    struct diag_where where =
        map_where(compile->level, compile->entities[0].map_entity, NULL, NULL);
    (void)diag_report(compile->env->diag, DIAG_UPDATE_KEYS, &where,
                      "\"%s\" stays %s%s%s instead of \"%s\"", key, *kept ? "\"" : "",
                      *kept ? kept : "unset", *kept ? "\"" : "", wanted);
}

static void keep_written_keys(struct compile *compile, const struct entity *old, bool lit)
{
    struct entity *world = &compile->entities[0].keys;
    for (size_t i = 0; i < sizeof written_keys / sizeof *written_keys; i++) {
        const struct written_key *key = &written_keys[i];
        bool replaces = key->of_light ? lit : !entity_has(world, key->name);
        if (replaces)
            report_kept(compile, key->name, entity_value(old, key->name));
        if (replaces && entity_has(old, key->name))
            entity_set(world, &compile->arena, key->name, entity_value(old, key->name));
        else if (replaces)
            entity_remove(world, key->name);
    }
}

enum status quake3_update_entities(struct compile *compile, struct bsp *bsp)
{
    struct bsp *loaded = compile->bsp;
    struct entity_list old = {0};
    struct diag_where where = {.file = compile->level->file};
    if (!fits(compile, bsp))
        return diag_report(compile->env->diag, DIAG_UPDATE_MISMATCH, &where,
                           "its brush models have different brushes");
    enum status status = entities_parse(bsp->entities, arrlenu(bsp->entities), "entity lump",
                                        compile->env->diag, &old);
    if (status == STATUS_OK && arrlen(old.entities))
        keep_written_keys(compile, &old.entities[0], arrlen(bsp->light_grid) > 0);
    entities_free(&old);
    TRY(status);
    compile->bsp = bsp;
    quake3_mark_lights(compile);
    entities_write(compile);
    compile->bsp = loaded;
    return STATUS_OK;
}

/* --- entities --- */

#define DEFAULT_SAMPLE_SIZE 16.0

enum { GROUPS = 65535 }; /* number of shadow groups */

/* Entities that are only for the compiler are removed. */
enum class_use quake3_class_use(const struct entity *keys)
{
    static const char *const gone[] = {"misc_model", "_decal", "misc_gamemodel_dummy", "_skybox"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        if (entity_is(keys, gone[i]))
            return USE_GONE;
    if (entity_is(keys, "func_instance") || entity_is(keys, "func_instance_parms"))
        return USE_CONSUMED;
    return entity_is(keys, "func_group") ? USE_GROUP : USE_ENTITY;
}

struct entity quake3_keys(struct arena *arena, const struct map_entity *map_entity)
{
    (void)arena;
    struct entity keys = {0};
    for (size_t i = 0; i < arrlenu(map_entity->keys.pairs); i++)
        arrput(keys.pairs, map_entity->keys.pairs[i]);
    return keys;
}

bool quake3_has_model(const struct compile *compile, int entity)
{
    const struct compile_entity *owner = &compile->entities[entity];
    return arrlen(owner->brushes) > 0 ||
           (owner->map_entity && arrlen(owner->map_entity->patches) > 0);
}

/* The first entity with a model of its own whose key has that value. */
static const struct compile_entity *find_by(const struct compile *compile, const char *key,
                                            const char *name)
{
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct compile_entity *entity = &compile->entities[i];
        if (entity->model > 0 && entity->map_entity &&
            str_equal_nocase(entity_value(&entity->map_entity->keys, key), name))
            return entity;
    }
    return NULL;
}

/* The entity to be cloned by name. */
static const struct compile_entity *find_named(const struct compile *compile, const char *name)
{
    const struct compile_entity *found = NULL;
    for (size_t i = 0; map_clone_names[i] && !found; i++)
        found = find_by(compile, map_clone_names[i], name);
    return found;
}

/* _clone: uses the model of another entity at its own origin. Models are relative to their origin,
 * so one serves all. */
static void share_models(struct compile *compile)
{
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        struct compile_entity *entity = &compile->entities[i];
        const char *name = map_clone_source(&entity->map_entity->keys);
        if (!*name || entity->model > 0 || entity->use == USE_GROUP)
            continue;
        const struct compile_entity *original = find_named(compile, name);
        if (original) {
            entity_lump_set(&entity->keys, &compile->arena, "model",
                            entity_value(&original->keys, "model"));
            continue;
        }
        struct diag_where where = map_where(compile->level, entity->map_entity, NULL, NULL);
        (void)diag_report(compile->env->diag, DIAG_Q3_CLONE, &where,
                          "no brush entity has the _clonename \"%s\"", name);
    }
}

enum {
    CLIP_FLAGS = 0x1f80 /* 128 to 4096 of a misc_model: other ways to make clip brushes */
};

static void report_clip_flags(const struct compile *compile, const struct entity *keys,
                              const struct diag_where *where)
{
    int flags = (int)entity_number(keys, "spawnflags", 0) & CLIP_FLAGS;
    if (flags)
        (void)diag_report(compile->env->diag, DIAG_Q3_UNSUPPORTED, where,
                          "spawnflags %d of misc_model have no effect: its clip brushes are "
                          "extruded by the flags 8 and 16 alone",
                          flags);
}

/* Keys of games that are not all: vvis has those of the engine. */
static bool is_draw_distance(const struct compile *compile, const char *key)
{
    const char *const *keys = compile->bsp->engine->words.draw_distance;
    while (*keys && strcmp(*keys, key) != 0)
        keys++;
    return *keys != NULL;
}

/* Entities and keys that other compilers have, and that have no effect here. */
static void report_unsupported(struct compile *compile)
{
    static const char *const keys[] = {"_skybox",   "_foghull", "_offsets",
                                       "_maxlight", "fogclip",  "distancecull"};
    for (size_t i = 0; i < arrlenu(compile->entities); i++) {
        const struct map_entity *entity = compile->entities[i].map_entity;
        struct diag_where where = map_where(compile->level, entity, NULL, NULL);
        if (entity_is(&entity->keys, "_skybox"))
            (void)diag_report(
                compile->env->diag, DIAG_Q3_UNSUPPORTED, &where,
                "\"_skybox\" is dropped: its room is drawn where it is, not as the sky");
        if (entity_is(&entity->keys, "misc_model"))
            report_clip_flags(compile, &entity->keys, &where);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            if (entity_has(&entity->keys, keys[k]) && !is_draw_distance(compile, keys[k]) &&
                !(i == 0 && str_equal_nocase(keys[k], "_maxlight")))
                (void)diag_report(compile->env->diag, DIAG_Q3_UNSUPPORTED, &where,
                                  "the key \"%s\" has no effect", keys[k]);
    }
}

/* True for entities whose spawn ends the server unless they have a brush model. (As seen in
 * ioquake3's server, class by class; others of func_ and trigger_ spawn without.) */
static bool needs_brushes(const struct entity *keys)
{
    static const char *const classes[] = {"func_bobbing",  "func_button",      "func_door",
                                          "func_pendulum", "func_plat",        "func_rotating",
                                          "func_static",   "func_train",       "trigger_hurt",
                                          "trigger_push",  "trigger_multiple", "trigger_teleport"};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (entity_is(keys, classes[i]))
            return true;
    return false;
}

/* Returns true if the server would quit. */
static bool report_brushless(const struct compile *compile)
{
    const struct bsp_format *format = compile->options->format;
    const bool spawns = format && format->spawns_without_model;
    const enum diag_severity severity = spawns ? DIAG_WARNING : DIAG_ERROR;
    bool found = false;
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct compile_entity *entity = &compile->entities[i];
        if (entity->model > 0 || *entity_value(&entity->keys, "model") == '*' ||
            *map_clone_source(&entity->keys) || !needs_brushes(&entity->keys))
            continue;
        struct diag_where where = map_where(compile->level, entity->map_entity, NULL, NULL);
        (void)diag_report_as(compile->env->diag, severity, DIAG_Q3_BRUSHLESS, &where, "%s",
                             entity_value(&entity->keys, "classname"));
        found = true;
    }
    return found && !spawns;
}

static void keep_models(struct compile *compile)
{
    for (size_t i = 1; i < arrlenu(compile->entities); i++)
        if (entity_is(&compile->entities[i].map_entity->keys, "misc_model"))
            compile->entities[i].dropped = false;
}

enum status quake3_loaded(struct compile *compile)
{
    if (compile->options->keep_models)
        keep_models(compile);
    share_models(compile);
    report_unsupported(compile);
    /* All are reported before it fails. */
    const bool quits = report_brushless(compile);
    const bool failed = quits || diag_count_code(compile->env->diag, DIAG_Q3_PORTAL_IN_ENTITY) > 0;
    return failed ? STATUS_FAILED : STATUS_OK;
}

void quake3_mark_lights(struct compile *compile)
{
    struct compile_entity *world = &compile->entities[0];
    if (compile->options->keep_lights && !world_keeps_lights(&world->keys))
        entity_set(&world->keys, &compile->arena, "_keepLights", "1");
}

void quake3_mark_pages(struct compile *compile)
{
    const struct engine_light *light = &compile->options->engine->light;
    struct arena *arena = &compile->arena;
    struct entity *world = &compile->entities[0].keys;
    if (light->tells_page_side)
        entity_set(world, arena, PAGE_SIDE_KEY, arena_printf(arena, "%d", light->page_side));
    else
        entity_remove(world, PAGE_SIDE_KEY);
}

/* --- light --- */

/* The number of the first of the keys that the entity has. */
static bool number_of(const struct entity *keys, const char *const names[], double *out)
{
    for (size_t i = 0; names[i]; i++) {
        if (!entity_has(keys, names[i]))
            continue;
        *out = entity_number(keys, names[i], *out);
        return true;
    }
    return false;
}

static const char *const sample_keys[] = {"_lightmapsamplesize", "_samplesize", "_ss", NULL};
static const char *const scale_keys[] = {"lightmapscale", "_lightmapscale", "_ls", NULL};
static const char *const angle_keys[] = {"_shadeangle", "_smoothnormals", "_sn", "_smooth", "_sa",
                                         NULL};
static const char *const cast_keys[] = {"_castShadows", "_cs", NULL};
static const char *const receive_keys[] = {"_receiveShadows", "_rs", NULL};

/* An entity's own _celshader goes before that of the world, and that before -celshader; "none" is
 * none. */
static const char *cel_shader_of(const struct entity *keys, const struct entity *world,
                                 const char *otherwise)
{
    const char *name = entity_value(keys, "_celshader");
    if (!*name)
        name = entity_value(world, "_celshader");
    if (!*name && otherwise)
        name = otherwise;
    return *name && !str_equal_nocase(name, "none") ? name : NULL;
}

/* -minsamplesize. Surfaces without a size (0) keep the default of the lighting stage, unless it is
 * less. */
static double limited_sample_size(const struct vbsp_options *options, double size)
{
    bool less = (size > 0 ? size : DEFAULT_SAMPLE_SIZE) < options->min_sample_size;
    return less ? options->min_sample_size : size;
}

/* The _ambient light of the surfaces of an entity; that of the world is everywhere. */
static struct vec3 ambient_of(const struct entity *keys)
{
    static const char *const names[] = {"_ambient", "ambient", NULL};
    double ambient = 0;
    struct vec3 colour = vec3(1, 1, 1);
    if (!number_of(keys, names, &ambient))
        return vec3(0, 0, 0);
    bool sound = entity_vector(keys, "_color", &colour) && colour.x >= 0 && colour.x <= 255 &&
                 colour.y >= 0 && colour.y <= 255 && colour.z >= 0 && colour.z <= 255;
    ambient = portable_fmin(portable_fmax(ambient, -255), 255);
    return vec3_scale(sound ? colour : vec3(1, 1, 1), ambient);
}

struct surface_keys quake3_surface_keys(const struct compile *compile, int entity,
                                        const struct shader *shader)
{
    const struct compile_entity *owner = &compile->entities[entity];
    const struct entity *keys = &owner->map_entity->keys,
                        *world = &compile->entities[0].map_entity->keys;
    double size = compile->options->sample_size, scale = 1, angle = 0, receive = 1;
    double cast = owner->use == USE_ENTITY && entity > 0 ? 0 : 1;
    (void)number_of(world, sample_keys, &size);
    if (shader->lightmap_sample_size > 0)
        size = shader->lightmap_sample_size;
    (void)number_of(keys, sample_keys, &size);
    if (number_of(keys, scale_keys, &scale) && scale > 0 && !(size > 0))
        size = DEFAULT_SAMPLE_SIZE;
    (void)number_of(world, angle_keys, &angle);
    (void)number_of(keys, angle_keys, &angle);
    bool casts_by_key = number_of(keys, cast_keys, &cast);
    (void)number_of(keys, receive_keys, &receive);
    size = limited_sample_size(compile->options, scale > 0 ? size * scale : size);
    return (struct surface_keys){
        .sample_size = size,
        .ambient = entity > 0 ? ambient_of(keys) : vec3(0, 0, 0),
        .cel_shader = cel_shader_of(keys, world, compile->options->cel_shader),
        .shade_angle = angle > 0 ? angle : shader->shade_angle,
        .cast_shadows = (int)portable_fmin(portable_fmax(cast, -GROUPS), GROUPS),
        .casts_by_key = casts_by_key,
        .receive_shadows = (int)portable_fmin(portable_fmax(receive, -GROUPS), GROUPS)};
}
