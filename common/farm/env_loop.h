/* Loops of a stage, whose items go to the threads of all ranks. */
#ifndef FARM_ENV_LOOP_H
#define FARM_ENV_LOOP_H

#include "common/env.h"
#include "common/farm/ranks.h"

/* From here on a stage is asked to stop by `asked` of any rank (may be NULL). Returns what the
 * env.stop of the stage is to be: it changes only within env_loop and env_exchange, on all ranks at
 * once, so that all of them go the same way. */
const volatile sig_atomic_t *env_agree_to_stop(struct ranks *ranks,
                                               const volatile sig_atomic_t *asked);

/* Collective: ranks_for by the ranks and threads of the environment. When it is left early,
 * env_stopped is true afterwards, and the results are not complete. */
void env_loop(const struct env *env, const struct ranks_loop *loop);

/* Collective: takes over what other ranks have besides results of items. Nothing with one rank. */
void env_exchange(const struct env *env, void *context, ranks_pack_rest *pack,
                  ranks_unpack_rest *unpack);

#endif
