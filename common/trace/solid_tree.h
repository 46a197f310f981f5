/* Traces rays against the solid leaves of a BSP tree, in packets of 16.
 *
 * The BSP tree is a better acceleration structure for its brushes than one built over their
 * triangles: few wide nodes lead to convex leaves, and rays that start near each other pass most
 * nodes together. Geometry that is not in the tree (models, displacements, brushes of entities) is
 * traced by trace.h.
 *
 * The traversal is compiled for each instruction set of x86; all do the same operations on each ray
 * in the same order, and so give the same bits. */
#ifndef TRACE_SOLID_TREE_H
#define TRACE_SOLID_TREE_H

#include "common/bsp/leaf_tree.h"
#include "common/simd/cpu_features.h"
#include "common/trace/trace.h"

/* Leaves, as children. */
enum solid_tree_kind {
    SOLID_TREE_OPEN = -1,
    SOLID_TREE_SOLID = -2,
    SOLID_TREE_SKY = -3, /* solid, too, but the caller decides whether it blocks */
    /* This and below: open, but with geometry that is not in the tree, inside of box
     * SOLID_TREE_LOOSE - child. */
    SOLID_TREE_LOOSE = -4,
};

enum { SOLID_TREE_DEPTH = 128 }; /* deeper trees are refused */

/* The first child is in front of the plane. */
struct solid_tree_node {
    float normal[3], dist;
    int32_t children[2];
    int32_t axis; /* axis of the normal (0, 1, 2) when it points along it; else 3 */
    int32_t unused;
};

struct solid_tree_box {
    float mins[3], maxs[3];
};

struct solid_tree {
    const struct solid_tree_box *boxes; /* borrowed */
    struct solid_tree_node *nodes;      /* the nodes of the BSP that separate solid from open */
    int count, root;                    /* root: a node, or < 0: the tree is empty */
};

/* `kinds` has an enum solid_tree_kind per leaf. `boxes` must outlive the tree; NULL: no leaf is
 * loose. Returns false, with an empty tree, when the tree is too deep, invalid, or has no node that
 * separates two kinds. Free with solid_tree_free. */
bool solid_tree_make(const struct leaf_tree *tree, size_t node_count, const int32_t *kinds,
                     const struct solid_tree_box *boxes, struct solid_tree *out);
void solid_tree_free(struct solid_tree *tree);

/* Number of nodes that one ray visits until it hits solid: a measure of its cost. */
int solid_tree_steps(const struct solid_tree *tree, struct vec3 origin, struct vec3 direction);

/* Hits of rays with solid leaves. */
struct solid_hits {
    _Alignas(64) float distance[TRACE_PACKET]; /* of lanes without a hit: their `far` */
    _Alignas(
        64) float node[TRACE_PACKET]; /* number of the node whose plane the ray crosses there */
};

/* Result per lane: met, unsure or neither. */
struct solid_lanes {
    uint32_t met; /* hit solid */
    uint32_t
        unsure; /* start in solid or, in a blocked query, hit sky: nothing else is known of them */
    uint32_t sky;   /* of met: the solid is sky */
    uint32_t loose; /* pass through a box with geometry that is not in the tree */
};

/* Polygons for hit attributes: convex, on the planes of nodes, each with two attributes that are
 * linear over it. The polygons of a node are projected along one axis; `across` and `along` are the
 * other two. */
struct solid_polygon {
    float low[2], high[2]; /* its box, across and along */
    float attribute[2][3]; /* [0] across + [1] along + [2] */
    float face;            /* face number: an integer below 2^24 */
    int32_t in_front;      /* faces the same way as the node's normal */
    int32_t first_edge;    /* without edges the polygon is its box */
    int32_t edge_count;
};

/* An edge of a polygon: across [0] + along [1] + [2] is the distance from it, positive inside. */
struct solid_polygon_edge {
    float line[3];
};

struct solid_node_polygons {
    int32_t first, end; /* range in polygons */
    int32_t across, along;
};

struct solid_polygons {
    struct solid_polygon *polygons;    /* stb_ds array, sorted by node */
    struct solid_polygon_edge *edges;  /* stb_ds array */
    struct solid_node_polygons *nodes; /* one per node of the tree */
};

/* Face and attributes of the polygons that rays hit. */
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

/* The functions of an instruction set. */
struct solid_walks {
    /* Finds the first solid that each lane of `valid` hits between its `near` and `far`. */
    solid_tree_closest_function *closest;
    /* The same for two packets with similar rays: arrays of two, bits and hits of the second after
     * those of the first. */
    solid_tree_closest_function *closest_two;
    /* Tests the lanes of `valid` for any hit. */
    solid_tree_blocked_function *blocked;
    /* Finds the polygons that `lanes` hit, which must have hit solid. Returns the lanes with a
     * polygon: the others are just outside of all. */
    solid_hit_attributes_function *attributes;
};

const struct solid_walks *solid_walks_of(enum simd_level level);

#endif
