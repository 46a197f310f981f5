/* Visibility: from the portals to the PVS and PAS in the BSP. */
#ifndef VVIS_VVIS_H
#define VVIS_VVIS_H

#include "common/bsp/bsp.h"
#include "common/bsp/prt.h"
#include "common/core/env.h"
#include "common/core/options.h"

struct vvis_options {
    bool fast;              /* base visibility and flood only */
    double radius_override; /* > 0: clusters farther apart do not see each other */
    bool portal_flow;       /* decide by portal and not by pair of clusters: slow, a cross-check */
    bool no_sort;           /* pairs (or portals) in the file's order, not the easy ones first */
};

extern const struct vvis_options vvis_defaults;

/* Writes visibility, the leaves' water distances and flags into the bsp. The same bytes for any
 * number of threads. Fails, and changes nothing, when the portals are not those of the map
 * (VIS_CLUSTERS) or its entities do not parse.
 *
 * What sees what: each cluster itself and its neighbours, and every pair that a line through the
 * portals joins, but for gaps of a few hundredths of a unit. A pair counts both ways or not at
 * all. What is heard is what is seen from all that is seen. */
NODISCARD enum status vvis_run(const struct env *env, const struct vvis_options *options,
                               const struct prt *prt, struct bsp *bsp);

#endif
