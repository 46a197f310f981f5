#include "brushwork/shared/verb_table.h"

#include <stdio.h>
#include <string.h>

#include "common/cli/console.h"
#include "common/cli/options.h"
#include "common/cli/version.h"
#include "common/core/strings.h"
#include "common/diag/codes/usage.def"

enum { NAME_WIDTH = 10 }; /* of each column of the list */

static void print_verb(const struct verb_table *table, const struct verb *verb, FILE *out)
{
    int column = fprintf(out, "  %-*s", NAME_WIDTH, verb->name);
    if (!table->has_pages)
        column += fprintf(out, "%-*s", NAME_WIDTH, verb->operands);
    options_wrap(out, verb->summary, column, column);
}

static void print_help(const struct verb_table *table, FILE *out)
{
    struct arena arena = {0};
    options_wrap(
        out, arena_printf(&arena, "Usage: %s VERB [options] %s", table->program, table->operands),
        0, 0);
    fputc('\n', out);
    if (table->about) {
        options_wrap(out, table->about, 0, 0);
        fputc('\n', out);
    }
    for (size_t i = 0; i < table->count; i++)
        print_verb(table, &table->verbs[i], out);
    fputc('\n', out);
    options_wrap(out,
                 arena_printf(&arena,
                              "%s help VERB shows the options of a verb, %s VERB --man its manual "
                              "page. %s",
                              table->program, table->program, table->more ? table->more : ""),
                 0, 0);
    arena_free(&arena);
}

static void print_man_page(const struct verb_table *table)
{
    options_man_title(table->program, stdout);
    options_man_name(table->program, table->summary, stdout);
    printf(".Sh SYNOPSIS\n.Nm %s\n.Ar VERB\n.Op Ar options\n.Ar %s\n.Sh DESCRIPTION\n",
           table->program, table->operands);
    if (table->about)
        puts(table->about);
    puts("Each verb shows its options with\n.Fl -help\nand prints a manual page of its own with\n"
         ".Fl -man .\n.Bl -tag -width Ds");
    for (size_t i = 0; i < table->count; i++) {
        const struct verb *verb = &table->verbs[i];
        if (table->has_pages)
            printf(".It Cm %s\n%s:\n.Xr %s-%s 1\n", verb->name, verb->summary, table->program,
                   verb->name);
        else
            printf(".It Cm %s Ar %s\n%s\n", verb->name, verb->operands, verb->summary);
    }
    printf(".El\n.Sh SEE ALSO\n.Xr %s\n", table->see_also);
}

/* As options_completion, with a line "verb" for each. */
static void print_completion(const struct verb_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        printf("verb\t%s\t%s\n", table->verbs[i].name, table->verbs[i].summary);
}

/* The format that the options of a verb ask for, which has no table of them. */
static enum diag_format_id wanted_format(int argc, char **argv)
{
    static const char option[] = "diagnostics=";
    enum diag_format_id format = DIAG_AS_TEXT;
    for (int i = 2; i < argc; i++) {
        const char *name = argv[i] + strspn(argv[i], "-");
        bool has_value = str_starts_nocase(name, option);
        const char *value = has_value ? name + strlen(option) : i + 1 < argc ? argv[i + 1] : "";
        if (str_equal_nocase(name, "json"))
            format = DIAG_AS_JSON;
        else if (has_value || str_equal_nocase(name, "diagnostics"))
            for (int k = 0; k < DIAG_FORMATS; k++)
                if (str_equal_nocase(diag_format_names[k], value))
                    format = (enum diag_format_id)k;
    }
    return format;
}

static int no_such_verb(const struct verb_table *table, int argc, char **argv)
{
    const struct verb *best = &table->verbs[0];
    for (size_t i = 1; i < table->count; i++)
        if (str_distance(table->verbs[i].name, argv[1]) < str_distance(best->name, argv[1]))
            best = &table->verbs[i];
    const struct console_options options = {.diagnostics = (int)wanted_format(argc, argv)};
    struct console *console = console_new(table->program, &options);
    const char *verb = table->verb_for ? table->verb_for(argv[1]) : NULL;
    if (verb)
        (void)diag_report(console_env(console)->diag, DIAG_USAGE, NULL,
                          "a verb is missing before '%s': %s %s %s", argv[1], table->program, verb,
                          argv[1]);
    else
        (void)diag_report(console_env(console)->diag, DIAG_USAGE, NULL,
                          "unknown verb '%s' (did you mean '%s'?)", argv[1], best->name);
    return console_finish(console, STATUS_USAGE);
}

const struct verb *verb_named(const struct verb *verbs, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal_nocase(name, verbs[i].name))
            return &verbs[i];
    return NULL;
}

/* "help VERB" is "VERB --help", "help build light" is "build --help light", and "help bmx info" is
 * "bmx --help info", which is "bmx info --help". */
static int help_of(const struct verb_table *table, int argc, char **argv)
{
    static char option[] = "--help";
    enum { MOST_WORDS = 4 };
    char *words[MOST_WORDS + 1] = {argv[2], option};
    int count = 2;
    for (int i = 3; i < argc && count < MOST_WORDS; i++)
        words[count++] = argv[i];
    const struct verb *verb = verb_named(table->verbs, table->count, argv[2]);
    return verb ? verb->run(count, words) : no_such_verb(table, argc - 1, argv + 1);
}

int verb_table_run(const struct verb_table *table, int argc, char **argv)
{
    if (argc < 2) {
        print_help(table, stderr);
        return STATUS_USAGE;
    }
    const struct verb *verb = verb_named(table->verbs, table->count, argv[1]);
    if (verb)
        return verb->run(argc - 1, argv + 1);
    const char *option = argv[1] + strspn(argv[1], "-");
    const bool is_about_verb = argc > 2 && argv[2][0] != '-' && !str_equal_nocase(argv[2], "all");
    if (is_about_verb && str_equal_nocase(option, "help"))
        return help_of(table, argc, argv);
    if (str_equal_nocase(option, "help") || strcmp(argv[1], "-h") == 0)
        print_help(table, stdout);
    else if (str_equal_nocase(option, "version"))
        printf("%s %s\n", table->program, program_version);
    else if (strcmp(argv[1], "--man") == 0)
        print_man_page(table);
    else if (strcmp(argv[1], "--completion") == 0)
        print_completion(table);
    else
        return no_such_verb(table, argc, argv);
    return STATUS_OK;
}
