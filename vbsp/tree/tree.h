/* The BSP tree: nodes, leaves, portals, and queries. */
#ifndef VBSP_TREE_TREE_H
#define VBSP_TREE_TREE_H

#include "vbsp/csg/brush.h"
#include "vbsp/csg/plane_set.h"

enum { PLANE_LEAF = -1 };

struct face;
struct portal;

struct node {
    struct node *parent;
    int plane; /* even member of a pair, or PLANE_LEAF */
    struct bounds bounds;

    /* nodes */
    struct node *children[2];          /* 0 in front of the plane */
    const struct brush_side *splitter; /* NULL: made by the block grid */
    struct face *faces;                /* on its plane */
    int index;                         /* in the node or leaf lump, once written */

    /* leaves */
    struct brush *brushes; /* brush_fragment_copy_sides of the fragments inside the leaf */
    struct portal *portals;
    int contents;
    int cluster;    /* -1: none */
    int area;       /* 0: none */
    int viscluster; /* index in compile.entities of its func_viscluster; 0: none */
    int occupied;   /* 0, or 1 + the flood distance in portals from the nearest entity */
    int occupant;   /* index in compile.entities, when occupied; -1 */
    int water_data; /* index in leaf water data, or -1 */
    struct leaf_item *leaf_faces;   /* all faces visible from it */
    struct leaf_item *leaf_brushes; /* detail brushes filtered into it */
};

/* An element of a leaf's list. */
struct leaf_item {
    struct leaf_item *next;
    union {
        struct face *face;
        const struct map_brush *brush;
    };
};

/* A polygon between two leaves, on the plane of a node. nodes[0] is in front of it. */
struct portal {
    int plane;
    struct node *on_node; /* NULL: between the tree and the outside */
    struct node *nodes[2];
    struct portal *next[2];        /* in the lists of nodes[0] and nodes[1] */
    struct portal *previous[2];    /* in the same lists; NULL: it is the first */
    struct winding *winding;       /* its normal is the plane's */
    const struct brush_side *side; /* brush side that makes a face here, once searched */
    bool side_searched;
};

struct tree {
    struct node *root;
    struct node outside; /* the leaf outside of the world */
    struct bounds bounds;
    bool has_slivers;   /* portals_make dropped portals that portals_make_fine would keep */
    struct arena arena; /* nodes, leaves, portals, windings */
};

/* True if the leaf is not solid. */
static inline bool leaf_is_open(const struct node *leaf)
{
    return !(leaf->contents & CONTENTS_SOLID);
}

/* The side of the portal that the leaf is on, and the next portal in the leaf's list. */
static inline int portal_side(const struct portal *portal, const struct node *leaf)
{
    return portal->nodes[1] == leaf;
}

static inline struct portal *portal_next(const struct portal *portal, const struct node *leaf)
{
    return portal->next[portal_side(portal, leaf)];
}

/* The strongest visible contents bit (lower bits are stronger); 0 for empty. */
static inline int contents_visible(int contents)
{
    const int visible = CONTENTS_SOLID | CONTENTS_WINDOW | CONTENTS_AUX | CONTENTS_GRATE |
                        CONTENTS_SLIME | CONTENTS_WATER | CONTENTS_BLOCKLOS | CONTENTS_OPAQUE;
    int seen = contents & visible;
    return seen & -seen;
}

struct node *tree_leaf_at(const struct tree *tree, const struct plane *planes, struct vec3 point);
void tree_free(struct tree *tree);

/* Turns nodes whose two leaves are solid into a solid leaf. Returns their number. */
int tree_prune(struct node *node);
/* Number of nodes: all, or those that tree_prune would leave. */
int64_t tree_count_nodes(const struct node *node, bool pruned);

/* Filters a fragment, which it consumes, into the tree: adds its brush to the lists (leaf_brushes)
 * of the leaves that it reaches, once each; to solid ones only if `in_solid`. */
void tree_filter_fragment(struct tree *tree, const struct plane_set *planes, struct brush *fragment,
                          bool in_solid);

/* A sliver is a fragment of a solid brush in an open leaf, because it is thinner there than what
 * the tree splits, such as the corner of a wall that barely reaches into the next block. True if a
 * portal between open leaves lies within a brush that one of them has a sliver of, so that it is
 * blocked. */
bool sliver_covers(const struct plane_set *planes, const struct portal *portal);

#endif
