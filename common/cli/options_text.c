/* The text of an option table: the manual page, the page of docs/options, the summary,
 * and what completions of shells are made of. */
#include <ctype.h>
#include <string.h>

#include "common/cache/cache.h"
#include "common/cli/options.h"
#include "common/cli/options_internal.h"
#include "common/cli/version.h"
#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/strings.h"

const char *options_exit_statuses(const struct option_table *table)
{
    if (table->exit_statuses)
        return table->exit_statuses;
    return "0 success; 1 failure; 2 invalid command line; 4 internal error or out of memory; 5 "
           "bound reached";
}

bool option_is_unlisted(const struct option_def *def)
{
    return option_is_ignored(def) || def->kind == OPTION_STANDING || def->kind == OPTION_REFUSED ||
           !def->help;
}

/* The default of the option whose field is at `field`, or NULL. A value outside of the option's
 * range means that it has none. */
static const char *default_text(const struct option_def *def, const void *field,
                                struct arena *arena)
{
    if (def->kind == OPTION_CHOICE)
        return def->choices[*(const int *)field];
    if (def->name_at)
        return *(const char *const *)field;
    if (def->arity > 1)
        return NULL;
    if (def->kind == OPTION_INT && option_in_range(def, *(const int *)field))
        return arena_printf(arena, "%d", *(const int *)field);
    if (def->kind == OPTION_NUMBER && option_in_range(def, *(const double *)field))
        return arena_printf(arena, "%g", *(const double *)field);
    return NULL;
}

const char *option_value_notes(const struct option_table *table, const struct option_def *def,
                               size_t base, bool is_short, struct arena *arena)
{
    const char *notes = "";
    if (def->kind == OPTION_CHOICE)
        for (int i = 0; def->choices[i]; i++)
            notes = arena_printf(arena, "%s%s%s", notes, i ? ", " : "one of ", def->choices[i]);
    for (size_t i = 0; def->name_at && def->name_at(i); i++)
        notes = arena_printf(arena, "%s%s%s", notes, i ? ", " : "one of ", def->name_at(i));
    if (!is_short && (def->min != 0 || def->max != 0))
        notes = arena_printf(arena, "%.10g to %.10g", def->min, def->max);
    const char *field =
        table->defaults ? option_field(def, (const char *)table->defaults + base) : NULL;
    const char *standard = field ? default_text(def, field, arena) : NULL;
    if (standard)
        notes = arena_printf(arena, "%s%sdefault %s", notes, *notes ? "; " : "", standard);
    if (!is_short && def->map_key)
        notes = arena_printf(arena, "%s%smap key %s", notes, *notes ? "; " : "", def->map_key);
    return *notes ? arena_printf(arena, " (%s)", notes) : "";
}

struct group_view options_group_at(const struct option_table *table, size_t index)
{
    if (index == 0)
        return (struct group_view){"Options", table->defs, table->count, 0, NULL, true};
    const struct option_group *group = &table->groups[index - 1];
    return (struct group_view){group->title, group->defs, group->count,
                               group->base,  group->tool, false};
}

/* How a group of options is written. */
struct page {
    const char *before_title, *after_title, *group_end;
    void (*print_option)(const struct option_table *table, const struct option_def *def,
                         size_t base, struct arena *arena, FILE *out);
};

/* A group without a listed option has no title. */
static void print_group(const struct option_table *table, const struct group_view *group,
                        const struct page *page, struct arena *arena, FILE *out)
{
    bool titled = false;
    for (size_t i = 0; i < group->count; i++) {
        const struct option_def *def = &group->defs[i];
        if (option_is_unlisted(def))
            continue;
        if (!titled)
            fprintf(out, "%s%s%s", page->before_title, group->title, page->after_title);
        titled = true;
        page->print_option(table, def, group->base, arena, out);
    }
    if (titled)
        fputs(page->group_end, out);
}

static void print_groups(const struct option_table *table, const struct page *page,
                         struct arena *arena, FILE *out)
{
    for (size_t i = 0; i <= table->group_count; i++) {
        struct group_view group = options_group_at(table, i);
        print_group(table, &group, page, arena, out);
    }
}

static const char *add_name(const char *names, const struct option_def *def, struct arena *arena)
{
    return arena_printf(arena, "%s%s%s%s%s%s", names, *names ? ", " : "",
                        option_dashes(def, def->name), def->name, def->argument ? " " : "",
                        def->argument ? def->argument : "");
}

/* Names of the options that change nothing: those that are ignored, or those that are always so. */
static const char *idle_names(const struct option_table *table, bool always, struct arena *arena)
{
    const char *names = "";
    size_t count = options_count(table), base;
    for (size_t i = 0; i < count; i++) {
        const struct option_def *def = options_at(table, i, &base);
        if (always ? def->kind == OPTION_STANDING : option_is_ignored(def))
            names = add_name(names, def, arena);
    }
    return names;
}

static const char idle_titles[2][40] = {"Without effect, for compatibility", "Always so"};

void options_print_idle(const struct option_table *table, struct arena *arena,
                        void (*print)(FILE *out, const char *text), FILE *out)
{
    for (int always = 0; always < 2; always++) {
        const char *names = idle_names(table, always, arena);
        if (*names)
            print(out, arena_printf(arena, "%s: %s.", idle_titles[always], names));
    }
}

const char *options_ignored(const struct option_table *table, const struct option_result *result,
                            struct arena *arena)
{
    const char *names = "";
    for (size_t i = 0; i < arrlenu(result->sources); i++) {
        size_t base;
        const struct option_def *def = options_at(table, i, &base);
        if (result->sources[i] != OPTION_DEFAULT && option_is_ignored(def))
            names = arena_printf(arena, "%s%s%s%s", names, *names ? ", " : "",
                                 option_dashes(def, def->name), def->name);
    }
    return *names ? names : NULL;
}

void options_version(const struct option_table *table, FILE *out)
{
    fprintf(out, "%s %s\n", table->program, program_version);
}

/* Text of a manual page: no backslash escapes, no line that starts like a request, a line a
 * sentence. */
static void man_text(FILE *out, const char *text)
{
    bool line_start = true;
    for (; *text; text++) {
        if (text[0] == '\n' && text[1] == '\n') {
            fputs("\n.Pp\n", out);
            text++;
            line_start = true;
            continue;
        }
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '\\')
            fputs("\\e", out);
        else
            fputc(*text, out);
        line_start = *text == '\n';
        if (text[0] == '.' && text[1] == ' ') {
            fputc('\n', out);
            text++;
            line_start = true;
        }
    }
    fputc('\n', out);
}

static void man_paragraph(FILE *out, const char *text)
{
    fputs(".Pp\n", out);
    man_text(out, text);
}

static void man_option(const struct option_table *table, const struct option_def *def, size_t base,
                       struct arena *arena, FILE *out)
{
    fprintf(out, ".It Fl %s%s", option_dashes(def, def->name) + 1, def->name);
    if (def->argument)
        fprintf(out, " Ar %s", def->argument);
    if (def->alias) {
        fprintf(out, " , Fl %s%s", option_dashes(def, def->alias) + 1, def->alias);
        if (def->argument)
            fprintf(out, " Ar %s", def->argument);
    }
    fputc('\n', out);
    man_text(out, arena_printf(arena, "%s%s", def->help,
                               option_value_notes(table, def, base, false, arena)));
}

static const struct page man_page = {".Ss ", "\n.Bl -tag -width Ds\n", ".El\n", man_option};

void options_man_title(const char *program, FILE *out)
{
    fputs(".Dd November 21, 2026\n.Dt ", out);
    for (; *program; program++)
        fputc(*program == ' ' ? '-' : toupper((unsigned char)*program), out);
    fprintf(out, " 1\n.Os Brushwork %s\n", program_version);
}

void options_man_name(const char *program, const char *summary, FILE *out)
{
    fputs(".Sh NAME\n.Nm ", out);
    for (; *program; program++)
        fputc(*program == ' ' ? '-' : *program, out);
    fprintf(out, "\n.Nd %s\n", summary);
}

void options_man_page(const struct option_table *table, FILE *out)
{
    struct arena arena = {0};
    options_man_title(table->program, out);
    options_man_name(table->program, table->summary, out);
    fprintf(out, ".Sh SYNOPSIS\n.Nm %s\n.Op Ar options\n.Ar %s\n", table->program, table->operands);
    fputs(".Sh DESCRIPTION\n", out);
    man_text(out, table->details ? table->details : table->summary);
    fputs(".Pp\nOptions start with one dash or two and are not case-sensitive. A value follows a "
          "space\n"
          "or an equals sign.\n.Sh OPTIONS\n",
          out);
    print_groups(table, &man_page, &arena, out);
    options_print_idle(table, &arena, man_paragraph, out);
    fputs(".Sh EXIT STATUS\n", out);
    man_text(out, arena_printf(&arena, "%s.", options_exit_statuses(table)));
    arena_free(&arena);
}

void options_markdown_text(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (strchr("\\`*_|<>[]", *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void markdown_option(const struct option_table *table, const struct option_def *def,
                            size_t base, struct arena *arena, FILE *out)
{
    const char *names[] = {def->name, def->alias};
    for (size_t i = 0; i < 2 && names[i]; i++) {
        fprintf(out, "%s`%s%s", i ? ", " : "| ", option_dashes(def, names[i]), names[i]);
        fprintf(out, "%s%s`", def->argument ? " " : "", def->argument ? def->argument : "");
    }
    fputs(" | ", out);
    options_markdown_text(
        arena_printf(arena, "%s%s", def->help, option_value_notes(table, def, base, false, arena)),
        out);
    fputs(" |\n", out);
}

static const struct page markdown_page = {"\n## ", "\n\n| option | meaning |\n|---|---|\n", "",
                                          markdown_option};

/* Options without effect, with their reasons. */
static void markdown_idle(const struct option_table *table, FILE *out)
{
    for (int always = 0; always < 2; always++) {
        size_t count = options_count(table), base;
        bool titled = false;
        for (size_t i = 0; i < count; i++) {
            const struct option_def *def = options_at(table, i, &base);
            if (always ? def->kind != OPTION_STANDING : !option_is_ignored(def))
                continue;
            if (!titled)
                fprintf(out, "\n## %s\n\n| option | reason |\n|---|---|\n", idle_titles[always]);
            titled = true;
            fprintf(out, "| `%s%s%s%s` | ", option_dashes(def, def->name), def->name,
                    def->argument ? " " : "", def->argument ? def->argument : "");
            options_markdown_text(def->help ? def->help : "", out);
            fputs(" |\n", out);
        }
    }
}

void options_markdown(const struct option_table *table, FILE *out)
{
    struct arena arena = {0};
    fprintf(out, "# %s\n\n    %s [options] %s\n\n", table->program, table->program,
            table->operands);
    options_markdown_text(table->details ? table->details : table->summary, out);
    fputc('\n', out);
    print_groups(table, &markdown_page, &arena, out);
    markdown_idle(table, out);
    fputs("\nExit status: ", out);
    options_markdown_text(options_exit_statuses(table), out);
    fputs(".\n", out);
    arena_free(&arena);
}

static void summary_text(const struct option_def *def, const char *text, FILE *out)
{
    char place[256];
    if (text && def->path == OPTION_CACHES) {
        cache_place_text(text, place, sizeof place);
        text = place;
    }
    fprintf(out, " %s", text ? text : "");
}

static void summary_value(const struct option_def *def, const char *field, FILE *out)
{
    int values = def->arity > 1 ? def->arity : 1;
    switch (option_value(def)) {
    case VALUE_INTS:
        for (int i = 0; i < values; i++)
            fprintf(out, " %d", ((const int *)(const void *)field)[i]);
        break;
    case VALUE_NUMBERS:
        for (int i = 0; i < values; i++)
            fprintf(out, " %g", ((const double *)(const void *)field)[i]);
        break;
    case VALUE_TEXT:
        summary_text(def, *(const char *const *)(const void *)field, out);
        break;
    case VALUE_LIST: {
        const char *const *list = *(const char *const *const *)(const void *)field;
        for (size_t i = 0; i < arrlenu(list); i++)
            fprintf(out, " %s", list[i]);
        break;
    }
    case VALUE_CHOICE:
        fprintf(out, " %s", def->choices[*(const int *)(const void *)field]);
        break;
    case VALUE_BOOL:
    case VALUE_NONE:
        break;
    }
}

void options_summary(const struct option_table *table, const void *values,
                     const struct option_result *result, FILE *out)
{
    static const char *const sources[] = {"default", "map", "commandline.cfg", "environment",
                                          "command line"};
    size_t count = options_count(table);
    for (size_t i = 0; i < count; i++) {
        if (result->sources[i] == OPTION_DEFAULT)
            continue;
        size_t base;
        const struct option_def *def = options_at(table, i, &base);
        if (option_is_unlisted(def))
            continue;
        fprintf(out, "  %s", def->name);
        summary_value(def, option_field(def, (const char *)values + base), out);
        fprintf(out, " (%s)\n", sources[result->sources[i]]);
    }
}

/* --- the lines from which scripts/completions makes the completions of shells --- */

/* A field of a line: tabs and line breaks are blanks. */
static void put_text(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        fputc(text[i] == '\t' || text[i] == '\n' ? ' ' : text[i], out);
}

/* The first clause of a help text, which is what fits beside a name. "Quake 3: " and the like are
 * no clause. */
static void put_first_clause(FILE *out, const char *help)
{
    enum { LONGEST_CONDITION = 12 };
    static const char *const ends[] = {"; ", ": ", ". ", " (", "\n"};
    size_t length = strlen(help);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *end =
            strlen(help) > LONGEST_CONDITION ? strstr(help + LONGEST_CONDITION, ends[i]) : NULL;
        if (end && (size_t)(end - help) < length)
            length = (size_t)(end - help);
    }
    put_text(out, help, length);
}

static bool names_files(const struct option_def *def)
{
    return def->path != OPTION_NO_PATH || def->endings;
}

/* An argument that --help calls DIR is a folder, or a file with one of the endings. */
static const char *kind_of(const struct option_def *def)
{
    if (option_arity(def) == 0)
        return "none";
    if (def->kind == OPTION_CHOICE || def->name_at)
        return "words";
    if (!def->endings && def->argument && strcmp(def->argument, "DIR") == 0)
        return "folders";
    return names_files(def) ? "files" : "text";
}

static void put_values(FILE *out, const struct option_def *def)
{
    const char *name;
    if (def->kind == OPTION_CHOICE)
        for (int i = 0; def->choices[i]; i++)
            fprintf(out, "%s%s", i ? " " : "", def->choices[i]);
    else if (def->name_at)
        for (size_t i = 0; (name = def->name_at(i)); i++)
            fprintf(out, "%s%s", i ? " " : "", name);
    else if (def->endings)
        fputs(def->endings, out);
}

static bool is_for_compatibility(const struct option_def *def)
{
    return option_is_ignored(def) || def->kind == OPTION_STANDING || def->kind == OPTION_REFUSED;
}

static void put_option(FILE *out, const struct option_def *def, const char *name)
{
    fprintf(out, "option\t%s%s\t%d\t%s\t", option_dashes(def, name), name, option_arity(def),
            kind_of(def));
    put_values(out, def);
    fprintf(out, "\t%s\t", option_arity(def) && def->argument ? def->argument : "");
    if (!is_for_compatibility(def))
        put_first_clause(out, def->help);
    fputc('\n', out);
}

void options_completion(const struct option_table *table, FILE *out)
{
    size_t count = options_count(table), base;
    for (size_t i = 0; i < count; i++) {
        const struct option_def *def = options_at(table, i, &base);
        /* Without a help, another option of the same name is the one to show. */
        if (!def->help && !is_for_compatibility(def))
            continue;
        put_option(out, def, def->name);
        if (def->alias)
            put_option(out, def, def->alias);
    }
    fputs("option\t--help\t0\tnone\t\t\tprint help\n"
          "option\t--version\t0\tnone\t\t\tprint the version\n"
          "option\t--man\t0\tnone\t\t\tprint the manual page\n",
          out);
    fprintf(out, "operand\t%s\t%s\n", table->operands, table->endings ? table->endings : "");
}
