#include "vbsp/portals/area_portals.h"

#include "common/core/array.h"
#include "common/diag/codes/areas.def"
#include "common/diag/diag_property.h"
#include "common/diag/properties/pointfile.def"
#include "vbsp/csg/brush_make.h"

/* --- area flood --- */

int area_portal_of(const struct node *leaf)
{
    if (!(leaf->contents & CONTENTS_AREAPORTAL) || !leaf_is_open(leaf))
        return 0;
    int number = 0;
    for (const struct brush *fragment = leaf->brushes; fragment; fragment = fragment->next) {
        const struct map_brush *brush = fragment->original;
        int own = brush->area_portal;
        if ((brush->contents & CONTENTS_AREAPORTAL) && own > 0 && (!number || own < number))
            number = own;
    }
    return number;
}

struct area_finder {
    struct areas *areas;
};

static void add_touched_area(struct area_portal *portal, int area)
{
    if (portal->areas[0] == area || portal->areas[1] == area)
        return;
    if (!portal->areas[0])
        portal->areas[0] = area;
    else if (!portal->areas[1])
        portal->areas[1] = area;
    else
        portal->touches_more = true;
}

/* Stops at the leaves of areaportals and records the area that touches them. */
static void flood_area(struct area_finder *area_finder, struct node *leaf)
{
    int area = area_finder->areas->count++;
    struct node **queue = NULL;
    leaf->area = area;
    arrput(queue, leaf);
    for (size_t i = 0; i < arrlenu(queue); i++) {
        struct node *from = queue[i];
        for (struct portal *portal = from->portals; portal; portal = portal_next(portal, from)) {
            struct node *next = portal->nodes[!portal_side(portal, from)];
            if (next->area || !leaf_is_open(next) || !next->occupied)
                continue;
            int number = area_portal_of(next);
            if (number) {
                add_touched_area(&area_finder->areas->portals[number], area);
                continue;
            }
            next->area = area;
            arrput(queue, next);
        }
    }
    arrfree(queue);
}

static void find_areas(struct area_finder *area_finder, struct node *node)
{
    if (node->plane != PLANE_LEAF) {
        find_areas(area_finder, node->children[0]);
        find_areas(area_finder, node->children[1]);
    } else if (!node->area && node->occupied && leaf_is_open(node) && !area_portal_of(node)) {
        flood_area(area_finder, node);
    }
}

/* An areaportal that touches only other areaportals is an area of its own. */
static void number_portal_leaves(struct area_finder *area_finder, struct node *node)
{
    if (node->plane != PLANE_LEAF) {
        number_portal_leaves(area_finder, node->children[0]);
        number_portal_leaves(area_finder, node->children[1]);
        return;
    }
    int number = area_portal_of(node);
    if (!number || !node->occupied)
        return;
    struct area_portal *portal = &area_finder->areas->portals[number];
    portal->has_leaf = true;
    if (!portal->areas[0])
        portal->areas[0] = area_finder->areas->count++;
    node->area = portal->areas[0];
}

void areas_find(const struct compile *compile, struct tree *tree, struct areas *areas)
{
    *areas = (struct areas){.count = 1};
    const struct area_portal none = {0};
    arrput(areas->portals, none);
    for (size_t i = 0; i < arrlenu(compile->brushes); i++) {
        int number = compile->brushes[i]->area_portal;
        if (number <= 0)
            continue;
        while (arrlen(areas->portals) <= number)
            arrput(areas->portals, none);
        areas->portals[number].brush = compile->brushes[i];
    }
    struct area_finder area_finder = {areas};
    find_areas(&area_finder, tree->root);
    number_portal_leaves(&area_finder, tree->root);
}

void areas_free(struct areas *areas)
{
    arrfree(areas->portals);
}

/* --- area portals --- */

struct area_leak {
    struct vec3 *path;   /* stb_ds array: from one side of the brush to the other */
    struct leak_gap gap; /* the narrowest on the path */
};

/* Largest cosine between the normals of two sides of the brush that count as opposite, and of two
 * that count as different. */
#define MAX_OPPOSITE  -0.5
#define MAX_DIFFERENT 0.1

/* A portal between a leaf of the areaportal and a leaf outside of it. */
struct exit {
    struct portal *portal;
    struct node *leaf; /* the leaf outside */
    int plane;         /* faces out of the brush */
};

struct search {
    const struct compile *compile;
    struct exit *exits; /* stb_ds array: all portals around the areaportal */
    struct leak_path_search path;
};

static bool is_passable(const void *context, const struct portal *portal, const struct node *next)
{
    (void)context;
    return portal->on_node && next->area && leaf_is_open(next) && !area_portal_of(next);
}

static void find_exits(struct search *search, struct node *node, int number)
{
    if (node->plane != PLANE_LEAF) {
        find_exits(search, node->children[0], number);
        find_exits(search, node->children[1], number);
        return;
    }
    if (area_portal_of(node) != number)
        return;
    for (struct portal *portal = node->portals; portal; portal = portal_next(portal, node)) {
        int side = portal_side(portal, node);
        struct exit candidate = {portal, portal->nodes[!side], portal->plane ^ !side};
        if (portal->on_node && candidate.leaf->area && leaf_is_open(candidate.leaf) &&
            !area_portal_of(candidate.leaf))
            arrput(search->exits, candidate);
    }
}

/* The plane with the largest total area of exits, or -1. */
static int widest_plane(const struct search *search)
{
    struct {
        int key;
        double value;
    } *areas = NULL;
    int best = -1;
    for (size_t i = 0; i < arrlenu(search->exits); i++) {
        const struct exit *candidate = &search->exits[i];
        double area = winding_area(candidate->portal->winding);
        ptrdiff_t at = hmgeti(areas, candidate->plane);
        hmput(areas, candidate->plane, at < 0 ? area : areas[at].value + area);
    }
    double max = 0;
    for (ptrdiff_t i = 0; i < hmlen(areas); i++) {
        if (areas[i].value > max) {
            max = areas[i].value;
            best = areas[i].key;
        }
    }
    hmfree(areas);
    return best;
}

static const struct exit *nearest_end(struct search *search, const struct plane *start,
                                      double max_alike)
{
    const struct exit *best = NULL;
    double min = DBL_MAX;
    const struct plane *planes = search->compile->planes.planes;
    for (size_t i = 0; i < arrlenu(search->exits); i++) {
        const struct exit *candidate = &search->exits[i];
        const struct leak_path_visit *visit = leak_path_visit_of(&search->path, candidate->leaf);
        if (!visit || vec3_dot(planes[candidate->plane].normal, start->normal) > max_alike)
            continue;
        struct vec3 end = winding_nearest_point(candidate->portal->winding, visit->point);
        double distance = visit->distance + vec3_distance(visit->point, end);
        if (distance < min) {
            min = distance;
            best = candidate;
        }
    }
    return best;
}

/* The path begins and ends at the centres of the areaportal's own sides. The gap is the narrowest
 * place in between; if there is none, both exits are of one leaf and the narrower exit is reported.
 * */
static void trace_path(struct search *search, struct tree *tree, const struct exit *end,
                       struct area_leak *out)
{
    struct portal **portals = leak_path_portals(&search->path, end->leaf);
    struct portal *start = arrpop(portals);
    struct vec3 last = winding_center(start->winding);
    out->path = leak_path_tighten(portals, winding_center(end->portal->winding), &last);
    if (!leak_gap_narrowest(search->compile, tree, &search->path, portals, &out->gap))
        leak_gap_of_portal(search->compile, end->portal, &out->gap);
    arrfree(portals);
}

static void area_leak_free(struct area_leak *leak)
{
    arrfree(leak->path);
    leak_gap_free(&leak->gap);
}

/* Finds the shortest path from the widest open side of the areaportal to one that faces elsewhere,
 * through no areaportal. False when there is none. */
static bool area_leak_find(const struct compile *compile, struct tree *tree, int number,
                           struct area_leak *out)
{
    *out = (struct area_leak){0};
    struct search search = {.compile = compile,
                            .path = {.passable = is_passable, .context = compile}};
    find_exits(&search, tree->root, number);
    int start = widest_plane(&search);
    for (size_t i = 0; i < arrlenu(search.exits); i++)
        if (search.exits[i].plane == start)
            leak_path_start(&search.path, search.exits[i].leaf, search.exits[i].portal,
                            winding_center(search.exits[i].portal->winding), 0);
    leak_path_spread(&search.path, NULL);
    const struct plane *plane = start < 0 ? NULL : &compile->planes.planes[start];
    const struct exit *end = plane ? nearest_end(&search, plane, MAX_OPPOSITE) : NULL;
    if (plane && !end)
        end = nearest_end(&search, plane, MAX_DIFFERENT);
    if (end)
        trace_path(&search, tree, end, out);
    bool found = end != NULL;
    arrfree(search.exits);
    leak_path_free(&search.path);
    return found;
}

/* --- area check --- */

/* Paths are searched for this many areaportals; of the others only the leak is reported. */
enum { FOLLOWED = 16 };

struct checker {
    const struct compile *compile;
    struct tree *tree;
    struct vec3 **path;
    int followed;
    size_t not_followed;
};

static struct diag_where where_of(const struct compile *compile, const struct area_portal *portal)
{
    return brush_where(compile, portal->brush, NULL);
}

/* An areaportal is an entity or a brush of the world. */
static const char *name_of(const struct compile *compile, const struct area_portal *portal)
{
    const struct compile_entity *entity = &compile->entities[portal->brush->entity];
    return entity->use == USE_AREAPORTAL ? entity_value(&entity->keys, "classname") : "areaportal";
}

static void report_leak(struct checker *checker, const struct area_portal *portal, int number,
                        struct area_leak *leak)
{
    struct diag_where where = where_of(checker->compile, portal);
    where.has_point = true;
    memcpy(where.point, leak->gap.center.e, sizeof where.point);
    struct arena scratch = {0};
    struct diag_property *properties = NULL;
    const char *pointfile = checker->compile->options->pointfile;
    leak_gap_attach(checker->compile, &leak->gap, CONTENTS_SOLID | CONTENTS_AREAPORTAL, false,
                    &scratch, &properties);
    if (pointfile && !*checker->path) /* the file shows the first */
        arrput(properties, ((struct diag_property){.name = DIAG_OF_POINTFILE, .text = pointfile}));
    where.properties = properties;
    where.property_count = arrlenu(properties);
    diag_report(
        checker->compile->env->diag, DIAG_AREAPORTAL_LEAK, &where,
        "the two sides of %s %d are connected; the narrowest gap on the way around it is %s",
        name_of(checker->compile, portal), number,
        leak_gap_text(checker->compile, &leak->gap, CONTENTS_SOLID | CONTENTS_AREAPORTAL,
                      &scratch));
    arrfree(properties);
    arena_free(&scratch);
    if (!*checker->path) {
        *checker->path = leak->path;
        leak->path = NULL;
    }
}

static void check_portal(struct checker *checker, int number, const struct area_portal *portal)
{
    struct diag *diag = checker->compile->env->diag;
    struct diag_where where = where_of(checker->compile, portal);
    if (portal->touches_more) {
        diag_report(diag, DIAG_AREAPORTAL_MANY_AREAS, &where,
                    "areaportal %d separates areas %d and %d only", number, portal->areas[0],
                    portal->areas[1]);
    } else if (!portal->has_leaf) {
        diag_report(diag, DIAG_AREAPORTAL_UNUSED, &where,
                    "areaportal %d is in solid or outside the map", number);
    } else if (!portal->areas[1] && checker->followed == FOLLOWED) {
        checker->not_followed++;
    } else if (!portal->areas[1]) {
        struct area_leak leak;
        checker->followed++;
        if (area_leak_find(checker->compile, checker->tree, number, &leak))
            report_leak(checker, portal, number, &leak);
        else
            diag_report(diag, DIAG_AREAPORTAL_UNUSED, &where,
                        "areaportal %d has open space on one side only", number);
        area_leak_free(&leak);
    }
}

void areas_check(const struct compile *compile, struct tree *tree, const struct areas *areas,
                 struct vec3 **path)
{
    struct checker checker = {.compile = compile, .tree = tree, .path = path};
    for (int i = 1; i < (int)arrlen(areas->portals); i++)
        check_portal(&checker, i, &areas->portals[i]);
    if (checker.not_followed)
        diag_report(compile->env->diag, DIAG_AREAPORTAL_LEAK,
                    &(struct diag_where){.file = compile->level->file},
                    "%zu more areaportal%s separate%s no areas", checker.not_followed,
                    checker.not_followed == 1 ? "" : "s", checker.not_followed == 1 ? "s" : "");
}
