/* Merges the objects of one level into another. */
#include <limits.h>
#include <stdlib.h>

#include "common/bsp/flags.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/sides.def"
#include "vbsp/level/entity_class.h"
#include "vbsp/level/instances/instance_internal.h"
#include "vbsp/level/plane_points.h"

/* True if the entity is removed while loading, apart from the instances themselves: Valve's
 * compilers number the entities of the next instance above the remaining ones, and files of the
 * game refer to these numbers. */
static bool is_dropped_by_game(const struct entity *keys)
{
    enum class_use use = class_use_of(keys);
    return use != USE_GROUP && !class_floods(use) && !entity_is(keys, "func_instance");
}

static void raise_to(int *max, int number)
{
    if (number > *max)
        *max = number;
}

static int node_of(const struct entity *keys)
{
    int64_t node;
    if (!str_to_int64(entity_value(keys, "nodeid"), &node) || node < 0 || node > INT_MAX)
        return 0;
    return (int)node;
}

void map_maxima_add(struct map_maxima *maxima, const struct map_entity *entity, bool world)
{
    if (world || !is_dropped_by_game(&entity->keys))
        raise_to(&maxima->entity, entity->id);
    raise_to(&maxima->node, node_of(&entity->keys));
    for (size_t i = 0; i < arrlenu(entity->solids); i++) {
        const struct map_solid *solid = &entity->solids[i];
        raise_to(&maxima->solid, solid->id);
        for (size_t j = 0; j < arrlenu(solid->sides); j++)
            raise_to(&maxima->side, solid->sides[j].id);
    }
}

size_t map_objects(const struct level *level)
{
    size_t count = arrlenu(level->entities);
    for (size_t i = 0; i < arrlenu(level->entities); i++) {
        const struct map_entity *entity = &level->entities[i];
        count += arrlenu(entity->keys.pairs) + arrlenu(entity->solids);
        for (size_t j = 0; j < arrlenu(entity->solids); j++)
            count += arrlenu(entity->solids[j].sides);
    }
    return count;
}

static struct map_solid copy_solid(const struct map_solid *solid)
{
    struct map_solid copy = *solid;
    copy.sides = NULL;
    for (size_t i = 0; i < arrlenu(solid->sides); i++)
        arrput(copy.sides, solid->sides[i]);
    return copy;
}

void map_copy(const struct level *level, struct level *out)
{
    *out = (struct level){.file = level->file,
                          .revision = level->revision,
                          .counted_ids = level->counted_ids,
                          .escaped_quotes = level->escaped_quotes,
                          .instance_path = level->instance_path};
    for (size_t i = 0; i < arrlenu(level->entities); i++) {
        struct map_entity copy = level->entities[i];
        copy.keys.pairs = NULL;
        copy.solids = NULL;
        copy.patches = NULL;
        for (size_t j = 0; j < arrlenu(level->entities[i].keys.pairs); j++)
            arrput(copy.keys.pairs, level->entities[i].keys.pairs[j]);
        for (size_t j = 0; j < arrlenu(level->entities[i].solids); j++)
            arrput(copy.solids, copy_solid(&level->entities[i].solids[j]));
        for (size_t j = 0; j < arrlenu(level->entities[i].patches); j++)
            arrput(copy.patches, level->entities[i].patches[j]);
        arrput(out->entities, copy);
    }
    for (size_t i = 0; i < arrlenu(level->cordons); i++)
        arrput(out->cordons, level->cordons[i]);
}

/* False if a side is too far to be a plane. */
static bool place_solid(const struct instance_context *context,
                        const struct instance_transform *transform, struct map_solid *solid)
{
    solid->part = context->part;
    solid->turned |= transform->turned;
    solid->id = instance_shift_id(solid->id, context->part->solid_shift);
    for (size_t i = 0; i < arrlenu(solid->sides); i++) {
        struct map_side *side = &solid->sides[i];
        instance_transform_side(transform, context->arena, side);
        side->material = instance_replace(context->names, side->material, context->arena);
        side->id = instance_shift_id(side->id, context->part->side_shift);
        if (!plane_points_fit(side->points))
            return false;
        (void)plane_points_settle(side->points);
    }
    return true;
}

static bool is_origin_brush(const struct instance_context *context, const struct map_solid *solid)
{
    for (size_t i = 0; context->assets && i < arrlenu(solid->sides); i++) {
        const char *name =
            instance_replace(context->names, solid->sides[i].material, context->arena);
        if (assets_material(context->assets, name)->contents & CONTENTS_ORIGIN)
            return true;
    }
    return false;
}

/* The pivot of a model: the middle of its origin brush, else its origin. */
static struct vec3 model_origin(const struct instance_context *context,
                                const struct map_entity *entity)
{
    struct vec3 origin = vec3(0, 0, 0);
    (void)entity_vector(&entity->keys, "origin", &origin);
    for (size_t i = 0; i < arrlenu(entity->solids); i++) {
        if (!is_origin_brush(context, &entity->solids[i]))
            continue;
        struct bounds bounds = map_solid_bounds(&entity->solids[i]);
        if (!bounds_is_empty(&bounds))
            origin = bounds_center(&bounds);
    }
    return origin;
}

/* A model is only translated: the game rotates it by its entity's angles, and with it the axes
 * along which it moves. */
static struct instance_transform model_transform(const struct instance_context *context,
                                                 const struct map_entity *entity)
{
    struct vec3 origin = model_origin(context, entity);
    struct vec3 moved = instance_transform_point(context->transform, origin);
    return instance_transform_new(vec3_sub(moved, origin), vec3(0, 0, 0));
}

static void merge_solids(struct level *whole, const struct map_entity *from, int to,
                         const struct instance_context *context, struct diag *diag)
{
    bool model = to > 0 && class_is_model(class_use_of(&from->keys));
    struct instance_transform transform =
        model ? model_transform(context, from) : *context->transform;
    for (size_t i = 0; i < arrlenu(from->solids); i++) {
        struct map_solid solid = copy_solid(&from->solids[i]);
        solid.entity = to;
        if (place_solid(context, &transform, &solid)) {
            arrput(whole->entities[to].solids, solid);
            continue;
        }
        struct diag_where where = map_where(whole, &whole->entities[to], &solid, NULL);
        diag_report(diag, DIAG_SIDE_PLANE, &where,
                    "the instance places the solid far outside the world; the solid is dropped");
        arrfree(solid.sides);
    }
}

static struct id_cell *sides_of(const struct level *level)
{
    struct id_cell *sides = NULL;
    for (size_t i = 0; i < arrlenu(level->entities); i++) {
        const struct map_solid *solids = level->entities[i].solids;
        for (size_t j = 0; j < arrlenu(solids); j++) {
            for (size_t k = 0; k < arrlenu(solids[j].sides); k++) {
                struct id_cell cell = {solids[j].sides[k].id};
                hmputs(sides, cell);
            }
        }
    }
    return sides;
}

void map_merge(struct level *whole, const struct level *level, struct instance_context *context,
               struct map_maxima *maxima, struct diag *diag)
{
    context->sides = sides_of(level);
    context->file_names = instance_file_names(level, context->names, context->arena);
    context->node_shift = maxima->node;
    merge_solids(whole, &level->entities[0], 0, context, diag);
    for (size_t i = 1; i < arrlenu(level->entities); i++) {
        const struct map_entity *from = &level->entities[i];
        context->entity = arrlenu(whole->entities);
        bool has_position = !arrlen(from->solids) || class_is_model(class_use_of(&from->keys));
        struct map_entity entity = {
            .id = instance_shift_id(from->id, context->part->entity_shift),
            .line = from->line,
            .part = context->part,
            .keys = instance_entity_keys(context, &from->keys, has_position),
            .overlay_transition = instance_overlay_block(context, from->overlay_transition)};
        arrput(whole->entities, entity);
        int number = (int)arrlen(whole->entities) - 1;
        merge_solids(whole, from, number, context, diag);
        map_maxima_add(maxima, &whole->entities[number], false);
    }
    for (size_t i = 0; i < arrlenu(level->entities[0].solids); i++) {
        const struct map_solid *solid = &level->entities[0].solids[i];
        raise_to(&maxima->solid, instance_shift_id(solid->id, context->part->solid_shift));
        for (size_t j = 0; j < arrlenu(solid->sides); j++)
            raise_to(&maxima->side,
                     instance_shift_id(solid->sides[j].id, context->part->side_shift));
    }
    hmfree(context->sides);
    shfree(context->file_names);
}
