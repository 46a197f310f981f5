#include "vbsp/area_leak.h"

#include "common/core/array.h"
#include "vbsp/area_portals.h"

/* Sides of the brush look against each other, or at least not the same way, when the cosine between
 * their normals is at most this. */
#define AGAINST   -0.5
#define NOT_ALIKE 0.1

/* An opening between a leaf of the areaportal and a free one. */
struct exit {
    struct portal *portal;
    struct node *leaf; /* the free one */
    int plane;         /* looks out of the brush */
};

/* How a leaf was reached. */
struct visit {
    struct portal *portal; /* that was passed to enter it */
    struct node *from;     /* NULL: it lies at the start */
    struct vec3 point;     /* middle of that portal */
    double distance;
    bool done;
};

struct visit_cell {
    struct node *key;
    struct visit value;
};

struct waiting {
    double distance;
    struct node *leaf;
};

struct search {
    const struct compile *compile;
    struct exit *exits;        /* stb_ds array: all around the areaportal */
    struct visit_cell *visits; /* hash map */
    struct waiting *heap;      /* stb_ds array, the nearest first */
};

static void find_exits(struct search *search, struct node *node, int number)
{
    if (node->plane != PLANE_LEAF) {
        find_exits(search, node->children[0], number);
        find_exits(search, node->children[1], number);
        return;
    }
    if (area_portal_of(search->compile, node) != number)
        return;
    for (struct portal *portal = node->portals; portal; portal = portal_next(portal, node)) {
        int side = portal_side(portal, node);
        struct exit way = {portal, portal->nodes[!side], portal->plane ^ !side};
        if (portal->on_node && way.leaf->area && leaf_is_open(way.leaf) &&
            !area_portal_of(search->compile, way.leaf))
            arrput(search->exits, way);
    }
}

/* The plane with the widest exits, or -1. */
static int widest_plane(const struct search *search)
{
    struct {
        int key;
        double value;
    } *areas = NULL;
    int best = -1;
    for (size_t i = 0; i < arrlenu(search->exits); i++) {
        const struct exit *way = &search->exits[i];
        double area = winding_area(way->portal->winding);
        ptrdiff_t at = hmgeti(areas, way->plane);
        hmput(areas, way->plane, at < 0 ? area : areas[at].value + area);
    }
    double most = 0;
    for (ptrdiff_t i = 0; i < hmlen(areas); i++) {
        if (areas[i].value > most) {
            most = areas[i].value;
            best = areas[i].key;
        }
    }
    hmfree(areas);
    return best;
}

static void heap_push(struct waiting **heap, struct waiting item)
{
    arrput(*heap, item);
    size_t at = arrlenu(*heap) - 1;
    for (; at > 0 && (*heap)[(at - 1) / 2].distance > item.distance; at = (at - 1) / 2)
        (*heap)[at] = (*heap)[(at - 1) / 2];
    (*heap)[at] = item;
}

static struct waiting heap_pop(struct waiting **heap)
{
    struct waiting top = (*heap)[0], last = arrpop(*heap);
    size_t count = arrlenu(*heap), at = 0;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && (*heap)[child + 1].distance < (*heap)[child].distance)
            child++;
        if ((*heap)[child].distance >= last.distance)
            break;
        (*heap)[at] = (*heap)[child];
    }
    if (count)
        (*heap)[at] = last;
    return top;
}

static void reach(struct search *search, struct node *leaf, struct portal *portal,
                  struct node *from, double distance)
{
    ptrdiff_t at = hmgeti(search->visits, leaf);
    if (at >= 0 && search->visits[at].value.distance <= distance)
        return;
    struct visit visit = {.portal = portal,
                          .from = from,
                          .point = winding_center(portal->winding),
                          .distance = distance};
    hmput(search->visits, leaf, visit);
    heap_push(&search->heap, (struct waiting){distance, leaf});
}

static void visit_neighbours(struct search *search, struct node *leaf, const struct visit *visit)
{
    for (struct portal *portal = leaf->portals; portal; portal = portal_next(portal, leaf)) {
        struct node *next = portal->nodes[!portal_side(portal, leaf)];
        if (!portal->on_node || !next->area || !leaf_is_open(next) ||
            area_portal_of(search->compile, next))
            continue;
        double step = vec3_distance(visit->point, winding_center(portal->winding));
        reach(search, next, portal, leaf, visit->distance + step);
    }
}

/* How far it is from where everything begins; all leaves that can be reached get their visit. */
static void spread(struct search *search)
{
    while (arrlenu(search->heap)) {
        struct waiting next = heap_pop(&search->heap);
        struct visit *known = &hmgetp(search->visits, next.leaf)->value;
        if (known->done)
            continue;
        known->done = true;
        const struct visit visit = *known;
        visit_neighbours(search, next.leaf, &visit);
    }
}

static const struct exit *nearest_end(struct search *search, const struct plane *start,
                                      double most_alike)
{
    const struct exit *best = NULL;
    double least = DBL_MAX;
    const struct plane *planes = search->compile->planes.planes;
    for (size_t i = 0; i < arrlenu(search->exits); i++) {
        const struct exit *way = &search->exits[i];
        ptrdiff_t at = hmgeti(search->visits, way->leaf);
        if (at < 0 || vec3_dot(planes[way->plane].normal, start->normal) > most_alike)
            continue;
        const struct visit *visit = &search->visits[at].value;
        struct vec3 end = winding_center(way->portal->winding);
        double distance = visit->distance + vec3_distance(visit->point, end);
        if (distance < least) {
            least = distance;
            best = way;
        }
    }
    return best;
}

static void trace_back(struct search *search, const struct exit *end, struct area_leak *out)
{
    arrput(out->way, winding_center(end->portal->winding));
    /* Where both sides lie in one leaf, the narrowest place is the end itself. */
    if (!hmgetp(search->visits, end->leaf)->value.from) {
        out->hole = out->way[0];
        out->hole_area = winding_area(end->portal->winding);
    }
    for (struct node *leaf = end->leaf; leaf;) {
        const struct visit *visit = &hmgetp(search->visits, leaf)->value;
        double area = winding_area(visit->portal->winding);
        arrput(out->way, visit->point);
        if (visit->from && area < out->hole_area) {
            out->hole_area = area;
            out->hole = visit->point;
        }
        leaf = visit->from;
    }
}

bool area_leak_find(const struct compile *compile, struct tree *tree, int number,
                    struct area_leak *out)
{
    *out = (struct area_leak){.hole_area = DBL_MAX};
    struct search search = {.compile = compile};
    find_exits(&search, tree->root, number);
    int start = widest_plane(&search);
    for (size_t i = 0; i < arrlenu(search.exits); i++)
        if (search.exits[i].plane == start)
            reach(&search, search.exits[i].leaf, search.exits[i].portal, NULL, 0);
    spread(&search);
    const struct plane *plane = start < 0 ? NULL : &compile->planes.planes[start];
    const struct exit *end = plane ? nearest_end(&search, plane, AGAINST) : NULL;
    if (plane && !end)
        end = nearest_end(&search, plane, NOT_ALIKE);
    if (end)
        trace_back(&search, end, out);
    bool found = end != NULL;
    arrfree(search.exits);
    arrfree(search.heap);
    hmfree(search.visits);
    return found;
}
