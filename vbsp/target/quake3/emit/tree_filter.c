/* Filters brushes and surfaces into leaves, where the engine looks for them. */
#include <stdlib.h>

#include "common/core/array.h"
#include "common/geom/epsilon.h"
#include "vbsp/csg/brush_fragment.h"
#include "vbsp/target/quake3/brushes/brushes.h"
#include "vbsp/target/quake3/emit/emit.h"

enum {
    /* Contents without effect: the engine needs such brushes in no leaf. */
    IDLE = Q3_CONTENTS_DETAIL | Q3_CONTENTS_STRUCTURAL | Q3_CONTENTS_TRANSLUCENT,
};

/* --- brushes --- */

void quake3_filter_brushes(const struct compile *compile, struct tree *tree)
{
    const int *brushes = compile->entities[0].brushes;
    for (size_t i = 0; i < arrlenu(brushes); i++) {
        const struct map_brush *brush = compile->brushes[brushes[i]];
        if (brush != quake3_of(compile)->global_fog &&
            quake3_brush_shader(compile, brush)->contents & ~IDLE)
            tree_filter_fragment(tree, &compile->planes,
                                 brush_fragment_new(&tree->arena, brush, true), true);
    }
}

/* --- surfaces --- */

struct leaf_filter {
    const struct plane *planes;
    struct arena *scratch;
    struct node ***leaves;
    struct vec3 normal; /* of the polygon */
    bool two_sided;
};

static void add_leaf(struct leaf_filter *leaf_filter, struct node *leaf)
{
    struct node **leaves = *leaf_filter->leaves;
    if (!leaf_is_open(leaf) || (arrlen(leaves) && arrlast(leaves) == leaf))
        return;
    arrput(*leaf_filter->leaves, leaf);
}

/* A polygon on a node's plane is visible from its front. */
static void push_winding(struct leaf_filter *leaf_filter, struct node *node,
                         const struct winding *winding)
{
    while (node->plane != PLANE_LEAF) {
        const struct plane *plane = &leaf_filter->planes[node->plane];
        struct winding *parts[2];
        winding_clip(leaf_filter->scratch, winding, plane, EPSILON_SPLIT, &parts[0], &parts[1]);
        if (!parts[0] && !parts[1]) {
            int facing = vec3_dot(plane->normal, leaf_filter->normal) < 0;
            if (leaf_filter->two_sided)
                push_winding(leaf_filter, node->children[!facing], winding);
            node = node->children[facing];
            continue;
        }
        if (parts[0] && parts[1])
            push_winding(leaf_filter, node->children[1], parts[1]);
        winding = parts[0] ? parts[0] : parts[1];
        node = node->children[!parts[0]];
    }
    add_leaf(leaf_filter, node);
}

static void push_box(struct leaf_filter *leaf_filter, struct node *node, const struct bounds *box)
{
    while (node->plane != PLANE_LEAF) {
        const struct plane *plane = &leaf_filter->planes[node->plane];
        double near = 0, far = 0;
        for (int i = 0; i < 3; i++) {
            double n = plane->normal.e[i];
            far += n * (n > 0 ? box->maxs.e[i] : box->mins.e[i]);
            near += n * (n > 0 ? box->mins.e[i] : box->maxs.e[i]);
        }
        bool front = far > plane->dist - EPSILON_SPLIT, back = near < plane->dist + EPSILON_SPLIT;
        if (front && back)
            push_box(leaf_filter, node->children[1], box);
        node = node->children[!front];
    }
    add_leaf(leaf_filter, node);
}

static void push_triangles(struct leaf_filter *leaf_filter, struct tree *tree,
                           const struct draw_surface *surface)
{
    for (size_t i = 0; i + 2 < arrlenu(surface->indices); i += 3) {
        struct vec3 corners[3];
        for (int j = 0; j < 3; j++)
            corners[j] = surface->vertices[surface->indices[i + (size_t)j]].p;
        struct winding *winding = winding_new(leaf_filter->scratch, 3, corners);
        struct plane plane;
        if (!winding_plane(winding, &plane))
            continue;
        leaf_filter->normal = plane.normal;
        push_winding(leaf_filter, tree->root, winding);
        arena_reset(leaf_filter->scratch);
    }
}

/* A curve stays within the hull of the nine points of each Bezier patch. */
static void push_patch(struct leaf_filter *leaf_filter, struct tree *tree,
                       const struct draw_surface *surface)
{
    int columns = surface->patch_columns, rows = surface->patch_rows;
    for (int row = 0; row + 2 < rows; row += 2) {
        for (int column = 0; column + 2 < columns; column += 2) {
            struct bounds box = bounds_empty();
            for (int i = 0; i < 9; i++)
                bounds_add_point(&box,
                                 surface->vertices[(row + i / 3) * columns + column + i % 3].p);
            push_box(leaf_filter, tree->root, &box);
        }
    }
}

static void push_points(struct leaf_filter *leaf_filter, struct tree *tree,
                        const struct draw_surface *surface)
{
    for (size_t i = 0; i < arrlenu(surface->vertices); i++) {
        struct bounds box = {surface->vertices[i].p, surface->vertices[i].p};
        push_box(leaf_filter, tree->root, &box);
    }
}

static int compare_leaves(const void *a, const void *b)
{
    const struct node *p = *(struct node *const *)a, *q = *(struct node *const *)b;
    return (p->index > q->index) - (p->index < q->index);
}

void quake3_leaves_of(const struct compile *compile, struct tree *tree, struct arena *scratch,
                      const struct draw_surface *surface, struct node ***leaves)
{
    struct leaf_filter leaf_filter = {.planes = compile->planes.planes,
                                      .scratch = scratch,
                                      .leaves = leaves,
                                      .two_sided =
                                          surface->shader->compile_flags & SHADER_TWO_SIDED};
    size_t first = arrlenu(*leaves);
    if (surface->type == SURFACE_PATCH)
        push_patch(&leaf_filter, tree, surface);
    else if (surface->indices)
        push_triangles(&leaf_filter, tree, surface);
    else
        push_points(&leaf_filter, tree, surface);
    struct node **list = *leaves;
    size_t count = arrlenu(list), kept = first;
    if (count > first + 1)
        qsort(list + first, count - first, sizeof *list, compare_leaves);
    for (size_t i = first; i < count; i++)
        if (i == first || list[i] != list[kept - 1])
            list[kept++] = list[i];
    if (count)
        arrsetlen(*leaves, kept);
}
