/* Merges faces that share an edge if the result is convex.
 *
 * Only faces on one node are compared, so that a merged face is still on that node. */
#include "vbsp/target/source/faces/face.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/geom/epsilon.h"
#include "vbsp/target/source/faces/vertex_grid.h"

enum { FEW = 32 }; /* up to this many faces are compared pairwise */

static bool same_point(struct vec3 a, struct vec3 b)
{
    for (int i = 0; i < 3; i++)
        if (fabs(a.e[i] - b.e[i]) > EPSILON_EQUAL)
            return false;
    return true;
}

/* Finds the common edge, which has the opposite direction in b: the numbers of its first points. */
static bool common_edge(const struct winding *a, const struct winding *b, int *in_a, int *in_b)
{
    for (int i = 0; i < a->count; i++) {
        struct vec3 from = a->points[i], to = a->points[(i + 1) % a->count];
        for (int j = 0; j < b->count; j++) {
            if (same_point(to, b->points[j]) && same_point(from, b->points[(j + 1) % b->count])) {
                *in_a = i;
                *in_b = j;
                return true;
            }
        }
    }
    return false;
}

enum turn { BEND_CONVEX, BEND_STRAIGHT, BEND_CONCAVE };

/* The turn of the outline at `corner`, seen from the front of the plane (clockwise is convex).
 * Between long edges, a corner sticks out at a small angle already: then it is not straight either.
 * */
static enum turn bend_at(struct vec3 before, struct vec3 corner, struct vec3 after,
                         struct vec3 normal)
{
    struct vec3 to = vec3_sub(corner, before), from = vec3_sub(after, corner);
    struct vec3 outward = vec3_cross(normal, vec3_normalize(to));
    double turn = vec3_dot(vec3_normalize(from), outward);
    double off = turn * vec3_length(to) * vec3_length(from) / vec3_distance(before, after);
    if (fabs(turn) <= EPSILON_EQUAL && fabs(off) <= EPSILON_WELD)
        return BEND_STRAIGHT;
    return turn > 0 ? BEND_CONCAVE : BEND_CONVEX;
}

/* Removes duplicate points, which cuts produce, because an edge between them has no direction.
 * NULL: the winding has no area. */
static struct winding *without_repeats(struct arena *arena, struct winding *winding)
{
    struct winding *kept = winding_copy(arena, winding);
    kept->count = 0;
    for (int i = 0; i < winding->count; i++)
        if (!kept->count || !same_point(kept->points[kept->count - 1], winding->points[i]))
            kept->points[kept->count++] = winding->points[i];
    while (kept->count > 1 && same_point(kept->points[0], kept->points[kept->count - 1]))
        kept->count--;
    if (kept->count == winding->count)
        return winding;
    return kept->count < 3 ? NULL : kept;
}

/* The outline of both without points that became collinear; NULL if it is not convex. */
static struct winding *join_windings(struct arena *arena, const struct winding *a,
                                     const struct winding *b, struct vec3 normal)
{
    int i, j;
    if (!common_edge(a, b, &i, &j))
        return NULL;
    /* The edge runs from a[i] to a[i + 1], and from b[j] to b[j + 1] = a[i]. */
    struct vec3 start = a->points[i], end = a->points[(i + 1) % a->count];
    enum turn at_start = bend_at(a->points[(i + a->count - 1) % a->count], start,
                                 b->points[(j + 2) % b->count], normal);
    enum turn at_end = bend_at(b->points[(j + b->count - 1) % b->count], end,
                               a->points[(i + 2) % a->count], normal);
    if (at_start == BEND_CONCAVE || at_end == BEND_CONCAVE)
        return NULL;
    struct vec3 stack[64];
    int max = a->count + b->count;
    if (max > 64)
        return NULL;
    int count = 0;
    for (int k = 1; k < a->count; k++)
        if (k > 1 || at_end == BEND_CONVEX)
            stack[count++] = a->points[(i + k) % a->count];
    for (int k = 1; k < b->count; k++)
        if (k > 1 || at_start == BEND_CONVEX)
            stack[count++] = b->points[(j + k) % b->count];
    return count >= 3 ? winding_new(arena, count, stack) : NULL;
}

static int compare_ints(int a, int b)
{
    return (a > b) - (a < b);
}

/* Compares what two faces must have in common to be merged; 0: nothing differs. */
static int compare_kind(const struct face *a, const struct face *b)
{
    int order = compare_ints(a->plane, b->plane);
    if (!order)
        order = compare_ints(a->texinfo, b->texinfo);
    if (!order)
        order = compare_ints(a->contents, b->contents);
    if (!order)
        order = compare_ints(a->side->overlays, b->side->overlays);
    if (!order && a->smoothing_groups != b->smoothing_groups)
        order = a->smoothing_groups < b->smoothing_groups ? -1 : 1;
    return order;
}

struct numbered {
    struct face *face;
    size_t order; /* in the list */
    struct bounds bounds;
};

static int compare_numbered(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    int order = compare_kind(x->face, y->face);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

static struct face *join_faces(const struct compile *compile, struct arena *arena,
                               const struct numbered *a, const struct numbered *b)
{
    if (!bounds_touch(&a->bounds, &b->bounds, EPSILON_EQUAL))
        return NULL;
    struct vec3 normal = compile->planes.planes[a->face->plane].normal;
    struct winding *winding = join_windings(arena, a->face->winding, b->face->winding, normal);
    if (!winding)
        return NULL;
    struct face *joined = face_new(arena);
    *joined = *a->face;
    joined->next = NULL;
    joined->winding = winding;
    a->face->merged = b->face->merged = joined;
    return joined;
}

struct merger {
    const struct compile *compile;
    struct arena *arena;
    struct numbered **faces; /* of one kind */
    struct face_list *made;
    struct vertex_grid index; /* of them, if there are many */
};

static bool join_pair(struct merger *merger, int i, int j)
{
    struct numbered *a = &(*merger->faces)[i], *b = &(*merger->faces)[j];
    struct face *joined = b->face->merged ? NULL : join_faces(merger->compile, merger->arena, a, b);
    if (!joined)
        return false;
    struct numbered entry = {joined, arrlenu(*merger->faces), winding_bounds(joined->winding)};
    face_list_add(merger->made, joined);
    arrput(*merger->faces, entry);
    return true;
}

static void merge_few(struct merger *merger)
{
    for (int i = 1; i < (int)arrlen(*merger->faces); i++)
        for (int j = 0; j < i && !(*merger->faces)[i].face->merged; j++)
            (void)join_pair(merger, i, j);
}

/* The same, but compares only faces with a common corner. */
static void merge_many(struct merger *merger)
{
    struct vertex_grid *index = &merger->index;
    for (int i = 0; i < (int)arrlen(*merger->faces); i++)
        vertex_grid_add(index, (*merger->faces)[i].face->winding);
    for (int i = 1; i < (int)arrlen(*merger->faces); i++) {
        const struct face *face = (*merger->faces)[i].face;
        if (face->merged)
            continue;
        const int *near = vertex_grid_near(index, face->winding, EPSILON_EQUAL);
        for (size_t k = 0; k < arrlenu(near) && near[k] < i; k++) {
            if (!join_pair(merger, i, near[k]))
                continue;
            vertex_grid_remove(index, i);
            vertex_grid_remove(index, near[k]);
            vertex_grid_add(index, arrlast(*merger->faces).face->winding);
            break;
        }
    }
    vertex_grid_free(index);
}

/* Merges faces of one kind: each with all before it; results are appended to the queue. */
static void merge_kind(const struct compile *compile, struct arena *arena, struct numbered **faces,
                       struct face_list *made)
{
    struct merger merger = {.compile = compile, .arena = arena, .faces = faces, .made = made};
    if (arrlen(*faces) > FEW)
        merge_many(&merger);
    else
        merge_few(&merger);
}

static bool may_merge(const struct compile *compile, const struct face *face)
{
    int flags = compile->texinfos.items[face->texinfo].flags;
    return !face->merged && !(compile->options->no_merge_water && (flags & SURFACE_WARP));
}

static void enlist(struct arena *arena, struct numbered **list, struct face *face)
{
    struct winding *winding = without_repeats(arena, face->winding);
    if (!winding)
        return;
    face->winding = winding;
    struct numbered entry = {face, arrlenu(*list), winding_bounds(winding)};
    arrput(*list, entry);
}

void face_list_merge(const struct compile *compile, struct arena *arena, struct face **list)
{
    struct numbered *all = NULL, *kind = NULL;
    struct face **end = list;
    for (; *end; end = &(*end)->next)
        if (may_merge(compile, *end))
            enlist(arena, &all, *end);
    struct face_list made = {*list, end};
    if (arrlenu(all) > 1)
        qsort(all, arrlenu(all), sizeof *all, compare_numbered);
    for (size_t i = 0; i < arrlenu(all); i++) {
        arrput(kind, all[i]);
        if (i + 1 < arrlenu(all) && !compare_kind(all[i].face, all[i + 1].face))
            continue;
        merge_kind(compile, arena, &kind, &made);
        arrsetlen(kind, 0);
    }
    arrfree(all);
    arrfree(kind);
}

static void merge_node(const struct compile *compile, struct tree *tree, struct node *node)
{
    if (node->plane == PLANE_LEAF)
        return;
    face_list_merge(compile, &tree->arena, &node->faces);
    merge_node(compile, tree, node->children[0]);
    merge_node(compile, tree, node->children[1]);
}

void faces_merge(struct compile *compile, struct tree *tree)
{
    merge_node(compile, tree, tree->root);
}
