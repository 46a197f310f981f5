#include "vrad/farm/light_job.h"

#include "common/assets/assets_options.h"
#include "common/farm/env_loop.h"
#include "common/farm/farm.h"
#include "common/farm/fs_ranks.h"

bool light_job_agree(const struct env *env, bool is_ready)
{
    return !ranks_any(env->ranks, !is_ready);
}

/* Content that all ranks open at once, since each must ask for the same files. */
static enum status open_content(const struct env *env, struct light_job *job)
{
    struct arena arena = {0};
    struct assets_options options;
    struct byte_reader from = byte_reader(job->opened_with->data, job->opened_with->size);
    enum status status = STATUS_FAILED;
    if (assets_options_read(&from, &arena, &options))
        status = assets_open(env, &options, &job->assets);
    else /* rank 0 has read the same, and goes on */
        ranks_fail(env->ranks, "the first rank's folders of content are damaged");
    arena_free(&arena);
    return status;
}

enum status light_job_begin(struct light_job *job, struct light_work *work, struct env *env)
{
    job->messages = diag_new(NULL, NULL);
    diag_report_again(env->diag, job->messages); /* what has been told is not told again */
    env->fs = job->fs = fs_ranks_new(env->ranks, env->fs);
    env->stop = env_agree_to_stop(env->ranks, env->stop);
    job->content = *env;
    job->content.diag = job->messages;
    enum status status = job->opened_with ? open_content(&job->content, job) : STATUS_OK;
    work->assets = job->assets;
    return status;
}

void light_job_end(struct light_job *job, const struct env *env)
{
    if (!job->messages)
        return;
    assets_free(job->assets);
    fs_ranks_free(job->fs);
    diag_report_new(job->messages, env->diag);
    diag_free(job->messages);
}
