#include "brushwork/many/child_run.h"

#include <signal.h>
#include <string.h>

#include "brushwork/many/child.h"
#include "common/core/strings.h"
#include "common/diag/codes/surroundings.def"
#include "common/diag/diag_json_read.h"

enum { WAIT_MILLISECONDS = 100 };

static enum status fail(const struct program *program, const char *source, const char *reason)
{
    return diag_report(program->env->diag, DIAG_MAP_ENDED, &(struct diag_where){.file = source},
                       "%s", reason);
}

static enum status run(const struct program *program, const char *source, struct child *child,
                       char *const *argv)
{
    bool is_asked = false;
    int error = child_start(child, argv, false, -1);
    if (error)
        return fail(program, source, str_error(error).text);
    while (!child_read(child)) {
        children_wait(&(const struct child *){child}, 1, -1, WAIT_MILLISECONDS);
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

/* The process has printed its messages as text; other formats have them from here. Returns true
 * when there are any. */
static bool take_messages(const struct program *program, const struct child_task *task)
{
    struct bytes text = {0};
    const bool is_read =
        program->env->fs->ops->read(program->env->fs, task->messages, &text) == 0 && text.size;
    if (is_read)
        diag_json_lines(&text, task->visit ? task->visit : take_message,
                        task->visit ? task->context : program->console);
    bytes_free(&text);
    return is_read;
}

/* Whoever sees the messages has no use for what is printed of them. */
static void pass_on(const struct program *program, const struct child_task *task,
                    struct child *child, bool is_seen)
{
    static const struct bytes nothing;
    if (task->out) {
        *task->out = child->texts[CHILD_OUT];
        child->texts[CHILD_OUT] = nothing;
    }
    console_pass_on(program->console, &child->texts[CHILD_OUT],
                    is_seen && child_has_status(child) ? &nothing : &child->texts[CHILD_ERR]);
}

static enum status status_of(const struct program *program, const char *source,
                             const struct child *child)
{
    if (child_has_status(child))
        return (enum status)child->status;
    if (env_stopped(program->env))
        return STATUS_FAILED;
    (void)fail(program, source,
               child->signal ? child_signal_text(child->signal) : "with a status of no program");
    return STATUS_INTERNAL;
}

enum status child_run(const struct program *program, const struct child_task *task)
{
    struct child child = {0};
    console_catch_signals(program->console);
    progress_begin(program->env->progress, task->name, 0);
    enum status status = run(program, task->source, &child, task->words);
    progress_end(program->env->progress);
    TRY(status);
    if (task->visit) {
        pass_on(program, task, &child, take_messages(program, task));
    } else {
        pass_on(program, task, &child, false);
        (void)take_messages(program, task);
    }
    status = status_of(program, task->source, &child);
    child_free(&child);
    return status;
}
