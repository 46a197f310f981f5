#include "vrad/farm/light_job.h"

#include "common/assets/assets_lookups.h"
#include "common/assets/assets_options.h"
#include "common/farm/env_loop.h"
#include "common/farm/farm.h"
#include "common/farm/fs_ranks.h"
#include "vrad/farm/light_inputs.h"
#include "vrad/resume/light_checkpoint.h"
#include "vrad/target/target.h"

/* Content that all ranks open at once, since each must ask for the same files. */
static enum status open_content(const struct env *env, const struct bytes *opened_with,
                                struct assets **out)
{
    struct arena arena = {0};
    struct assets_options options;
    struct byte_reader from = byte_reader(opened_with->data, opened_with->size);
    enum status status = STATUS_FAILED;
    if (assets_options_read(&from, &arena, &options))
        status = assets_open(env, &options, out);
    else /* rank 0 has read the same, and goes on */
        ranks_fail(env->ranks, "the first rank's folders of content are damaged");
    arena_free(&arena);
    return status;
}

struct task {
    const struct vrad_options *options;
    const struct bytes *opened_with; /* NULL: no content */
    struct light_checkpoint *checkpoint;
    struct entity_reads *reads; /* or NULL */
    struct bsp *bsp;
    struct diag *messages; /* about content, after those that the run has got already */
};

/* Collective. */
static enum status light(const struct env *env, const struct task *task)
{
    struct env shared = *env;
    shared.fs = fs_ranks_new(env->ranks, env->fs);
    shared.stop = env_agree_to_stop(env->ranks, env->stop);
    struct env content = shared;
    content.diag = task->messages;
    struct assets *assets = NULL;
    enum status status = STATUS_OK;
    if (task->opened_with)
        status = open_content(&content, task->opened_with, &assets);
    if (status == STATUS_OK)
        status = vrad_target_light(&shared, task->options, assets, task->checkpoint, task->reads,
                                   task->bsp);
    assets_free(assets);
    fs_ranks_free(shared.fs);
    if (status == STATUS_OK)
        farm_count(env);
    return status;
}

/* Collective: true when all ranks have the inputs. One that cannot read the map, which has not been
 * read from a file then, leaves it to rank 0. */
static bool all_begin(const struct env *env, enum status mine)
{
    return !ranks_any(env->ranks, mine != STATUS_OK);
}

bool light_job_run(const struct env *env, const struct light_job *job, enum status *status)
{
    struct bytes inputs = {0};
    const struct bsp_format *format = job->bsp->format;
    if (!format && job->session)
        format = job->session->format;
    *status =
        light_inputs_write(env, job->options, job->assets ? assets_opened_with(job->assets) : NULL,
                           format, job->bsp, &inputs);
    if (*status == STATUS_OK)
        farm_begin(env, "vrad", &inputs);
    bytes_free(&inputs);
    if (*status != STATUS_OK)
        return true;
    if (!all_begin(env, STATUS_OK))
        return false;
    const struct task task = {job->options,
                              job->assets ? assets_opened_with(job->assets) : NULL,
                              light_checkpoint_new(job->session, env->ranks),
                              job->reads,
                              job->bsp,
                              diag_new(NULL, NULL)};
    diag_report_again(env->diag, task.messages); /* what has been told is not told again */
    *status = light(env, &task);
    diag_report_new(task.messages, env->diag);
    diag_free(task.messages);
    light_checkpoint_free(task.checkpoint);
    return true;
}

void vrad_work(const struct env *env, struct byte_reader *from)
{
    struct light_inputs inputs;
    enum status status = light_inputs_read(from, env->diag, &inputs);
    if (all_begin(env, status)) {
        const struct task task = {&inputs.options,
                                  inputs.has_assets ? &inputs.assets : NULL,
                                  light_checkpoint_new(NULL, env->ranks),
                                  NULL,
                                  inputs.bsp,
                                  env->diag};
        (void)light(env, &task);
        light_checkpoint_free(task.checkpoint);
    }
    light_inputs_free(&inputs);
}
