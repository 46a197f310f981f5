#include "common/stage/stage.h"

#include <string.h>

struct stage_run stage_run_of(const struct stage *stage, const struct env *env,
                              struct stage_session *session, void *work)
{
    return (struct stage_run){.stage = stage, .env = env, .session = session, .work = work};
}

/* Returns true when the result of an earlier run is there. Else what is reported from here on is
 * kept with that of the steps. */
static bool find(struct stage_run *run)
{
    const struct stage_result *result = run->stage->result;
    struct byte_reader from;
    run->cache = (struct stage_cache){
        .cache = run->result ? run->env->cache : NULL, .stage = run->stage->name, .env = run->env};
    if (run->cache.cache && !result->ask(run))
        run->cache.cache = NULL;
    if (stage_cache_find(&run->cache, &from)) {
        if (result->take(run, &from)) {
            stage_cache_use(&run->cache);
            return true;
        }
        stage_cache_refuse(&run->cache);
    }
    if (run->result && result->miss)
        result->miss(run);
    stage_cache_begin(&run->cache);
    return false;
}

static void keep(struct stage_run *run)
{
    struct bytes result = {0};
    if (run->cache.cache && run->stage->result->give(run, &result))
        stage_cache_keep(&run->cache, &result);
    bytes_free(&result);
}

static enum status do_step(struct stage_run *run, const struct stage_step *step)
{
    if (step->phase)
        progress_begin(run->env->progress, step->phase, 0);
    enum status status = step->run(run);
    if (step->phase)
        progress_end(run->env->progress);
    return status;
}

enum status stage_do_steps(struct stage_run *run)
{
    const struct stage *stage = run->stage;
    enum status status = stage->begin ? stage->begin(run) : STATUS_OK;
    for (size_t i = 0; i < stage->step_count && status == STATUS_OK; i++)
        status = do_step(run, &stage->steps[i]);
    if (stage->end)
        stage->end(run);
    return status;
}

static enum status make(struct stage_run *run)
{
    enum status status = stage_do_steps(run);
    if (status == STATUS_OK || (status == STATUS_LEAK && run->cache.may_leak))
        keep(run);
    return status;
}

enum status stage_do(struct stage_run *run)
{
    enum status status = STATUS_OK;
    if (!run->session)
        run->session = &run->none;
    if (run->stage->check)
        status = run->stage->check(run);
    if (status == STATUS_OK)
        status = find(run) ? run->taken : make(run);
    stage_cache_end(&run->cache);
    return status;
}

void stage_options_key(const struct stage *stage, const struct program *program,
                       unsigned char out[SHA256_SIZE])
{
    struct sha256 hash;
    sha256_begin(&hash);
    options_hash_stage(program->table, program->values, stage->name, stage->reads_content, &hash);
    sha256_end(&hash, out);
}

/* ---- the checkpoint ---- */

void stage_file_begin(const struct stage_run *run, struct resume_file *file,
                      void (*add)(void *context, struct sha256 *hash), void *context)
{
    const struct stage_session *session = run->session;
    struct resume_owner owner = {.kind = run->stage->checkpoint_kind,
                                 .add = add,
                                 .context = context,
                                 .trace = session->trace};
    memcpy(owner.key, session->key, sizeof owner.key);
    resume_file_begin(file, session->env ? session->env : run->env, session->checkpoint,
                      session->resume.seconds, &owner);
}

void stage_session_begin(const struct stage *stage, const struct program *program,
                         const struct resume_options *options, struct arena *arena, const char *bsp,
                         struct stage_session *out)
{
    *out = (struct stage_session){.resume = *options};
    out->checkpoint = resume_path_beside(program, options, arena, bsp, stage->checkpoint);
}

void stage_session_key(const struct stage *stage, const struct program *program, const char *source,
                       struct stage_session *session)
{
    const char *name = program->table->program;
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, name, strlen(name) + 1);
    options_hash_stage(program->table, program->values, stage->name, false, &hash);
    sha256_add(&hash, source, strlen(source) + 1);
    sha256_end(&hash, session->key);
}

void stage_session_tell(const struct stage_session *session, struct console *console)
{
    if (session->is_kept)
        console_keeps(console, session->checkpoint);
}

void stage_session_remove(const struct stage_session *session, const struct env *env)
{
    const struct resume_file file = {.env = session->env ? session->env : env,
                                     .path = session->checkpoint};
    resume_file_remove(&file);
}
