#include "vbsp/level/cordon.h"

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/cordons.def"

/* Thickness and material of the walls around a cordon. */
#define WALL           16.0
#define WALL_MATERIAL  "tools/toolsskybox"
#define LIGHTMAP_SCALE 128

/* Walls of each box are cut by all other boxes. */
enum { MAX_BOXES = 32 };

static bool is_on(const struct kv *block)
{
    const char *text = kv_value(block, "active");
    int64_t number;
    return text && str_to_int64(text, &number) && number != 0;
}

static void read_box(const struct kv *block, struct level *map, struct diag *diag)
{
    double mins[3], maxs[3];
    const char *low = kv_value(block, "mins"), *high = kv_value(block, "maxs");
    bool sound =
        low && high && str_to_doubles(low, mins, 3) == 3 && str_to_doubles(high, maxs, 3) == 3;
    for (int i = 0; sound && i < 3; i++)
        sound = mins[i] < maxs[i] && fabs(mins[i]) <= MAP_POINT_LIMIT &&
                fabs(maxs[i]) <= MAP_POINT_LIMIT;
    if (!sound || arrlen(map->cordons) >= MAX_BOXES) {
        struct diag_where where = {.file = map->file, .line = block->line};
        diag_report(diag, DIAG_CORDON_BOX, &where,
                    sound ? "only the first %d are used; this one is ignored"
                          : "mins must be below maxs (at most %d cordons); it is ignored",
                    MAX_BOXES);
        return;
    }
    struct bounds box = {vec3(mins[0], mins[1], mins[2]), vec3(maxs[0], maxs[1], maxs[2])};
    arrput(map->cordons, box);
}

static bool is_block(const struct kv *node, const char *name)
{
    return !node->value && str_equal_nocase(node->key, name);
}

static void read_cordons(const struct kv *cordons, struct level *map, struct diag *diag)
{
    for (const struct kv *cordon = cordons->children; cordon; cordon = cordon->next) {
        if (!is_block(cordon, "cordon") || !is_on(cordon))
            continue;
        for (const struct kv *box = cordon->children; box; box = box->next)
            if (is_block(box, "box"))
                read_box(box, map, diag);
    }
}

void cordon_read(const struct kv *root, struct level *map, struct diag *diag)
{
    for (const struct kv *node = root->children; node; node = node->next) {
        if (is_block(node, "cordon") && is_on(node))
            read_box(node, map, diag);
        else if (is_block(node, "cordons") && is_on(node))
            read_cordons(node, map, diag);
    }
}

static bool touches(const struct level *map, const struct map_solid *solid)
{
    struct bounds bounds = map_solid_bounds(solid);
    for (size_t i = 0; i < arrlenu(map->cordons); i++)
        if (bounds_touch(&map->cordons[i], &bounds, EPSILON_BRUSH_CLIP))
            return true;
    return bounds_is_empty(&bounds); /* an invalid one is reported elsewhere */
}

/* By its solids or its origin; one without either is in every cordon. */
static bool entity_touches(const struct level *map, const struct map_entity *entity)
{
    for (size_t i = 0; i < arrlenu(entity->solids); i++)
        if (touches(map, &entity->solids[i]))
            return true;
    struct vec3 origin;
    if (arrlen(entity->solids) || !entity_vector(&entity->keys, "origin", &origin))
        return !arrlen(entity->solids);
    for (size_t i = 0; i < arrlenu(map->cordons); i++)
        if (bounds_contains(&map->cordons[i], origin))
            return true;
    return false;
}

/* Returns the number of solids of the world that were dropped. */
static size_t drop_solids(struct level *map)
{
    struct map_entity *world = &map->entities[0];
    size_t kept = 0, count = arrlenu(world->solids);
    for (size_t i = 0; i < count; i++) {
        if (touches(map, &world->solids[i]))
            world->solids[kept++] = world->solids[i];
        else
            arrfree(world->solids[i].sides);
    }
    if (count)
        arrsetlen(world->solids, kept);
    return count - kept;
}

static size_t drop_entities(struct level *map)
{
    size_t kept = 1, count = arrlenu(map->entities);
    for (size_t i = 1; i < count; i++) {
        if (!entity_touches(map, &map->entities[i])) {
            map_entity_free(&map->entities[i]);
            continue;
        }
        for (size_t j = 0; j < arrlenu(map->entities[i].solids); j++)
            map->entities[i].solids[j].entity = (int)kept;
        map->entities[kept++] = map->entities[i];
    }
    arrsetlen(map->entities, kept);
    return count - kept;
}

static struct map_side wall_side(const struct bounds *box, int axis, bool high)
{
    int j = (axis + 1) % 3, k = (axis + 2) % 3;
    struct map_side side = {.material = WALL_MATERIAL, .lightmap_scale = LIGHTMAP_SCALE};
    for (int i = 0; i < 3; i++) {
        side.points[i] = box->mins;
        side.points[i].e[axis] = high ? box->maxs.e[axis] : box->mins.e[axis];
    }
    side.points[high ? 2 : 0].e[k] = box->maxs.e[k];
    side.points[high ? 0 : 2].e[j] = box->maxs.e[j];
    side.u.axis.e[j] = side.v.axis.e[k] = 1;
    side.u.scale = side.v.scale = 0.25;
    return side;
}

static void add_wall(struct level *map, const struct bounds *box)
{
    struct map_solid solid = {0};
    for (int i = 0; i < 6; i++)
        arrput(solid.sides, wall_side(box, i / 2, i % 2));
    arrput(map->entities[0].solids, solid);
}

/* Adds the parts of the wall outside of the boxes from `next` on, cut along one axis after the
 * other. */
static void add_wall_outside(struct level *map, struct bounds wall, size_t next)
{
    for (; next < arrlenu(map->cordons); next++) {
        const struct bounds *box = &map->cordons[next];
        bool apart = false;
        for (int i = 0; i < 3; i++)
            apart |= wall.mins.e[i] >= box->maxs.e[i] || wall.maxs.e[i] <= box->mins.e[i];
        if (apart)
            continue;
        for (int i = 0; i < 3; i++) {
            struct bounds piece = wall;
            if (wall.mins.e[i] < box->mins.e[i]) {
                piece.maxs.e[i] = wall.mins.e[i] = box->mins.e[i];
                add_wall_outside(map, piece, next + 1);
                piece = wall;
            }
            if (wall.maxs.e[i] > box->maxs.e[i]) {
                piece.mins.e[i] = wall.maxs.e[i] = box->maxs.e[i];
                add_wall_outside(map, piece, next + 1);
            }
        }
        return; /* the rest is inside */
    }
    add_wall(map, &wall);
}

static void add_walls(struct level *map)
{
    for (size_t i = 0; i < arrlenu(map->cordons); i++) {
        for (int j = 0; j < 6; j++) {
            struct bounds wall = map->cordons[i];
            int axis = j / 2;
            for (int k = 0; k < axis; k++) {
                wall.mins.e[k] -= WALL;
                wall.maxs.e[k] += WALL;
            }
            double at = j % 2 ? wall.maxs.e[axis] : wall.mins.e[axis] - WALL;
            wall.mins.e[axis] = at;
            wall.maxs.e[axis] = at + WALL;
            add_wall_outside(map, wall, 0);
        }
    }
}

void cordon_apply(struct level *map, struct diag *diag)
{
    if (!arrlen(map->cordons))
        return;
    size_t solids = drop_solids(map), entities = drop_entities(map);
    if (!solids && !entities)
        return;
    add_walls(map);
    struct diag_where where = {.file = map->file};
    diag_report(diag, DIAG_CORDON_ON, &where,
                "%zu world solid%s and %zu entit%s outside it are dropped", solids,
                solids == 1 ? "" : "s", entities, entities == 1 ? "y" : "ies");
}
