/* Visibility: from the portals to the PVS and PAS in the BSP. */
#ifndef VVIS_VVIS_H
#define VVIS_VVIS_H

#include <signal.h>

#include "common/bsp/bsp.h"
#include "common/bsp/sidecar/prt.h"
#include "common/cli/options.h"
#include "common/env.h"

struct vvis_options {
    bool fast;              /* base visibility only */
    double radius_override; /* > 0: clusters farther apart do not see each other */
    bool portal_flow;       /* decide by portal and not by pair of clusters: slow, a cross-check */
    bool no_sort;           /* pairs (or portals) in the file's order, not the easy ones first */
    const char *cache;      /* folder of the parts of maps that were decided before, or NULL */
};

extern const struct vvis_options vvis_defaults;

struct vis_report;

/* What surrounds a long run. Nothing of this changes the result. */
struct vvis_session {
    const char *checkpoint;    /* file that keeps what is known between rounds; NULL: none */
    bool resume;               /* go on from it */
    double checkpoint_seconds; /* at least between two writes of it; 0: after each round */
    const volatile sig_atomic_t *stop; /* not 0: stop after this round; NULL: never */
    struct vis_report *report;         /* filled, for a reader; NULL: not wanted */
};

/* Writes visibility, and in a map of Source the leaves' water distances and flags, into the bsp.
 * The same bytes for any number of threads, resumed or not, with or without a cache. Fails, and
 * changes nothing, when the portals are not those of the map (VIS_CLUSTERS), its entities do not
 * parse, or it was told to stop (VIS_STOPPED). `session` may be NULL.
 *
 * What sees what: each cluster itself and its neighbours, and every pair that a line through the
 * portals joins, but for gaps of a few hundredths of a unit. A pair counts both ways or not at
 * all. What is heard is what is seen from all that is seen. */
NODISCARD enum status vvis_run_session(const struct env *env, const struct vvis_options *options,
                                       const struct vvis_session *session, const struct prt *prt,
                                       struct bsp *bsp);

/* The same without a session. */
NODISCARD enum status vvis_run(const struct env *env, const struct vvis_options *options,
                               const struct prt *prt, struct bsp *bsp);

#endif
