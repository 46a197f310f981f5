#include "vbsp/tree/tree_write.h"

#include <stdlib.h>

#include "common/core/array.h"

/* Boxes are stored as integers and must contain their contents; rounding may have moved an integer
 * bound by this much. */
#define BOX_ROUNDING 0.001

static void set_box(const struct bounds *bounds, int32_t mins[3], int32_t maxs[3])
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

void list_sort_unique(int32_t *list, size_t first)
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

static int write_leaf(const struct tree_writer *writer, struct node *leaf)
{
    struct bsp *bsp = writer->bsp;
    size_t first = arrlenu(bsp->leaf_brushes);
    struct bsp_leaf record = {0};
    writer->leaf(writer->context, leaf, &record);
    for (const struct leaf_item *item = leaf->leaf_brushes; item; item = item->next)
        arrput(bsp->leaf_brushes, item->brush->number);
    list_sort_unique(bsp->leaf_brushes, first);
    record.first_brush = (int32_t)first;
    record.brush_count = (int32_t)(arrlenu(bsp->leaf_brushes) - first);
    set_box(&leaf->bounds, record.mins, record.maxs);
    leaf->index = (int)arrlen(bsp->leaves);
    arrput(bsp->leaves, record);
    return -1 - leaf->index;
}

/* The area of nodes is 0 in every compiled map that was examined. */
static int write_node(const struct tree_writer *writer, struct node *node)
{
    struct bsp *bsp = writer->bsp;
    if (node->plane == PLANE_LEAF)
        return write_leaf(writer, node);
    int number = node->index = (int)arrlen(bsp->nodes);
    struct bsp_node record = {.plane = node->plane, .first_face = (int32_t)arrlen(bsp->faces)};
    set_box(&node->bounds, record.mins, record.maxs);
    if (writer->faces)
        writer->faces(writer->context, node);
    record.face_count = (int32_t)arrlen(bsp->faces) - record.first_face;
    arrput(bsp->nodes, record);
    for (int i = 0; i < 2; i++) {
        int child = write_node(writer, node->children[i]);
        bsp->nodes[number].children[i] = child;
    }
    return number;
}

static int write_lone_leaf(const struct tree_writer *writer, struct node *leaf)
{
    struct bsp *bsp = writer->bsp;
    struct bsp_node record = {.first_face = (int32_t)arrlen(bsp->faces)};
    record.children[0] = record.children[1] = write_leaf(writer, leaf);
    if (writer->doubles_lone_leaf)
        record.children[1] = write_leaf(writer, leaf);
    set_box(&leaf->bounds, record.mins, record.maxs);
    arrput(bsp->nodes, record);
    return (int)arrlen(bsp->nodes) - 1;
}

int tree_write(const struct tree_writer *writer, struct tree *tree)
{
    if (tree->root->plane == PLANE_LEAF)
        return write_lone_leaf(writer, tree->root);
    return write_node(writer, tree->root);
}

void planes_write(const struct plane_set *planes, struct bsp *bsp)
{
    for (size_t i = 0; i < arrlenu(planes->planes); i++) {
        struct bsp_plane record = {.dist = (float)planes->planes[i].dist,
                                   .type = (int32_t)planes->types[i]};
        for (int j = 0; j < 3; j++)
            record.normal[j] = (float)planes->planes[i].normal.e[j];
        arrput(bsp->planes, record);
    }
}
