#include "brushwork/report/report_build.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "brushwork/many/child.h"
#include "brushwork/shared/child_words.h"
#include "brushwork/shared/temporary_folder.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/diag_json_read.h"

enum { WAIT_MILLISECONDS = 100 };

static enum status fail(const struct program *program, const char *source, const char *reason)
{
    return diag_report(program->env->diag, DIAG_MAP_ENDED, &(struct diag_where){.file = source},
                       "%s", reason);
}

static enum status run(const struct program *program, const char *source, struct child *child,
                       char **argv)
{
    struct pollfd polls[CHILD_STREAMS];
    bool is_asked = false;
    int error = child_start(child, argv, false);
    if (error)
        return fail(program, source, str_error(error).text);
    while (!child_read(child)) {
        (void)poll(polls, (nfds_t)child_polls(child, polls), WAIT_MILLISECONDS);
        if (env_stopped(program->env) && !is_asked)
            children_signal(SIGTERM);
        is_asked = env_stopped(program->env);
    }
    return STATUS_OK;
}

/* A diag_json_visit. */
static void take_message(void *context, json_t *object)
{
    struct arena arena = {0};
    struct diag_entry entry;
    if (diag_json_read(object, &arena, &entry))
        console_take(context, &entry);
    arena_free(&arena);
}

/* The process has printed its messages as text; other formats have them from here. */
static void take_messages(const struct program *program, const char *path)
{
    struct bytes text = {0};
    if (program->env->fs->ops->read(program->env->fs, path, &text) == 0)
        diag_json_lines(&text, take_message, program->console);
    bytes_free(&text);
}

static enum status status_of(const struct program *program, const char *source, int status)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) <= STATUS_BOUND)
        return (enum status)WEXITSTATUS(status);
    if (env_stopped(program->env))
        return STATUS_FAILED;
    (void)fail(program, source,
               WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "with a status of no program");
    return STATUS_INTERNAL;
}

static enum status make_folder(const struct program *program, const char *source,
                               struct arena *arena, struct report_build *out)
{
    out->folder = temporary_folder_make(arena, "report");
    if (!out->folder)
        return diag_report(program->env->diag, DIAG_FILE_WRITE,
                           &(struct diag_where){.file = "TMPDIR"}, "%s", str_error(errno).text);
    out->bsp = arena_printf(arena, "%s.bsp", temporary_folder_stem(arena, out->folder, source));
    out->messages = arena_printf(arena, "%s/build.json", out->folder);
    return STATUS_OK;
}

static char **arguments_of(const struct standard_options *standard, const char *source,
                           const char *const *more, struct arena *arena,
                           const struct report_build *build)
{
    const char **words = NULL;
    arrput(words, "brushwork");
    arrput(words, "build");
    child_words(&words, arena, standard);
    child_cache_words(&words, arena, &standard->cache);
    for (size_t i = 0; i < arrlenu(more); i++)
        arrput(words, more[i]);
    child_word(&words, "-o", build->bsp);
    child_word(&words, "--diagnostics", "json");
    child_word(&words, "--diagnostics-file", build->messages);
    arrput(words, "-q");
    child_word(&words, "--", source);
    char **argv = child_arguments(arena, words);
    arrfree(words);
    return argv;
}

enum status report_build(const struct program *program, const struct standard_options *standard,
                         const char *source, const char *const *words, struct arena *arena,
                         struct report_build *out)
{
    struct child child = {0};
    TRY(make_folder(program, source, arena, out));
    console_catch_signals(program->console);
    char **argv = arguments_of(standard, source, words, arena, out);
    progress_begin(program->env->progress, "build", 0);
    enum status status = run(program, source, &child, argv);
    progress_end(program->env->progress);
    arrfree(argv);
    TRY(status);
    console_pass_on(program->console, &child.texts[CHILD_OUT], &child.texts[CHILD_ERR]);
    take_messages(program, out->messages);
    out->status = status_of(program, source, child.status);
    child_free(&child);
    return out->status == STATUS_LEAK ? STATUS_OK : out->status;
}

void report_build_end(const struct env *env, struct report_build *build)
{
    if (build->folder)
        temporary_folder_remove(env, build->folder);
}
