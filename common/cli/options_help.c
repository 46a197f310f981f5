/* --help of an option table: the options that are used most, all of them, or those about a word. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/options_internal.h"
#include "common/cli/terminal.h"
#include "common/core/arena.h"
#include "common/core/strings.h"

enum { TEXT_WIDTH = 80, MIN_TEXT_WIDTH = 20, HELP_COLUMN = 26, NARROW_HELP_COLUMN = 8 };

/* Columns for help: those that COLUMNS names, else at most 80. */
static int text_width(void)
{
    int64_t columns;
    const char *named = getenv("COLUMNS");
    if (named && str_to_int64(named, &columns) && columns >= MIN_TEXT_WIDTH && columns <= INT_MAX)
        return (int)columns;
    int wide = terminal_columns(stdout);
    return wide >= MIN_TEXT_WIDTH && wide < TEXT_WIDTH ? wide : TEXT_WIDTH;
}

static int help_column(void)
{
    return text_width() < 2 * HELP_COLUMN ? NARROW_HELP_COLUMN : HELP_COLUMN;
}

void options_wrap(FILE *out, const char *text, int indent, int column)
{
    const int width = text_width();
    bool first = true;
    while (*text) {
        size_t length = strcspn(text, " \n");
        if (!first && column + (int)length + 1 > width) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            first = true;
        }
        fprintf(out, "%s%.*s", first ? "" : " ", (int)length, text);
        column += (int)length + (first ? 0 : 1);
        first = false;
        text += length;
        if (*text == '\n') {
            fprintf(out, "\n%s%*s", text[1] == '\n' ? "\n" : "", indent, "");
            text += text[1] == '\n';
            column = indent;
            first = true;
        }
        text += *text != 0;
    }
    fputc('\n', out);
}

/* How much is printed, and of which options. */
struct help {
    const struct option_table *table;
    const char *topic; /* those about this word; NULL: the common ones, or all */
    bool is_all;
    struct arena *arena;
    FILE *out;
};

static bool is_common(const struct option_table *table, const struct group_view *group,
                      const struct option_def *def)
{
    if (def->use == OPTION_OF_ITS_PLACE)
        return group->is_own;
    if (def->use == OPTION_COMMON)
        return !group->tool || strcmp(group->tool, table->program) == 0;
    return def->use == OPTION_MAIN;
}

static bool holds_nocase(const char *text, const char *word)
{
    for (; text && *text; text++)
        if (str_starts_nocase(text, word))
            return true;
    return false;
}

/* "-bounce" is one option; "light" is in names and in headings. */
static bool is_about(const struct group_view *group, const struct option_def *def,
                     const char *topic)
{
    const char *word = topic + strspn(topic, "-");
    if (!def->help)
        return false;
    if (word != topic)
        return option_has_name(def, word);
    return holds_nocase(def->name, word) || holds_nocase(def->alias, word) ||
           holds_nocase(group->title, word);
}

static bool is_shown(const struct help *help, const struct group_view *group,
                     const struct option_def *def)
{
    if (help->topic)
        return is_about(group, def, help->topic);
    return !option_is_unlisted(def) && (help->is_all || is_common(help->table, group, def));
}

bool options_help_knows(const struct option_table *table, const char *topic)
{
    if (str_equal_nocase(topic, "all"))
        return true;
    for (size_t i = 0; i <= table->group_count; i++) {
        const struct group_view group = options_group_at(table, i);
        for (size_t k = 0; k < group.count; k++)
            if (is_about(&group, &group.defs[k], topic))
                return true;
    }
    return false;
}

/* A help text as far as its first semicolon outside of parentheses. */
static const char *first_clause(const char *text, struct arena *arena)
{
    size_t length = 0, open = 0;
    for (; text[length] && (open || text[length] != ';'); length++) {
        open += text[length] == '(';
        open -= text[length] == ')' && open;
    }
    return arena_strndup(arena, text, length);
}

static const char *help_text(const struct help *help, const struct option_def *def, size_t base)
{
    const bool is_short = !help->is_all && !help->topic;
    if (option_is_ignored(def))
        return arena_printf(help->arena, "without effect, for compatibility: %s", def->help);
    if (def->kind == OPTION_STANDING && help->topic)
        return arena_printf(help->arena, "always so: %s", def->help);
    if (def->kind == OPTION_REFUSED)
        return arena_printf(help->arena, "not supported: %s", def->help);
    const char *text = is_short ? first_clause(def->help, help->arena) : def->help;
    return arena_printf(help->arena, "%s%s", text,
                        option_value_notes(help->table, def, base, is_short, help->arena));
}

void options_help_row(FILE *out, const char *name, const char *text)
{
    const int column = fprintf(out, "  %s", name), start = help_column();
    if (column + 2 > start)
        fprintf(out, "\n%*s", start, "");
    else
        fprintf(out, "%*s", start - column, "");
    options_wrap(out, text, start, start);
}

static void print_option(const struct help *help, const struct option_def *def, size_t base)
{
    const char *names = arena_printf(help->arena, "%s%s", option_dashes(def, def->name), def->name);
    if (def->alias)
        names = arena_printf(help->arena, "%s, %s%s", names, option_dashes(def, def->alias),
                             def->alias);
    if (def->argument)
        names = arena_printf(help->arena, "%s %s", names, def->argument);
    options_help_row(help->out, names, help_text(help, def, base));
}

/* A group of which nothing is shown has no title. Returns the number of options left out. */
static size_t print_group(const struct help *help, const struct group_view *group)
{
    bool titled = false;
    size_t left_out = 0;
    for (size_t i = 0; i < group->count; i++) {
        const struct option_def *def = &group->defs[i];
        if (!is_shown(help, group, def)) {
            left_out += !option_is_unlisted(def);
            continue;
        }
        if (!titled)
            fprintf(help->out, "\n%s:\n", group->title);
        titled = true;
        print_option(help, def, group->base);
    }
    return left_out;
}

static size_t print_groups(const struct help *help)
{
    size_t left_out = 0;
    for (size_t i = 0; i <= help->table->group_count; i++) {
        const struct group_view group = options_group_at(help->table, i);
        left_out += print_group(help, &group);
    }
    return left_out;
}

static void help_paragraph(FILE *out, const char *text)
{
    fputc('\n', out);
    options_wrap(out, text, 0, 0);
}

static const struct option_def information[] = {
    {.name = "help",
     .argument = "[WORD]",
     .two_dashes = true,
     .kind = OPTION_STANDING,
     .help = "print the common options; all: every option; another word: the options with it in "
             "their name or heading; -NAME: that option"},
    {.name = "version", .two_dashes = true, .kind = OPTION_STANDING, .help = "print the version"},
    {.name = "man",
     .two_dashes = true,
     .kind = OPTION_STANDING,
     .help = "print the manual page (mdoc)"},
};

/* The purpose of the program: all of the text, or the first paragraph. */
static void print_purpose(const struct help *help)
{
    const struct option_table *table = help->table;
    const char *usage =
        arena_printf(help->arena, "Usage: %s [options] %s", table->program, table->operands);
    options_wrap(help->out, usage, 0, 0);
    help_paragraph(help->out,
                   arena_printf(help->arena, "%c%s.", toupper((unsigned char)*table->summary),
                                table->summary + 1));
    const char *details = table->details, *end = details ? strstr(details, "\n\n") : NULL;
    if (end && !help->is_all)
        details = arena_strndup(help->arena, details, (size_t)(end - details));
    if (details)
        help_paragraph(help->out, details);
}

static void print_information(const struct help *help)
{
    const struct group_view group = {.title = "Information",
                                     .defs = information,
                                     .count = sizeof information / sizeof *information};
    fprintf(help->out, "\n%s:\n", group.title);
    for (size_t i = 0; i < group.count; i++)
        print_option(help, &group.defs[i], 0);
}

static void print_exit_statuses(const struct help *help)
{
    help_paragraph(help->out, arena_printf(help->arena, "Exit status: %s.",
                                           options_exit_statuses(help->table)));
}

void options_help_all(const struct option_table *table, FILE *out)
{
    struct arena arena = {0};
    const struct help help = {.table = table, .is_all = true, .arena = &arena, .out = out};
    print_purpose(&help);
    (void)print_groups(&help);
    print_information(&help);
    options_print_idle(table, &arena, help_paragraph, out);
    print_exit_statuses(&help);
    arena_free(&arena);
}

void options_help(const struct option_table *table, FILE *out)
{
    struct arena arena = {0};
    const struct help help = {.table = table, .arena = &arena, .out = out};
    print_purpose(&help);
    const size_t left_out = print_groups(&help);
    print_exit_statuses(&help);
    if (left_out)
        help_paragraph(out, arena_printf(&arena,
                                         "%s --help all lists %zu more options, --help WORD those "
                                         "about a word, and --man is the manual page.",
                                         table->program, left_out));
    arena_free(&arena);
}

void options_help_about(const struct option_table *table, const char *topic, FILE *out)
{
    if (str_equal_nocase(topic, "all")) {
        options_help_all(table, out);
        return;
    }
    struct arena arena = {0};
    const struct help help = {.table = table, .topic = topic, .arena = &arena, .out = out};
    options_wrap(out, arena_printf(&arena, "Options of %s about %s", table->program, topic), 0, 0);
    (void)print_groups(&help);
    arena_free(&arena);
}

void options_answer(const struct option_table *table, const struct option_result *result, FILE *out)
{
    if (result->topic)
        options_help_about(table, result->topic, out);
    else
        result->page(table, out);
}
