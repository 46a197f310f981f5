/* The program q3map2: the command lines of q3map2, run by vbsp, vvis, vrad and the verbs of
 * brushwork. */
#include <stdbool.h>
#include <string.h>

#include "brushwork/verbs.h"
#include "common/cli/program.h"
#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/file_access.def"
#include "common/diag/codes/options.def"
#include "common/farm/farm.h"
#include "common/io/fs.h"
#include "q3map2/table.h"
#include "q3map2/translate.h"
#include "vrad/vrad.h"
#include "vvis/vvis.h"

/* --- pages about itself: help, manual page, the page of the documentation, completions --- */

static const char details[] =
    "Takes the command lines of q3map2, so that editors and scripts can call it in the place of "
    "q3map2: vbsp, vvis, vrad and the verbs of brushwork do the work. Each stage is named by the "
    "map, with or without ending. An option is passed to the program of its stage; one that has no "
    "effect here is listed in one note with the reason, an unknown one in a warning, and neither "
    "ends the run. Numbers beyond the limits of an option are replaced by the nearest.\n\n"
    "The defaults are those of q3map2: without -meta surfaces are not merged, without -bounce "
    "light "
    "does not bounce, without -samples shadow edges are not supersampled, and -vis removes the "
    "portal file without -saveprt. The exit statuses are ours: a leak is 3, for which q3map2 has "
    "0. "
    "Options with two dashes that vbsp, vvis and vrad know, such as --json, are passed to them.\n\n"
    "q3map2 --help all lists each option with what is done about it, q3map2 -help STAGE those of a "
    "stage, q3map2 -help WORD those with the word in their name. No keys about the command line "
    "are written into the map.";

/* The table as that of a program, for the pages that all programs have. */
struct page_table {
    struct option_table table;
    struct option_group *groups; /* stb_ds array */
    struct option_def *defs;     /* stb_ds array: of all groups in order */
};

static struct option_def def_of(const struct q3_option *option)
{
    const struct q3_deed deed = q3_deed_of(option, option->stage);
    const int arity = (int)q3_most_arguments(option);
    struct option_def def = {.name = option->name, .help = deed.text, .arity = arity};
    def.use = option->common ? OPTION_MAIN : OPTION_RARE;
    def.argument = arity ? option->arguments : NULL;
    def.kind = deed.state == Q3_NOTED         ? arity ? OPTION_IGNORED_ARG : OPTION_IGNORED
               : deed.state == Q3_DONE_ALWAYS ? OPTION_STANDING
               : arity                        ? OPTION_TEXT
                                              : OPTION_FLAG;
    if (deed.ours && arity) {
        def.path = deed.ours->path;
        def.endings = deed.ours->endings;
    }
    return def;
}

/* A stage is as common as its options. */
static struct option_def def_of_stage(enum q3_stage_id id)
{
    const struct q3_stage *stage = &q3_stages[id];
    struct option_def def = {.name = stage->word, .kind = OPTION_FLAG, .help = stage->summary};
    for (size_t i = 0; i < q3_option_count(); i++)
        if (q3_option_at(i)->stage == id && q3_option_at(i)->common)
            def.use = OPTION_MAIN;
    return def;
}

/* A heading. */
static const char *stage_title(enum q3_stage_id stage)
{
    return q3_stages[stage].title;
}

/* `only` is a stage or Q3_STAGES: all. */
static struct page_table table_of(enum q3_stage_id only)
{
    struct page_table page = {0};
    size_t sizes[Q3_STAGES + 1] = {0};
    for (int i = 0; i < Q3_STAGES; i++)
        if (q3_stages[i].run && (only == Q3_STAGES || only == (enum q3_stage_id)i)) {
            arrput(page.defs, def_of_stage((enum q3_stage_id)i));
            sizes[Q3_STAGES]++;
        }
    for (size_t i = 0; i < q3_option_count(); i++) {
        const struct q3_option *option = q3_option_at(i);
        if (only == Q3_STAGES || only == option->stage) {
            arrput(page.defs, def_of(option));
            sizes[option->stage]++;
        }
    }
    const struct option_def *next = page.defs;
    arrput(page.groups, ((struct option_group){"Stages", next, sizes[Q3_STAGES], 0, NULL}));
    next += sizes[Q3_STAGES];
    for (int i = 0; i < Q3_STAGES; i++) {
        const char *title = stage_title((enum q3_stage_id)i);
        arrput(page.groups, ((struct option_group){title, next, sizes[i], 0, NULL}));
        next += sizes[i];
    }
    page.table = (struct option_table){.program = "q3map2",
                                       .summary = "take the command lines of q3map2",
                                       .operands = "MAP",
                                       .endings = "map reg bsp",
                                       .details = details,
                                       .exit_statuses = EXIT_STATUSES_WITH_LEAK,
                                       .groups = page.groups,
                                       .group_count = arrlenu(page.groups)};
    return page;
}

static void free_table(struct page_table *table)
{
    arrfree(table->groups);
    arrfree(table->defs);
}

static void print_page(options_page *page, enum q3_stage_id only, FILE *out)
{
    struct page_table table = table_of(only);
    if (only != Q3_STAGES)
        table.table.details = NULL;
    page(&table.table, out);
    free_table(&table);
}

static const char *const state_names[] = {
    [Q3_DONE] = "done", [Q3_DONE_ALWAYS] = "always so", [Q3_NOTED] = "no effect"};

static const char *stage_name(enum q3_stage_id stage)
{
    return q3_stages[stage].word ? q3_stages[stage].word : "all";
}

static void print_stages(struct arena *arena)
{
    puts("Stages:");
    for (int i = 0; i < Q3_STAGES; i++)
        if (q3_stages[i].run)
            options_help_row(stdout, arena_printf(arena, "-%s", q3_stages[i].word),
                             q3_stages[i].summary);
}

/* Each option with what is done about it, as text. */
static void print_all(void)
{
    struct arena arena = {0};
    print_stages(&arena);
    for (int stage = 0; stage < Q3_STAGES; stage++)
        for (size_t i = 0, seen = 0; i < q3_option_count(); i++) {
            const struct q3_option *option = q3_option_at(i);
            if (option->stage != (enum q3_stage_id)stage)
                continue;
            if (!seen++)
                printf("\n%s:\n", stage_title(option->stage));
            const struct q3_deed deed = q3_deed_of(option, option->stage);
            options_help_row(stdout,
                             arena_printf(&arena, "-%s%s%s", option->name,
                                          *option->arguments ? " " : "", option->arguments),
                             arena_printf(&arena, "%s: %s", state_names[deed.state], deed.text));
        }
    arena_free(&arena);
}

static void count_states(enum q3_stage_id stage, size_t counts[2])
{
    for (size_t i = 0; i < q3_option_count(); i++) {
        const struct q3_option *option = q3_option_at(i);
        if (option->stage == stage)
            counts[q3_deed_of(option, stage).state == Q3_NOTED]++;
    }
}

/* The page of the documentation. */
static void print_markdown(void)
{
    puts("# q3map2\n\n    q3map2 [common options] [-STAGE] [options] MAP\n");
    options_markdown_text(details, stdout);
    puts("\n\n| stage | options | done | without effect | purpose |\n|---|---|---|---|---|");
    for (int i = 0; i < Q3_STAGES; i++) {
        if (!q3_stages[i].run && q3_stages[i].word)
            continue;
        size_t counts[2] = {0};
        count_states((enum q3_stage_id)i, counts);
        printf("| %s%s | %zu | %zu | %zu | ", q3_stages[i].word ? "-" : "",
               stage_name((enum q3_stage_id)i), counts[0] + counts[1], counts[0], counts[1]);
        options_markdown_text(q3_stages[i].summary, stdout);
        puts(" |");
    }
    for (int i = 0; i < Q3_STAGES; i++)
        if (!q3_stages[i].run && q3_stages[i].word)
            printf("| -%s | | | | not done: %s |\n", q3_stages[i].word, q3_stages[i].line);
    puts("\nNo option is refused. \"Noted\" options are accepted with their arguments and have no "
         "effect; a "
         "run that is\ngiven some lists them in one note (T003). Options that are always so are "
         "done "
         "and change nothing.\n\n| option | stage | here |\n|---|---|---|");
    for (size_t i = 0; i < q3_option_count(); i++) {
        const struct q3_option *option = q3_option_at(i);
        const struct q3_deed deed = q3_deed_of(option, option->stage);
        printf("| `-%s%s%s` | %s | %s", option->name, *option->arguments ? " " : "",
               option->arguments, stage_name(option->stage),
               deed.state == Q3_NOTED         ? "noted: "
               : deed.state == Q3_DONE_ALWAYS ? "done: always so, "
                                              : "done: ");
        options_markdown_text(deed.text, stdout);
        puts(" |");
    }
    puts("\nExit status: " EXIT_STATUSES_WITH_LEAK ".");
}

/* The options of all stages about a word. Returns false if there are none. */
static bool print_about(const char *topic)
{
    struct page_table table = table_of(Q3_STAGES);
    const bool known = options_help_knows(&table.table, topic);
    if (known)
        options_help_about(&table.table, topic, stdout);
    free_table(&table);
    return known;
}

/* A word that is about nothing gives the help itself. */
static void answer_help(int argc, char *const *argv)
{
    const char *topic = argc > 2 ? argv[2] : "", *word = topic + strspn(topic, "-");
    enum q3_stage_id stage = str_equal_nocase(word, "common") ? Q3_COMMON : Q3_STAGES;
    if (str_equal_nocase(word, "all"))
        print_all();
    else if (stage == Q3_COMMON || q3_find_stage(word, &stage))
        print_page(options_help_all, stage, stdout);
    else if (!*word || !print_about(topic))
        print_page(options_help, Q3_STAGES, stdout);
}

/* Answers --help, --help all, --help STAGE, --help WORD, --help -OPTION, -h, -?, --version, --man,
 * --markdown and --completion, as the first argument; returns false if it is none of them. */
static bool q3_answer(int argc, char *const *argv)
{
    const char *word = argc > 1 ? argv[1] : "", *name = word + strspn(word, "-");
    if (name == word && strcmp(word, "/?") != 0)
        return false;
    if (str_equal_nocase(name, "help") || strcmp(name, "h") == 0 || strcmp(name, "?") == 0 ||
        strcmp(word, "/?") == 0)
        answer_help(argc, argv);
    else if (str_equal_nocase(name, "version"))
        print_page(options_version, Q3_STAGES, stdout);
    else if (strcmp(word, "--man") == 0)
        print_page(options_man_page, Q3_STAGES, stdout);
    else if (strcmp(word, "--markdown") == 0)
        print_markdown();
    else if (strcmp(word, "--completion") == 0)
        print_page(options_completion, Q3_STAGES, stdout);
    else
        return false;
    return true;
}

/* Writes the help to standard error, for a command line without arguments. */
static void q3_explain(void)
{
    print_page(options_help, Q3_STAGES, stderr);
}

/* --- the stages of a command line --- */

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

/* The build names both to common/cli/stage_main.c. */
program_main q3map2_program;
extern const struct farm_stage q3map2_farm_stages[];

/* Those of its stages that other ranks do. */
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
