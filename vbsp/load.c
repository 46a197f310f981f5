/* Loads entities and their brushes into the compile. */
#include <math.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/diag/codes/bsp_targets.def"
#include "common/diag/codes/solids.def"
#include "common/diag/codes/worlds.def"
#include "vbsp/context.h"
#include "vbsp/csg/brush_make.h"
#include "vbsp/csg/csg_options.h"
#include "vbsp/level/cordon.h"
#include "vbsp/level/dx_level.h"
#include "vbsp/level/entity_class.h"
#include "vbsp/level/entity_lump.h"
#include "vbsp/level/instances/instance.h"
#include "vbsp/level/material_replacements.h"
#include "vbsp/lint/lint.h"
#include "vbsp/target/target.h"

struct loader {
    struct compile *compile;
    struct map_brush ***made; /* stb_ds array, an stb_ds array of brushes per entity */
    bool brush_world;         /* brushes of func_brush are the world */
};

/* An origin brush is no geometry: its centre becomes the entity's origin. */
static void take_origin_brush(struct loader *loader, int entity, const struct map_solid *solid)
{
    struct compile *compile = loader->compile;
    struct compile_entity *owner = &compile->entities[entity];
    struct bounds bounds;
    if (entity == 0 || class_is_world(owner->use)) {
        struct diag_where where = map_where(compile->level, owner->map_entity, solid, NULL);
        diag_report(compile->env->diag, DIAG_ORIGIN_IN_WORLD, &where, "the brush is dropped");
    } else if (solid_bounds(compile, entity, solid, &bounds)) {
        struct vec3 center = bounds_center(&bounds), *origin = &owner->origin;
        for (int i = 0; i < 3; i++)
            origin->e[i] = compile->target->whole_origins ? trunc(center.e[i]) : center.e[i] + 0.0;
        entity_lump_set(&owner->keys, &compile->arena, "origin",
                        arena_printf(&compile->arena, "%.9g %.9g %.9g", origin->x + 0.0,
                                     origin->y + 0.0, origin->z + 0.0));
    }
}

static struct brush_rules entity_rules(const struct loader *loader, int entity)
{
    enum class_use use = loader->compile->entities[entity].use;
    struct brush_rules rules = {
        .only_areaportal = use == USE_AREAPORTAL,
        .is_occluder = use == USE_OCCLUDER,
        .in_world = entity == 0 || class_is_world(use),
        .base_contents = use == USE_DETAIL   ? CONTENTS_DETAIL
                         : use == USE_LADDER ? CONTENTS_LADDER
                         : use == USE_WATER  ? CONTENTS_WATER
                                             : 0,
    };
    if (entity > 0 && class_is_model(use))
        rules.origin = loader->compile->entities[entity].origin;
    return rules;
}

/* Only the world has displacements; the brush of a model is kept without them. */
static void report_displacements(struct compile *compile, const struct map_brush *brush)
{
    for (int i = 0; i < brush->side_count; i++) {
        const struct brush_side *side = &brush->sides[i];
        if (!side->map_side || !side->map_side->displacement)
            continue;
        struct diag_where where = brush_where(compile, brush, side);
        diag_report(compile->env->diag, DIAG_DISPLACEMENT_ON_MODEL, &where, "the side stays flat");
    }
}

static void add_solid(struct loader *loader, int entity, const struct map_solid *solid,
                      const struct brush_rules *rules)
{
    struct compile *compile = loader->compile;
    struct map_brush *brush = brush_make(compile, entity, solid, rules->origin);
    if (!brush)
        return;
    compile->target->contents(compile, brush, rules);
    if (rules->in_world && brush_is_clip(brush))
        brush_leave_tree(brush);
    bool displaced = solid_has_displacement(solid);
    if (displaced && rules->in_world && compile->target->displace(compile, brush)) {
        arrput(compile->displacement_brushes, brush);
        return;
    }
    if (displaced && !rules->in_world)
        report_displacements(compile, brush);
    brush_finish(compile, brush);
    if (compile->target->keep(compile, brush))
        arrput(loader->made[entity], brush);
}

static void add_solids(struct loader *loader, int entity)
{
    const struct map_entity *map_entity = loader->compile->entities[entity].map_entity;
    for (size_t i = 0; i < arrlenu(map_entity->solids); i++)
        if (solid_is_origin(loader->compile, &map_entity->solids[i]))
            take_origin_brush(loader, entity, &map_entity->solids[i]);
    struct brush_rules rules = entity_rules(loader, entity);
    for (size_t i = 0; i < arrlenu(map_entity->solids); i++)
        if (!solid_is_origin(loader->compile, &map_entity->solids[i]))
            add_solid(loader, entity, &map_entity->solids[i], &rules);
}

/* Coordinates that overflow the integers of the file are ignored. */
static struct vec3 read_origin(const struct entity *keys)
{
    struct vec3 origin = vec3(0, 0, 0);
    if (!entity_vector(keys, "origin", &origin))
        return origin;
    for (int i = 0; i < 3; i++)
        if (!(fabs(origin.e[i]) <= 1e6))
            return vec3(0, 0, 0);
    return origin;
}

/* True if a branch of the engine takes func_brush for the world, and there is no other. */
static bool is_brush_world(const struct compile *compile)
{
    const struct level *level = compile->level;
    if (!compile->options->format || !compile->options->format->brush_worlds)
        return false;
    for (size_t i = 0; i < arrlenu(level->entities); i++)
        if (arrlen(level->entities[i].solids) &&
            (i == 0 || class_is_world(compile->target->class_use(&level->entities[i].keys))))
            return false;
    return true;
}

static enum class_use use_of(const struct loader *loader, const struct map_entity *map_entity)
{
    const struct compile *compile = loader->compile;
    if (!loader->brush_world || !arrlen(map_entity->solids) ||
        !entity_is(&map_entity->keys, "func_brush"))
        return compile->target->class_use(&map_entity->keys);
    struct diag_where where = map_where(compile->level, map_entity, NULL, NULL);
    diag_report(compile->env->diag, DIAG_BRUSH_WORLD, &where, "\"%s\"",
                entity_value(&map_entity->keys, "targetname"));
    return USE_GROUP;
}

static void add_entity(struct loader *loader, const struct map_entity *map_entity)
{
    struct compile *compile = loader->compile;
    int number = (int)arrlen(compile->entities);
    const struct vbsp_target *target = compile->target;
    enum class_use use = number == 0 ? USE_ENTITY : use_of(loader, map_entity);
    struct compile_entity entity = {.keys = target->keys(&compile->arena, map_entity),
                                    .map_entity = map_entity,
                                    .use = use,
                                    .model = -1};
    entity.origin = number == 0 ? vec3(0, 0, 0) : read_origin(&map_entity->keys);
    entity.dropped = use != USE_ENTITY && use != USE_LADDER && use != USE_AREAPORTAL &&
                     use != USE_WATER && use != USE_OCCLUDER;
    arrput(compile->entities, entity);
    arrput(loader->made, NULL);
    add_solids(loader, number);
}

static void list_brushes(struct loader *loader, int entity, int owner)
{
    struct compile *compile = loader->compile;
    for (size_t i = 0; i < arrlenu(loader->made[entity]); i++) {
        struct map_brush *brush = loader->made[entity][i];
        brush->number = (int)arrlen(compile->brushes);
        arrput(compile->brushes, brush);
        arrput(compile->entities[owner].brushes, brush->number);
    }
}

/* The brush lump has the world's brushes first, then those moved to the world, then those of
 * models. */
static void number_brushes(struct loader *loader)
{
    struct compile *compile = loader->compile;
    int count = (int)arrlen(compile->entities), models = 0;
    list_brushes(loader, 0, 0);
    for (int i = 1; i < count; i++)
        if (class_is_world(compile->entities[i].use))
            list_brushes(loader, i, 0);
    compile->entities[0].model = models++;
    for (int i = 1; i < count; i++) {
        const struct compile_entity *entity = &compile->entities[i];
        if (class_is_world(entity->use))
            continue;
        list_brushes(loader, i, i);
        if (!class_is_model(entity->use) || !compile->target->has_model(compile, i))
            continue;
        compile->entities[i].model = models;
        entity_lump_set(&compile->entities[i].keys, &compile->arena, "model",
                        arena_printf(&compile->arena, "*%d", models));
        models++;
    }
}

static void free_loader(struct loader *loader)
{
    for (size_t i = 0; i < arrlenu(loader->made); i++)
        arrfree(loader->made[i]);
    arrfree(loader->made);
}

enum status load_map(struct compile *compile)
{
    const struct level *level = compile->level;
    struct loader loader = {.compile = compile};
    compile->target = vbsp_target_of(compile->options->engine);
    compile->target->begin(compile);
    material_replacements_load(compile);
    loader.brush_world = is_brush_world(compile);
    for (size_t i = 0; i < arrlenu(level->entities); i++)
        add_entity(&loader, &level->entities[i]);
    compile->target->made(compile, loader.made);
    number_brushes(&loader);
    progress_size(compile->env->progress, "brushes", arrlen(compile->brushes));
    progress_size(compile->env->progress, "entities", arrlen(compile->entities));
    enum status status = compile->target->loaded(compile);
    material_replacements_report(compile);
    free_loader(&loader);
    return status;
}

static enum status complete_level(struct compile *compile, const struct vbsp_options *options,
                                  const struct level *level)
{
    const struct env *env = compile->env;
    struct game_fgd fgd = {.env = env,
                           .assets = compile->assets,
                           .path = options->fgd,
                           .search_bin = options->lint_entities};
    enum status status = level_merge(env, &fgd, level, options->missing_instances, &compile->whole);
    if (status == STATUS_OK && options->lint_entities)
        lint_level(compile, &compile->whole, &fgd);
    game_fgd_free(&fgd);
    if (status == STATUS_OK)
        cordon_apply(&compile->whole, env->diag);
    return status;
}

enum status compile_begin(struct compile *compile, const struct env *env,
                          const struct vbsp_options *options, struct assets *assets,
                          const struct level *level)
{
    *compile = (struct compile){.env = env, .options = options, .assets = assets};
    const struct vbsp_target *target = vbsp_target_of(options->engine);
    if (!target)
        return diag_report(env->diag, DIAG_BSP_TARGET, &(struct diag_where){.file = level->file},
                           "vbsp does not support its engine");
    TRY(complete_level(compile, options, level));
    struct vbsp_options *bent = ARENA_NEW(&compile->arena, struct vbsp_options);
    *bent = dx_level_options(options);
    dx_level_filter(&compile->whole, bent->dx_level);
    target->adapt(&compile->whole, env->diag);
    compile->options = bent;
    compile->level = &compile->whole;
    compile->bsp = bsp_new();
    compile->bsp->engine = options->engine;
    compile->bsp->revision = level->revision;
    compile->planes.snap_axial = bent->csg->snap_axial;
    compile->planes.limit = options->engine->geometry.world_limit;
    return STATUS_OK;
}

void compile_free(struct compile *compile)
{
    if (compile->state)
        compile->target->release(compile);
    for (size_t i = 0; i < arrlenu(compile->entities); i++) {
        arrfree(compile->entities[i].brushes);
        arrfree(compile->entities[i].keys.pairs);
    }
    material_replacements_free(compile);
    pakfile_free(&compile->pakfile);
    arrfree(compile->entities);
    arrfree(compile->brushes);
    arrfree(compile->displacement_brushes);
    plane_set_free(&compile->planes);
    texinfo_set_free(&compile->texinfos);
    level_free(&compile->whole);
    arena_free(&compile->arena);
}
