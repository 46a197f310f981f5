/* The lines of an option table from which scripts/completions makes the completions of shells. */
#include <string.h>

#include "common/cli/options.h"

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
