#include "brushwork/many/plan.h"

#include <string.h>

#include "brushwork/many/pattern.h"
#include "brushwork/shared/print.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/core/system_path.h"
#include "common/diag/codes/map_lists.def"
#include "common/diag/codes/usage.def"
#include "common/text/word_lines.h"

struct planning {
    struct many *many;
    const struct option_table *table;
    struct arena *arena;
    struct diag *diag;
};

static struct diag_where where_of(const struct planned *planned)
{
    return (struct diag_where){.file = planned->list ? planned->list : planned->map,
                               .line = planned->line};
}

/* A name with a wildcard is a pattern unless a file has it. */
static enum status add(struct planning *planning, struct planned planned)
{
    struct arena *arena = planning->arena;
    struct fs *fs = fs_standard();
    const char **found = NULL;
    planned.map = path_of_windows(arena, fs, planned.map);
    if (!pattern_is(planned.map) || fs->ops->kind(fs, planned.map) == FS_FILE) {
        arrput(planning->many->plan, planned);
        return STATUS_OK;
    }
    const struct diag_where where = where_of(&planned);
    enum status status = pattern_expand(fs, planning->diag, planned.map, arena, &found);
    if (status == STATUS_OK && !arrlenu(found))
        status =
            diag_report(planning->diag, DIAG_MAP_ABSENT, &where, "no file matches %s", planned.map);
    planned.root = planned.root ? planned.root : pattern_root(arena, planned.map);
    for (size_t i = 0; i < arrlenu(found); i++) {
        planned.map = found[i];
        arrput(planning->many->plan, planned);
    }
    arrfree(found);
    return status;
}

/* --- lists --- */

/* The options of a line: -o is kept apart. */
struct line_options {
    const char *output;
    size_t at, count; /* of the words of -o */
};

/* Options that change the result of a map, and those of its checkpoint. --check is of the run,
 * which looks for the outputs. */
static bool is_of_map(const struct option_def *def)
{
    static const char *const of_checkpoint[] = {"resume", "checkpoint-every"};
    for (size_t i = 0; i < sizeof of_checkpoint / sizeof *of_checkpoint; i++)
        if (strcmp(def->name, of_checkpoint[i]) == 0)
            return true;
    return !def->of_run && strcmp(def->name, "check") != 0;
}

/* An options_see: a line has what changes the result of its map, and its place. */
static bool see_option(void *context, const struct option_def *def, size_t at, size_t used,
                       const char *argument)
{
    struct line_options *line = context;
    if (strcmp(def->name, "o") == 0) {
        *line = (struct line_options){argument, at, used};
        return true;
    }
    return is_of_map(def) && def->path != OPTION_WRITES && def->path != OPTION_APPENDS;
}

static enum status take_options(const struct planning *planning, const struct word_line *line,
                                struct planned *planned)
{
    struct line_options found = {0};
    const size_t count = arrlenu(line->words) - 1;
    const struct diag_where where = where_of(planned);
    TRY(options_check(planning->table, line->words + 1, count, see_option, &found, &where,
                      planning->diag));
    const char **words = ARENA_ARRAY(planning->arena, const char *, count);
    for (size_t i = 0; i < count; i++)
        if (i < found.at || i >= found.at + found.count)
            words[planned->word_count++] = line->words[i + 1];
    planned->words = words;
    planned->output = found.output;
    return STATUS_OK;
}

static enum status add_line(struct planning *planning, const char *list,
                            const struct word_line *line)
{
    struct arena *arena = planning->arena;
    const char *folder = path_folder(arena, list), *name = line->words[0];
    const bool is_beside = system_path_is_absolute(name) || strcmp(folder, ".") == 0;
    struct planned planned = {.map = is_beside ? name : arena_printf(arena, "%s/%s", folder, name),
                              .root = folder,
                              .list = list,
                              .line = line->line};
    TRY(take_options(planning, line, &planned));
    return add(planning, planned);
}

static enum status worse(enum status a, enum status b)
{
    return a == STATUS_USAGE || b == STATUS_OK ? a : b;
}

/* All lines are looked at, so that one run tells all that is wrong. */
static enum status add_list(struct planning *planning, const char *list)
{
    struct bytes text = {0};
    struct word_line *lines = NULL;
    TRY(fs_load(fs_standard(), planning->diag, list, &text));
    enum status status = word_lines_parse((const char *)text.data, text.size, list, planning->arena,
                                          planning->diag, &lines);
    if (status != STATUS_OK)
        status = STATUS_USAGE;
    for (size_t i = 0; i < arrlenu(lines); i++)
        status = worse(status, add_line(planning, list, &lines[i]));
    if (status == STATUS_OK && !arrlenu(lines)) {
        (void)diag_report(planning->diag, DIAG_LIST, &(struct diag_where){.file = list},
                          "it names no map");
        status = STATUS_USAGE;
    }
    word_lines_free(lines);
    bytes_free(&text);
    return status;
}

enum status plan_read(struct many *many, const struct option_table *table,
                      struct option_result *result, struct diag *diag)
{
    struct planning planning = {many, table, &result->texts, diag};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(result->operands); i++) {
        const char *operand = result->operands[i];
        status = worse(status, *operand == '@' ? add_list(&planning, operand + 1)
                                               : add(&planning, (struct planned){.map = operand}));
    }
    arrsetlen(result->operands, 0);
    for (size_t i = 0; i < arrlenu(many->plan); i++)
        arrput(result->operands, many->plan[i].map);
    return status;
}

/* --- printing --- */

/* A word as a shell takes it. */
static void print_word(const char *word, FILE *out)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "/._-+:,@%";
    if (*word && !word[strspn(word, plain)]) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

static void print_words(const struct job *job, FILE *out)
{
    print_word(job->map, out);
    fputc(' ', out);
    print_word(job->output, out);
    for (size_t i = 0; i < job->word_count; i++) {
        fputc(' ', out);
        print_word(job->words[i], out);
    }
    fputc('\n', out);
}

static void print_object(const struct job *job, FILE *out)
{
    json_t *object = print_json_object(), *options = json_array();
    for (size_t i = 0; i < job->word_count; i++)
        json_array_append_new(options, print_json_text(job->words[i]));
    json_object_set_new(object, "map", print_json_text(job->map));
    json_object_set_new(object, "output", print_json_text(job->output));
    json_object_set_new(object, "options", options);
    if (job->list) {
        json_object_set_new(object, "list", print_json_text(job->list));
        json_object_set_new(object, "line", json_integer(job->line));
    }
    print_json_line(object, out);
}

/* A line that a script reads ends where the map does. */
static bool has_line_end(const struct job *job)
{
    return strpbrk(job->map, "\r\n") || strpbrk(job->output, "\r\n");
}

enum status plan_print(const struct env *env, const struct job *jobs, bool as_json)
{
    for (size_t i = 0; i < arrlenu(jobs) && !as_json; i++)
        if (has_line_end(&jobs[i]))
            return diag_report(env->diag, DIAG_USAGE, &(struct diag_where){.file = jobs[i].map},
                               "the name has a line end: take --print-maps --json");
    for (size_t i = 0; i < arrlenu(jobs); i++)
        if (as_json)
            print_object(&jobs[i], stdout);
        else
            print_words(&jobs[i], stdout);
    return print_flush(env->diag);
}
