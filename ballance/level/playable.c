/* Surroundings that a game needs around the objects of a level. */
#include "ballance/bmx/names.h"
#include "ballance/level/level_maker.h"
#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/diag/codes/ballance_to_map.def"

/* Between the objects and the sky, and of the walls of the sky. */
#define MARGIN 512.0
#define WALL   64.0

/* Height of a depth box over the ground of the sky. */
#define DEPTH 64.0

/* Of the eyes of a player over the place where a ball appears. */
#define START_HEIGHT 40.0

static void add_point(struct bounds *bounds, struct vec3 point)
{
    if (placed_in_reach(point))
        bounds_add_point(bounds, point);
}

static struct bounds object_bounds(const struct bmx *bmx)
{
    struct bounds bounds = bounds_empty();
    for (size_t i = 0; i < arrlenu(bmx->objects); i++) {
        const struct bmx_object *object = &bmx->objects[i];
        add_point(&bounds, bmx_to_map(object->matrix + 12));
        const struct bmx_mesh *mesh = object->is_component ? NULL : &bmx->meshes[object->mesh];
        for (size_t k = 0; mesh && k < arrlenu(mesh->positions); k++)
            add_point(&bounds, bmx_place(object->matrix, mesh->positions[k].xyz));
    }
    if (bounds_is_empty(&bounds))
        bounds_add_point(&bounds, vec3(0, 0, 0));
    return bounds;
}

static struct bounds level_bounds(const struct bmx *bmx)
{
    struct bounds bounds = object_bounds(bmx);
    for (int k = 0; k < 3; k++) {
        bounds.mins.e[k] = portable_fmax(floor(bounds.mins.e[k] / 64) * 64 - MARGIN, -MESH_REACH);
        bounds.maxs.e[k] = portable_fmin(ceil(bounds.maxs.e[k] / 64) * 64 + MARGIN, MESH_REACH);
    }
    return bounds;
}

/* Appends a brush of one material. */
static void add_box(struct level_maker *maker, const struct bounds *bounds, const char *material,
                    struct map_entity *entity)
{
    struct arena arena = {0};
    struct convex_cell cell;
    struct piece_side *sides = NULL;
    cell_box(bounds, &arena, &cell);
    for (size_t i = 0; i < arrlenu(cell.sides); i++)
        arrput(sides, ((struct piece_side){.drawn = cell.sides[i].drawn, .mapping = -1}));
    maker_add_solid(maker, sides, NULL, entity);
    struct map_solid *solid = &arrlast(entity->solids);
    for (size_t i = 0; i < arrlenu(solid->sides); i++)
        solid->sides[i].material = material;
    arrfree(sides);
    cell_free(&cell);
    arena_free(&arena);
}

static void add_sky(struct level_maker *maker, const struct bounds *inside)
{
    const char *sky = maker->engine->has_shaders
                          ? arena_printf(&maker->level->arena, "textures/bmx/%s/_sky", maker->name)
                          : "textures/tools/toolsskybox";
    struct map_entity *world = &maker->level->entities[0];
    size_t first = arrlenu(world->solids);
    for (int i = 0; i < 6; i++) {
        struct bounds wall = *inside;
        int axis = i / 2;
        for (int k = 0; k < 3; k++) {
            wall.mins.e[k] -= WALL;
            wall.maxs.e[k] += WALL;
        }
        if (i % 2)
            wall.mins.e[axis] = inside->maxs.e[axis];
        else
            wall.maxs.e[axis] = inside->mins.e[axis];
        add_box(maker, &wall, sky, world);
    }
    for (size_t i = first; i < arrlenu(world->solids); i++)
        world->solids[i].entity = 0;
}

/* Who falls past everything ends here. */
static void add_depth(struct level_maker *maker, const struct bounds *inside)
{
    struct map_entity entity = {.id = (int)arrlen(maker->level->entities)};
    struct bounds box = *inside;
    box.maxs.z = box.mins.z + DEPTH;
    maker_set(maker, &entity, "classname", "trigger_hurt");
    maker_set(maker, &entity, "dmg", "100000");
    maker_set(maker, &entity, "damage", "100000");
    add_box(maker, &box, BMX_TRIGGER, &entity);
    arrput(maker->level->entities, entity);
}

/* The start of the level, else a place where balls appear. */
static const struct bmx_object *find_start(const struct bmx *bmx)
{
    static const char *const wanted[] = {"PS_FourFlames", "PR_Resetpoint"};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
        for (size_t i = 0; i < arrlenu(bmx->objects); i++)
            if (bmx->objects[i].is_component &&
                strcmp(bmx_component(bmx->objects[i].mesh), wanted[k]) == 0)
                return &bmx->objects[i];
    return NULL;
}

struct map_entity maker_start(struct level_maker *maker)
{
    const struct bmx_object *object = find_start(maker->bmx);
    const struct bounds inside = level_bounds(maker->bmx);
    struct map_entity entity = {.id = (int)arrlen(maker->level->entities)};
    struct vec3 at = bounds_center(&inside);
    at.z = inside.maxs.z - MARGIN;
    if (object)
        at = bmx_to_map(object->matrix + 12);
    maker_set(maker, &entity, "classname", "%s", maker->engine->words.player_start);
    maker_set(maker, &entity, "origin", "%.10g %.10g %.10g", at.x, at.y, at.z + START_HEIGHT);
    return entity;
}

/* The shader of a sky has its sun. */
static void add_light(struct level_maker *maker)
{
    struct map_entity *world = &maker->level->entities[0];
    if (maker->engine->has_shaders) {
        maker_set(maker, world, "ambient", "24");
        return;
    }
    struct map_entity sun = {.id = (int)arrlen(maker->level->entities)};
    maker_set(maker, world, "skyname", "sky_day01_01");
    maker_set(maker, &sun, "classname", "light_environment");
    maker_set(maker, &sun, "origin", "0 0 0");
    maker_set(maker, &sun, "angles", "-50 35 0");
    maker_set(maker, &sun, "pitch", "-50");
    maker_set(maker, &sun, "_light", "255 250 235 300");
    maker_set(maker, &sun, "_ambient", "170 190 220 120");
    arrput(maker->level->entities, sun);
}

bool maker_has_start(const struct level_maker *maker)
{
    return find_start(maker->bmx) != NULL;
}

struct vec3 maker_outside_view(const struct level_maker *maker)
{
    const struct bounds bounds = object_bounds(maker->bmx);
    const struct vec3 size = vec3_sub(bounds.maxs, bounds.mins);
    struct vec3 at = bounds_center(&bounds);
    at.x = bounds.mins.x - portable_fmax(size.x, portable_fmax(size.y, size.z)) / 3;
    at.z += size.z / 4 - START_HEIGHT / 2;
    return at;
}

void maker_make_playable(struct level_maker *maker)
{
    const struct bounds inside = level_bounds(maker->bmx);
    add_sky(maker, &inside);
    add_light(maker);
    struct map_entity start = maker_start(maker);
    arrput(maker->level->entities, start);
    add_depth(maker, &inside);
    (void)diag_report(maker->diag, DIAG_BMX_TO_SURROUNDED,
                      &(struct diag_where){.file = maker->file},
                      "sky, light, a depth box and a start were added");
}
