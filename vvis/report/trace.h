/* A sightline between two clusters. */
#ifndef VVIS_REPORT_TRACE_H
#define VVIS_REPORT_TRACE_H

#include "common/bsp/sidecar/prt.h"
#include "common/env.h"
#include "common/geom/vec.h"

struct bsp;
struct vvis_options;

struct vis_trace {
    struct vec3 from, to; /* on portals of the two clusters */
    bool proven;          /* a line was traced; else only portal flow found a path */
    bool over_budget;     /* portal flow exceeded its budget: assumed visible */
};

/* Finds a line from cluster a to cluster b, with the limits that the options set. Reports
 * VIS_TRACE for an unknown cluster, VIS_UNSEEN if there is no line. */
NODISCARD enum status vvis_trace(const struct env *env, const struct vvis_options *options,
                                 const struct prt *prt, const struct bsp *bsp, int a, int b,
                                 struct vis_trace *out);

#endif
