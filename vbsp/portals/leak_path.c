#include "vbsp/portals/leak_path.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"

/* Paths stay away from edges by this fraction of the distance to the centre, to be visible in an
 * editor. */
#define CLEARANCE 0.2

enum { PULLS = 24 };

struct leak_path_cell {
    struct node *key;
    struct leak_path_visit value;
};

struct leak_path_item {
    double distance;
    struct node *leaf;
};

static void heap_push(struct leak_path_item **heap, struct leak_path_item item)
{
    arrput(*heap, item);
    size_t at = arrlenu(*heap) - 1;
    for (; at > 0 && (*heap)[(at - 1) / 2].distance > item.distance; at = (at - 1) / 2)
        (*heap)[at] = (*heap)[(at - 1) / 2];
    (*heap)[at] = item;
}

static struct leak_path_item heap_pop(struct leak_path_item **heap)
{
    struct leak_path_item top = (*heap)[0], last = arrpop(*heap);
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

/* Projects the point onto the plane of the polygon. */
static struct vec3 onto_plane(const struct winding *winding, struct vec3 point)
{
    struct plane plane;
    if (!winding_plane(winding, &plane))
        return winding_center(winding);
    return vec3_mad(point, plane.normal, -plane_distance(&plane, point));
}

static struct vec3 onto_edge(struct vec3 a, struct vec3 b, struct vec3 point)
{
    struct vec3 along = vec3_sub(b, a);
    double length = vec3_dot(along, along);
    double t = length > 0 ? vec3_dot(vec3_sub(point, a), along) / length : 0;
    return vec3_mad(a, along, portable_fmin(portable_fmax(t, 0), 1));
}

struct vec3 winding_nearest_point(const struct winding *winding, struct vec3 point)
{
    struct vec3 flat = onto_plane(winding, point), center = winding_center(winding), best = center;
    double min = DBL_MAX;
    bool inside = true;
    for (int i = 0; i < winding->count; i++) {
        struct vec3 a = winding->points[i], b = winding->points[(i + 1) % winding->count];
        struct vec3 edge = vec3_sub(b, a);
        struct vec3 turn = vec3_cross(edge, vec3_sub(center, a));
        inside &= vec3_dot(turn, vec3_cross(edge, vec3_sub(flat, a))) >= 0;
        struct vec3 on = onto_edge(a, b, flat);
        double distance = vec3_distance(on, flat);
        if (distance < min) {
            min = distance;
            best = on;
        }
    }
    return inside ? flat : best;
}

static void reach(struct leak_path_search *search, struct node *leaf,
                  const struct leak_path_visit *visit)
{
    ptrdiff_t at = hmgeti(search->visits, leaf);
    if (at >= 0 && search->visits[at].value.distance <= visit->distance)
        return;
    hmput(search->visits, leaf, *visit);
    heap_push(&search->heap, (struct leak_path_item){visit->distance, leaf});
}

static void visit_neighbours(struct leak_path_search *search, struct node *leaf,
                             const struct leak_path_visit *visit)
{
    for (struct portal *portal = leaf->portals; portal; portal = portal_next(portal, leaf)) {
        struct node *next = portal->nodes[!portal_side(portal, leaf)];
        if (!search->passable(search->context, portal, next))
            continue;
        struct leak_path_visit step = {.portal = portal, .from = leaf, .start = visit->start};
        step.point = winding_nearest_point(portal->winding, visit->point);
        step.distance = visit->distance + vec3_distance(visit->point, step.point);
        reach(search, next, &step);
    }
}

/* Several paths may start in one leaf: each continues from its own point. */
void leak_path_start(struct leak_path_search *search, struct node *leaf, struct portal *portal,
                     struct vec3 point, int start)
{
    struct leak_path_visit visit = {.portal = portal, .point = point, .start = start};
    reach(search, leaf, &visit);
    visit_neighbours(search, leaf, &visit);
}

void leak_path_spread(struct leak_path_search *search, const struct node *goal)
{
    while (arrlenu(search->heap)) {
        struct leak_path_item next = heap_pop(&search->heap);
        struct leak_path_visit *known = &hmgetp(search->visits, next.leaf)->value;
        if (known->done)
            continue;
        known->done = true;
        if (next.leaf == goal)
            return;
        const struct leak_path_visit visit = *known;
        visit_neighbours(search, next.leaf, &visit);
    }
}

const struct leak_path_visit *leak_path_visit_of(const struct leak_path_search *search,
                                                 const struct node *leaf)
{
    if (!search->visits)
        return NULL;
    struct leak_path_cell *visits = search->visits; /* hmgeti writes to its map argument */
    ptrdiff_t at = hmgeti(visits, (struct node *)leaf);
    return at < 0 ? NULL : &visits[at].value;
}

void leak_path_free(struct leak_path_search *search)
{
    hmfree(search->visits);
    arrfree(search->heap);
}

struct leak_leaf *leak_path_reachable(const struct leak_path_search *search, struct node *leaf,
                                      struct leak_closed *closed, const struct node *goal)
{
    struct leak_leaf *seen = NULL;
    struct node **queue = NULL;
    bool found = false;
    arrput(queue, leaf);
    hmput(seen, leaf, true);
    for (size_t i = 0; i < arrlenu(queue) && !found; i++) {
        struct node *from = queue[i];
        for (struct portal *portal = from->portals; portal; portal = portal_next(portal, from)) {
            struct node *next = portal->nodes[!portal_side(portal, from)];
            if (!search->passable(search->context, portal, next) || hmgeti(seen, next) >= 0 ||
                (closed && hmgeti(closed, portal) >= 0))
                continue;
            found |= next == goal;
            hmput(seen, next, true);
            arrput(queue, next);
        }
    }
    arrfree(queue);
    return seen;
}

struct portal **leak_path_portals(const struct leak_path_search *search, struct node *leaf)
{
    struct portal **portals = NULL;
    for (const struct leak_path_visit *visit = leak_path_visit_of(search, leaf);
         visit && visit->portal;
         visit = visit->from ? leak_path_visit_of(search, visit->from) : NULL)
        arrput(portals, visit->portal);
    return portals;
}

static struct vec3 nearest_clear(const struct winding *winding, struct vec3 point)
{
    struct vec3 center = winding_center(winding);
    struct vec3 spread = vec3_scale(vec3_sub(point, center), 1 / (1 - CLEARANCE));
    struct vec3 found = winding_nearest_point(winding, vec3_add(center, spread));
    return vec3_lerp(center, found, 1 - CLEARANCE);
}

/* The point where the line between the neighbours meets the portal, or comes closest to it. */
static struct vec3 between(const struct winding *winding, struct vec3 a, struct vec3 b)
{
    struct plane plane;
    double t = 0.5;
    if (winding_plane(winding, &plane)) {
        double from = plane_distance(&plane, a), to = plane_distance(&plane, b);
        if (fabs(from - to) > EPSILON_PORTAL)
            t = portable_fmin(portable_fmax(from / (from - to), 0), 1);
    }
    return nearest_clear(winding, vec3_lerp(a, b, t));
}

struct vec3 *leak_path_tighten(struct portal *const *portals, struct vec3 first,
                               const struct vec3 *last)
{
    struct vec3 *path = NULL;
    size_t count = arrlenu(portals);
    arrput(path, first);
    for (size_t i = 0; i < count; i++)
        arrput(path, nearest_clear(portals[i]->winding, path[i]));
    if (last)
        arrput(path, *last);
    for (int pull = 0; pull < PULLS; pull++)
        for (size_t i = 1; i <= count; i++)
            path[i] = i + 1 < arrlenu(path)
                          ? between(portals[i - 1]->winding, path[i - 1], path[i + 1])
                          : nearest_clear(portals[i - 1]->winding, path[i - 1]);
    return path;
}
