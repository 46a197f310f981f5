#include "brushwork/rebuild/comparison.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"

const char *statement_path(struct arena *arena, const char *root, const char *name)
{
    return *name == '/' ? name : arena_printf(arena, "%s/%s", root, name);
}

static void report(const struct env *env, enum diag_code code, const char *name, const char *what)
{
    (void)diag_report(env->diag, code, &(struct diag_where){.file = name}, "%s", what);
}

static enum status verdict_since(const struct env *env, size_t errors)
{
    return diag_count(env->diag, DIAG_ERROR) > errors ? STATUS_FAILED : STATUS_OK;
}

/* That a file differs is told, and nothing of it: the statement may be of somebody who would like
 * to know. */
enum status compare_inputs_with_files(const struct env *env, const char *root,
                                      const struct statement *statement)
{
    const size_t before = diag_count(env->diag, DIAG_ERROR);
    for (size_t i = 0; i < arrlenu(statement->inputs); i++) {
        const struct statement_file *input = &statement->inputs[i];
        struct statement_file found = {0};
        struct arena arena = {0};
        const char *path = statement_path(&arena, root, input->name);
        int error = statement_hash(env->fs, path, &found);
        if (error)
            report(env, DIAG_REBUILD_INPUT, path, str_error(error).text);
        else if (strcmp(found.sha256, input->sha256) != 0)
            report(env, DIAG_REBUILD_INPUT, path, "it has other bytes");
        arena_free(&arena);
    }
    return verdict_since(env, before);
}

/* Both are sorted. */
static void compare_files(const struct env *env, enum diag_code code,
                          const struct statement_file *wanted, const struct statement_file *made,
                          const char *only_wanted, const char *only_made)
{
    size_t i = 0, k = 0;
    while (i < arrlenu(wanted) || k < arrlenu(made)) {
        int order = i == arrlenu(wanted) ? 1
                    : k == arrlenu(made) ? -1
                                         : strcmp(wanted[i].name, made[k].name);
        if (order < 0)
            report(env, code, wanted[i].name, only_wanted);
        else if (order > 0)
            report(env, code, made[k].name, only_made);
        else if (strcmp(wanted[i].sha256, made[k].sha256) != 0)
            report(env, code, made[k].name, "it has other bytes");
        i += order <= 0;
        k += order >= 0;
    }
}

enum status compare_builds(const struct env *env, const struct statement *wanted,
                           const struct statement *made)
{
    const size_t before = diag_count(env->diag, DIAG_ERROR);
    compare_files(env, DIAG_REBUILD_INPUT, wanted->inputs, made->inputs, "it is not read now",
                  "it is read now, and the statement does not have it");
    compare_files(env, DIAG_REBUILD_OUTPUT, wanted->outputs, made->outputs, "it is not made now",
                  "it is made now, and the statement does not have it");
    if (wanted->status != made->status)
        (void)diag_report(env->diag, DIAG_REBUILD_OUTPUT, NULL, "exit status %d, not %d",
                          made->status, wanted->status);
    if (diag_count(env->diag, DIAG_ERROR) > before && strcmp(wanted->code, made->code) != 0)
        (void)diag_report(env->diag, DIAG_REBUILD_OUTPUT, NULL,
                          "the statement is of version %s with sources %.12s, this one is %s with "
                          "%.12s",
                          wanted->version, wanted->code, made->version, made->code);
    return verdict_since(env, before);
}
