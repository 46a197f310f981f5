#include "vbsp/portals/flood.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/leaks.def"
#include "common/diag/codes/level_solids.def"
#include "common/diag/codes/map_files.def"
#include "common/diag/codes/sides.def"
#include "common/diag/codes/solids.def"
#include "common/diag/diag.h"
#include "common/diag/diag_property.h"
#include "common/diag/properties/hole.def"
#include "common/diag/properties/members.def"
#include "common/diag/properties/pointfile.def"
#include "common/diag/properties/sketch.def"
#include "vbsp/context.h"
#include "vbsp/level/entity_class.h"
#include "vbsp/portals/portals.h"
#include "vbsp/tree/tree.h"

/* --- leak cause --- */

struct arena;

static bool drops_solid(int code)
{
    return code == DIAG_SIDE_PLANE || code == DIAG_SOLID_SIDES || code == DIAG_MAP_BRUSH ||
           code == DIAG_BRUSH_UNBOUNDED || code == DIAG_BRUSH_NO_VOLUME;
}

/* Solids of other entities close nothing. */
static bool is_of_world(const struct compile *compile, const struct diag_where *where)
{
    const struct level *level = compile->level;
    return arrlen(level->entities) && where->entity_id == level->entities[0].id;
}

/* A solid may be reported by several of its sides, and then as a whole. */
static bool is_same_solid(const struct diag_where *a, const struct diag_where *b)
{
    return a->solid_id == b->solid_id && a->file && b->file && strcmp(a->file, b->file) == 0;
}

/* Returns "; solid 12, dropped as unbounded solid (V012), may have closed it" when solids of the
 * world were reported as dropped in this run, else "". */
static const char *leak_cause_text(const struct compile *compile, struct arena *arena)
{
    const struct diag *diag = compile->env->diag;
    const struct diag_entry *dropped = NULL; /* the last report of the first solid */
    size_t others = 0;
    for (size_t i = 0; i < diag_entries(diag); i++) {
        const struct diag_entry *entry = diag_entry(diag, i);
        if (!drops_solid(entry->code) || !is_of_world(compile, &entry->where))
            continue;
        if (!dropped || is_same_solid(&dropped->where, &entry->where))
            dropped = entry;
        else
            others++;
    }
    if (!dropped)
        return "";
    const struct diag_info *info = diag_info(dropped->code);
    return arena_printf(arena, "; solid %s, dropped as %s (%s), may have closed it%s",
                        diag_solid_number(&dropped->where).text, info->title, info->code,
                        others ? ", or another that was dropped" : "");
}

/* --- flood --- */

/* An area this many times that of the narrowest place on the path is not considered a gap. */
#define MAX_AREA_RATIO 256.0

struct seed {
    int entity;
    struct node *leaf;
    struct vec3 origin;
};

struct seeds {
    struct compile *compile;
    struct tree *tree;
    struct seed *list;   /* stb_ds array: all entities in an open leaf */
    struct node **queue; /* stb_ds array: their leaves */
};

static bool add_seed(struct seeds *seeds, int entity, struct vec3 origin, struct vec3 point)
{
    struct node *leaf = tree_leaf_at(seeds->tree, seeds->compile->planes.planes, point);
    if (!leaf_is_open(leaf))
        return false;
    arrput(seeds->list, ((struct seed){entity, leaf, origin}));
    if (!leaf->occupied) {
        leaf->occupied = 1;
        leaf->occupant = entity;
        arrput(seeds->queue, leaf);
    }
    return true;
}

/* A player start whose centre is inside a floor or a wall still counts: its hull has width. */
static bool add_player_seed(struct seeds *seeds, int entity, struct vec3 origin, struct vec3 point)
{
    for (int i = 0; i < 9; i++) {
        struct vec3 moved = vec3_add(point, vec3(16.0 * (i % 3 - 1), 16.0 * (i / 3 - 1), 0));
        if (add_seed(seeds, entity, origin, moved))
            return true;
    }
    return false;
}

/* Adds the entities at the world origin, or those elsewhere. */
static void add_seeds(struct seeds *seeds, bool middle)
{
    for (int i = 1; i < (int)arrlen(seeds->compile->entities); i++) {
        const struct entity *keys =
            &seeds->compile->entities[i].keys; /* with the origins of origin brushes */
        struct vec3 origin;
        if (!class_floods(seeds->compile->entities[i].use) ||
            !entity_vector(keys, "origin", &origin) || (vec3_length(origin) == 0) != middle)
            continue;
        struct vec3 point = vec3_add(origin, vec3(0, 0, 1)); /* above the floor */
        if (!add_seed(seeds, i, origin, point) && entity_is(keys, "info_player_start"))
            (void)add_player_seed(seeds, i, origin, point);
    }
}

/* Editors write 0 0 0 for an unset origin, so it counts only if no other entity does. */
static void find_seeds(struct seeds *seeds)
{
    add_seeds(seeds, false);
    if (!arrlen(seeds->list))
        add_seeds(seeds, true);
}

/* Breadth first, so that `occupied` grows by one per portal. */
static void flood_leaves(const struct compile *compile, struct node **queue)
{
    for (size_t i = 0; i < arrlenu(queue); i++) {
        struct node *leaf = queue[i];
        for (struct portal *portal = leaf->portals; portal; portal = portal_next(portal, leaf)) {
            struct node *next = portal->nodes[!portal_side(portal, leaf)];
            if (next->occupied || !leaf_is_open(next) || sliver_covers(&compile->planes, portal))
                continue;
            next->occupied = leaf->occupied + 1;
            next->occupant = leaf->occupant;
            arrput(queue, next);
        }
    }
    arrfree(queue);
}

static bool is_passable(const void *context, const struct portal *portal, const struct node *next)
{
    const struct compile *compile = context;
    return leaf_is_open(next) && !sliver_covers(&compile->planes, portal);
}

/* The entities that the outside reaches through none of the closed portals, in the order of the
 * file. */
static struct flood_reached *find_reached(const struct seeds *seeds, struct leak_closed *closed)
{
    const struct leak_path_search search = {.passable = is_passable, .context = seeds->compile};
    struct leak_leaf *leaves = leak_path_reachable(&search, &seeds->tree->outside, closed, NULL);
    struct flood_reached *reached = NULL;
    for (size_t i = 0; i < arrlenu(seeds->list); i++) {
        const struct seed *seed = &seeds->list[i];
        if (hmgeti(leaves, seed->leaf) >= 0)
            arrput(reached,
                   ((struct flood_reached){.entity = seed->entity, .origin = seed->origin}));
    }
    hmfree(leaves);
    return reached;
}

static void reverse_points(struct vec3 *path)
{
    for (size_t i = 0, j = arrlenu(path); i + 1 < j; i++) {
        struct vec3 other = path[--j];
        path[j] = path[i];
        path[i] = other;
    }
}

/* Finds the gap whose closing seals the path; if there is none, or if it is a whole room (which has
 * several gaps), the narrowest gap on the path. */
static void find_gap(const struct seeds *seeds, const struct leak_path_search *search,
                     struct portal *const *portals, const struct seed *seed, struct flood *flood)
{
    const struct compile *compile = seeds->compile;
    struct tree *tree = seeds->tree;
    struct leak_gap narrowest;
    flood->only_gap =
        leak_gap_only_path(compile, tree, search, portals, seed->leaf, &tree->outside, &flood->gap);
    bool found = leak_gap_narrowest(compile, tree, search, portals, &narrowest);
    if (found && (!flood->only_gap || flood->gap.area > MAX_AREA_RATIO * narrowest.area)) {
        leak_gap_free(&flood->gap);
        flood->gap = narrowest;
        flood->only_gap = false;
    } else if (found) {
        leak_gap_free(&narrowest);
    }
    flood->has_gap = flood->gap.portals && leak_gap_has_rim(compile, &flood->gap, CONTENTS_SOLID);
}

static void reverse_portals(struct portal **portals)
{
    for (size_t i = 0, j = arrlenu(portals); i + 1 < j; i++) {
        struct portal *other = portals[--j];
        portals[j] = portals[i];
        portals[i] = other;
    }
}

static bool is_player(const struct seeds *seeds, const struct seed *seed)
{
    const struct entity *keys = &seeds->compile->entities[seed->entity].map_entity->keys;
    return str_starts_nocase(entity_value(keys, "classname"), "info_player");
}

/* Traces the shortest path from any entity, or from any player. */
static void trace_shortest(const struct seeds *seeds, bool players, struct flood *flood)
{
    struct node *outside = &seeds->tree->outside;
    struct leak_path_search search = {.passable = is_passable, .context = seeds->compile};
    for (size_t i = 0; i < arrlenu(seeds->list); i++)
        if (!players || is_player(seeds, &seeds->list[i]))
            leak_path_start(&search, seeds->list[i].leaf, NULL, seeds->list[i].origin, (int)i);
    leak_path_spread(&search, outside);
    const struct leak_path_visit *end = leak_path_visit_of(&search, outside);
    if (end) {
        const struct seed *seed = &seeds->list[end->start];
        struct portal **portals = leak_path_portals(&search, outside);
        flood->entity = seed->entity;
        find_gap(seeds, &search, portals, seed, flood);
        reverse_portals(portals);
        flood->trail = leak_path_tighten(portals, seed->origin, NULL);
        reverse_points(flood->trail);
        arrfree(portals);
    }
    leak_path_free(&search);
}

/* If not, the few entities that the outside reaches are misplaced. */
static bool reaches_most(const struct flood *flood)
{
    return 2 * (int)arrlen(flood->reached) > flood->seed_count;
}

/* A stray entity outside hides the gap of a map that leaks anyway: then the path from a player is
 * more useful. */
static void trace_path(const struct seeds *seeds, struct flood *flood)
{
    trace_shortest(seeds, false, flood);
    if (flood->has_gap || !reaches_most(flood))
        return;
    struct flood inside = *flood;
    inside.trail = NULL;
    inside.has_gap = false;
    inside.gap = (struct leak_gap){0};
    trace_shortest(seeds, true, &inside);
    struct flood other = inside.has_gap ? *flood : inside;
    if (inside.has_gap)
        *flood = inside;
    other.reached = NULL;
    flood_free(&other);
}

static int compare_distances(const void *a, const void *b)
{
    const struct flood_reached *p = a, *q = b;
    if (p->distance < q->distance || p->distance > q->distance)
        return p->distance < q->distance ? -1 : 1;
    return (p->entity > q->entity) - (p->entity < q->entity);
}

/* Finds which of the entities reached the gap seals in, and sorts them. */
static void relate_to_gap(const struct seeds *seeds, struct flood *flood)
{
    struct leak_closed *closed = NULL;
    for (size_t i = 0; i < arrlenu(flood->gap.portals); i++)
        hmput(closed, flood->gap.portals[i], true);
    struct flood_reached *rest = find_reached(seeds, closed);
    for (size_t i = 0, k = 0; i < arrlenu(flood->reached); i++) {
        struct flood_reached *reached = &flood->reached[i];
        bool otherwise = k < arrlenu(rest) && rest[k].entity == reached->entity;
        k += otherwise;
        reached->through_gap = !otherwise;
        reached->distance = vec3_distance(reached->origin, flood->gap.center);
    }
    qsort(flood->reached, arrlenu(flood->reached), sizeof *flood->reached, compare_distances);
    arrfree(rest);
    hmfree(closed);
}

static void trace_leak(const struct seeds *seeds, struct flood *flood)
{
    flood->leaks = true;
    flood->reached = find_reached(seeds, NULL);
    trace_path(seeds, flood);
    if (flood->has_gap)
        relate_to_gap(seeds, flood);
}

void flood_from_entities(struct compile *compile, struct tree *tree, struct flood *flood)
{
    *flood = (struct flood){0};
    struct seeds seeds = {.compile = compile, .tree = tree};
    find_seeds(&seeds);
    flood_leaves(compile, seeds.queue);
    flood->seed_count = (int)arrlen(seeds.list);
    if (tree->outside.occupied)
        trace_leak(&seeds, flood);
    arrfree(seeds.list);
}

void flood_free(struct flood *flood)
{
    arrfree(flood->trail);
    arrfree(flood->reached);
    leak_gap_free(&flood->gap);
}

static const char *reached_text(const struct flood *flood, struct arena *arena)
{
    if (reaches_most(flood))
        return "";
    return arena_printf(arena,
                        "; %d of %d entities can reach the outside, the others are sealed in",
                        (int)arrlen(flood->reached), flood->seed_count);
}

static struct diag_where entity_where(const struct compile *compile, int entity, struct vec3 origin)
{
    const struct map_entity *of = compile->entities[entity].map_entity;
    struct diag_where where = map_where(compile->level, of, NULL, NULL);
    where.has_point = true;
    memcpy(where.point, origin.e, sizeof where.point);
    return where;
}

/* An entity that is reached, as a member of the list. */
static struct diag_where reached_where(const struct compile *compile, const struct flood *flood,
                                       const struct flood_reached *reached, struct arena *arena)
{
    const struct compile_entity *entity = &compile->entities[reached->entity];
    struct diag_where where = entity_where(compile, reached->entity, reached->origin);
    struct diag_property *list = ARENA_ARRAY(arena, struct diag_property, 3);
    where.properties = list;
    list[where.property_count++] = (struct diag_property){
        .name = DIAG_OF_CLASS, .text = entity_value(&entity->map_entity->keys, "classname")};
    if (flood->has_gap && flood->only_gap)
        list[where.property_count++] =
            (struct diag_property){.name = DIAG_OF_THROUGH_HOLE, .is_true = reached->through_gap};
    if (reached->entity == flood->entity)
        list[where.property_count++] =
            (struct diag_property){.name = DIAG_OF_IS_NAMED, .is_true = true};
    return where;
}

static struct diag_property reached_list(const struct compile *compile, const struct flood *flood,
                                         struct arena *arena)
{
    size_t count = arrlenu(flood->reached);
    struct diag_where *list = ARENA_ARRAY(arena, struct diag_where, count);
    for (size_t i = 0; i < count; i++)
        list[i] = reached_where(compile, flood, &flood->reached[i], arena);
    return (struct diag_property){.name = DIAG_OF_REACHED, .places = list, .count = count};
}

/* The way begins outside. */
static void attach_way(const struct flood *flood, const char *pointfile, struct arena *arena,
                       struct diag_property **out)
{
    size_t count = arrlenu(flood->trail);
    double *way = ARENA_ARRAY(arena, double, 3 * count);
    for (size_t i = 0; i < count; i++)
        memcpy(way + 3 * i, flood->trail[i].e, 3 * sizeof *way);
    arrput(*out, ((struct diag_property){.name = DIAG_OF_OUTSIDE, .numbers = way, .count = 3}));
    if (pointfile)
        arrput(*out, ((struct diag_property){.name = DIAG_OF_POINTFILE, .text = pointfile}));
    arrput(*out, ((struct diag_property){.name = DIAG_OF_WAY, .numbers = way, .count = 3 * count}));
}

/* An stb_ds array, with what the properties hold in the arena. */
static struct diag_property *leak_properties(const struct compile *compile,
                                             const struct flood *flood, struct arena *arena)
{
    struct diag_property *list = NULL;
    if (flood->has_gap) {
        arrput(list, ((struct diag_property){
                         .name = DIAG_OF_HOLE, .numbers = flood->gap.center.e, .count = 3}));
        leak_gap_attach(compile, &flood->gap, CONTENTS_SOLID, flood->only_gap, arena, &list);
    }
    attach_way(flood, compile->options->pointfile, arena, &list);
    if (arrlen(flood->reached))
        arrput(list, reached_list(compile, flood, arena));
    return list;
}

void flood_report_leak(const struct compile *compile, const struct flood *flood)
{
    const struct compile_entity *entity = &compile->entities[flood->entity];
    struct vec3 origin = arrlast(flood->trail);
    struct diag_where where = entity_where(compile, flood->entity, origin);
    struct arena scratch = {0};
    const char *name = entity_value(&entity->map_entity->keys, "targetname"),
               *gap = "; nothing is between them";
    if (flood->has_gap)
        gap = arena_printf(&scratch, "; %s %s",
                           flood->only_gap ? "the hole is"
                                           : "there may be several holes; the narrowest one is",
                           leak_gap_text(compile, &flood->gap, CONTENTS_SOLID, &scratch));
    if (*name)
        name = arena_printf(&scratch, " \"%s\"", name);
    struct diag_property *properties = leak_properties(compile, flood, &scratch);
    where.properties = properties;
    where.property_count = arrlenu(properties);
    diag_report(compile->env->diag, DIAG_LEAK, &where,
                "entity %s%s at %g %g %g can reach the outside%s%s%s",
                entity_value(&entity->map_entity->keys, "classname"), name, origin.x, origin.y,
                origin.z, gap, leak_cause_text(compile, &scratch), reached_text(flood, &scratch));
    arrfree(properties);
    arena_free(&scratch);
}

static int fill_unoccupied(struct node *node)
{
    if (node->plane != PLANE_LEAF)
        return fill_unoccupied(node->children[0]) + fill_unoccupied(node->children[1]);
    if (node->occupied || !leaf_is_open(node))
        return 0;
    node->contents = CONTENTS_SOLID;
    return 1;
}

int flood_fill_outside(struct tree *tree)
{
    tree->outside.contents = CONTENTS_SOLID;
    return fill_unoccupied(tree->root);
}

/* Sides belong to map brushes, not to fragments: visible is set if any portal shows the side. */
static void mark_visible_sides(struct compile *compile, struct node *node)
{
    if (node->plane != PLANE_LEAF) {
        mark_visible_sides(compile, node->children[0]);
        mark_visible_sides(compile, node->children[1]);
        return;
    }
    for (struct portal *portal = node->portals; portal; portal = portal_next(portal, node)) {
        if (portal->nodes[0] != node || !portal->on_node)
            continue;
        if (!portal->side_searched)
            portal_find_side(compile, portal);
        if (portal->side)
            ((struct brush_side *)portal->side)->visible = true;
    }
}

void flood_mark_visible_sides(struct compile *compile, struct tree *tree, const int *brushes)
{
    for (size_t i = 0; i < arrlenu(brushes); i++) {
        struct map_brush *brush = compile->brushes[brushes[i]];
        for (int j = 0; j < brush->side_count; j++)
            brush->sides[j].visible = false;
    }
    mark_visible_sides(compile, tree->root);
}
