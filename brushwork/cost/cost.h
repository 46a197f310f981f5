/* The cost of a build, estimated from the counts of its map once vbsp has run.
 *
 * The model is linear in the counts, with the coefficients of cost_model.def, fitted by
 * tests/bench/cost.py, which also says how far estimates are off. It does not see the models of
 * props, the lights of materials, options but the preset, and content that is not there. */
#ifndef COST_COST_H
#define COST_COST_H

#include "brushwork/shared/preset.h"
#include "common/bsp/bsp.h"
#include "common/bsp/sidecar/prt.h"
#include "common/env.h"

enum cost_count {
#define COST(name, title, ...) COST_##name,
#include "brushwork/cost/cost_model.def"
#undef COST
    COST_COUNTS
};

enum cost_stage { COST_VBSP, COST_VVIS, COST_VRAD, COST_STAGES };

struct cost {
    double counts[COST_COUNTS];
    double seconds[COST_STAGES]; /* of CPU time, on the machine of the model */
    double bytes[COST_STAGES];   /* of memory with one thread, as a process of the stage alone */
};

/* "brush sides" */
const char *cost_count_title(enum cost_count count);

/* The counts of a BSP, whatever of vvis and vrad it has, and of its portals; NULL: it has none, as
 * after a leak. Indices of the BSP must have been checked. Fails when the run is stopped. */
NODISCARD enum status cost_count(const struct env *env, const struct bsp *bsp,
                                 const struct prt *prt, struct cost *out);

/* Fills in seconds and bytes. A preview, which takes less, is estimated as PRESET_FAST. */
void cost_estimate(struct cost *cost, enum build_preset preset);

/* The machine that the coefficients were fitted on. */
extern const char cost_machine[];

#endif
