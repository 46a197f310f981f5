/* Environment of a stage. Everything here is borrowed.
 *
 * It is above diag and io, which do not depend on each other, and below everything that uses it. */
#ifndef ENV_H
#define ENV_H

#include <signal.h>

#include "common/diag/diag.h"
#include "common/diag/progress.h"
#include "common/io/fs.h"
#include "common/io/fs_hold.h"

struct ranks;
struct cache;
struct loop_journal;

struct env {
    struct diag *diag;
    struct progress *progress; /* may be NULL */
    struct fs *fs;
    int threads;                       /* at least 1 */
    double wait_seconds;               /* for a file that another run changes */
    const volatile sig_atomic_t *stop; /* nonzero: end soon, see env_go_on; may be NULL */
    struct ranks *ranks;               /* processes that share the work; NULL: this one alone */
    struct loop_journal *journal;      /* of finished items (farm/loop_journal.h), or NULL */
    struct cache *cache;               /* of results of earlier runs (cache/cache.h), or NULL */
};

/* True when the run is asked to stop. Loops that were begun since then are not complete
 * (parallel_for_until). */
static inline bool env_stopped(const struct env *env)
{
    return env->stop && *env->stop;
}

/* Fails when the run is asked to stop: between the steps of a stage. Whoever asked reports it
 * (CANCELLED), with what is kept. */
NODISCARD static inline enum status env_go_on(const struct env *env)
{
    return env_stopped(env) ? STATUS_FAILED : STATUS_OK;
}

/* Fails when an error has been reported, a condition of --fail-if is met, or the run is asked to
 * stop: then no output is written. A leak is not an error here, since its output has what is needed
 * to mend it. */
NODISCARD static inline enum status env_may_write(const struct env *env)
{
    TRY(env_go_on(env));
    enum status status = diag_verdict(env->diag, STATUS_OK);
    return status == STATUS_OK || status == STATUS_LEAK ? diag_judge(env->diag) : status;
}

/* fs_hold_begin. */
NODISCARD static inline enum status env_hold(const struct env *env, const char *in, const char *out,
                                             struct fs_hold **hold)
{
    const struct fs_waiter waiter = {env->diag, env->progress, env->wait_seconds};
    return fs_hold_begin(env->fs, &waiter, in, out, hold);
}

/* fs_store of a file of the output, which the result of the run then lists. Fails as
 * env_may_write does. */
NODISCARD static inline enum status env_store(const struct env *env, const char *path,
                                              const void *data, size_t size)
{
    TRY(env_may_write(env));
    TRY(fs_store(env->fs, env->diag, path, data, size));
    progress_wrote(env->progress, path);
    return STATUS_OK;
}

#endif
