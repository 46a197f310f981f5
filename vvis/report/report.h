/* The visibility report: where visibility is expensive, and where it culls nothing. */
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
    uint64_t cost; /* chains that portal flow followed for it */
    int sees;      /* clusters */
    int leaves, portals;
    struct bounds box;
};

struct report_portal {
    int from, to; /* clusters */
    int64_t cost; /* chains of lines through it */
    bool more;    /* counting stopped at the limit */
    int sees;     /* clusters */
    struct vec3 center, size;
};

/* A cluster that is worth cutting in two, and its best axial cut. */
struct report_hint {
    struct report_cluster cluster;
    struct hint_cut cut;
};

/* Adjacent clusters whose PVS differ by 2 % at most. */
struct report_group {
    int *clusters; /* stb_ds array, ascending */
    int sees;
    struct bounds box;
};

/* All lists are stb_ds arrays of a few entries, the most notable first. */
struct vis_report {
    int clusters, portals;
    double seen; /* average fraction of the map that a cluster sees: 0 .. 1 */
    struct report_cluster *costly_clusters;
    struct report_portal *costly_portals;  /* of the most expensive and the largest clusters */
    struct report_cluster *see_nearly_all; /* clusters that see at least 90 % of the map */
    int see_nearly_all_count;              /* including those that are not in the list */
    struct report_hint *hints;             /* clusters whose halves would see much less */
    struct report_group *detail_groups;
};

struct report_input {
    const struct prt *prt;
    const struct bsp *bsp;
    const struct bit_rows *pvs;
    const uint64_t *costs; /* one number per cluster */
    double radius;         /* 0: none */
};

/* Free with report_free. The same for any number of threads. */
void report_make(const struct env *env, const struct report_input *input, struct vis_report *out);
void report_free(struct vis_report *report);

/* Text for people, or one JSON object. */
void report_text(const struct vis_report *report, struct bytes *out);
void report_json(const struct vis_report *report, struct bytes *out);

#endif
