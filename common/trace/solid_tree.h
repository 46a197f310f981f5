/* Rays against the solid leaves of a BSP tree, in packets of 16.
 *
 * The tree that a compiler of maps made is a better guide through its brushes than any that is
 * built over their triangles: few wide nodes lead to convex leaves, and rays that start near each
 * other pass most nodes together. What it does not hold (models, displacements, brushes of
 * entities) is for trace.h.
 *
 * The walk is compiled for each instruction set of x86; all do the same operations on each ray in
 * the same order, and so give the same bits. */
#ifndef TRACE_SOLID_TREE_H
#define TRACE_SOLID_TREE_H

#include "common/bsp/leaf_tree.h"
#include "common/simd/cpu_features.h"
#include "common/trace/trace.h"

/* Places without nodes, as children. */
enum solid_tree_kind {
    SOLID_TREE_OPEN = -1,
    SOLID_TREE_SOLID = -2,
    SOLID_TREE_SKY = -3, /* solid, too, but whether it blocks is for the caller to say */
    /* This and below: open, but something stands there that the tree does not hold, inside of box
     * SOLID_TREE_LOOSE - place. */
    SOLID_TREE_LOOSE = -4,
};

enum { SOLID_TREE_DEPTH = 128 }; /* deeper trees are not made */

/* In front of the plane lies the first child. */
struct solid_tree_node {
    float normal[3], dist;
    int32_t children[2];
    int32_t axis; /* of the normal (0, 1, 2), which points along it; 3: of none */
    int32_t unused;
};

struct solid_tree_box {
    float mins[3], maxs[3];
};

struct solid_tree {
    const struct solid_tree_box *boxes; /* borrowed */
    struct solid_tree_node *nodes;      /* those of the BSP that part solid from open */
    int count, root;                    /* root: a node, or < 0: the tree is empty */
};

/* `kinds` has an enum solid_tree_kind a leaf. `boxes` stay with the tree; NULL: nothing is loose.
 * False, and an empty tree, where the tree is too deep, not one, or has no node that parts one kind
 * from another. Free with solid_tree_free. */
bool solid_tree_make(const struct leaf_tree *tree, size_t node_count, const int32_t *kinds,
                     const struct solid_tree_box *boxes, struct solid_tree *out);
void solid_tree_free(struct solid_tree *tree);

/* How many nodes one ray comes by until it meets solid: what it costs. */
int solid_tree_steps(const struct solid_tree *tree, struct vec3 origin, struct vec3 direction);

/* Where rays go into solid. */
struct solid_hits {
    _Alignas(64) float distance[TRACE_PACKET]; /* of lanes that meet nothing: their `far` */
    _Alignas(64) float node[TRACE_PACKET];     /* its number, whose plane the ray crosses there */
};

/* What became of lanes: met, unsure or neither. */
struct solid_lanes {
    uint32_t met;    /* solid */
    uint32_t unsure; /* they start in solid, or, asked whether they are blocked, meet sky: nothing
                        else is known of them */
    uint32_t sky;    /* of met: the solid is sky */
    uint32_t
        loose; /* on their way is a box in which something stands that the tree does not hold */
};

/* What solids look like: convex polygons on the planes of nodes, each with numbers that run
 * linearly over it. A node's polygons are seen along one axis of space; `across` and `along` are
 * the others. */
struct solid_polygon {
    float low[2], high[2]; /* its box, across and along */
    float attribute[2][3]; /* what runs over it: [0] across + [1] along + [2] */
    float face;            /* any whole number below 2^24 */
    int32_t in_front;      /* it looks where the node's normal points */
    int32_t first_edge;    /* none: its box is all of it */
    int32_t edge_count;
};

/* An edge of a polygon: across [0] + along [1] + [2] is the distance from it, more than 0 inside.
 */
struct solid_polygon_edge {
    float line[3];
};

struct solid_node_polygons {
    int32_t first, end; /* in looks */
    int32_t across, along;
};

struct solid_polygons {
    struct solid_polygon *polygons;    /* stb_ds array, node by node */
    struct solid_polygon_edge *edges;  /* stb_ds array */
    struct solid_node_polygons *nodes; /* one a node of the tree */
};

/* What rays see where they meet solid. */
struct solid_hit_attributes {
    _Alignas(64) float face[TRACE_PACKET], attribute[2][TRACE_PACKET];
};

typedef struct solid_lanes solid_tree_closest_function(const struct solid_tree *tree,
                                                       const struct trace_packet *packet,
                                                       uint32_t valid, struct solid_hits *out);
typedef struct solid_lanes solid_tree_blocked_function(const struct solid_tree *tree,
                                                       const struct trace_packet *packet,
                                                       uint32_t valid);

typedef uint32_t solid_hit_attributes_function(const struct solid_polygons *polygons,
                                               const struct solid_tree *tree,
                                               const struct trace_packet *packet,
                                               const struct solid_hits *hits, uint32_t lanes,
                                               struct solid_hit_attributes *out);

/* What an instruction set has its own of. */
struct solid_walks {
    bool slow; /* it has no wide registers, and the ray library is faster */
    /* The first solid that each lane of `valid` meets between its `near` and `far`. */
    solid_tree_closest_function *closest;
    /* The same for two packets that go much the same way: arrays of two, bits and hits of the
     * second after those of the first. */
    solid_tree_closest_function *closest_two;
    /* Whether lanes of `valid` meet any. */
    solid_tree_blocked_function *blocked;
    /* What `lanes`, which meet solid, see of it. Returns those that see anything: the others are
     * outside of all polygons, if by a hair. */
    solid_hit_attributes_function *attributes;
};

const struct solid_walks *solid_walks_of(enum simd_level level);

#endif
