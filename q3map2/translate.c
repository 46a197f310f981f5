#include "q3map2/translate.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/assets/mounts/quake3_paths.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/diag.h"
#include "common/env.h"
#include "common/io/fs.h"

struct translation {
    struct q3_line *line;
    struct diag *diag;
    const char **words;           /* stb_ds array: what is not read yet */
    const struct q3_option **set; /* stb_ds array: options that were given */
    const char *game;             /* of -game, or NULL */
    bool has_base_path, failed;
};

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1];
}

static bool is_number(const char *text)
{
    double number;
    return str_to_double(text, &number);
}

static void bad_usage(struct translation *job, const char *message)
{
    (void)diag_report(job->diag, DIAG_USAGE, NULL, "%s", message);
    job->failed = true;
}

static void pass(struct translation *job, const char *word, bool is_message)
{
    arrput(job->line->arguments, word);
    if (is_message)
        arrput(job->line->messages, word);
}

static void add_idle(struct translation *job, const char *name, const char *why)
{
    for (size_t i = 0; i < arrlenu(job->line->idle); i++)
        if (str_equal_nocase(job->line->idle[i].name, name))
            return;
    arrput(job->line->idle, ((struct q3_idle){name, why}));
}

static bool is_given(const struct translation *job, const char *name)
{
    for (size_t i = 0; i < arrlenu(job->set); i++)
        if (strcmp(job->set[i]->name, name) == 0)
            return true;
    return false;
}

/* The argument as our option takes it: numbers within its limits, integers without a fraction.
 * Others are left to its own check. */
static const char *fitting(struct translation *job, const struct option_def *def, const char *text)
{
    struct arena *arena = &job->line->arena;
    double number;
    bool is_int = def->kind == OPTION_INT;
    if ((!is_int && def->kind != OPTION_NUMBER) || !str_to_double(text, &number))
        return text;
    double fit = number;
    if (!option_in_range(def, number))
        fit = number < def->min ? def->min : def->max;
    if (fit != number)
        arrput(job->line->clamped, arena_printf(arena, "-%s %s: %g is used", def->name, text, fit));
    if (!is_int || fit < INT_MIN || fit > INT_MAX)
        return fit != number ? arena_printf(arena, "%.17g", fit) : text;
    return arena_printf(arena, "%d", (int)fit);
}

/* Passes the words of a row, with the arguments in the place of %. */
static void pass_words(struct translation *job, const char *words, const struct option_def *def,
                       const char *const *arguments, size_t count)
{
    struct arena *arena = &job->line->arena;
    for (words += strspn(words, " "); *words; words += strspn(words, " ")) {
        size_t length = strcspn(words, " ");
        if (length == 1 && *words == '%')
            for (size_t i = 0; i < count; i++)
                pass(job, fitting(job, def, arguments[i]), false);
        else
            pass(job, arena_strndup(arena, words, length), false);
        words += length;
    }
}

/* What this program does by itself. */
static void take_here(struct translation *job, const struct q3_option *option,
                      const char *const *arguments)
{
    if (str_equal_nocase(option->name, "game"))
        job->game = arguments[0];
    else if (str_equal_nocase(option->name, "tempname"))
        job->line->source = arguments[0];
    else if (str_equal_nocase(option->name, "saveprt"))
        job->line->keeps_portals = true;
}

static void take(struct translation *job, const struct q3_option *option,
                 const char *const *arguments, size_t count)
{
    const struct q3_deed deed = q3_deed_of(option, job->line->stage);
    arrput(job->set, option);
    if (option->means == Q3_HERE)
        take_here(job, option, arguments);
    else if (deed.state == Q3_NOTED)
        add_idle(job, option->name, deed.text);
    else if (deed.state == Q3_DONE && deed.as_words)
        pass_words(job, option->ours, deed.ours, arguments, count);
    else if (deed.state == Q3_DONE && q3_find_ours(job->line->stage, option->name)) {
        size_t wanted = (size_t)option_arity(deed.ours);
        pass(job, arena_printf(&job->line->arena, "-%s", option->name), false);
        for (size_t i = 0; i < wanted && i < count; i++)
            pass(job, fitting(job, deed.ours, arguments[i]), false);
    }
    job->has_base_path |= str_equal_nocase(option->name, "fs_basepath");
}

/* Words from `at` on that are arguments of the option; the last word of a line is a file. */
static size_t count_arguments(const struct translation *job, const struct q3_option *option,
                              size_t at)
{
    size_t left = arrlenu(job->words) - at, fewest = q3_fewest_arguments(option), count = 0;
    left = left ? left - 1 : 0;
    while (count < fewest && count < left)
        count++;
    while (count >= fewest && count < q3_most_arguments(option) && count < left &&
           is_number(job->words[at + count]))
        count++;
    return count;
}

/* Reads the option at `at`. Returns the number of words used. */
static size_t take_at(struct translation *job, const struct q3_option *option, size_t at)
{
    size_t count = count_arguments(job, option, at + 1);
    if (count < q3_fewest_arguments(option)) {
        bad_usage(job, arena_printf(&job->line->arena, "-%s requires %s, and the file comes last",
                                    option->name, option->arguments));
        return arrlenu(job->words) - at;
    }
    take(job, option, job->words + at + 1, count);
    return 1 + count;
}

/* An option of our programs, "--json". Returns the number of words used; 0: there is no such one.
 */
static size_t take_ours(struct translation *job, enum q3_stage_id stage, size_t at)
{
    const char *word = job->words[at], *equals = strchr(word, '=');
    if (strncmp(word, "--", 2) != 0)
        return 0;
    const char *name = arena_strndup(&job->line->arena, word + 2,
                                     equals ? (size_t)(equals - word - 2) : strlen(word + 2));
    const struct option_def *def = q3_find_ours(stage, name);
    if (!def)
        return 0;
    size_t count = equals ? 1 : 1 + (size_t)option_arity(def);
    if (count > arrlenu(job->words) - at)
        count = arrlenu(job->words) - at;
    for (size_t i = 0; i < count; i++)
        pass(job, job->words[at + i], q3_is_about_messages(name));
    return count;
}

/* Reads the options of one stage and leaves the others. */
static void read_options(struct translation *job, enum q3_stage_id stage)
{
    const char **left = NULL;
    for (size_t at = 0; at < arrlenu(job->words) && !job->failed;) {
        const char *word = job->words[at];
        const struct q3_option *option = is_option(word) ? q3_find_option(stage, word + 1) : NULL;
        size_t used = option ? take_at(job, option, at) : take_ours(job, stage, at);
        if (!used)
            arrput(left, word);
        at += used ? used : 1;
    }
    arrfree(job->words);
    job->words = left;
}

static void read_stage(struct translation *job)
{
    const char *first = arrlenu(job->words) ? job->words[0] : "";
    job->line->stage = Q3_BSP;
    if (is_option(first) && q3_find_stage(first + 1, &job->line->stage))
        arrdel(job->words, 0);
}

/* The last word, or for some stages all that are no options. */
static void read_files(struct translation *job)
{
    struct q3_line *line = job->line;
    const bool has_many = strstr(q3_stages[line->stage].operands, "...") != NULL;
    size_t count = arrlenu(job->words);
    for (size_t i = 0; i < count; i++)
        if (!is_option(job->words[i]) && (has_many || i + 1 == count))
            arrput(line->operands, job->words[i]);
        else
            arrput(line->unknown, job->words[i]);
    if (!arrlenu(line->operands))
        bad_usage(job, arena_printf(&line->arena, "missing argument: %s, the last one",
                                    q3_stages[line->stage].operands));
}

static bool is_installed(const char *game)
{
    struct arena arena = {0};
    struct diag *silent = diag_new(NULL, NULL);
    const struct env env = {.diag = silent, .fs = fs_disk(), .threads = 1};
    struct quake3_paths places;
    bool found = quake3_paths_find(&env, &(struct assets_options){.game = game}, &arena, &places);
    found = found && places.found;
    quake3_paths_free(&places);
    diag_free(silent);
    arena_free(&arena);
    return found;
}

/* q3map2's -game is an engine; ours is where files are. With a base path, its own game folders
 * count. */
static void settle_game(struct translation *job)
{
    if (!job->game || (job->has_base_path && str_equal_nocase(job->game, "quake3")))
        return;
    if (!is_installed(job->game)) {
        add_idle(job, "game", "the BSP is for Quake 3, and no files of that game are installed");
        return;
    }
    if (!q3_find_ours(job->line->stage, "game"))
        return;
    pass(job, "-game", false);
    pass(job, job->game, false);
}

static void add_defaults(struct translation *job)
{
    for (size_t i = 0; i < q3_default_count(); i++) {
        const struct q3_default *row = &q3_defaults[i];
        if (row->stage != job->line->stage || is_given(job, row->unless))
            continue;
        for (size_t k = 0; k < 2 && row->ours[k]; k++)
            pass(job, row->ours[k], false);
    }
}

enum status q3_translate(int argc, char *const *argv, struct diag *diag, struct q3_line *out)
{
    *out = (struct q3_line){.stage = Q3_BSP};
    struct translation job = {.line = out, .diag = diag};
    for (int i = 1; i < argc; i++)
        arrput(job.words, (const char *)argv[i]);
    read_options(&job, Q3_COMMON);
    read_stage(&job);
    if (!job.failed)
        read_options(&job, out->stage);
    if (!job.failed)
        read_files(&job);
    if (!job.failed) {
        settle_game(&job);
        add_defaults(&job);
    }
    arrfree(job.words);
    arrfree(job.set);
    return job.failed ? STATUS_USAGE : STATUS_OK;
}

void q3_line_free(struct q3_line *line)
{
    arrfree(line->arguments);
    arrfree(line->messages);
    arrfree(line->operands);
    arrfree(line->idle);
    arrfree(line->unknown);
    arrfree(line->clamped);
    arena_free(&line->arena);
}
