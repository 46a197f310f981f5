#include "q3map2/pages.h"

#include <string.h>

#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "q3map2/table.h"

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

bool q3_answer(int argc, char *const *argv)
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

void q3_explain(void)
{
    print_page(options_help, Q3_STAGES, stderr);
}
