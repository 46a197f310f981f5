/* brushwork rebuild: builds again what a statement of provenance tells, and compares. */
#include <errno.h>
#include <string.h>

#include "brushwork/many/child_run.h"
#include "brushwork/rebuild/comparison.h"
#include "brushwork/shared/child_words.h"
#include "brushwork/shared/temporary_folder.h"
#include "brushwork/verbs.h"
#include "common/cli/provenance.h"
#include "common/core/array.h"
#include "common/core/strings.h"

static const char details[] =
    "Reads a statement that brushwork build --provenance has written, checks that the inputs which "
    "it names are there with the same bytes, builds the map again with the same options in a "
    "temporary folder, and compares: the same inputs are read and the same outputs are made, byte "
    "for byte. Messages name each input and output that differs. Nothing is fetched, no cache is "
    "used, and no file is changed. An option of the statement that would write elsewhere is "
    "refused. The exit status of a map that leaks, and does so in the same way, is 3.";

enum { STATEMENT_MAX = 64 << 20 };

struct rebuild_values {
    struct standard_options standard;
    const char *from, *root;
};

#define FIELD(name) offsetof(struct rebuild_values, name)

static const struct option_def rebuild_options[] = {
    {.name = "from",
     .argument = "FILE",
     .endings = "json",
     .kind = OPTION_TEXT,
     .path = OPTION_READS,
     .offset = FIELD(from),
     .two_dashes = true,
     .help = "the statement"},
    {.name = "root",
     .argument = "DIR",
     .kind = OPTION_TEXT,
     .path = OPTION_READS,
     .offset = FIELD(root),
     .two_dashes = true,
     .help = "the folder to which its names are relative (default: the working folder)"},
    {.name = "threads",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(standard.console.threads),
     .max = 1024,
     .of_run = true,
     .help = "number of threads, 0: one per CPU; does not change the result"},
};

/* The files of the build. */
struct work {
    const struct program *program;
    const char *root; /* absolute */
    const char *folder, *bsp, *told, *messages;
    struct statement wanted, made;
    struct arena arena;
};

static enum status broken(const struct work *work, const char *path, const char *why)
{
    return diag_report(work->program->env->diag, DIAG_STATEMENT_BROKEN,
                       &(struct diag_where){.file = path}, "%s", why);
}

static enum status read_statement(const struct work *work, const char *path, struct statement *out)
{
    const struct env *env = work->program->env;
    struct bytes text = {0};
    int error = env->fs->ops->read_part(env->fs, path, 0, STATEMENT_MAX, &text);
    enum status status = STATUS_OK;
    if (error)
        status = diag_report(env->diag, DIAG_FILE_READ, &(struct diag_where){.file = path}, "%s",
                             str_error(error).text);
    const char *fault = error ? NULL : statement_read(&text, out);
    if (fault)
        status = broken(work, path, fault);
    bytes_free(&text);
    return status;
}

/* ---- options ---- */

struct judging {
    const struct statement *statement;
    struct arena *arena;
    const char *fault; /* or NULL */
};

static const struct option_def *find_option(const struct option_table *table, const char *name)
{
    size_t base;
    for (size_t i = 0; i < options_count(table); i++) {
        const struct option_def *def = options_at(table, i, &base);
        if (strcmp(def->name, name) == 0)
            return def;
    }
    return NULL;
}

static bool has_values(const struct option_def *def, size_t count)
{
    return count == (size_t)option_arity(def) || (def->kind == OPTION_NUMBER_OR_NONE && count == 0);
}

/* A program_inspector. A statement says how a map is made; not how a run goes, nor where it writes.
 */
static void judge_options(const struct option_table *table, void *context)
{
    struct judging *judging = context;
    for (size_t i = 0; i < arrlenu(judging->statement->options); i++) {
        const struct statement_option *option = &judging->statement->options[i];
        const struct option_def *def = find_option(table, option->name);
        const char *why = NULL;
        if (!def)
            why = "this version of brushwork build does not have it";
        else if (def->of_run || def->path == OPTION_WRITES || def->path == OPTION_APPENDS ||
                 option_is_ignored(def) || def->kind == OPTION_REFUSED)
            why = "it is none that a statement may have";
        else if (!has_values(def, arrlenu(option->values)))
            why = "it has another number of values";
        if (why)
            judging->fault = arena_printf(judging->arena, "option %s: %s", option->name, why);
    }
}

static enum status check_options(struct work *work, const char *path)
{
    char name[] = "brushwork build";
    char *argv[] = {name, NULL};
    struct judging judging = {&work->wanted, &work->arena, NULL};
    program_inspect(judge_options, &judging);
    (void)verb_build(1, argv);
    return judging.fault ? broken(work, path, judging.fault) : STATUS_OK;
}

/* ---- the build ---- */

static const char *bsp_of(const struct statement *statement)
{
    for (size_t i = 0; i < arrlenu(statement->outputs); i++)
        if (str_ends_nocase(statement->outputs[i].name, ".bsp") &&
            !strchr(statement->outputs[i].name, '/'))
            return statement->outputs[i].name;
    return NULL;
}

static enum status make_folder(struct work *work, const char *path)
{
    const char *bsp = bsp_of(&work->wanted);
    if (!bsp)
        return broken(work, path, "subject: no BSP");
    work->folder = temporary_folder_make(&work->arena, "rebuild");
    if (!work->folder)
        return diag_report(work->program->env->diag, DIAG_FILE_WRITE,
                           &(struct diag_where){.file = "TMPDIR"}, "%s", str_error(errno).text);
    work->bsp = arena_printf(&work->arena, "%s/%s", work->folder, bsp);
    work->told = arena_printf(&work->arena, "%s/brushwork.provenance", work->folder);
    work->messages = arena_printf(&work->arena, "%s/brushwork.messages", work->folder);
    return STATUS_OK;
}

static void add_option(struct work *work, const struct statement_option *option,
                       const char ***words)
{
    const char *dashed = arena_printf(&work->arena, "--%s", option->name);
    arrput(*words, dashed);
    for (size_t i = 0; i < arrlenu(option->values); i++) {
        const char *value = option->values[i];
        if (i == 0 && option->is_path)
            value = statement_path(&work->arena, work->root, value);
        arrput(*words, value);
    }
}

static char **words_of(struct work *work)
{
    const struct rebuild_values *values = work->program->values;
    const char **words = NULL;
    arrput(words, "brushwork");
    child_word(&words, "build", statement_path(&work->arena, work->root, work->wanted.source));
    for (size_t i = 0; i < arrlenu(work->wanted.options); i++)
        add_option(work, &work->wanted.options[i], &words);
    child_word(&words, "-o", work->bsp);
    child_word(&words, "--provenance", work->told);
    child_word(&words, "--provenance-root", work->root);
    child_word(&words, "--diagnostics", "json");
    child_word(&words, "--diagnostics-file", work->messages);
    child_word(&words, "--max-memory", values->standard.max_memory);
    child_word(&words, "-threads",
               arena_printf(&work->arena, "%d", values->standard.console.threads));
    arrput(words, "--no-cache");
    arrput(words, "-q");
    char **argv = child_arguments(&work->arena, words);
    arrfree(words);
    return argv;
}

static enum status build_and_compare(struct work *work)
{
    const struct program *program = work->program;
    char **words = words_of(work);
    enum status status = child_run(program, &(struct child_task){.name = "build",
                                                                 .source = work->wanted.source,
                                                                 .words = words,
                                                                 .messages = work->messages});
    arrfree(words);
    if (status != STATUS_OK && status != STATUS_LEAK)
        return status;
    TRY(read_statement(work, work->told, &work->made));
    TRY(compare_builds(program->env, &work->wanted, &work->made));
    console_say(program->console, "the same: %zu outputs of %zu inputs",
                arrlenu(work->made.outputs), arrlenu(work->made.inputs));
    return status;
}

static enum status rebuild(const struct program *program)
{
    const struct rebuild_values *values = program->values;
    struct work work = {.program = program};
    if (!values->from) {
        (void)diag_report(program->env->diag, DIAG_USAGE, NULL, "--from names the statement");
        return STATUS_USAGE;
    }
    work.root = provenance_absolute(&work.arena, values->root ? values->root : ".");
    enum status status = read_statement(&work, values->from, &work.wanted);
    if (status == STATUS_OK)
        status = check_options(&work, values->from);
    if (status == STATUS_OK)
        status = compare_inputs_with_files(program->env, work.root, &work.wanted);
    if (status == STATUS_OK)
        status = make_folder(&work, values->from);
    if (status == STATUS_OK)
        status = build_and_compare(&work);
    if (work.folder)
        temporary_folder_remove(program->env, work.folder);
    statement_free(&work.wanted);
    statement_free(&work.made);
    arena_free(&work.arena);
    return status;
}

int verb_rebuild(int argc, char **argv)
{
    struct rebuild_values values = {0};
    const struct option_table table = {
        VERB_PAGE(brushwork_verbs[VERB_rebuild]),
        .details = details,
        .defs = rebuild_options,
        .count = sizeof rebuild_options / sizeof *rebuild_options,
        .exit_statuses = EXIT_STATUSES_WITH_LEAK,
    };
    return program_run(&table, &values, &values.standard, argc, argv, rebuild);
}
