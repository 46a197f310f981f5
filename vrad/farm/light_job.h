/* The lighting of a map by all ranks of a run.
 *
 * Each rank has the whole map, and does what is not worth sharing: scene, places of luxels, lights.
 * Loops that trace rays are shared (env_loop). */
#ifndef VRAD_FARM_LIGHT_JOB_H
#define VRAD_FARM_LIGHT_JOB_H

#include "vrad/vrad.h"

/* On rank 0: vrad_run_session with the other ranks, which vrad_work serves. */
NODISCARD enum status light_job_run(const struct env *env, const struct vrad_options *options,
                                    struct vrad_session *session, struct assets *assets,
                                    struct bsp *bsp);

#endif
