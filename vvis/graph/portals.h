/* The portals of a map as flat data, each in both directions. */
#ifndef VVIS_GRAPH_PORTALS_H
#define VVIS_GRAPH_PORTALS_H

#include "common/bsp/sidecar/prt.h"
#include "vvis/graph/window.h"

/* Boxes and planes of portals, one a pair of ways, in arrays by coordinate. */
struct portal_lanes {
    size_t count; /* filled up to a multiple of WINDOW_LANES with portals that nothing sees */
    double *center[3], *half[3];
    double *plane[4]; /* normal and distance of the even way */
    double *slant;    /* 0 for planes along an axis, else 1 */
};

/* Planes in arrays by coordinate, those of an owner from first[owner] on. Each owner's are filled
 * up to a multiple of WINDOW_LANES with planes that have everything in front, and no slope. */
struct plane_lanes {
    int *first; /* owners + 1 */
    double *x, *y, *z, *dist;
};

/* Boxes, WINDOW_LANES of them together: for each axis their least coordinates, then their most.
 * Filled up with boxes that every plane has behind it. */
struct box_lanes {
    double *groups;
};

enum { BOX_GROUP = 6 * WINDOW_LANES /* doubles */ };

/* Portal p ^ 1 is the way back of portal p. */
struct portals {
    int count; /* of directed portals: even */
    int cluster_count;
    int *to;                  /* the cluster that a portal leads into */
    struct plane *planes;     /* the normal looks the way that the portal leads */
    struct box *boxes;        /* one a pair of ways */
    struct window *windows;   /* clockwise seen from where the portal leads */
    struct plane_lanes edges; /* by pair of ways: square to the portal along its edges, its inside
                               * in front */
    struct plane_lanes exit_planes;   /* by cluster: of the portals that leave it, in their order */
    struct box_lanes exit_boxes;      /* of those portals, in the same places */
    struct bounds *cluster_bounds;    /* one a cluster: the bounds of its portals; empty for none */
    struct box *cluster_boxes;        /* the same as boxes, */
    struct box_lanes cluster_lanes;   /* and in lanes; */
    struct box_lanes cluster_boxes8;  /* around 8 of them each, */
    struct box_lanes cluster_boxes64; /* and around 64 */
    int *first;                       /* cluster_count + 1 indices into `leaving` */
    int *leaving;                     /* portals that leave a cluster, ascending, by cluster */
    struct portal_lanes lanes;
    int dropped; /* portals of the file that have no area or lead nowhere */
};

void portals_build(const struct prt *prt, struct portals *out);
/* The same by several threads. */
void portals_build_parallel(int threads, const struct prt *prt, struct portals *out);
void portals_free(struct portals *portals);

/* Words of a row that has a bit a cluster. */
static inline size_t portals_cluster_words(const struct portals *portals)
{
    return ((size_t)portals->cluster_count + 63) / 64;
}

#endif
