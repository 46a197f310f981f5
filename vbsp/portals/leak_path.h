/* Shortest paths through the portals of a tree, for leak reports. */
#ifndef VBSP_PORTALS_LEAK_PATH_H
#define VBSP_PORTALS_LEAK_PATH_H

#include "vbsp/context.h"
#include "vbsp/tree/tree.h"

/* True if a path may pass from a leaf into `next` through the portal. */
typedef bool leak_path_passable(const void *context, const struct portal *portal,
                                const struct node *next);

/* How a leaf was reached. */
struct leak_path_visit {
    struct portal *portal; /* through which it was entered, or NULL */
    struct node *from;     /* NULL: a path starts here */
    struct vec3 point;     /* on that portal, or the start */
    double distance;       /* from the start */
    int start;             /* the number that leak_path_start was given */
    bool done;
};

struct leak_path_cell;
struct leak_path_item;

struct leak_path_search {
    leak_path_passable *passable;
    const void *context;
    struct leak_path_cell *visits; /* hash map by leaf */
    struct leak_path_item *heap;   /* stb_ds array, the nearest first */
};

/* Starts a path in the leaf, at the point. `portal` is one that it came in by, or NULL. */
void leak_path_start(struct leak_path_search *search, struct node *leaf, struct portal *portal,
                     struct vec3 point, int start);

/* Visits all reachable leaves, or stops once the path to `goal` (or NULL) is known. Steps are
 * measured to the nearest point of the next portal. */
void leak_path_spread(struct leak_path_search *search, const struct node *goal);
/* NULL if the leaf was not reached. */
const struct leak_path_visit *leak_path_visit_of(const struct leak_path_search *search,
                                                 const struct node *leaf);
void leak_path_free(struct leak_path_search *search);

/* Sets of leaves and of portals: stb_ds hash maps. */
struct leak_leaf {
    const struct node *key;
    bool value;
};

struct leak_closed {
    const struct portal *key;
    bool value;
};

/* The leaves that a path from `leaf` can reach through none of the closed portals (or NULL), or
 * some of them once `goal` (or NULL) is one. Of the search only what is passable counts. */
struct leak_leaf *leak_path_reachable(const struct leak_path_search *search, struct node *leaf,
                                      struct leak_closed *closed, const struct node *goal);

/* The portals on the path, from the last leaf back to the start: an stb_ds array. */
struct portal **leak_path_portals(const struct leak_path_search *search, struct node *leaf);

/* Straightens a path: one point per portal, so that the polyline from `first` to `last` stays
 * within the leaves and is short. Without `last` it ends at the last portal. An stb_ds array with
 * both ends. */
struct vec3 *leak_path_tighten(struct portal *const *portals, struct vec3 first,
                               const struct vec3 *last);

/* The point of the polygon closest to `point`. */
struct vec3 winding_nearest_point(const struct winding *winding, struct vec3 point);

#endif
