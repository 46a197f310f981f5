/* The farm: stages that run on all ranks.
 *
 * Rank 0 begins a stage with farm_begin, and then calls the same function on its inputs as
 * farm_stage.work does on the other ranks: it calls the same collective functions in the same
 * order, and so it fails at the same place, if it does. What only rank 0 knows (files, time,
 * messages) it keeps to itself, or broadcasts. */
#ifndef FARM_FARM_H
#define FARM_FARM_H

#include "common/env.h"
#include "common/farm/ranks.h"

/* A list of them ends with a NULL name. */
struct farm_stage {
    const char *name;
    /* On ranks other than 0. `env` has no progress and an empty file system, and its messages are
     * dropped: rank 0 reports the same ones. */
    void (*work)(const struct env *env, struct byte_reader *inputs);
};

/* Of the command line, for all ranks. */
struct farm_settings {
    int threads;       /* 0: the rank's share of the CPUs that it may use */
    size_t max_memory; /* of each rank; 0: no limit */
};

/* True when a stage has other ranks to work with. */
static inline bool farm_is_there(const struct env *env)
{
    return ranks_count(env->ranks) > 1;
}

/* The same environment for work that rank 0 does alone: what calls collective functions with it has
 * no other ranks. */
static inline struct env farm_alone(const struct env *env)
{
    struct env alone = *env;
    alone.ranks = NULL;
    return alone;
}

/* True when a rank was asked to stop (env_stopped) before the last loop of a stage had ended: all
 * ranks get the same answer. Without other ranks, true when the run is asked to stop. */
bool farm_stopped(const struct env *env);

/* On rank 0, before a stage: sends the inputs to the others, who begin it. Only if farm_is_there.
 */
void farm_begin(const struct env *env, const char *stage, const struct bytes *inputs);

/* Collective, at the end of a stage that has begun: counts (progress_count) the ranks, the bytes
 * that they have sent, and the CPU time of all and of the busiest rank. */
void farm_count(const struct env *env);

/* On rank 0, once: those of the stages to come. */
void farm_set(struct ranks *ranks, const struct farm_settings *settings);

/* On the other ranks: does the stages that rank 0 begins until farm_end. `stop` is as in struct
 * env. */
void farm_serve(struct ranks *ranks, const struct farm_stage *stages,
                const volatile sig_atomic_t *stop);

/* The share is what a rank has for its threads if the settings do not say: see cpu_count.h. */
void farm_set_share(struct ranks *ranks, int share);
int farm_share(const struct ranks *ranks);

/* On rank 0: sends the others home. */
void farm_end(struct ranks *ranks);

#endif
