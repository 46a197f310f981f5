/* The lighting of a map by all ranks of a run.
 *
 * Each rank has the whole map, and does what is not worth sharing: scene, places of luxels, lights.
 * Loops that trace rays are shared (env_loop). */
#ifndef VRAD_FARM_LIGHT_JOB_H
#define VRAD_FARM_LIGHT_JOB_H

#include "vrad/vrad.h"

struct entity_reads;

struct light_job {
    const struct vrad_options *options;
    struct vrad_session *session; /* or NULL */
    struct assets *assets;
    struct entity_reads *reads; /* as in vrad_target_light */
    struct bsp *bsp;
};

/* On rank 0: lights a map with the other ranks, which vrad_work serves. Returns false, with nothing
 * done, when one of them cannot: then rank 0 is to light it alone. */
bool light_job_run(const struct env *env, const struct light_job *job, enum status *status);

#endif
