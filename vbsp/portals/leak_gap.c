#include "vbsp/portals/leak_gap.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/diag/diag_property.h"
#include "common/diag/properties/hole.def"
#include "common/diag/properties/sketch.def"
#include "vbsp/csg/brush_make.h"

/* Polygons and solids within this distance touch. */
#define TOUCH 0.1
#define REACH 1.0
/* Typical wall thickness. */
#define WALL 16.0

enum { RIM_MAX = 6, EDGE_STEPS = 8, TRIED_MAX = 64, PARTS_MAX = 512 };

/* A portal in a list that is sorted. */
struct sorted_portal {
    struct portal *portal;
    double area;
    size_t order; /* before it was sorted */
};

struct collector {
    const struct leak_path_search *search;
    struct sorted_portal *portals; /* stb_ds array: all passable portals, sorted by plane */
};

static void add_portal(struct sorted_portal **list, struct portal *portal)
{
    struct sorted_portal entry = {portal, winding_area(portal->winding), arrlenu(*list)};
    arrput(*list, entry);
}

static void collect_portals(struct collector *collector, struct node *node)
{
    if (node->plane != PLANE_LEAF) {
        collect_portals(collector, node->children[0]);
        collect_portals(collector, node->children[1]);
        return;
    }
    const struct leak_path_search *search = collector->search;
    for (struct portal *portal = node->portals; portal; portal = portal_next(portal, node))
        if (portal->nodes[0] == node && portal->on_node &&
            search->passable(search->context, portal, node) &&
            search->passable(search->context, portal, portal->nodes[1]))
            add_portal(&collector->portals, portal);
}

static int compare_orders(const struct sorted_portal *p, const struct sorted_portal *q)
{
    return (p->order > q->order) - (p->order < q->order);
}

static int compare_planes(const void *a, const void *b)
{
    const struct sorted_portal *p = a, *q = b;
    if (p->portal->plane != q->portal->plane)
        return p->portal->plane < q->portal->plane ? -1 : 1;
    return compare_orders(p, q);
}

/* True if two edges are collinear and share more than a point. */
static bool edges_touch(struct vec3 a, struct vec3 b, struct vec3 c, struct vec3 d)
{
    struct vec3 along = vec3_sub(b, a);
    double length = vec3_length(along);
    if (length < TOUCH)
        return false;
    along = vec3_scale(along, 1 / length);
    double from = vec3_dot(vec3_sub(c, a), along), to = vec3_dot(vec3_sub(d, a), along);
    return vec3_distance(c, vec3_mad(a, along, from)) < TOUCH &&
           vec3_distance(d, vec3_mad(a, along, to)) < TOUCH &&
           portable_fmin(portable_fmax(from, to), length) -
                   portable_fmax(portable_fmin(from, to), 0) >
               TOUCH;
}

static bool windings_touch(const struct winding *a, const struct winding *b)
{
    struct bounds p = winding_bounds(a), q = winding_bounds(b);
    if (!bounds_touch(&p, &q, TOUCH))
        return false;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            if (edges_touch(a->points[i], a->points[(i + 1) % a->count], b->points[j],
                            b->points[(j + 1) % b->count]))
                return true;
    return false;
}

/* Collects the portals of the gap that contains `seed` from `list`, all of one plane; NULL once
 * their area reaches `max`. */
static struct portal **collect_touching(const struct sorted_portal *list, size_t count,
                                        struct portal *seed, double max)
{
    struct portal **parts = NULL;
    bool *taken = memory_zalloc(count + 1, sizeof *taken);
    double area = winding_area(seed->winding);
    arrput(parts, seed);
    for (size_t i = 0; i < arrlenu(parts) && area < max && arrlenu(parts) < PARTS_MAX; i++)
        for (size_t j = 0; j < count && area < max; j++)
            if (!taken[j] && list[j].portal != seed &&
                windings_touch(parts[i]->winding, list[j].portal->winding)) {
                taken[j] = true;
                area += list[j].area;
                arrput(parts, list[j].portal);
            }
    memory_free(taken);
    if (area >= max)
        arrfree(parts);
    return parts;
}

static struct leak_gap measure_gap(const struct compile *compile, struct portal **parts)
{
    struct leak_gap gap = {.portals = parts};
    struct vec3 normal = compile->planes.planes[parts[0]->plane].normal;
    struct vec3 sum = vec3(0, 0, 0), axis = vec3(0, 0, 0);
    int major = vec3_major_axis(normal);
    axis.e[(major + 1) % 3] = 1; /* on the plane, along an axis of the map if possible */
    struct vec3 u = vec3_normalize(vec3_mad(axis, normal, -vec3_dot(axis, normal)));
    struct vec3 v = vec3_cross(normal, u);
    struct bounds box = bounds_empty();
    for (size_t i = 0; i < arrlenu(parts); i++) {
        const struct winding *winding = parts[i]->winding;
        double area = winding_area(winding);
        gap.area += area;
        sum = vec3_mad(sum, winding_center(winding), area);
        for (int j = 0; j < winding->count; j++)
            bounds_add_point(
                &box, vec3(vec3_dot(winding->points[j], u), vec3_dot(winding->points[j], v), 0));
    }
    struct vec3 size = vec3_sub(box.maxs, box.mins);
    gap.width = portable_fmax(size.x, size.y);
    gap.height = portable_fmin(size.x, size.y);
    gap.center = gap.area > 0 ? vec3_scale(sum, 1 / gap.area) : winding_center(parts[0]->winding);
    for (size_t i = 0; i < arrlenu(parts); i++)
        if (vec3_distance(winding_nearest_point(parts[i]->winding, gap.center), gap.center) < TOUCH)
            return gap;
    gap.center = winding_center(parts[0]->winding);
    return gap;
}

/* The portals on the plane, from a list that is sorted by plane. */
static const struct sorted_portal *portals_on_plane(const struct sorted_portal *list, size_t count,
                                                    int plane, size_t *found)
{
    size_t first = 0, high = count;
    while (first < high) {
        size_t middle = first + (high - first) / 2;
        if (list[middle].portal->plane < plane)
            first = middle + 1;
        else
            high = middle;
    }
    *found = 0;
    while (first + *found < count && list[first + *found].portal->plane == plane)
        ++*found;
    return list + first;
}

/* Smallest first: once a portal alone is larger than a gap found so far, no later one is narrower.
 * */
static int compare_areas(const void *a, const void *b)
{
    const struct sorted_portal *p = a, *q = b;
    if (p->area < q->area || p->area > q->area)
        return p->area < q->area ? -1 : 1;
    return compare_orders(p, q);
}

static struct sorted_portal *sorted_by_area(struct portal *const *portals)
{
    struct sorted_portal *sorted = NULL;
    for (size_t i = 0; i < arrlenu(portals); i++)
        if (portals[i]->on_node)
            add_portal(&sorted, portals[i]);
    if (sorted)
        qsort(sorted, arrlenu(sorted), sizeof *sorted, compare_areas);
    return sorted;
}

bool leak_gap_narrowest(const struct compile *compile, struct tree *tree,
                        const struct leak_path_search *search, struct portal *const *portals,
                        struct leak_gap *out)
{
    struct collector all = {.search = search};
    struct sorted_portal *sorted = sorted_by_area(portals);
    *out = (struct leak_gap){.area = DBL_MAX};
    collect_portals(&all, tree->root);
    if (all.portals)
        qsort(all.portals, arrlenu(all.portals), sizeof *all.portals, compare_planes);
    for (size_t i = 0; i < arrlenu(sorted) && sorted[i].area < out->area; i++) {
        struct portal *seed = sorted[i].portal;
        size_t count;
        const struct sorted_portal *list =
            portals_on_plane(all.portals, arrlenu(all.portals), seed->plane, &count);
        struct portal **parts = collect_touching(list, count, seed, out->area);
        if (!parts)
            continue;
        arrfree(out->portals);
        *out = measure_gap(compile, parts);
    }
    arrfree(all.portals);
    arrfree(sorted);
    return out->portals != NULL;
}

/* True if a path connects the two leaves through none of the closed portals. */
static bool is_connected(const struct leak_path_search *search, struct node *leaf,
                         const struct node *end, struct leak_closed *closed)
{
    struct leak_leaf *leaves = leak_path_reachable(search, leaf, closed, end);
    bool found = hmgeti(leaves, end) >= 0;
    hmfree(leaves);
    return found;
}

bool leak_gap_only_path(const struct compile *compile, struct tree *tree,
                        const struct leak_path_search *search, struct portal *const *portals,
                        struct node *leaf, const struct node *end, struct leak_gap *out)
{
    struct collector all = {.search = search};
    struct leak_closed *tried = NULL;
    *out = (struct leak_gap){0};
    collect_portals(&all, tree->root);
    if (all.portals)
        qsort(all.portals, arrlenu(all.portals), sizeof *all.portals, compare_planes);
    for (size_t i = 0, tries = 0; i < arrlenu(portals) && tries < TRIED_MAX && !out->portals; i++) {
        if (!portals[i]->on_node || hmgeti(tried, portals[i]) >= 0)
            continue;
        size_t count;
        const struct sorted_portal *list =
            portals_on_plane(all.portals, arrlenu(all.portals), portals[i]->plane, &count);
        struct portal **parts = collect_touching(list, count, portals[i], DBL_MAX);
        struct leak_closed *closed = NULL;
        for (size_t j = 0; j < arrlenu(parts); j++) {
            hmput(tried, parts[j], true);
            hmput(closed, parts[j], true);
        }
        tries++;
        if (is_connected(search, leaf, end, closed))
            arrfree(parts);
        else
            *out = measure_gap(compile, parts);
        hmfree(closed);
    }
    hmfree(tried);
    arrfree(all.portals);
    return out->portals != NULL;
}

void leak_gap_of_portal(const struct compile *compile, struct portal *portal, struct leak_gap *out)
{
    struct portal **parts = NULL;
    arrput(parts, portal);
    *out = measure_gap(compile, parts);
}

void leak_gap_free(struct leak_gap *gap)
{
    arrfree(gap->portals);
}

/* --- solids around a gap --- */

static bool is_rim(const struct compile *compile, const struct map_brush *brush, int contents)
{
    return compile->entities[brush->entity].model <= 0 && !(brush->contents & CONTENTS_DETAIL) &&
           (brush->contents & contents);
}

/* Number of points along the edges of the gap that are close to the brush. */
static int count_touches(const struct compile *compile, const struct map_brush *brush,
                         const struct leak_gap *gap)
{
    int count = 0;
    for (size_t i = 0; i < arrlenu(gap->portals); i++) {
        const struct winding *winding = gap->portals[i]->winding;
        struct bounds box = winding_bounds(winding);
        if (!bounds_touch(&box, &brush->bounds, REACH))
            continue;
        for (int j = 0; j < winding->count; j++)
            for (int k = 0; k < EDGE_STEPS; k++)
                count += map_brush_contains(brush, compile->planes.planes,
                                            vec3_lerp(winding->points[j],
                                                      winding->points[(j + 1) % winding->count],
                                                      (double)k / (double)EDGE_STEPS),
                                            REACH);
    }
    return count;
}

bool leak_gap_has_rim(const struct compile *compile, const struct leak_gap *gap, int contents)
{
    for (size_t i = 0; i < arrlenu(compile->brushes); i++)
        if (is_rim(compile, compile->brushes[i], contents) &&
            count_touches(compile, compile->brushes[i], gap))
            return true;
    return false;
}

static double distance_to_box(const struct bounds *box, struct vec3 point)
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double out = portable_fmax(
            portable_fmax(box->mins.e[i] - point.e[i], point.e[i] - box->maxs.e[i]), 0);
        sum += out * out;
    }
    return sqrt(sum);
}

struct rim {
    const struct map_brush *brush;
    int touches;
    double distance;
};

/* Brushes that touch most of it first, then the nearest. */
static int compare_rims(const void *a, const void *b)
{
    const struct rim *p = a, *q = b;
    if (p->touches != q->touches)
        return p->touches < q->touches ? 1 : -1;
    if (p->distance < q->distance || p->distance > q->distance)
        return p->distance < q->distance ? -1 : 1;
    return (p->brush->number > q->brush->number) - (p->brush->number < q->brush->number);
}

static int compare_numbers(const void *a, const void *b)
{
    const struct rim *p = a, *q = b;
    return (p->brush->number > q->brush->number) - (p->brush->number < q->brush->number);
}

enum { NEAREST = 3 };

static struct rim *find_rim(const struct compile *compile, const struct leak_gap *gap, int contents)
{
    struct rim *rims = NULL;
    for (size_t i = 0; i < arrlenu(compile->brushes); i++) {
        struct rim rim = {.brush = compile->brushes[i]};
        if (!is_rim(compile, rim.brush, contents))
            continue;
        rim.touches = count_touches(compile, rim.brush, gap);
        rim.distance = distance_to_box(&rim.brush->bounds, gap->center);
        arrput(rims, rim);
    }
    if (rims)
        qsort(rims, arrlenu(rims), sizeof *rims, compare_rims);
    size_t count = 0;
    while (count < arrlenu(rims) && count < RIM_MAX && rims[count].touches)
        count++;
    if (!count)
        count = arrlenu(rims) < NEAREST ? arrlenu(rims) : NEAREST;
    if (!rims)
        return NULL;
    arrsetlen(rims, count);
    qsort(rims, count, sizeof *rims, compare_numbers);
    return rims;
}

static const char *solid_text(const struct compile *compile, const struct map_brush *brush,
                              struct arena *arena)
{
    struct diag_where where = brush_where(compile, brush, NULL);
    const char *of = where.placed_by ? arena_printf(arena, " (of %s)", where.file) : "";
    return arena_printf(arena, "%s%s", diag_solid_number(&where).text, of);
}

/* ", next to solids 12, 14 and 15" */
static const char *rim_text(const struct compile *compile, const struct leak_gap *gap, int contents,
                            struct arena *arena)
{
    struct rim *rims = find_rim(compile, gap, contents);
    const char *text = arrlenu(rims) > 1    ? ", next to solids "
                       : arrlenu(rims) == 1 ? ", next to solid "
                                            : "";
    for (size_t i = 0; i < arrlenu(rims); i++) {
        const char *joint = i == 0 ? "" : i + 1 < arrlenu(rims) ? ", " : " and ";
        text =
            arena_printf(arena, "%s%s%s", text, joint, solid_text(compile, rims[i].brush, arena));
    }
    arrfree(rims);
    return text;
}

/* True if the brush fills the gap or the wall before or behind it. */
static bool brush_fills(const struct compile *compile, const struct map_brush *brush,
                        const struct leak_gap *gap, struct vec3 move)
{
    struct vec3 normal = compile->planes.planes[gap->portals[0]->plane].normal;
    for (double offset = -WALL; offset <= WALL; offset += REACH)
        if (map_brush_contains(brush, compile->planes.planes,
                               vec3_sub(vec3_mad(gap->center, normal, offset), move), REACH))
            return true;
    return false;
}

/* Describes a func_detail or the like inside the gap, which a mapper may believe to seal it. */
static const char *filler_text(const struct compile *compile, const struct leak_gap *gap,
                               int contents, struct arena *arena)
{
    for (size_t i = 0; i < arrlenu(compile->brushes); i++) {
        const struct map_brush *brush = compile->brushes[i];
        const struct compile_entity *entity = &compile->entities[brush->entity];
        if (is_rim(compile, brush, contents) || !(brush->contents & CONTENTS_SOLID))
            continue;
        if (brush_fills(compile, brush, gap, entity->model > 0 ? entity->origin : vec3(0, 0, 0)))
            return arena_printf(
                arena, "; solid %s fills it, but a %s does not seal",
                solid_text(compile, brush, arena),
                entity_value(&compile->level->entities[brush->entity].keys, "classname"));
    }
    return "";
}

const char *leak_gap_text(const struct compile *compile, const struct leak_gap *gap, int contents,
                          struct arena *arena)
{
    return arena_printf(arena, "%.6g x %.6g units (%.6g square units) at %.6g %.6g %.6g%s%s",
                        gap->width, gap->height, gap->area, gap->center.x, gap->center.y,
                        gap->center.z, rim_text(compile, gap, contents, arena),
                        filler_text(compile, gap, contents, arena));
}

static void attach_polygons(const struct leak_gap *gap, struct arena *arena,
                            struct diag_property **out)
{
    for (size_t i = 0; i < arrlenu(gap->portals); i++) {
        const struct winding *winding = gap->portals[i]->winding;
        size_t count = (size_t)winding->count;
        double *points = ARENA_ARRAY(arena, double, 3 * count);
        for (size_t k = 0; k < count; k++)
            memcpy(points + 3 * k, winding->points[k].e, 3 * sizeof *points);
        arrput(*out, ((struct diag_property){
                         .name = DIAG_OF_POLYGON, .numbers = points, .count = 3 * count}));
    }
}

/* Each with the number of its brush. */
static struct diag_property solids_of(const struct compile *compile, const struct leak_gap *gap,
                                      int contents, struct arena *arena)
{
    struct rim *rims = find_rim(compile, gap, contents);
    size_t count = arrlenu(rims);
    struct diag_where *solids = ARENA_ARRAY(arena, struct diag_where, count);
    for (size_t i = 0; i < count; i++) {
        double *number = ARENA_NEW(arena, double);
        struct diag_property *brush = ARENA_NEW(arena, struct diag_property);
        *number = rims[i].brush->number;
        *brush =
            (struct diag_property){.name = DIAG_OF_BRUSH_NUMBER, .numbers = number, .count = 1};
        solids[i] = brush_where(compile, rims[i].brush, NULL);
        solids[i].properties = brush;
        solids[i].property_count = 1;
    }
    arrfree(rims);
    return (struct diag_property){.name = DIAG_OF_SOLIDS, .places = solids, .count = count};
}

void leak_gap_attach(const struct compile *compile, const struct leak_gap *gap, int contents,
                     bool is_only, struct arena *arena, struct diag_property **out)
{
    double *numbers = ARENA_ARRAY(arena, double, 3);
    numbers[0] = gap->width;
    numbers[1] = gap->height;
    numbers[2] = gap->area;
    attach_polygons(gap, arena, out);
    arrput(*out,
           ((struct diag_property){.name = DIAG_OF_HOLE_SIZE, .numbers = numbers, .count = 2}));
    arrput(*out,
           ((struct diag_property){.name = DIAG_OF_HOLE_AREA, .numbers = numbers + 2, .count = 1}));
    arrput(*out, ((struct diag_property){.name = DIAG_OF_HOLE_IS_ONLY, .is_true = is_only}));
    arrput(*out, solids_of(compile, gap, contents, arena));
}
