#include "vbsp/portals/way.h"

#include "common/core/array.h"

/* Lines keep clear of the edges by this part of the way to the middle, to be seen in an editor. */
#define CLEARANCE 0.2

enum { PULLS = 24 };

struct way_cell {
    struct node *key;
    struct way_visit value;
};

struct way_item {
    double distance;
    struct node *leaf;
};

static void heap_push(struct way_item **heap, struct way_item item)
{
    arrput(*heap, item);
    size_t at = arrlenu(*heap) - 1;
    for (; at > 0 && (*heap)[(at - 1) / 2].distance > item.distance; at = (at - 1) / 2)
        (*heap)[at] = (*heap)[(at - 1) / 2];
    (*heap)[at] = item;
}

static struct way_item heap_pop(struct way_item **heap)
{
    struct way_item top = (*heap)[0], last = arrpop(*heap);
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

/* What of `point` lies on the plane of the polygon. */
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
    return vec3_mad(a, along, fmin(fmax(t, 0), 1));
}

struct vec3 way_nearest(const struct winding *winding, struct vec3 point)
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

static void reach(struct way_search *search, struct node *leaf, const struct way_visit *visit)
{
    ptrdiff_t at = hmgeti(search->visits, leaf);
    if (at >= 0 && search->visits[at].value.distance <= visit->distance)
        return;
    hmput(search->visits, leaf, *visit);
    heap_push(&search->heap, (struct way_item){visit->distance, leaf});
}

static void visit_neighbours(struct way_search *search, struct node *leaf,
                             const struct way_visit *visit)
{
    for (struct portal *portal = leaf->portals; portal; portal = portal_next(portal, leaf)) {
        struct node *next = portal->nodes[!portal_side(portal, leaf)];
        if (!search->passable(search->context, portal, next))
            continue;
        struct way_visit step = {.portal = portal, .from = leaf, .start = visit->start};
        step.point = way_nearest(portal->winding, visit->point);
        step.distance = visit->distance + vec3_distance(visit->point, step.point);
        reach(search, next, &step);
    }
}

/* Several may start in one leaf: each goes to the next leaves from where it is. */
void way_start(struct way_search *search, struct node *leaf, struct portal *portal,
               struct vec3 point, int start)
{
    struct way_visit visit = {.portal = portal, .point = point, .start = start};
    reach(search, leaf, &visit);
    visit_neighbours(search, leaf, &visit);
}

void way_spread(struct way_search *search, const struct node *goal)
{
    while (arrlenu(search->heap)) {
        struct way_item next = heap_pop(&search->heap);
        struct way_visit *known = &hmgetp(search->visits, next.leaf)->value;
        if (known->done)
            continue;
        known->done = true;
        if (next.leaf == goal)
            return;
        const struct way_visit visit = *known;
        visit_neighbours(search, next.leaf, &visit);
    }
}

const struct way_visit *way_visit_of(const struct way_search *search, const struct node *leaf)
{
    if (!search->visits)
        return NULL;
    struct way_cell *visits = search->visits; /* looking up writes what it found beside it */
    ptrdiff_t at = hmgeti(visits, (struct node *)leaf);
    return at < 0 ? NULL : &visits[at].value;
}

void way_free(struct way_search *search)
{
    hmfree(search->visits);
    arrfree(search->heap);
}

struct portal **way_portals(const struct way_search *search, struct node *leaf)
{
    struct portal **portals = NULL;
    for (const struct way_visit *visit = way_visit_of(search, leaf); visit && visit->portal;
         visit = visit->from ? way_visit_of(search, visit->from) : NULL)
        arrput(portals, visit->portal);
    return portals;
}

static struct vec3 nearest_clear(const struct winding *winding, struct vec3 point)
{
    struct vec3 center = winding_center(winding);
    struct vec3 spread = vec3_scale(vec3_sub(point, center), 1 / (1 - CLEARANCE));
    struct vec3 found = way_nearest(winding, vec3_add(center, spread));
    return vec3_lerp(center, found, 1 - CLEARANCE);
}

/* Where the line between the neighbours meets the portal, or comes nearest to it. */
static struct vec3 between(const struct winding *winding, struct vec3 a, struct vec3 b)
{
    struct plane plane;
    double t = 0.5;
    if (winding_plane(winding, &plane)) {
        double from = plane_distance(&plane, a), to = plane_distance(&plane, b);
        if (fabs(from - to) > EPSILON_PORTAL)
            t = fmin(fmax(from / (from - to), 0), 1);
    }
    return nearest_clear(winding, vec3_lerp(a, b, t));
}

struct vec3 *way_pull(struct portal *const *portals, struct vec3 first, const struct vec3 *last)
{
    struct vec3 *way = NULL;
    size_t count = arrlenu(portals);
    arrput(way, first);
    for (size_t i = 0; i < count; i++)
        arrput(way, nearest_clear(portals[i]->winding, way[i]));
    if (last)
        arrput(way, *last);
    for (int pull = 0; pull < PULLS; pull++)
        for (size_t i = 1; i <= count; i++)
            way[i] = i + 1 < arrlenu(way) ? between(portals[i - 1]->winding, way[i - 1], way[i + 1])
                                          : nearest_clear(portals[i - 1]->winding, way[i - 1]);
    return way;
}
