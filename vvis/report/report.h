/* What a mapper may want to know of the visibility of a map: what it costs, and where it is of no
 * use. */
#ifndef VVIS_REPORT_REPORT_H
#define VVIS_REPORT_REPORT_H

#include "common/bsp/bsp.h"
#include "common/bsp/sidecar/prt.h"
#include "common/env.h"
#include "common/geom/vec.h"
#include "vvis/graph/bits.h"
#include "vvis/report/hint_candidates.h"

struct report_cluster {
    int cluster;
    uint64_t cost; /* chains of portals that were followed to decide what it sees */
    int sees;      /* clusters */
    int leaves, portals;
    struct bounds box;
};

struct report_portal {
    int from, to; /* clusters */
    int64_t cost; /* chains of portals that lines through it can follow */
    bool more;    /* were too many to be counted to the end */
    int sees;     /* clusters */
    struct vec3 center, size;
};

/* A cluster that is worth cutting in two, and the best of the cuts through its middle. */
struct report_hint {
    struct report_cluster cluster;
    struct hint_cut cut;
};

/* Clusters side by side that see the same, but for a fiftieth. */
struct report_group {
    int *clusters; /* stb_ds array, ascending */
    int sees;
    struct bounds box;
};

/* All lists are stb_ds arrays of few entries, the most remarkable first. */
struct vis_report {
    int clusters, portals;
    double seen; /* part of the map that a cluster sees on average: 0 .. 1 */
    struct report_cluster *costly_clusters; /* clusters */
    struct report_portal *costly_portals;   /* the costliest portals of those */
    struct report_cluster *see_nearly_all;  /* that see nearly the whole map */
    int see_nearly_all_count;               /* with those that are not in the list */
    struct report_hint *hints;              /* halves of these see much less */
    struct report_group *detail_groups;
};

struct report_input {
    const struct prt *prt;
    const struct bsp *bsp;
    const struct bit_rows *pvs;
    const uint64_t *costs; /* a number a cluster */
    double radius;         /* 0: none */
};

/* Free with report_free. The same for any number of threads. */
void report_make(const struct env *env, const struct report_input *input, struct vis_report *out);
void report_free(struct vis_report *report);

/* A table for people, or one JSON object. */
void report_text(const struct vis_report *report, struct bytes *out);
void report_json(const struct vis_report *report, struct bytes *out);

#endif
