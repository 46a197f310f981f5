#include <string.h>

#include "brushwork/verbs.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/file_access.def"
#include "common/diag/codes/options.def"
#include "common/io/fs.h"
#include "q3map2/pages.h"
#include "q3map2/q3map2.h"
#include "q3map2/translate.h"
#include "vrad/vrad.h"
#include "vvis/vvis.h"

/* An argv of a program that is called. */
struct call {
    char **argv; /* stb_ds array */
    struct arena arena;
};

/* main has arguments that may be written to, and no program writes to them. */
static void add(struct call *call, const char *word)
{
    char *copy = arena_strdup(&call->arena, word);
    arrput(call->argv, copy);
}

static void add_all(struct call *call, const char *const *words)
{
    for (size_t i = 0; i < arrlenu(words); i++)
        add(call, words[i]);
}

static int finish(struct call *call, int (*run)(int argc, char **argv))
{
    int status = run((int)arrlen(call->argv), call->argv);
    arrfree(call->argv);
    arena_free(&call->arena);
    return status;
}

/* The path of a file beside the BSP of an operand: each stage is named by the map. */
static const char *beside(struct arena *arena, const char *operand, const char *ending)
{
    return path_beside(arena, path_of_operand(arena, fs_disk(), operand, ".bsp"), ".bsp", ending);
}

/* The argv of a stage (stages.def); `operand` stands for %. */
static void add_line(struct call *call, const struct q3_line *line, const char *operand)
{
    const char *words = q3_stages[line->stage].line;
    for (words += strspn(words, " "); *words; words += strspn(words, " ")) {
        const size_t length = strcspn(words, " ");
        const char *word = arena_strndup(&call->arena, words, length);
        if (strcmp(word, "@") == 0)
            add_all(call, line->arguments);
        else if (strcmp(word, "*") == 0)
            add_all(call, line->operands);
        else if (strcmp(word, "#") == 0)
            add_all(call, line->numbers);
        else if (*word == '%')
            add(call,
                beside(&call->arena, operand, strcmp(word, "%?") == 0 ? line->ending : word + 1));
        else
            add(call, word);
        words += length;
    }
}

static int run_line(const struct q3_line *line)
{
    const struct q3_stage *stage = &q3_stages[line->stage];
    const bool is_each = strchr(stage->line, '%') && !strchr(stage->line, '*');
    int status = STATUS_OK;
    for (size_t i = 0; i < (is_each ? arrlenu(line->operands) : 1); i++) {
        struct call call = {0};
        add_line(&call, line, line->operands[i]);
        int of_one = finish(&call, stage->run);
        status = of_one ? of_one : status;
    }
    return status;
}

/* The map that -bsp reads. */
static const char *source_of(struct call *call, const struct q3_line *line)
{
    static const char *const endings[] = {".map", ".reg", ".vmf", ".vmm"};
    const char *map = line->operands[0];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (str_ends_nocase(map, endings[i]))
            return map;
    return path_of_operand(&call->arena, fs_disk(), map, ".map");
}

/* -onlyents with the entities that -exportents has written. */
static int put_entities_back(const struct q3_line *line)
{
    struct call call = {0};
    add(&call, "pack");
    add_all(&call, line->messages);
    add(&call, "--entities");
    add(&call, line->operands[0]);
    add(&call, path_beside(&call.arena, line->operands[0], ".ent", ".bsp"));
    return finish(&call, brushwork_verb("pack")->run);
}

static int run_bsp(const struct q3_line *line)
{
    struct call call = {0};
    if (line->only_entities && str_ends_nocase(line->operands[0], ".ent"))
        return put_entities_back(line);
    const char *source = source_of(&call, line);
    add(&call, "vbsp");
    add(&call, "--target");
    add(&call, line->target);
    add_all(&call, line->arguments);
    add(&call, source);
    return finish(&call, q3_stages[Q3_BSP].run);
}

/* The portals are of no use once visibility is in the BSP. */
static void remove_portals(const struct env *env, void *context)
{
    const char *portals = context;
    if (env->fs->ops->kind(env->fs, portals) != FS_FILE)
        return;
    int error = env->fs->ops->remove(env->fs, portals);
    if (error && !fs_error_is_absent(error))
        (void)diag_report(env->diag, DIAG_FILE_REMOVE, &(struct diag_where){.file = portals}, "%s",
                          str_error(error).text);
}

static int run_vis(const struct q3_line *line)
{
    struct arena arena = {0};
    char *portals = arena_strdup(&arena, beside(&arena, line->operands[0], ".prt"));
    if (!line->keeps_portals)
        program_then(remove_portals, portals);
    int status = run_line(line);
    arena_free(&arena);
    return status;
}

static int run_stage(const struct q3_line *line)
{
    if (line->stage == Q3_BSP)
        return run_bsp(line);
    return line->stage == Q3_VIS ? run_vis(line) : run_line(line);
}

static const char *list_idle(const struct q3_line *line, struct arena *arena)
{
    const char *list = "";
    for (size_t i = 0; i < arrlenu(line->idle); i++)
        list = arena_printf(arena, "%s%s-%s (%s)", list, i ? ", " : "", line->idle[i].name,
                            line->idle[i].why);
    return list;
}

static void report_line(const struct q3_line *line, struct diag *diag)
{
    struct arena arena = {0};
    for (size_t i = 0; i < arrlenu(line->unknown); i++)
        (void)diag_report(diag, DIAG_UNKNOWN_OPTION, NULL, "'%s' of -%s", line->unknown[i],
                          q3_stages[line->stage].word);
    for (size_t i = 0; i < arrlenu(line->clamped); i++)
        (void)diag_report(diag, DIAG_OPTION_RANGE, NULL, "%s", line->clamped[i]);
    if (arrlenu(line->idle))
        (void)diag_report(diag, DIAG_IDLE_OPTION, NULL, "%s", list_idle(line, &arena));
    arena_free(&arena);
}

/* Options of messages, as the stage will take them. */
static struct console_options console_options_of(const struct q3_line *line)
{
    struct standard_options standard = {0};
    struct option_group groups[PROGRAM_COMMON_GROUPS];
    program_common_groups(NULL, 0, groups);
    const struct option_table table = {
        .program = "q3map2", .operands = "", .groups = groups, .group_count = 1};
    struct call call = {0};
    struct option_result result;
    struct diag *silent = diag_new(NULL, NULL);
    add(&call, "q3map2");
    add_all(&call, line->messages);
    (void)!options_parse(&table, &standard, (int)arrlen(call.argv), call.argv, &result, silent);
    if (standard.console.json && !standard.console.diagnostics_file)
        standard.console.diagnostics = DIAG_AS_JSON;
    options_free(&result);
    diag_free(silent);
    arrfree(call.argv);
    arena_free(&call.arena);
    return standard.console;
}

/* Prints why a line cannot be read. Returns the exit status. */
static int refuse(const struct q3_line *line, const struct diag *early, enum status status)
{
    struct console_options options = console_options_of(line);
    struct console *console = console_new("q3map2", &options);
    diag_report_again(early, console_env(console)->diag);
    return console_finish(console, status);
}

const struct farm_stage q3map2_farm_stages[] = {
    {"vvis", vvis_work}, {"vrad", vrad_work}, {NULL, NULL}};

int q3map2_program(int argc, char *const *argv, const struct host *host)
{
    (void)host; /* it runs verbs, which have none */
    if (argc < 2) {
        q3_explain();
        return STATUS_USAGE;
    }
    if (q3_answer(argc, argv))
        return STATUS_OK;
    struct q3_line line;
    struct diag *early = diag_new(NULL, NULL);
    enum status status = q3_translate(argc, argv, early, &line);
    int exit_status = (int)status;
    if (status == STATUS_OK) {
        report_line(&line, early);
        program_preface(early);
        exit_status = run_stage(&line);
    } else
        exit_status = refuse(&line, early, status);
    q3_line_free(&line);
    diag_free(early);
    return exit_status;
}
