#include "ballance/compile/convert.h"

#include "ballance/bmx/check.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/usage.def"
#include "vbsp/level/instances/instance.h"

static void count_model(const struct env *env, const struct bmx *bmx)
{
    int64_t triangles = 0;
    for (size_t i = 0; i < arrlenu(bmx->meshes); i++)
        triangles += (int64_t)arrlen(bmx->meshes[i].faces);
    progress_count(env->progress, "objects", (int64_t)arrlen(bmx->objects));
    progress_count(env->progress, "meshes", (int64_t)arrlen(bmx->meshes));
    progress_count(env->progress, "triangles", triangles);
}

/* No fault of the level may make a file that programs refuse. */
static enum status check_model(const struct env *env, const struct bmx *bmx, const char *name)
{
    struct bmx_findings findings = {0};
    struct bmx_stats stats;
    bmx_check_model(bmx, &findings, &stats);
    enum status status = bmx_report_errors(&findings, name, env->diag);
    bmx_findings_free(&findings);
    return status;
}

static enum status encode(const struct ballance_job *job, struct assets *assets, struct bytes *out)
{
    const struct env *env = job->env;
    struct level whole;
    struct bmx *bmx = NULL;
    struct ballance_options options = job->options;
    options.output = job->path;
    TRY(level_complete(env, assets, job->level, job->missing_instances, &whole));
    progress_begin(env->progress, "meshes", 0);
    enum status status = ballance_make(env, &options, assets, &whole, &bmx);
    if (status == STATUS_OK)
        count_model(env, bmx);
    progress_end(env->progress);
    if (status == STATUS_OK)
        status = check_model(env, bmx, job->path);
    if (status == STATUS_OK)
        status = env_go_on(env);
    if (status == STATUS_OK)
        status = bmx_encode(bmx, job->path, env->diag, out);
    bmx_free(bmx);
    level_free(&whole);
    return status;
}

enum status ballance_convert(const struct ballance_job *job)
{
    const struct assets_use use = {.first = job->content};
    struct bytes file = {0};
    struct assets *assets;
    if (str_ends_nocase(job->level->file, BALLANCE_ENDING)) {
        (void)diag_report(job->env->diag, DIAG_USAGE, NULL, "%s is a BM file already",
                          job->level->file);
        return STATUS_USAGE;
    }
    TRY(assets_open_of(job->env, job->standard, use, &assets));
    enum status status = encode(job, assets, &file);
    if (status == STATUS_OK && !job->only_check)
        status = env_store(job->env, job->path, file.data, file.size);
    bytes_free(&file);
    assets_free(assets);
    return status;
}
