/* The lighting of a map by all ranks of a run.
 *
 * Each rank has the whole map, and does what is not worth sharing: scene, places of luxels, lights.
 * Loops that trace rays are shared (env_loop). */
#ifndef VRAD_FARM_LIGHT_JOB_H
#define VRAD_FARM_LIGHT_JOB_H

#include "vrad/vrad.h"

struct entity_reads;

/* On rank 0: vrad_run_session with the other ranks, which vrad_work serves. `reads` is that of
 * struct vrad_target. */
NODISCARD enum status light_job_run(const struct env *env, const struct vrad_options *options,
                                    struct vrad_session *session, const struct assets *assets,
                                    struct entity_reads *reads, struct bsp *bsp);

#endif
