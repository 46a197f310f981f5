/* Writes areas and areaportals. */
#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vbsp/portals/area_portals.h"
#include "vbsp/target/source/emit/emit.h"

/* Hull points this close to each other, or to the line between their neighbours, are merged. */
#define HULL_MERGE 0.1

/* The portals between two areas on one plane, and their convex hull. */
struct border {
    int low, high;       /* the two areas, in ascending order */
    int plane;           /* the even one of the pair */
    struct vec3 *points; /* stb_ds array */
    int first_vertex, vertex_count;
};

/* The area that an areaportal covers on one plane. */
struct cover {
    int number, plane;
    int front; /* the area in front of the plane */
    double area;
    size_t border;
};

struct area_emitter {
    const struct compile *compile;
    const struct areas *areas;
    struct border *borders; /* stb_ds array */
    struct cover *covers;   /* stb_ds array */
};

static size_t find_border(struct area_emitter *emitter, int low, int high, int plane)
{
    size_t i = 0;
    for (; i < arrlenu(emitter->borders); i++) {
        const struct border *border = &emitter->borders[i];
        if (border->low == low && border->high == high && border->plane == plane)
            return i;
    }
    struct border border = {.low = low, .high = high, .plane = plane};
    arrput(emitter->borders, border);
    return i;
}

static struct cover *find_cover(struct area_emitter *emitter, int number, int plane, int front)
{
    for (size_t i = 0; i < arrlenu(emitter->covers); i++) {
        struct cover *cover = &emitter->covers[i];
        if (cover->number == number && cover->plane == plane && cover->front == front)
            return cover;
    }
    struct cover cover = {.number = number, .plane = plane, .front = front};
    arrput(emitter->covers, cover);
    return &arrlast(emitter->covers);
}

static void add_opening(struct area_emitter *emitter, const struct portal *portal)
{
    const struct node *front = portal->nodes[0], *back = portal->nodes[1];
    if (!portal->on_node || !front->area || !back->area || front->area == back->area)
        return;
    int number = area_portal_of(front);
    if (!number)
        number = area_portal_of(back);
    const struct area_portal *parted = &emitter->areas->portals[number];
    bool between = (parted->areas[0] == front->area && parted->areas[1] == back->area) ||
                   (parted->areas[1] == front->area && parted->areas[0] == back->area);
    if (!number || !between)
        return;
    int low = front->area < back->area ? front->area : back->area;
    int plane = portal->plane & ~1;
    struct cover *cover =
        find_cover(emitter, number, plane, (portal->plane & 1 ? back : front)->area);
    cover->area += winding_area(portal->winding);
    cover->border = find_border(emitter, low, front->area + back->area - low, plane);
    struct border *border = &emitter->borders[cover->border];
    for (int i = 0; i < portal->winding->count; i++)
        arrput(border->points, portal->winding->points[i]);
}

static void add_openings(struct area_emitter *emitter, const struct node *node)
{
    if (node->plane != PLANE_LEAF) {
        add_openings(emitter, node->children[0]);
        add_openings(emitter, node->children[1]);
        return;
    }
    for (const struct portal *portal = node->portals; portal; portal = portal_next(portal, node))
        if (portal->nodes[0] == node)
            add_opening(emitter, portal);
}

struct flat_point {
    double right, up;
    struct vec3 point;
};

static int compare_points(const void *a, const void *b)
{
    const struct flat_point *p = a, *q = b;
    if (p->right < q->right || p->right > q->right)
        return p->right < q->right ? -1 : 1;
    if (p->up < q->up || p->up > q->up)
        return p->up < q->up ? -1 : 1;
    return portable_bits_order(p, q, sizeof *p);
}

/* True if a, b, c turn left at `b`. */
static bool turns_left(const struct flat_point *a, const struct flat_point *b,
                       const struct flat_point *c)
{
    double along[2] = {c->right - a->right, c->up - a->up};
    double length = portable_hypot(along[0], along[1]);
    double off = along[0] * (b->up - a->up) - along[1] * (b->right - a->right);
    double gap = portable_hypot(b->right - a->right, b->up - a->up);
    return length > HULL_MERGE ? off < -HULL_MERGE * length : gap > HULL_MERGE;
}

/* Axes of a plane seen from its front, with z up if possible. */
static void plane_axes(const struct plane *plane, struct vec3 *right, struct vec3 *up)
{
    struct vec3 z = fabs(plane->normal.z) > 0.999 ? vec3(0, 1, 0) : vec3(0, 0, 1);
    *right = vec3_normalize(vec3_cross(z, plane->normal));
    *up = vec3_cross(plane->normal, *right);
}

/* Half of a hull: keeps the left turns among the points from `from` on, by `step`. */
static void walk_hull(const struct flat_point *points, int from, int step, struct flat_point **hull)
{
    int count = (int)arrlen(points);
    size_t first = arrlenu(*hull);
    for (int i = from; i >= 0 && i < count; i += step) {
        while (arrlenu(*hull) >= first + 2 &&
               !turns_left(&(*hull)[arrlenu(*hull) - 2], &arrlast(*hull), &points[i]))
            (void)arrpop(*hull);
        arrput(*hull, points[i]);
    }
    (void)arrpop(*hull); /* the other half starts with it */
}

/* Counter-clockwise from the front, starting at the lowest point on the right. */
static struct flat_point *find_hull(const struct plane *plane, const struct vec3 *points)
{
    struct vec3 right, up;
    struct flat_point *flat = NULL, *hull = NULL;
    plane_axes(plane, &right, &up);
    for (size_t i = 0; i < arrlenu(points); i++) {
        struct flat_point point = {vec3_dot(points[i], right), vec3_dot(points[i], up), points[i]};
        arrput(flat, point);
    }
    qsort(flat, arrlenu(flat), sizeof *flat, compare_points);
    walk_hull(flat, 0, 1, &hull);
    walk_hull(flat, (int)arrlen(flat) - 1, -1, &hull);
    arrfree(flat);
    return hull;
}

static void emit_hull(struct area_emitter *emitter, struct border *border)
{
    struct bsp *bsp = emitter->compile->bsp;
    const struct plane *plane = &emitter->compile->planes.planes[border->plane];
    struct flat_point *hull = find_hull(plane, border->points);
    size_t count = arrlenu(hull), start = 0;
    for (size_t i = 1; i < count; i++)
        if (hull[i].right > hull[start].right + HULL_MERGE ||
            (hull[i].right > hull[start].right - HULL_MERGE && hull[i].up < hull[start].up))
            start = i;
    border->first_vertex = (int)arrlen(bsp->clip_portal_vertices);
    border->vertex_count = (int)count;
    for (size_t i = 0; i < count; i++) {
        struct vec3 point = hull[(start + i) % count].point;
        struct bsp_vertex vertex = {{(float)point.x, (float)point.y, (float)point.z}};
        arrput(bsp->clip_portal_vertices, vertex);
    }
    arrfree(hull);
}

/* The plane on which the areaportal covers most; NULL if it separates nothing. */
static const struct cover *best_cover(const struct area_emitter *emitter, int number)
{
    const struct cover *best = NULL;
    for (size_t i = 0; i < arrlenu(emitter->covers); i++) {
        const struct cover *cover = &emitter->covers[i];
        if (cover->number == number && (!best || cover->area > best->area))
            best = cover;
    }
    return best;
}

static void emit_record(struct area_emitter *emitter, int number, int area)
{
    const struct area_portal *portal = &emitter->areas->portals[number];
    const struct cover *cover = best_cover(emitter, number);
    if (!cover)
        return;
    struct border *border = &emitter->borders[cover->border];
    emit_hull(emitter, border);
    struct bsp_area_portal record = {
        .key = number,
        .other_area = portal->areas[portal->areas[0] == area],
        .first_clip_vertex = border->first_vertex,
        .clip_vertex_count = border->vertex_count,
        .plane = cover->plane | (cover->front != area),
    };
    arrput(emitter->compile->bsp->area_portals, record);
}

void areas_emit(const struct compile *compile, struct tree *tree, const struct areas *areas)
{
    struct bsp *bsp = compile->bsp;
    struct area_emitter emitter = {.compile = compile, .areas = areas};
    const struct bsp_area_portal no_portal = {0};
    const struct bsp_area no_area = {0};
    add_openings(&emitter, tree->root);
    arrput(bsp->area_portals, no_portal);
    arrput(bsp->areas, no_area);
    for (int area = 1; area < areas->count; area++) {
        struct bsp_area record = {.first_portal = (int)arrlen(bsp->area_portals)};
        for (int i = 1; i < (int)arrlen(areas->portals); i++)
            if (areas->portals[i].areas[0] == area || areas->portals[i].areas[1] == area)
                emit_record(&emitter, i, area);
        record.portal_count = (int)arrlen(bsp->area_portals) - record.first_portal;
        arrput(bsp->areas, record);
    }
    for (size_t i = 0; i < arrlenu(emitter.borders); i++)
        arrfree(emitter.borders[i].points);
    arrfree(emitter.borders);
    arrfree(emitter.covers);
}
