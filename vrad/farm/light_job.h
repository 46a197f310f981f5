/* The lighting of a map by all ranks of a run.
 *
 * Each rank has the whole map, and does what is not worth sharing: scene, places of luxels, lights.
 * Loops that trace rays are shared (env_loop). */
#ifndef VRAD_FARM_LIGHT_JOB_H
#define VRAD_FARM_LIGHT_JOB_H

#include "vrad/target/target.h"

/* Zero-initialise. */
struct light_job {
    const struct bytes *opened_with; /* of the content (assets_opened_with); NULL: there is none */
    struct assets *assets;           /* that content, which all ranks have opened at once */
    struct fs *fs;                   /* of all ranks */
    struct env content;              /* through which the content reads, and which it keeps */
    struct diag *messages;           /* about content, after those that the run has got already */
};

/* Collective: true when all ranks have the inputs. One that cannot read the map, which has not been
 * read from a file then, leaves it to rank 0. */
bool light_job_agree(const struct env *env, bool is_ready);

/* Collective, before the steps: files, content and the request to stop become those of all ranks,
 * in the environment and the content of the work. */
NODISCARD enum status light_job_begin(struct light_job *job, struct light_work *work,
                                      struct env *env);

/* After them: reports what is new about content. Nothing if the job has not begun. */
void light_job_end(struct light_job *job, const struct env *env);

#endif
