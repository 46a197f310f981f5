/* The portals of a map as flat arrays, each in both directions. */
#ifndef VVIS_GRAPH_PORTALS_H
#define VVIS_GRAPH_PORTALS_H

#include "common/bsp/sidecar/prt.h"
#include "vvis/graph/window.h"

/* Boxes and planes of portals, one per pair of directions, as structure of arrays. */
struct portal_lanes {
    size_t count; /* padded to a multiple of WINDOW_LANES with portals that nothing sees */
    double *center[3], *half[3];
    double *plane[4]; /* normal and distance of the even portal */
    double *slant;    /* 0 for axial planes, else 1 */
};

/* Planes as structure of arrays; those of an owner start at first[owner]. Each owner's are
 * padded to a multiple of WINDOW_LANES with planes that have everything in front and a zero
 * normal. */
struct plane_lanes {
    int *first; /* owners + 1 */
    double *x, *y, *z, *dist;
};

/* Boxes in groups of WINDOW_LANES: for each axis the mins, then the maxs. Padded with boxes that
 * are behind every plane. */
struct box_lanes {
    double *groups;
};

enum { BOX_GROUP = 6 * WINDOW_LANES /* doubles */ };

/* Portal p ^ 1 is portal p in the reverse direction. */
struct portals {
    int count; /* of directed portals: even */
    int cluster_count;
    int *to;                  /* the cluster that a portal leads into */
    struct plane *planes;     /* the normal points where the portal leads */
    struct box *boxes;        /* one per pair of directions */
    struct window *windows;   /* clockwise seen from where the portal leads */
    struct plane_lanes edges; /* per pair of directions: perpendicular to the portal through its
                                 edges, its inside in front */
    struct plane_lanes
        exit_planes; /* per cluster: planes of the portals that leave it, in their order */
    struct box_lanes exit_boxes;      /* boxes of those portals, at the same indices */
    struct bounds *cluster_bounds;    /* of a cluster's portals; empty without any */
    struct box *cluster_boxes;        /* the same as boxes, */
    struct box_lanes cluster_lanes;   /* in lanes, */
    struct box_lanes cluster_boxes8;  /* around 8 of them each, */
    struct box_lanes cluster_boxes64; /* and around 64 */
    int *first;                       /* cluster_count + 1 indices into `leaving` */
    int *leaving;                     /* portals that leave each cluster, ascending */
    struct portal_lanes lanes;
    int dropped; /* degenerate portals of the file: without area or from a cluster to itself */
};

void portals_build(const struct prt *prt, struct portals *out);
/* The same with several threads. */
void portals_build_parallel(int threads, const struct prt *prt, struct portals *out);
void portals_free(struct portals *portals);

/* Returns the words of a row with one bit per cluster. */
static inline size_t portals_cluster_words(const struct portals *portals)
{
    return ((size_t)portals->cluster_count + 63) / 64;
}

#endif
