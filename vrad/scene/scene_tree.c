#include "vrad/scene/scene_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/bsp/bsp.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vrad/scene/hemisphere.h"

/* A point this far outside of an edge, in units, still hits the face: the rounding of rays. */
#define EDGE_TOLERANCE 0.02F

/* Edges shorter than this are dropped, and points this near to the line between their
 * neighbours. */
#define SHORT_EDGE 1e-3

/* A face lies on a node's plane when all of it is within this. */
#define ON_PLANE 0.01

/* Margin of the boxes around loose geometry, in units, for the rounding of rays. */
#define BOX_MARGIN 0.125

/* A tree in which rays take many more steps than this is slower than the triangles: open terrain,
 * cut up by what stands on it. With 33 steps it takes half of their time, with 125 four times. */
#define MAX_STEPS 45.0
enum { SAMPLE_RAYS = 1024 };

/* Distance behind a sky face, in units, at which its solid leaf is looked up. */
#define BEHIND_SKY 0.125

static int32_t *kinds_of(const struct bsp *bsp, uint32_t blocking)
{
    size_t leaves = arrlenu(bsp->leaves);
    int32_t *kinds = memory_alloc((leaves + 1) * sizeof *kinds);
    for (size_t i = 0; i < leaves; i++)
        kinds[i] =
            (uint32_t)bsp->leaves[i].contents & blocking ? SOLID_TREE_SOLID : SOLID_TREE_OPEN;
    return kinds;
}

void scene_tree_begin(const struct bsp *bsp, const struct leaf_tree *from, uint32_t blocking,
                      struct scene_tree *out)
{
    *out = (struct scene_tree){.walks = solid_walks_of(simd_best())};
    out->leaves = *from;
    out->node_count = arrlenu(bsp->nodes);
    out->kinds = kinds_of(bsp, blocking);
    /* Keeps the tree empty if it cannot be built, for example because it is too deep. */
    struct solid_tree trial;
    if (!solid_tree_make(from, out->node_count, out->kinds, NULL, &trial))
        scene_tree_free(out);
    solid_tree_free(&trial);
}

void scene_tree_free(struct scene_tree *tree)
{
    solid_tree_free(&tree->solids);
    arena_free(&tree->windings);
    arrfree(tree->pending);
    arrfree(tree->faces.polygons);
    arrfree(tree->faces.edges);
    memory_free(tree->faces.nodes);
    memory_free(tree->kinds);
    arrfree(tree->boxes);
    *tree = (struct scene_tree){0};
}

bool scene_tree_is_solid_at(const struct scene_tree *tree, struct vec3 point)
{
    return tree->kinds && tree->kinds[leaf_tree_at(&tree->leaves, point)] != SOLID_TREE_OPEN;
}

void scene_tree_add_face(struct scene_tree *tree, int face, const struct winding *winding,
                         struct vec3 normal, const float (*luxel)[4])
{
    if (!tree->kinds)
        return;
    struct scene_tree_face face_polygon = {.face = face, .normal = normal};
    face_polygon.winding = winding_drop_colinear(&tree->windings, winding, SHORT_EDGE);
    if (luxel)
        memcpy(face_polygon.luxel, luxel, sizeof face_polygon.luxel);
    if (face_polygon.winding->count >= 3)
        arrput(tree->pending, face_polygon);
}

static void add_to_leaf(struct scene_tree *tree, int leaf, const struct solid_tree_box *box)
{
    int32_t *kind = &tree->kinds[leaf];
    if (*kind == SOLID_TREE_OPEN) {
        *kind = SOLID_TREE_LOOSE - (int32_t)arrlen(tree->boxes);
        arrput(tree->boxes, *box);
    } else if (*kind <= SOLID_TREE_LOOSE) {
        struct solid_tree_box *all = &tree->boxes[SOLID_TREE_LOOSE - *kind];
        for (int k = 0; k < 3; k++) {
            all->mins[k] = portable_fminf(all->mins[k], box->mins[k]);
            all->maxs[k] = portable_fmaxf(all->maxs[k], box->maxs[k]);
        }
    }
}

static void mark_leaves(struct scene_tree *tree, int node, const struct bounds *place,
                        const struct solid_tree_box *box)
{
    node = leaf_tree_around(&tree->leaves, node, place);
    if (node < 0) {
        add_to_leaf(tree, -1 - node, box);
        return;
    }
    mark_leaves(tree, tree->leaves.nodes[node].children[0], place, box);
    mark_leaves(tree, tree->leaves.nodes[node].children[1], place, box);
}

void scene_tree_add_loose(struct scene_tree *tree, const struct bounds *place)
{
    struct solid_tree_box box;
    if (!tree->kinds)
        return;
    for (int k = 0; k < 3; k++) {
        box.mins[k] = (float)(place->mins.e[k] - BOX_MARGIN);
        box.maxs[k] = (float)(place->maxs.e[k] + BOX_MARGIN);
    }
    mark_leaves(tree, tree->leaves.root, place, &box);
}

/* Marks the solid leaves behind the polygon as sky. */
static void mark_sky(struct scene_tree *tree, struct arena *arena, int node,
                     const struct winding *winding)
{
    while (node >= 0) {
        const struct leaf_tree_node *at = &tree->leaves.nodes[node];
        struct plane plane = {vec3_from_floats(at->normal), (double)at->dist};
        struct winding *front, *back;
        winding_clip(arena, winding, &plane, 0, &front, &back);
        if (front && back)
            mark_sky(tree, arena, at->children[0], front);
        winding = back ? back : front;
        if (!winding)
            return;
        node = at->children[back ? 1 : 0];
    }
    if (tree->kinds[-1 - node] == SOLID_TREE_SOLID)
        tree->kinds[-1 - node] = SOLID_TREE_SKY;
}

static void mark_behind_sky(struct scene_tree *tree)
{
    struct arena arena = {0};
    for (ptrdiff_t i = 0; i < arrlen(tree->pending); i++) {
        const struct scene_tree_face *face_polygon = &tree->pending[i];
        if (face_polygon->face != SCENE_SKY)
            continue;
        struct arena_mark mark = arena_mark(&arena);
        struct winding *behind = winding_copy(&arena, face_polygon->winding);
        for (int k = 0; k < behind->count; k++)
            behind->points[k] = vec3_mad(behind->points[k], face_polygon->normal, -BEHIND_SKY);
        mark_sky(tree, &arena, tree->leaves.root, behind);
        arena_release(&arena, mark);
    }
    arena_free(&arena);
}

/* ---- faces on nodes ---- */

/* A face polygon, and the node that it lies on. */
struct placed_face {
    int node, order;
    struct solid_polygon polygon;
};

struct face_placer {
    struct scene_tree *tree;
    struct arena arena;
    const struct scene_tree_face *from; /* the face being placed */
    struct placed_face *placed;         /* stb_ds array */
};

static struct solid_node_polygons axes_of(const float normal[3])
{
    int third = 0;
    for (int k = 1; k < 3; k++)
        if (fabsf(normal[k]) > fabsf(normal[third]))
            third = k;
    return (struct solid_node_polygons){.across = (third + 1) % 3, .along = (third + 2) % 3};
}

/* Twice the area projected along the third axis, positive when the points run from the first axis
 * to the second. */
static double area_seen(const struct winding *winding, const struct solid_node_polygons *axes)
{
    double area = 0;
    for (int i = 0; i < winding->count; i++) {
        const double *a = winding->points[i].e, *b = winding->points[(i + 1) % winding->count].e;
        area += a[axes->across] * b[axes->along] - a[axes->along] * b[axes->across];
    }
    return area;
}

/* The box alone describes an axis-aligned rectangle. */
static bool is_box(const struct winding *winding, const struct solid_node_polygons *axes)
{
    for (int i = 0; i < winding->count; i++) {
        struct vec3 way = vec3_sub(winding->points[(i + 1) % winding->count], winding->points[i]);
        if (fabs(way.e[axes->across]) > SHORT_EDGE && fabs(way.e[axes->along]) > SHORT_EDGE)
            return false;
    }
    return winding->count == 4;
}

static void add_edges(struct scene_tree *tree, const struct winding *winding,
                      const struct solid_node_polygons *axes, struct solid_polygon *polygon)
{
    double turn = area_seen(winding, axes) > 0 ? 1 : -1;
    polygon->first_edge = (int32_t)arrlen(tree->faces.edges);
    for (int i = 0; i < winding->count && !is_box(winding, axes); i++) {
        struct vec3 a = winding->points[i];
        struct vec3 way = vec3_sub(winding->points[(i + 1) % winding->count], a);
        double x = way.e[axes->across], y = way.e[axes->along], length = sqrt(x * x + y * y);
        if (length < SHORT_EDGE)
            continue;
        double u = -turn * y / length, v = turn * x / length;
        struct solid_polygon_edge edge = {
            {(float)u, (float)v, (float)-(u * a.e[axes->across] + v * a.e[axes->along])}};
        arrput(tree->faces.edges, edge);
    }
    polygon->edge_count = (int32_t)arrlen(tree->faces.edges) - polygon->first_edge;
}

/* Projects luxel coordinates onto the node's plane: the third axis follows from the others. */
static void set_numbers(const struct scene_tree_face *from, const struct solid_tree_node *node,
                        const struct solid_node_polygons *axes, struct solid_polygon *polygon)
{
    int third = 3 - axes->across - axes->along;
    double steep = 1 / (double)node->normal[third];
    for (int i = 0; i < 2; i++) {
        double share = (double)from->luxel[i][third] * steep;
        const int axis[2] = {axes->across, axes->along};
        for (int k = 0; k < 2; k++)
            polygon->attribute[i][k] =
                (float)((double)from->luxel[i][axis[k]] - share * (double)node->normal[axis[k]]);
        polygon->attribute[i][2] = (float)((double)from->luxel[i][3] + share * (double)node->dist);
    }
}

static void put_on_node(struct face_placer *placer, int number, const struct winding *winding)
{
    const struct solid_tree_node *node = &placer->tree->solids.nodes[number];
    struct solid_node_polygons axes = axes_of(node->normal);
    struct bounds box = winding_bounds(winding);
    struct placed_face placed = {
        .node = number,
        .order = (int)arrlen(placer->placed),
        .polygon = {.low = {(float)box.mins.e[axes.across], (float)box.mins.e[axes.along]},
                    .high = {(float)box.maxs.e[axes.across], (float)box.maxs.e[axes.along]},
                    .face = (float)placer->from->face,
                    .in_front = vec3_dot(placer->from->normal, vec3_from_floats(node->normal)) > 0},
    };
    set_numbers(placer->from, node, &axes, &placed.polygon);
    add_edges(placer->tree, winding, &axes, &placed.polygon);
    arrput(placer->placed, placed);
}

/* A polygon on a node's plane stays there; others descend to the side, or sides, that they are
 * on. */
static void place_face(struct face_placer *placer, int node, const struct winding *winding)
{
    while (node >= 0 && winding) {
        const struct solid_tree_node *at = &placer->tree->solids.nodes[node];
        struct plane plane = {vec3_from_floats(at->normal), (double)at->dist};
        struct winding *front, *back;
        winding_clip(&placer->arena, winding, &plane, ON_PLANE, &front, &back);
        if (!front && !back) {
            put_on_node(placer, node, winding);
            return;
        }
        if (front && back)
            place_face(placer, at->children[0], front);
        winding = back ? back : front;
        node = at->children[back ? 1 : 0];
    }
}

static float size_of(const struct solid_polygon *polygon)
{
    return (polygon->high[0] - polygon->low[0]) * (polygon->high[1] - polygon->low[1]);
}

/* Sorts the faces of a node by size: most rays hit the largest. */
static int by_node(const void *a, const void *b)
{
    const struct placed_face *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    float more = size_of(&y->polygon) - size_of(&x->polygon);
    if (more != 0)
        return more < 0 ? -1 : 1;
    return x->order - y->order;
}

static void list_by_node(struct scene_tree *tree, struct placed_face *placed)
{
    size_t nodes = (size_t)tree->solids.count, at = 0, count = arrlenu(placed);
    if (count)
        qsort(placed, count, sizeof *placed, by_node);
    for (size_t i = 0; i < count; i++)
        arrput(tree->faces.polygons, placed[i].polygon);
    tree->faces.nodes = memory_zalloc(nodes + 1, sizeof *tree->faces.nodes);
    for (size_t node = 0; node < nodes; node++) {
        tree->faces.nodes[node] = axes_of(tree->solids.nodes[node].normal);
        tree->faces.nodes[node].first = (int32_t)at;
        while (at < count && (size_t)placed[at].node == node)
            at++;
        tree->faces.nodes[node].end = (int32_t)at;
    }
}

/* Mean number of steps of rays that leave faces, from a sample. */
static double mean_steps(const struct scene_tree *tree)
{
    size_t faces = arrlenu(tree->pending);
    int64_t steps = 0;
    for (uint64_t i = 0; i < SAMPLE_RAYS && faces; i++) {
        const struct scene_tree_face *face = &tree->pending[i * faces / SAMPLE_RAYS];
        const double square[2] = {random_unit(i, 0), random_unit(i, 1)};
        struct vec3 x, y, from = vec3_mad(winding_center(face->winding), face->normal, 1);
        frame_around(face->normal, &x, &y);
        steps += solid_tree_steps(&tree->solids, from,
                                  frame_point(square_to_cosine(square), x, y, face->normal));
    }
    return (double)steps / (double)SAMPLE_RAYS;
}

void scene_tree_finish(struct scene_tree *tree)
{
    if (!tree->kinds)
        return;
    mark_behind_sky(tree);
    if (!solid_tree_make(&tree->leaves, tree->node_count, tree->kinds, tree->boxes, &tree->solids))
        return;
    if (mean_steps(tree) > MAX_STEPS) {
        solid_tree_free(&tree->solids);
        return;
    }
    struct face_placer placer = {.tree = tree};
    for (ptrdiff_t i = 0; i < arrlen(tree->pending); i++) {
        struct arena_mark mark = arena_mark(&placer.arena);
        placer.from = &tree->pending[i];
        place_face(&placer, tree->solids.root, placer.from->winding);
        arena_release(&placer.arena, mark);
    }
    list_by_node(tree, placer.placed);
    arrfree(placer.placed);
    arena_free(&placer.arena);
    arena_free(&tree->windings);
    arrfree(tree->pending);
}

/* ---- rays ---- */

/* A ray at the plane of a node. */
struct arrival {
    float across, along;
    bool in_front; /* it comes from the front of the node */
};

static struct arrival arrival_of(const struct scene_tree *tree, const struct trace_packet *packet,
                                 const struct solid_hits *found, int lane)
{
    int number = (int)found->node[lane];
    const struct solid_node_polygons *node = &tree->faces.nodes[number];
    const float *normal = tree->solids.nodes[number].normal;
    float place[3], slope = 0;
    for (int k = 0; k < 3; k++) {
        float way = packet->direction[k][lane];
        place[k] = packet->origin[k][lane] + found->distance[lane] * way;
        slope += normal[k] * way;
    }
    return (struct arrival){place[node->across], place[node->along], slope < 0};
}

/* Depth of a point inside of a face polygon: minimum over its edges. */
static float depth_in(const struct scene_tree *tree, const struct solid_polygon *polygon,
                      const struct arrival *ray)
{
    float depth = portable_fminf(
        portable_fminf(ray->across - polygon->low[0], polygon->high[0] - ray->across),
        portable_fminf(ray->along - polygon->low[1], polygon->high[1] - ray->along));
    for (int i = 0; i < polygon->edge_count; i++) {
        const float *line = tree->faces.edges[polygon->first_edge + i].line;
        depth = portable_fminf(depth, line[0] * ray->across + line[1] * ray->along + line[2]);
    }
    return depth;
}

/* For rays into the gaps between faces, as wide as rounding makes them. */
static bool view_of_nearest(const struct scene_tree *tree, const struct trace_packet *packet,
                            const struct solid_hits *found, int lane,
                            struct solid_hit_attributes *views)
{
    const struct solid_node_polygons *node = &tree->faces.nodes[(int)found->node[lane]];
    struct arrival ray = arrival_of(tree, packet, found, lane);
    const struct solid_polygon *best = NULL;
    float deepest = -EDGE_TOLERANCE;
    for (int i = node->first; i < node->end; i++) {
        const struct solid_polygon *polygon = &tree->faces.polygons[i];
        float depth = polygon->in_front == ray.in_front ? depth_in(tree, polygon, &ray) : -INFINITY;
        if (depth > deepest) {
            best = polygon;
            deepest = depth;
        }
    }
    if (!best)
        return false;
    views->face[lane] = best->face;
    for (int k = 0; k < 2; k++)
        views->attribute[k][lane] = best->attribute[k][0] * ray.across +
                                    best->attribute[k][1] * ray.along + best->attribute[k][2];
    return true;
}

static uint32_t face_views(const struct scene_tree *tree, const struct trace_packet *packet,
                           const struct solid_hits *found, uint32_t lanes,
                           struct solid_hit_attributes *views)
{
    uint32_t seen =
        tree->walks->attributes(&tree->faces, &tree->solids, packet, found, lanes, views);
    for (uint32_t left = lanes & ~seen; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        seen |= (uint32_t)view_of_nearest(tree, packet, found, i, views) << i;
    }
    return seen;
}

/* Converts the hits of lanes on solid leaves, where the face is known. */
static uint32_t read_hits(const struct scene_tree *tree, const struct trace_packet *packet,
                          const struct solid_hits *found, uint32_t lanes, struct scene_hit *hits)
{
    struct solid_hit_attributes views;
    uint32_t known = face_views(tree, packet, found, lanes, &views);
    for (uint32_t left = known; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        hits[i] = (struct scene_hit){(int)views.face[i], views.attribute[0][i],
                                     views.attribute[1][i], found->distance[i]};
    }
    return known;
}

uint32_t scene_tree_hit16(const struct scene_tree *tree, const struct trace_packet *packet,
                          uint32_t valid, uint32_t *loose, struct scene_hit hits[TRACE_PACKET])
{
    struct solid_hits found;
    struct solid_lanes lanes = tree->walks->closest(&tree->solids, packet, valid, &found);
    uint32_t known = read_hits(tree, packet, &found, lanes.met, hits);
    *loose = lanes.loose & known;
    return known;
}

uint32_t scene_tree_hit_pair16(const struct scene_tree *tree, const struct trace_packet packets[2],
                               uint32_t valid, uint32_t *loose,
                               struct scene_hit hits[2 * TRACE_PACKET])
{
    struct solid_hits found[2];
    struct solid_lanes lanes = tree->walks->closest_two(&tree->solids, packets, valid, found);
    uint32_t known = 0;
    for (int i = 0; i < 2; i++) {
        uint32_t met = lanes.met >> i * TRACE_PACKET & 0xffff;
        known |= read_hits(tree, &packets[i], &found[i], met, hits + i * TRACE_PACKET)
                 << i * TRACE_PACKET;
    }
    *loose = lanes.loose & known;
    return known;
}

uint32_t scene_tree_sky16(const struct scene_tree *tree, struct trace_packet *packet,
                          uint32_t valid, uint32_t *sky, uint32_t *loose)
{
    struct solid_hits found;
    struct solid_hit_attributes views;
    struct solid_lanes lanes = tree->walks->closest(&tree->solids, packet, valid, &found);
    uint32_t seen = face_views(tree, packet, &found, lanes.sky, &views);
    uint32_t known = (lanes.met & ~lanes.sky) | seen;
    *sky = 0;
    for (uint32_t left = seen; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        packet->far[i] = found.distance[i];
        *sky |= (uint32_t)((int)views.face[i] == SCENE_SKY) << i;
    }
    *loose = lanes.loose & known;
    return known;
}
