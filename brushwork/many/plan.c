#include "brushwork/many/plan.h"

#include <stdlib.h>
#include <string.h>

#include "brushwork/many/pattern.h"
#include "brushwork/shared/print.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/core/system_path.h"
#include "common/diag/codes/map_lists.def"
#include "common/diag/codes/usage.def"
#include "common/text/word_lines.h"
#include "vbsp/files.h"

struct planned {
    const char *map;          /* as it is to be opened */
    const char *root;         /* of its outputs' folders; NULL: what the maps have in common */
    const char *output;       /* -o of its line, or NULL */
    const char *const *words; /* the other options of its line */
    size_t word_count;
    const char *list; /* that names it, or NULL */
    int line;         /* of the list */
};

/* Where the outputs of several maps go. */

/* By which the maps of a run get their outputs. */
struct output_rules {
    const struct env *env;
    struct arena *arena;
    const char *folder; /* of the outputs, or NULL: beside the sources */
    const char *common; /* of the maps without a root, or outside of it; ends with a slash */
};

/* The path from the root of the file system on, without `.` and `..`; links are not followed. */
static const char *whole_path(const struct output_rules *rules, const char *path)
{
    char *whole = system_path_absolute(path);
    const char *copy = arena_strdup(rules->arena, whole);
    memory_free(whole);
    return copy;
}

/* Returns the rest of the path behind the folder, which may end with a slash; NULL: it is
 * elsewhere. */
static const char *below(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    if (system_path_compare(folder, path, length) != 0)
        return NULL;
    if (length && folder[length - 1] == '/')
        return path + length;
    return path[length] == '/' ? path + length + 1 : NULL;
}

static const char *below_root(const struct output_rules *rules, const struct planned *planned,
                              const char *path)
{
    return planned->root ? below(whole_path(rules, planned->root), whole_path(rules, path)) : NULL;
}

/* Shortens the common folder to that which has the path, too. */
static void unite(struct output_rules *rules, const char *path)
{
    const char *whole = whole_path(rules, path);
    size_t length = (size_t)(strrchr(whole, '/') + 1 - whole), same = 0;
    if (rules->common) {
        for (size_t i = 0; i < length && system_path_compare(&rules->common[i], &whole[i], 1) == 0;
             i++)
            if (whole[i] == '/')
                same = i + 1;
        length = same;
    }
    rules->common = arena_strndup(rules->arena, whole, length);
}

/* Returns NULL for an output of a line that would leave the folder. */
static const char *in_folder(const struct output_rules *rules, const struct planned *planned,
                             const char *beside)
{
    struct arena *arena = rules->arena;
    const char *rest = below_root(rules, planned, beside);
    if (planned->output) {
        const char *top = whole_path(rules, rules->folder);
        rest = system_path_is_absolute(planned->output)
                   ? NULL
                   : below(top, whole_path(rules, arena_printf(arena, "%s/%s", rules->folder,
                                                               planned->output)));
    } else if (!rest) {
        rest = below(rules->common, whole_path(rules, beside));
    }
    return rest ? arena_printf(arena, "%s/%s", rules->folder, rest) : NULL;
}

/* Of a map whose build would write to `beside`; NULL: reported. */
static const char *output_of(const struct output_rules *rules, const struct planned *planned,
                             const char *beside)
{
    const char *output = beside;
    if (rules->folder)
        output = in_folder(rules, planned, beside);
    else if (planned->output && !system_path_is_absolute(planned->output) && planned->list &&
             strcmp(path_folder(rules->arena, planned->list), ".") != 0)
        output = arena_printf(rules->arena, "%s/%s", path_folder(rules->arena, planned->list),
                              planned->output);
    else if (planned->output)
        output = planned->output;
    if (!output)
        (void)diag_report(rules->env->diag, DIAG_LIST,
                          &(struct diag_where){.file = planned->list, .line = planned->line},
                          "-o %s is not below the folder of the outputs", planned->output);
    return output;
}

/* --- the jobs --- */

static enum status find_map(struct output_rules *rules, const struct planned *planned,
                            struct job *job, const char **beside)
{
    const struct env *env = rules->env;
    struct vbsp_files files;
    TRY(vbsp_files_find(env, planned->map, NULL, rules->arena, &files));
    const enum fs_kind kind = env->fs->ops->kind(env->fs, files.level);
    const struct diag_where where = {.file = planned->list ? planned->list : files.level,
                                     .line = planned->line};
    if (kind == FS_ABSENT || kind == FS_DIRECTORY)
        return diag_report(env->diag, DIAG_MAP_ABSENT, &where, "%s is %s%s", files.level,
                           kind == FS_ABSENT ? "not there" : "a folder",
                           kind == FS_ABSENT ? path_absent_hint(planned->map) : "");
    *job = (struct job){.map = files.level,
                        .words = planned->words,
                        .word_count = planned->word_count,
                        .list = planned->list,
                        .line = planned->line,
                        .is_map = strcmp(vbsp_level_extension(files.level), ".map") == 0};
    if (env->fs->ops->size(env->fs, files.level, &job->bytes) != 0)
        job->bytes = 0; /* its process reports that */
    *beside = files.bsp;
    if (!below_root(rules, planned, files.bsp))
        unite(rules, files.bsp);
    return STATUS_OK;
}

/* Finds all that is missing. `besides` are the outputs beside the sources. */
static enum status find_maps(struct output_rules *rules, const struct many *many, struct job **jobs,
                             const char ***besides)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(many->plan); i++) {
        struct job job = {0};
        const char *beside = NULL;
        enum status found = find_map(rules, &many->plan[i], &job, &beside);
        arrput(*jobs, job);
        arrput(*besides, beside);
        status = status == STATUS_OK ? found : status;
    }
    return status;
}

/* --- outputs that are the same --- */

/* The output's path without links, as far as its folders are there. */
static const char *key_of(const struct output_rules *rules, const char *output)
{
    const char *whole = whole_path(rules, output), *rest = strrchr(whole, '/');
    const char *top = whole + system_path_drive(whole);
    for (;;) {
        const char *folder = arena_strndup(rules->arena, whole, (size_t)(rest - whole));
        char *real =
            system_path_real(rest == top ? arena_printf(rules->arena, "%s/", folder) : folder);
        if (real) {
            const size_t length = strlen(real);
            const int shown = (int)(real[length - 1] == '/' ? length - 1 : length);
            const char *key = arena_printf(rules->arena, "%.*s%s", shown, real, rest);
            memory_free(real);
            return key;
        }
        if (rest == top)
            return whole;
        while (*--rest != '/')
            continue;
    }
}

struct output {
    const char *key;
    const struct job *job;
};

static int compare_keys(const char *a, const char *b)
{
    const size_t first = strlen(a), second = strlen(b);
    return system_path_compare(a, b, first > second ? first : second);
}

static int compare_outputs(const void *a, const void *b)
{
    const struct output *first = a, *second = b;
    int order = compare_keys(first->key, second->key);
    return order ? order : (first->job > second->job) - (first->job < second->job);
}

static enum status refuse_same_outputs(const struct output_rules *rules, const struct job *jobs)
{
    enum status status = STATUS_OK;
    struct output *outputs = NULL;
    for (size_t i = 0; i < arrlenu(jobs); i++)
        arrput(outputs, ((struct output){key_of(rules, jobs[i].output), &jobs[i]}));
    qsort(outputs, arrlenu(outputs), sizeof *outputs, compare_outputs);
    for (size_t i = 1; i < arrlenu(outputs); i++) {
        const struct job *job = outputs[i].job;
        const struct diag_where where = {.file = job->list ? job->list : job->map,
                                         .line = job->line};
        if (compare_keys(outputs[i - 1].key, outputs[i].key) != 0)
            continue;
        (void)diag_report(rules->env->diag, DIAG_SAME_OUTPUT, &where,
                          "%s and %s have the same output, %s", outputs[i - 1].job->map, job->map,
                          job->output);
        status = STATUS_USAGE;
    }
    arrfree(outputs);
    return status;
}

/* --- */

static enum status place(struct output_rules *rules, const struct many *many, const char **besides,
                         struct job *jobs)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(jobs); i++) {
        const char *output = output_of(rules, &many->plan[i], besides[i]);
        status = output ? status : STATUS_USAGE;
        /* As the process of the map takes it. */
        jobs[i].output = output ? path_of_windows(rules->arena, rules->env->fs, output) : NULL;
    }
    TRY(status);
    TRY(refuse_same_outputs(rules, jobs));
    for (size_t i = 0; i < arrlenu(jobs) && !many->options.print_maps; i++)
        TRY(fs_prepare_output(rules->env->fs, rules->env->diag, jobs[i].output));
    return STATUS_OK;
}

/* Returns the folder without slashes at its end. */
static const char *folder_of(struct arena *arena, const char *output)
{
    size_t length = output ? strlen(output) : 0;
    while (length > 1 && output[length - 1] == '/')
        length--;
    return output ? arena_strndup(arena, output, length) : NULL;
}

enum status plan_jobs(const struct env *env, const struct many *many, const char *output,
                      struct arena *arena, struct job **jobs)
{
    struct output_rules rules = {.env = env, .arena = arena};
    const char **besides = NULL;
    if (many->is_single && output)
        many->plan[0].output = output;
    else
        rules.folder = folder_of(arena, output);
    enum status status = find_maps(&rules, many, jobs, &besides);
    if (status == STATUS_OK)
        status = place(&rules, many, besides, *jobs);
    arrfree(besides);
    return status;
}

/* --- plan --- */

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
