#include <stdlib.h>

#include "common/core/array.h"
#include "vbsp/target/source/emit/emitter.h"

/* Boxes are stored as integers and must hold what they bound; rounding may have moved a bound that
 * is an integer off by this much. */
#define BOX_ROUNDING 0.001

void emit_box(const struct bounds *bounds, int32_t mins[3], int32_t maxs[3])
{
    for (int i = 0; i < 3; i++) {
        bool empty = bounds_is_empty(bounds);
        mins[i] = empty ? 0 : (int32_t)floor(bounds->mins.e[i] + BOX_ROUNDING);
        maxs[i] = empty ? 0 : (int32_t)ceil(bounds->maxs.e[i] - BOX_ROUNDING);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

void emit_sort_unique(int32_t *list, size_t first)
{
    size_t count = arrlenu(list), kept = first;
    if (count > first + 1)
        qsort(list + first, count - first, sizeof *list, compare_numbers);
    for (size_t i = first; i < count; i++)
        if (i == first || list[i] != list[kept - 1])
            list[kept++] = list[i];
    if (kept < count)
        stbds_header(list)->length = kept;
}

/* Areaportals are no obstacles: their brushes are in no leaf. */
static void list_brushes(struct bsp *bsp, const struct node *leaf, struct bsp_leaf *record)
{
    size_t first = arrlenu(bsp->leaf_brushes);
    for (const struct brush *piece = leaf->brushes; piece; piece = piece->next)
        if (!(piece->original->contents & CONTENTS_AREAPORTAL))
            arrput(bsp->leaf_brushes, piece->original->number);
    for (const struct leaf_item *item = leaf->leaf_brushes; item; item = item->next)
        arrput(bsp->leaf_brushes, item->brush->number);
    emit_sort_unique(bsp->leaf_brushes, first);
    record->first_brush = (int32_t)first;
    record->brush_count = (int32_t)(arrlenu(bsp->leaf_brushes) - first);
}

static int emit_leaf(struct bsp *bsp, struct node *leaf)
{
    bool solid = leaf->contents & CONTENTS_SOLID;
    struct bsp_leaf record = {
        .contents = solid ? CONTENTS_SOLID : leaf->contents,
        .cluster = solid ? -1 : leaf->cluster,
        .area = solid ? 0 : leaf->area,
        .flags = LEAF_SKY, /* until the lights are known, any leaf may see the sky */
        .water_data = leaf->water_data,
    };
    emit_box(&leaf->bounds, record.mins, record.maxs);
    list_brushes(bsp, leaf, &record);
    leaf->index = (int)arrlen(bsp->leaves);
    arrput(bsp->leaves, record);
    return -1 - leaf->index;
}

/* The area of nodes is 0 in every compiled map that was looked at. */
static int emit_node(struct compile *compile, struct node *node)
{
    struct bsp *bsp = compile->bsp;
    if (node->plane == PLANE_LEAF)
        return emit_leaf(bsp, node);
    int number = node->index = (int)arrlen(bsp->nodes);
    struct bsp_node record = {.plane = node->plane, .first_face = (int32_t)arrlen(bsp->faces)};
    emit_box(&node->bounds, record.mins, record.maxs);
    for (struct face *face = node->faces; face; face = face->next)
        if (!face->merged)
            emit_face(compile, face);
    record.face_count = (int32_t)arrlen(bsp->faces) - record.first_face;
    arrput(bsp->nodes, record);
    for (int i = 0; i < 2; i++) {
        int child = emit_node(compile, node->children[i]);
        bsp->nodes[number].children[i] = child;
    }
    return number;
}

/* Readers start at a node: a tree that is one leaf gets a node with that leaf on both sides. */
static int emit_lone_leaf(struct compile *compile, struct node *leaf)
{
    struct bsp *bsp = compile->bsp;
    struct bsp_node record = {.first_face = (int32_t)arrlen(bsp->faces)};
    record.children[0] = record.children[1] = emit_leaf(bsp, leaf);
    emit_box(&leaf->bounds, record.mins, record.maxs);
    arrput(bsp->nodes, record);
    return (int)arrlen(bsp->nodes) - 1;
}

int emit_tree(struct compile *compile, struct tree *tree)
{
    if (tree->root->plane == PLANE_LEAF)
        return emit_lone_leaf(compile, tree->root);
    return emit_node(compile, tree->root);
}

static void list_face(void *context, struct face *face)
{
    struct bsp *bsp = context;
    if (face->number >= 0)
        arrput(bsp->leaf_faces, face->number);
}

static void list_faces(struct bsp *bsp, const struct node *node)
{
    if (node->plane != PLANE_LEAF) {
        list_faces(bsp, node->children[0]);
        list_faces(bsp, node->children[1]);
        return;
    }
    size_t first = arrlenu(bsp->leaf_faces);
    for (struct leaf_item *item = node->leaf_faces; item; item = item->next)
        face_final(item->face, list_face, bsp);
    emit_sort_unique(bsp->leaf_faces, first);
    bsp->leaves[node->index].first_face = (int32_t)first;
    bsp->leaves[node->index].face_count = (int32_t)(arrlenu(bsp->leaf_faces) - first);
}

void emit_leaf_faces(struct compile *compile, struct tree *tree)
{
    list_faces(compile->bsp, tree->root);
}
