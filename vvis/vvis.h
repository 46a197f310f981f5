/* Visibility: computes the PVS and PAS of a BSP from its portals. */
#ifndef VVIS_VVIS_H
#define VVIS_VVIS_H

#include "common/bsp/bsp.h"
#include "common/bsp/sidecar/prt.h"
#include "common/cli/options.h"
#include "common/env.h"
#include "common/farm/farm.h"
#include "common/stage/stage.h"

struct resolve_options; /* resolve_options.h */

struct vvis_options {
    bool fast;              /* decides only what takes little work; what is left is visible */
    double radius_override; /* > 0: clusters farther apart do not see each other */
    const struct resolve_options *resolve;
};

extern const struct vvis_options vvis_defaults;

/* Their table, for the programs and for keys of results. `base` is the offset of a struct
 * vvis_options in the values. */
struct option_group vvis_option_group(size_t base);

struct vis_report;

/* The stage: its work is that of vvis_run alone. */
extern const struct stage vvis_stage;

/* The surroundings of a long run. Nothing here changes the result. */
struct vvis_session {
    struct stage_session stage;
    struct vis_report *report; /* filled if not NULL */
};

/* Writes visibility into the BSP, and for Source also the water distances and flags of leaves.
 * The bytes do not depend on the number of threads, on resuming or on the cache. Fails and
 * changes nothing when the portals do not belong to the map (VIS_CLUSTERS), its entities do not
 * parse, or the run was stopped (env_stopped). `session` may be NULL.
 *
 * A cluster sees itself, its neighbours, and every cluster that a line through the portals
 * reaches, except through gaps of a few hundredths of a unit. Visibility is symmetric. The PAS
 * of a cluster is the union of the PVS of all clusters that it sees.
 *
 * With a budget, pairs that it leaves undecided (VIS_BUDGET, _TIME) are visible: the PVS is sound,
 * and a larger budget gives the same or less. */
NODISCARD enum status vvis_run(const struct env *env, const struct vvis_options *options,
                               struct vvis_session *session, const struct prt *prt,
                               struct bsp *bsp);

/* A farm_stage.work: resolves the map of rank 0 with it, stage "vvis". */
void vvis_work(const struct env *env, struct byte_reader *inputs);

#endif
