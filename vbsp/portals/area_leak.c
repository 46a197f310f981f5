
#include "common/core/array.h"
#include "vbsp/portals/area_portals.h"

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

void area_leak_free(struct area_leak *leak)
{
    arrfree(leak->path);
    leak_gap_free(&leak->gap);
}

bool area_leak_find(const struct compile *compile, struct tree *tree, int number,
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
