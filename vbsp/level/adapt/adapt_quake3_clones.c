/* Clones of groups: brushes and patches that join the world have no model to share, so they are
 * copied. */
#include <math.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/quake3_levels.def"
#include "vbsp/level/adapt/adapt.h"

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

void adapt_quake3_clones(struct level *map, struct diag *diag)
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
