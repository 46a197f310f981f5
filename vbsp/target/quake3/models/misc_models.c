/* Objects placed by entities: misc_models, patches, decals, flares. Models and decals are read
 * once, before brushes are numbered, since a model may add brushes of its own. */
#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/level/material_replacements.h"
#include "vbsp/target/quake3/brushes/brushes.h"
#include "vbsp/target/quake3/entities/entities.h"
#include "vbsp/target/quake3/models/models.h"
#include "vbsp/target/quake3/patches/decal.h"
#include "vbsp/target/quake3/patches/patch.h"
#include "vbsp/target/quake3/surfaces/shader_directives.h"
#include "vbsp/target/quake3/surfaces/surface.h"

#define NO_SIDE "textures/common/nodraw"

static void place_models(struct compile *compile, struct map_brush ***world)
{
    struct placed_models placed = {0};
    for (int i = 1; i < (int)arrlen(compile->entities); i++) {
        const struct map_entity *map_entity = compile->entities[i].map_entity;
        if (!entity_is(&map_entity->keys, "misc_model"))
            continue;
        const struct shader *none = assets_shader(compile->assets, NO_SIDE);
        struct model_owner owner = {.entity = i,
                                    .keys = quake3_surface_keys(compile, i, none),
                                    .clip_depth = compile->options->clip_depth,
                                    .where = map_where(compile->level, map_entity, NULL, NULL)};
        model_place_entity(&map_entity->keys, &owner, compile->assets, compile->env->diag, &placed);
    }
    for (size_t i = 0; i < arrlenu(placed.bodies); i++) {
        const struct clip_body *body = &placed.bodies[i];
        struct map_brush *brush =
            quake3_make_brush(compile, &body->where, body->entity, body->shader, body->planes);
        if (brush)
            arrput(*world, brush);
    }
    clip_bodies_free(placed.bodies);
    quake3_of(compile)->models = placed.surfaces;
}

/* --- patches --- */

static struct diag_where patch_where(const struct compile *compile, const struct map_entity *entity,
                                     const struct map_patch *patch)
{
    struct diag_where where = map_where(compile->level, entity, NULL, NULL);
    where.solid_id = patch->id;
    where.line = patch->line;
    return where;
}

static const struct shader *terrain_shader(struct compile *compile, const struct terrain *terrain,
                                           const struct map_patch *patch, struct vec3 origin)
{
    struct vec3 *points = NULL;
    for (int i = 0; i < patch->columns * patch->rows; i++)
        arrput(points, vec3_sub(patch->points[i].p, origin));
    const struct shader *shader =
        quake3_terrain_shader(compile, terrain, points, patch->columns * patch->rows);
    arrfree(points);
    return shader;
}

bool quake3_patch(struct compile *compile, int owner, const struct map_patch *patch,
                  struct vec3 origin, struct draw_surface *out)
{
    const struct map_entity *map_entity = compile->entities[owner].map_entity;
    const struct material *material = material_replacements_use(compile, patch->material);
    const struct shader *shader =
        material->quake3 ? material->quake3 : assets_shader(compile->assets, material->name);
    struct diag_where where = patch_where(compile, map_entity, patch);
    const struct terrain *terrain = quake3_terrain(compile, owner, shader, &where);
    if (terrain)
        shader = terrain_shader(compile, terrain, patch, origin);
    if (!patch_surface(patch, shader, origin, &where, compile->env->diag, out))
        return false;
    if (terrain)
        quake3_blend_terrain(terrain, out->vertices);
    out->entity = owner;
    out->keys = quake3_surface_keys(compile, owner, shader);
    return true;
}

/* --- decals --- */

/* The origin of the entity's target. */
static bool target_of(const struct compile *compile, const struct entity *keys, struct vec3 *out)
{
    const char *target = entity_value(keys, "target");
    for (size_t i = 1; *target && i < arrlenu(compile->entities); i++) {
        const struct compile_entity *entity = &compile->entities[i];
        if (!str_equal_nocase(entity_value(&entity->map_entity->keys, "targetname"), target))
            continue;
        *out = entity->origin;
        return true;
    }
    return false;
}

static void read_decal(struct compile *compile, int entity, const struct map_patch *patch)
{
    struct decal decal = {0};
    const struct map_entity *map_entity = compile->entities[entity].map_entity;
    struct vec3 target;
    if (!quake3_patch(compile, entity, patch, vec3(0, 0, 0), &decal.patch))
        return;
    struct bounds bounds = draw_surface_bounds(&decal.patch);
    if (target_of(compile, &map_entity->keys, &target))
        decal.direction = vec3_sub(target, bounds_center(&bounds));
    arrput(quake3_of(compile)->decals, decal);
}

static void read_decals(struct compile *compile)
{
    for (int i = 1; i < (int)arrlen(compile->entities); i++) {
        const struct map_entity *map_entity = compile->entities[i].map_entity;
        for (size_t j = 0;
             entity_is(&map_entity->keys, "_decal") && j < arrlenu(map_entity->patches); j++)
            read_decal(compile, i, &map_entity->patches[j]);
    }
}

/* --- flares --- */

void quake3_add_flares(struct compile *compile, struct draw_surface **out)
{
    for (int i = 1; i < (int)arrlen(compile->entities); i++) {
        const struct entity *keys = &compile->entities[i].map_entity->keys;
        struct vec3 target;
        struct draw_surface flare;
        if (!str_starts_nocase(entity_value(keys, "classname"), "light"))
            continue;
        bool aimed = target_of(compile, keys, &target);
        if (flare_of_light(keys, aimed ? &target : NULL, i, compile->assets, &flare))
            arrput(*out, flare);
    }
}

void quake3_load_placed(struct compile *compile, struct map_brush ***made)
{
    place_models(compile, &made[0]);
    read_decals(compile);
}

void quake3_placed_free(struct quake3 *quake3)
{
    draw_surfaces_free(quake3->models);
    for (size_t i = 0; i < arrlenu(quake3->decals); i++)
        draw_surface_free(&quake3->decals[i].patch);
    arrfree(quake3->decals);
}
