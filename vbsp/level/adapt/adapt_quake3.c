#include "vbsp/level/adapt/adapt.h"

#include <math.h>

#include "common/assets/shaders/shader.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/quake3_levels.def"
#include "common/geom/angle.h"

/* --- adapt quake3 entities --- */

#define RADIANS(degrees) ((degrees) * PI / 180)

/* 7500 / 100^2: the brightness 100 units from a light of 1. */
#define LIGHT_TO_BRIGHTNESS 0.75
#define GAMMA               2.2 /* of colours in Source's keys; Quake's are linear */

#define CONE         45.0 /* default for spots */
#define MAX_CONE     80.0 /* wider cones have no radius at their target */
#define AIM_DISTANCE 100.0

/* Parses "r g b [brightness]"; false if invalid. */
static bool read_light(const char *text, double colour[3], double *brightness)
{
    double v[8];
    size_t count = str_to_doubles(text, v, 8);
    if (count != 1 && count != 3 && count != 4 && count != 8)
        return false;
    for (int i = 0; i < 3; i++)
        colour[i] =
            portable_pow(portable_fmin(portable_fmax(v[count == 1 ? 0 : i], 0), 1e6) / 255, GAMMA);
    *brightness = count >= 4 ? v[3] : 255;
    return isfinite(*brightness) && *brightness >= 0;
}

/* As Valve's vrad does: "pitch" overrides that of "angles", and counts upwards. */
static struct vec3 direction_of(const struct entity *keys)
{
    struct vec3 angles = vec3(0, 0, 0);
    (void)entity_vector(keys, "angles", &angles);
    double pitch = entity_number(keys, "pitch", 0), angle = entity_number(keys, "angle", 0);
    if (angle == -1 || angle == -2)
        return vec3(0, 0, angle == -1 ? 1 : -1);
    pitch = RADIANS(pitch != 0 ? pitch : angles.x);
    double yaw = RADIANS(angle != 0 ? angle : angles.y);
    struct vec3 direction = vec3(portable_cos(yaw) * portable_cos(pitch),
                                 portable_sin(yaw) * portable_cos(pitch), portable_sin(pitch));
    return vec3_is_finite(direction) ? direction : vec3(0, 0, -1);
}

static bool find_origin(const struct level *map, const char *name, struct vec3 *out)
{
    for (size_t i = 0; *name && i < arrlenu(map->entities); i++)
        if (str_equal_nocase(entity_value(&map->entities[i].keys, "targetname"), name))
            return entity_vector(&map->entities[i].keys, "origin", out);
    return false;
}

/* Aims the light at a new info_null in the direction of its angles. */
static void add_target(struct level *map, size_t index, struct vec3 origin)
{
    struct vec3 at = vec3_mad(origin, direction_of(&map->entities[index].keys), AIM_DISTANCE);
    struct map_entity target = {.id = map->entities[index].id,
                                .line = map->entities[index].line,
                                .part = map->entities[index].part};
    const char *name = arena_printf(&map->arena, "light_aim_%zu", index);
    entity_set(&target.keys, &map->arena, "classname", "info_null");
    entity_set(&target.keys, &map->arena, "targetname", name);
    entity_set(&target.keys, &map->arena, "origin",
               arena_printf(&map->arena, "%.9g %.9g %.9g", at.x, at.y, at.z));
    entity_set(&map->entities[index].keys, &map->arena, "target", name);
    arrput(map->entities, target);
}

/* The same colour, half as bright. */
static const char *half_brightness(struct level *map, const char *light, double brightness)
{
    double v[8];
    size_t count = str_to_doubles(light, v, 8);
    return arena_printf(&map->arena, "%.9g %.9g %.9g %.9g", v[0], v[count > 2 ? 1 : 0],
                        v[count > 2 ? 2 : 0], brightness / 2);
}

static void convert_light(struct level *map, size_t index)
{
    struct entity *keys = &map->entities[index].keys;
    bool spot = entity_is(keys, "light_spot");
    bool environment = entity_is(keys, "light_environment");
    bool sun = environment || entity_is(keys, "light_directional");
    double colour[3], brightness;
    struct vec3 origin = vec3(0, 0, 0), target;
    if ((!spot && !sun && !entity_is(keys, "light")) ||
        !read_light(entity_value(keys, "_light"), colour, &brightness))
        return;
    double max = portable_fmax(colour[0], portable_fmax(colour[1], colour[2]));
    double light = brightness * max / (sun ? 1 : LIGHT_TO_BRIGHTNESS);
    for (int i = 0; i < 3; i++)
        colour[i] = max > 0 ? colour[i] / max : 1;
    (void)entity_vector(keys, "origin", &origin);
    bool aimed = find_origin(map, entity_value(keys, "target"), &target);
    double distance = aimed ? vec3_distance(origin, target) : AIM_DISTANCE;
    double cone =
        RADIANS(portable_fmin(portable_fmax(entity_number(keys, "_cone", CONE), 1), MAX_CONE));
    const char *half = half_brightness(map, entity_value(keys, "_light"), brightness);
    entity_remove(keys, "_light");
    entity_set(keys, &map->arena, "classname", "light");
    entity_set(keys, &map->arena, "light", arena_printf(&map->arena, "%.9g", light));
    entity_set(keys, &map->arena, "_color",
               arena_printf(&map->arena, "%.6g %.6g %.6g", colour[0], colour[1], colour[2]));
    if (sun)
        entity_set(keys, &map->arena, "_sun", "1");
    if (environment && !read_light(entity_value(keys, "_ambient"), colour, &brightness))
        entity_set(keys, &map->arena, "_ambient", half);
    if (spot)
        entity_set(keys, &map->arena, "radius",
                   arena_printf(&map->arena, "%.9g", distance * portable_tan(cone)));
    if ((spot || sun) && !aimed)
        add_target(map, index, origin);
}

/* light, light_spot, light_environment and light_directional with a _light key become `light`
 * entities of the same colour that are as bright 100 units away, regardless of attenuation; spots
 * and suns get a target, which is added as an info_null. The _ambient of a sun is kept, as sky
 * light for vrad; without one it is half of the sun's light. Styles are not converted. */
static void adapt_quake3_lights(struct level *map)
{
    size_t count = arrlenu(map->entities); /* targets are appended */
    for (size_t i = 1; i < count; i++)
        convert_light(map, i);
}

/* If a map has no info_player_deathmatch, all player starts of its game become one, because nobody
 * could enter it otherwise. */
static void adapt_quake3_spawns(struct level *map)
{
    static const char *const starts[] = {
        "info_player_start", "info_player_terrorist", "info_player_counterterrorist",
        "info_player_coop",  "info_player_teamspawn", "info_player_combine",
        "info_player_rebel", "info_survivor_position"};
    for (size_t i = 0; i < arrlenu(map->entities); i++)
        if (entity_is(&map->entities[i].keys, "info_player_deathmatch"))
            return;
    for (size_t i = 1; i < arrlenu(map->entities); i++)
        for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
            if (entity_is(&map->entities[i].keys, starts[k]))
                entity_set(&map->entities[i].keys, &map->arena, "classname",
                           "info_player_deathmatch");
}

/* Clones of groups: brushes and patches that join the world have no model to share, so they are
 * copied. */

enum { MAX_COPIES = 1 << 16 }; /* of solids and patches: more than an engine loads */

const char *const map_clone_names[] = {"_clonename", "_targetname", "targetname", NULL};

const char *map_clone_source(const struct entity *keys)
{
    static const char *const names[] = {"_clone", "_instance", "_ins"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (*entity_value(keys, names[i]))
            return entity_value(keys, names[i]);
    return "";
}

static bool is_group(const struct map_entity *entity)
{
    return entity_is(&entity->keys, "func_group");
}

/* Numbers of solids and patches as in the source: copies are not copied again. */
struct written {
    size_t solids, patches;
};

/* The first entity with brushes or patches whose key has that value. */
static size_t find_by(const struct level *map, const struct written *written, const char *key,
                      const char *name, bool group)
{
    for (size_t i = 1; i < arrlenu(map->entities); i++)
        if ((written[i].solids || written[i].patches) && is_group(&map->entities[i]) == group &&
            str_equal_nocase(entity_value(&map->entities[i].keys, key), name))
            return i;
    return 0;
}

static size_t find_named(const struct level *map, const struct written *written, const char *name,
                         bool group)
{
    size_t found = 0;
    for (size_t i = 0; map_clone_names[i] && !found; i++)
        found = find_by(map, written, map_clone_names[i], name, group);
    return found;
}

static bool is_origin(const struct map_solid *solid)
{
    for (size_t i = 0; i < arrlenu(solid->sides); i++)
        if (!str_ends_nocase(solid->sides[i].material, "common/origin") &&
            !str_ends_nocase(solid->sides[i].material, "tools/toolsorigin"))
            return false;
    return true;
}

/* Its origin brush, else its key. */
static struct vec3 origin_of(const struct map_entity *entity)
{
    struct vec3 origin = vec3(0, 0, 0);
    (void)entity_vector(&entity->keys, "origin", &origin);
    for (size_t i = 0; i < arrlenu(entity->solids); i++) {
        struct bounds bounds = map_solid_bounds(&entity->solids[i]);
        if (is_origin(&entity->solids[i]) && !bounds_is_empty(&bounds))
            origin = bounds_center(&bounds);
    }
    for (int k = 0; k < 3; k++)
        origin.e[k] = fabs(origin.e[k]) < MAP_POINT_LIMIT ? origin.e[k] : 0;
    return origin;
}

/* Textures move with their sides. */
static void copy_solid(const struct map_solid *solid, struct vec3 by, struct map_entity *to)
{
    struct map_solid copy = *solid;
    copy.sides = NULL;
    for (size_t i = 0; i < arrlenu(solid->sides); i++) {
        struct map_side side = solid->sides[i];
        for (int k = 0; k < 3; k++)
            side.points[k] = vec3_add(side.points[k], by);
        side.u.shift -= vec3_dot(by, side.u.axis) / side.u.scale;
        side.v.shift -= vec3_dot(by, side.v.axis) / side.v.scale;
        arrput(copy.sides, side);
    }
    arrput(to->solids, copy);
}

static void copy_patch(struct arena *arena, const struct map_patch *patch, struct vec3 by,
                       struct map_entity *to)
{
    struct map_patch copy = *patch;
    size_t count = (size_t)patch->columns * (size_t)patch->rows;
    copy.points = ARENA_ARRAY(arena, struct map_patch_point, count);
    for (size_t i = 0; i < count; i++) {
        copy.points[i] = patch->points[i];
        copy.points[i].p = vec3_add(copy.points[i].p, by);
    }
    arrput(to->patches, copy);
}

static void copy_contents(struct level *map, size_t source, struct written written, size_t clone)
{
    struct map_entity *from = &map->entities[source], *to = &map->entities[clone];
    struct vec3 by = vec3_sub(origin_of(to), origin_of(from));
    for (size_t i = 0; i < written.solids; i++)
        if (!is_origin(&from->solids[i]))
            copy_solid(&from->solids[i], by, to);
    for (size_t i = 0; i < written.patches; i++)
        copy_patch(&map->arena, &from->patches[i], by, to);
}

/* The entity to copy from, or 0: a model can be shared, unless it joins the world. */
static size_t source_of(const struct level *map, const struct written *written, size_t clone,
                        const char *name)
{
    if (is_group(&map->entities[clone])) {
        size_t group = find_named(map, written, name, true);
        return group ? group : find_named(map, written, name, false);
    }
    return find_named(map, written, name, false) ? 0 : find_named(map, written, name, true);
}

static void report_clone(const struct level *map, size_t clone, struct diag *diag,
                         const char *problem, const char *name)
{
    struct diag_where where = map_where(map, &map->entities[clone], NULL, NULL);
    (void)diag_report(diag, DIAG_Q3_CLONE, &where, problem, name);
}

/* Gives a func_group that clones another entity (map_clone_source) copies of the brushes and
 * patches that the entity has in the source, moved by the difference of their origins; and so other
 * entities that clone a group, which has no model to share. A group that clones a missing entity is
 * reported (Q3_CLONE). */
static void adapt_quake3_clones(struct level *map, struct diag *diag)
{
    struct written *written = NULL;
    size_t copies = 0, count = arrlenu(map->entities);
    for (size_t i = 0; i < count; i++)
        arrput(written, ((struct written){arrlenu(map->entities[i].solids),
                                          arrlenu(map->entities[i].patches)}));
    for (size_t i = 1; i < count; i++) {
        const char *name = map_clone_source(&map->entities[i].keys);
        size_t source = *name ? source_of(map, written, i, name) : 0;
        copies += source ? written[source].solids + written[source].patches : 0;
        if (*name && !source && is_group(&map->entities[i]))
            report_clone(map, i, diag, "no entity with brushes has the _clonename \"%s\"", name);
        else if (source && copies > MAX_COPIES)
            report_clone(map, i, diag, "no more copies: there are too many, of \"%s\"", name);
        else if (source)
            copy_contents(map, source, written[source], i);
    }
    arrfree(written);
}

/* --- adapt quake3 --- */

/* Displacements replace their solid; a solid without a valid one is kept. */
static bool replace_by_patches(struct level *map, struct map_entity *entity,
                               const struct map_solid *solid)
{
    size_t before = arrlenu(entity->patches);
    for (size_t i = 0; i < arrlenu(solid->sides); i++)
        if (solid->sides[i].displacement)
            (void)displacement_patches(map, solid, &solid->sides[i], &entity->patches);
    return arrlenu(entity->patches) > before;
}

/* Returns the number of displacements removed. */
static size_t convert_solid(struct level *map, struct map_solid *solid, bool detail)
{
    size_t displacements = 0;
    for (size_t i = 0; i < arrlenu(solid->sides); i++) {
        struct map_side *side = &solid->sides[i];
        side->material = arena_printf(&map->arena, "textures/%s", side->material);
        side->contents = detail ? Q3_CONTENTS_DETAIL : 0;
        side->flags = 0;
        displacements += side->displacement != NULL;
    }
    return displacements;
}

void adapt_to_quake3(struct level *map, struct diag *diag)
{
    size_t displacements = 0;
    if (map->counted_ids) {
        adapt_quake3_clones(map, diag);
        return;
    }
    for (size_t i = 0; i < arrlenu(map->entities); i++) {
        struct map_entity *entity = &map->entities[i];
        bool detail = entity_is(&entity->keys, "func_detail");
        bool joins = detail || entity_is(&entity->keys, "func_areaportal") ||
                     entity_is(&entity->keys, "func_areaportalwindow");
        size_t kept = 0;
        for (size_t j = 0; j < arrlenu(entity->solids); j++) {
            struct map_solid solid = entity->solids[j];
            size_t curved = convert_solid(map, &solid, detail);
            if (curved && replace_by_patches(map, entity, &solid)) {
                arrfree(solid.sides);
                continue;
            }
            displacements += curved;
            for (size_t k = 0; k < arrlenu(solid.sides); k++)
                solid.sides[k].displacement = NULL;
            entity->solids[kept++] = solid;
        }
        arrsetlen(entity->solids, kept);
        if (joins)
            entity_set(&entity->keys, &map->arena, "classname", "func_group");
    }
    adapt_quake3_clones(map, diag);
    adapt_quake3_lights(map);
    adapt_quake3_spawns(map);
    if (displacements)
        (void)diag_report(diag, DIAG_Q3_DISPLACEMENTS, &(struct diag_where){.file = map->file},
                          "%zu displacement%s flat", displacements,
                          displacements == 1 ? " stays" : "s stay");
}
