/* One line of sight between two clusters. */
#ifndef VVIS_REPORT_TRACE_H
#define VVIS_REPORT_TRACE_H

#include "common/bsp/sidecar/prt.h"
#include "common/env.h"
#include "common/geom/vec.h"
#include "vvis/vvis.h"

struct vis_trace {
    struct vec3 from, to; /* on portals of the two clusters */
    bool proven;          /* a line was followed; else only the flow says that there is one */
    bool over_budget;     /* not even that: the flow got too long, so that vis takes it for seen */
};

/* Finds a line from cluster a to cluster b, with the limits that the options set. Reports
 * VIS_TRACE for a cluster that is not there, VIS_UNSEEN where there is no line. */
NODISCARD enum status vvis_trace(const struct env *env, const struct vvis_options *options,
                                 const struct prt *prt, const struct bsp *bsp, int a, int b,
                                 struct vis_trace *out);

#endif
