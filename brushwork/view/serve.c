#include "brushwork/view/serve.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "brushwork/many/child.h"
#include "brushwork/shared/browser.h"
#include "brushwork/shared/child_words.h"
#include "brushwork/shared/print.h"
#include "brushwork/shared/temporary_folder.h"
#include "brushwork/view/serve_files.h"
#include "common/core/array.h"
#include "common/core/clock.h"
#include "common/core/memory.h"
#include "common/core/module.h"
#include "common/core/strings.h"
#include "common/diag/codes/surroundings.def"
#include "common/diag/diag_json.h"
#include "common/diag/file_report.h"
#include "common/text/make_rule.h"
#include "view/view.h"

/* For requests, at a time; and while a process runs, whose end is looked for as well. */
enum { WAIT_MILLISECONDS = 50, WORK_MILLISECONDS = 10 };

#define LOOK_SECONDS 0.04 /* between looks at the files */
#define WAKE_SECONDS 10.0 /* after which a request that waits is answered */

/* Of the cache in the temporary folder, which may be in memory. */
#define CACHE_SIZE "500M"

/* The work of the process that runs now. */
enum step { STEP_NONE, STEP_BUILD, STEP_PAGE };

struct serving {
    const struct program *program;
    const struct serve_options *options;
    const struct serve_functions *functions;
    void *server;
    struct serve_content content;
    struct watch watch;
    struct arena arena;
    const char *source; /* of a BSP: itself */
    bool is_built;      /* the source is none */
    const char *address;
    const char *folder, *bsp, *page, *depfile, *sought, *messages, *page_messages, *cache;
    enum step step;
    bool is_outdated; /* what the process makes: the source has changed again */
    struct child child;
    unsigned maps; /* that were shown */
    double looked, woken;
};

static const struct env *env_of(const struct serving *serving)
{
    return serving->program->env;
}

/* --- news --- */

static void set_state(struct serving *serving, const char *state, const char *text,
                      const char *messages)
{
    struct bytes *out = &serving->content.state;
    json_t *rows = messages ? json_loads(messages, 0, NULL) : json_array();
    json_t *object = json_object();
    json_object_set_new(object, "version", json_integer(JSON_VERSION));
    json_object_set_new(object, "news", json_integer(++serving->content.news));
    json_object_set_new(object, "map", json_integer(serving->maps));
    json_object_set_new(object, "state", json_string(state));
    json_object_set_new(object, "text", diag_json_text(text));
    json_object_set_new(object, "messages", rows);
    char *dump = json_dumps(object, JSON_COMPACT);
    out->size = 0;
    if (dump)
        bytes_append(out, dump, strlen(dump));
    memory_free(dump);
    json_decref(object);
    serving->functions->wake(serving->server);
    console_say(serving->program->console, "%s: %s", path_name(serving->source), text);
}

/* The messages of a file of a process, which may be missing. Free with memory_free. */
static char *messages_of(const struct serving *serving, const char *path)
{
    struct bytes file = {0};
    struct fs *fs = env_of(serving)->fs;
    char *text = fs->ops->read(fs, path, &file) == 0 ? view_messages_text(&file) : NULL;
    bytes_free(&file);
    return text;
}

static void set_failed(struct serving *serving, const char *what, const char *messages_file)
{
    char *messages = messages_of(serving, messages_file);
    set_state(serving, "failed", what, messages);
    memory_free(messages);
}

/* --- processes --- */

static void add(const char ***words, const char *const *more, size_t count)
{
    for (size_t i = 0; i < count; i++)
        arrput(*words, more[i]);
}

static void start(struct serving *serving, enum step step, const char **words)
{
    char **argv = child_arguments(&serving->arena, words);
    int error = child_start(&serving->child, argv, false, -1);
    arrfree(argv);
    arrfree(words);
    serving->step = error ? STEP_NONE : step;
    serving->is_outdated = false;
    if (error)
        set_state(serving, "failed", str_error(error).text, NULL);
}

static void start_page(struct serving *serving)
{
    const char **words = NULL;
    const struct serve_options *options = serving->options;
    const char *messages = serving->is_built ? serving->messages : options->messages;
    const char *const first[] = {"brushwork", "view", serving->bsp};
    const char *const with[] = {"--messages", messages};
    const char *const last[] = {"-o",   serving->page,        "--diagnostics",
                                "json", "--diagnostics-file", serving->page_messages,
                                "-q"};
    add(&words, first, sizeof first / sizeof *first);
    add(&words, options->view, arrlenu(options->view));
    add(&words, with, messages ? sizeof with / sizeof *with : 0);
    add(&words, last, sizeof last / sizeof *last);
    start(serving, STEP_PAGE, words);
}

static void start_build(struct serving *serving)
{
    const char **words = NULL;
    const char *const first[] = {"brushwork", "build",   serving->source,
                                 "--preset",  "preview", "--no-leak-picture"};
    const char *const last[] = {"-o",
                                serving->bsp,
                                "--depfile",
                                serving->depfile,
                                "--depfile-sought",
                                serving->sought,
                                "--diagnostics",
                                "json",
                                "--diagnostics-file",
                                serving->messages,
                                "-q"};
    const char *const kept[] = {"--cache", serving->cache, "--cache-plain", "--cache-size",
                                CACHE_SIZE};
    add(&words, first, sizeof first / sizeof *first);
    add(&words, kept, serving->options->keeps ? sizeof kept / sizeof *kept : 0);
    add(&words, serving->options->build, arrlenu(serving->options->build));
    add(&words, last, sizeof last / sizeof *last);
    start(serving, STEP_BUILD, words);
}

static void begin(struct serving *serving)
{
    watch_begin(&serving->watch, env_of(serving));
    set_state(serving, "building", serving->is_built ? "is built" : "is read", NULL);
    if (serving->is_built)
        start_build(serving);
    else
        start_page(serving);
}

/* The build has looked for files in its own folder, too; and the folders around the source, which
 * change often, are asked for names only. */
static bool is_worth_watching(const struct serving *serving, const char *path)
{
    const bool is_folder =
        env_of(serving)->fs->ops->kind(env_of(serving)->fs, path) == FS_DIRECTORY;
    return strncmp(path, serving->folder, strlen(serving->folder)) != 0 &&
           !(is_folder &&
             (serve_is_around(path, serving->source) || serve_is_around(path, serving->folder)));
}

static void watch_sought(struct serving *serving)
{
    struct bytes text = {0};
    struct fs *fs = env_of(serving)->fs;
    if (fs->ops->read(fs, serving->sought, &text) == 0) {
        bytes_append(&text, "", 1);
        for (char *line = (char *)text.data, *end; (end = strchr(line, '\n')); line = end + 1) {
            *end = 0;
            if (is_worth_watching(serving, line))
                watch_add(&serving->watch, env_of(serving), line);
        }
    }
    bytes_free(&text);
}

/* From here on all that the build has read and looked for is watched. */
static void watch_inputs(struct serving *serving)
{
    struct bytes text = {0};
    struct arena arena = {0};
    struct fs *fs = env_of(serving)->fs;
    if (fs->ops->read(fs, serving->depfile, &text) == 0) {
        bytes_append(&text, "", 1);
        const char **inputs = make_rule_inputs(&arena, (const char *)text.data);
        for (size_t i = 0; i < arrlenu(inputs); i++)
            watch_add(&serving->watch, env_of(serving), inputs[i]);
        arrfree(inputs);
    }
    arena_free(&arena);
    bytes_free(&text);
    watch_sought(serving);
}

static void take_page(struct serving *serving)
{
    struct bytes page = {0};
    struct fs *fs = env_of(serving)->fs;
    int error = fs->ops->read(fs, serving->page, &page);
    if (error) {
        set_failed(serving, str_error(error).text, serving->page_messages);
        return;
    }
    bytes_free(&serving->content.map);
    serving->content.map = page;
    serving->maps++;
    set_state(serving, "shown", "is shown", NULL);
}

static const char *end_of(struct serving *serving, const char *what)
{
    const struct child *child = &serving->child;
    if (child->signal)
        return arena_printf(&serving->arena, "%s was ended by signal %d", what, child->signal);
    return arena_printf(&serving->arena, "%s failed with exit status %d", what, child->status);
}

static void take_end(struct serving *serving)
{
    const struct child *child = &serving->child;
    const enum step step = serving->step;
    const bool is_done = child_has_status(child) && child->status == STATUS_OK;
    const bool leaks = child_has_status(child) && child->status == STATUS_LEAK;
    serving->step = STEP_NONE;
    console_pass_on(serving->program->console, &serving->child.texts[CHILD_OUT],
                    &serving->child.texts[CHILD_ERR]);
    child_free(&serving->child);
    if (serving->is_outdated) {
        begin(serving);
    } else if (step == STEP_BUILD && (is_done || leaks)) {
        watch_inputs(serving);
        start_page(serving);
    } else if (step == STEP_BUILD) {
        set_failed(serving, end_of(serving, "the build"), serving->messages);
    } else if (is_done) {
        take_page(serving);
    } else {
        set_failed(serving, end_of(serving, "the page"), serving->page_messages);
    }
}

static void look_at_files(struct serving *serving)
{
    const double now = clock_seconds(CLOCK_MONOTONIC);
    if (now - serving->looked < LOOK_SECONDS)
        return;
    serving->looked = now;
    if (!watch_has_changed(&serving->watch, env_of(serving)))
        return;
    if (serving->step == STEP_NONE) {
        begin(serving);
    } else if (!serving->is_outdated) {
        serving->is_outdated = true;
        children_signal(SIGTERM);
    }
}

/* --- the run --- */

static void wake_at_times(struct serving *serving)
{
    const double now = clock_seconds(CLOCK_MONOTONIC);
    if (now - serving->woken < WAKE_SECONDS)
        return;
    serving->woken = now;
    serving->functions->wake(serving->server);
}

static void work(struct serving *serving)
{
    while (!env_stopped(env_of(serving))) {
        serving->functions->run(serving->server,
                                serving->step == STEP_NONE ? WAIT_MILLISECONDS : WORK_MILLISECONDS);
        if (serving->step != STEP_NONE && child_read(&serving->child))
            take_end(serving);
        look_at_files(serving);
        wake_at_times(serving);
    }
    if (serving->step == STEP_NONE)
        return;
    children_signal(SIGTERM);
    while (!child_read(&serving->child))
        serving->functions->run(serving->server, WAIT_MILLISECONDS);
    child_free(&serving->child);
}

static enum status fail(const struct serving *serving, const char *what, const char *reason)
{
    return diag_report(env_of(serving)->diag, DIAG_SERVE, NULL, "%s: %s", what, reason);
}

static enum status find_files(struct serving *serving)
{
    const char *operand = serving->program->result->operands[0];
    struct arena *arena = &serving->arena;
    const struct env *env = env_of(serving);
    serving->is_built = child_can_build(operand);
    serving->source =
        serving->is_built ? operand : path_of_operand(arena, env->fs, operand, ".bsp");
    if (env->fs->ops->kind(env->fs, serving->source) != FS_FILE)
        return file_unread(env->diag, serving->source, "no file");
    serving->folder = temporary_folder_make(arena, "view");
    if (!serving->folder)
        return fail(serving, "no folder for what is built", "see TMPDIR");
    const char *stem = temporary_folder_stem(arena, serving->folder, serving->source);
    serving->bsp = serving->is_built ? arena_printf(arena, "%s.bsp", stem) : serving->source;
    serving->page = arena_printf(arena, "%s.html", stem);
    serving->depfile = arena_printf(arena, "%s/inputs.d", serving->folder);
    serving->sought = arena_printf(arena, "%s/sought", serving->folder);
    serving->cache = arena_printf(arena, "%s/cache", serving->folder);
    serving->messages = arena_printf(arena, "%s/build.json", serving->folder);
    serving->page_messages = arena_printf(arena, "%s/page.json", serving->folder);
    return STATUS_OK;
}

static void watch_files(struct serving *serving)
{
    const struct env *env = env_of(serving);
    watch_add(&serving->watch, env, serving->source);
    if (serving->is_built)
        return;
    static const char *const beside[] = {".lin", ".pts", ".prt"};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        watch_add(&serving->watch, env,
                  path_beside(&serving->arena, serving->source, ".bsp", beside[i]));
    if (serving->options->messages)
        watch_add(&serving->watch, env, serving->options->messages);
}

static enum status open_server(struct serving *serving)
{
    char reason[200] = "";
    struct module module = module_load("serve", SERVE_MODULE_ABI);
    serving->functions = module.functions;
    if (!serving->functions)
        return fail(serving, module.reason,
                    module.absent ? "see the package brushwork-serve" : "it cannot be used");
    if (!serve_token(serving->content.token, SERVE_TOKEN_SIZE))
        return fail(serving, "no token", "the system has no random numbers");
    serving->server =
        serving->functions->open(serving->options->port, serve_answer, &serving->content, reason);
    if (!serving->server)
        return fail(serving, arena_printf(&serving->arena, "port %d", serving->options->port),
                    reason);
    serving->content.port = serving->functions->port(serving->server);
    view_shell_write(&serving->content.shell);
    return STATUS_OK;
}

/* The address is what was asked for: it is on standard output, whatever else is not. */
static enum status print_address(struct serving *serving, bool is_json)
{
    const struct serve_content *content = &serving->content;
    serving->address =
        arena_printf(&serving->arena, "http://127.0.0.1:%d/%s/", content->port, content->token);
    if (is_json) {
        json_t *object = print_json_object();
        json_object_set_new(object, "address", json_string(serving->address));
        print_json_line(object, stdout);
    } else {
        printf("%s\n", serving->address);
    }
    return print_flush(env_of(serving)->diag);
}

enum status serve_map(const struct program *program, const struct serve_options *options)
{
    struct serving serving = {.program = program, .options = options};
    console_catch_signals(program->console);
    enum status status = find_files(&serving);
    if (status == STATUS_OK)
        status = open_server(&serving);
    if (status == STATUS_OK)
        status = print_address(&serving, options->is_json);
    if (status == STATUS_OK) {
        watch_files(&serving);
        begin(&serving);
        if (options->is_opened)
            status = browser_open(program->env, serving.address);
        work(&serving);
    }
    if (serving.server)
        serving.functions->close(serving.server);
    if (serving.folder)
        temporary_folder_remove(program->env, serving.folder);
    bytes_free(&serving.content.shell);
    bytes_free(&serving.content.map);
    bytes_free(&serving.content.state);
    watch_free(&serving.watch);
    arena_free(&serving.arena);
    return status;
}
