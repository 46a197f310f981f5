#include "q3map2/translate.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/assets/mounts/quake3_paths.h"
#include "common/bsp/game.h"
#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/bytes.h"
#include "common/core/strings.h"
#include "common/diag/codes/options.def"
#include "common/diag/codes/usage.def"
#include "common/diag/diag.h"
#include "common/env.h"
#include "common/io/fs.h"

/* Lists of files, a name in each line. */

/* The line without blanks around it, as a path; NULL: an empty one. */
static const char *path_in(const char *line, size_t length, const char *folder, struct arena *arena)
{
    while (length && (unsigned char)*line <= ' ') {
        line++;
        length--;
    }
    while (length && (unsigned char)line[length - 1] <= ' ')
        length--;
    if (!length)
        return NULL;
    const char *name = arena_strndup(arena, line, length);
    return *name == '/' || strcmp(folder, ".") == 0 ? name
                                                    : arena_printf(arena, "%s/%s", folder, name);
}

/* Appends the paths of a list to *out (an stb_ds array), in the arena. Names are relative to the
 * list's folder, blank lines are skipped; "-" is standard input. Reports a list that cannot be
 * read, and one without names of `kind`, "maps" (USAGE). */
static enum status path_list_read(const char *path, const char *kind, struct arena *arena,
                                  struct diag *diag, const char ***out)
{
    struct bytes text = {0};
    const char *folder = path_folder(arena, path);
    size_t count = arrlenu(*out);
    TRY(fs_load(fs_standard(), diag, path, &text));
    for (size_t at = 0, length; at < text.size; at += length + 1) {
        const char *line = (const char *)text.data + at, *end = memchr(line, '\n', text.size - at);
        length = end ? (size_t)(end - line) : text.size - at;
        const char *found = path_in(line, length, folder, arena);
        if (found)
            arrput(*out, found);
    }
    bytes_free(&text);
    if (arrlenu(*out) > count)
        return STATUS_OK;
    (void)diag_report(diag, DIAG_USAGE, &(struct diag_where){.file = path}, "no names of %s", kind);
    return STATUS_USAGE;
}

/* --- translate --- */

struct translation {
    struct q3_line *line;
    struct diag *diag;
    const char **words;           /* stb_ds array: what is not read yet */
    const struct q3_option **set; /* stb_ds array: options that were given */
    const char *game, *home;      /* of -game and -fs_homepath, or NULL */
    const char *format;           /* of -format, or NULL */
    bool has_base_path, failed;
    enum status failure; /* with `failed` */
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
    job->failure = STATUS_USAGE;
}

/* `is_message`: it says how messages are printed. */
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
    const bool is_int = def->kind == OPTION_INT;
    const bool is_real = def->kind == OPTION_NUMBER || def->kind == OPTION_NUMBER_OR_NONE;
    if ((!is_int && !is_real) || !str_to_double(text, &number))
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

/* Passes as many arguments as our option takes. */
static void pass_arguments(struct translation *job, const struct option_def *def,
                           const char *const *arguments, size_t count)
{
    size_t wanted = (size_t)option_arity(def);
    if (def->kind == OPTION_NUMBER_OR_NONE)
        wanted = 1;
    for (size_t i = 0; i < wanted && i < count; i++)
        pass(job, fitting(job, def, arguments[i]), q3_is_about_messages(def->name));
}

/* Passes the words of a row, with the arguments of an option in the place of %. */
static void pass_words(struct translation *job, const char *words, const char *const *arguments,
                       size_t count)
{
    const struct option_def *def = NULL;
    for (words += strspn(words, " "); *words; words += strspn(words, " ")) {
        size_t length = strcspn(words, " ");
        const char *word = arena_strndup(&job->line->arena, words, length);
        if (is_option(word))
            def = q3_find_ours(job->line->stage, word + strspn(word, "-"));
        if (def && strcmp(word, "%") == 0)
            pass_arguments(job, def, arguments, count);
        else
            pass(job, word, false);
        words += length;
    }
}

/* Options of this program. */
static void take_here(struct translation *job, const struct q3_option *option,
                      const char *const *arguments)
{
    if (str_equal_nocase(option->name, "game"))
        job->game = arguments[0];
    else if (str_equal_nocase(option->name, "fs_homepath"))
        job->home = arguments[0];
    else if (str_equal_nocase(option->name, "format"))
        job->format = arguments[0];
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
        pass_words(job, option->ours, arguments, count);
    else if (deed.state == Q3_DONE && q3_find_ours(job->line->stage, option->name)) {
        pass(job, arena_printf(&job->line->arena, "-%s", option->name),
             q3_is_about_messages(option->name));
        pass_arguments(job, deed.ours, arguments, count);
    }
    job->has_base_path |= str_equal_nocase(option->name, "fs_basepath") || job->home;
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

/* The option of our programs at `at`, "--json", or NULL. */
static const struct option_def *ours_at(const struct translation *job, enum q3_stage_id stage,
                                        size_t at)
{
    const char *word = job->words[at];
    if (strncmp(word, "--", 2) != 0)
        return NULL;
    return q3_find_ours(stage, arena_strndup(&job->line->arena, word + 2, strcspn(word + 2, "=")));
}

/* Passes it with its arguments. Returns the number of words used. */
static size_t take_ours(struct translation *job, const struct option_def *def, size_t at)
{
    size_t count = strchr(job->words[at], '=') ? 1 : 1 + (size_t)option_arity(def);
    if (count > arrlenu(job->words) - at)
        count = arrlenu(job->words) - at;
    for (size_t i = 0; i < count; i++)
        pass(job, job->words[at + i], q3_is_about_messages(def->name));
    return count;
}

/* Reads the options of one stage and leaves the others. */
static void read_options(struct translation *job, enum q3_stage_id stage)
{
    const char **left = NULL;
    for (size_t at = 0; at < arrlenu(job->words) && !job->failed;) {
        const char *word = job->words[at];
        const struct q3_option *option = is_option(word) ? q3_find_option(stage, word + 1) : NULL;
        const struct option_def *ours = option ? NULL : ours_at(job, stage, at);
        size_t used = option ? take_at(job, option, at) : ours ? take_ours(job, ours, at) : 0;
        if (!used)
            arrput(left, word);
        at += used ? used : 1;
    }
    arrfree(job->words);
    job->words = left;
}

/* Words that the option at `at` takes, itself included; 0: it is none of the stage, or of our
 * programs. */
static size_t option_length(const struct translation *job, enum q3_stage_id stage, size_t at)
{
    const char *word = job->words[at];
    const struct q3_option *option = is_option(word) ? q3_find_option(stage, word + 1) : NULL;
    if (option)
        return 1 + count_arguments(job, option, at + 1);
    const struct option_def *def = ours_at(job, stage, at);
    return !def ? 0 : strchr(word, '=') ? 1 : 1 + (size_t)option_arity(def);
}

/* The stage is the first word that is no common option. */
static void read_stage(struct translation *job)
{
    size_t at = 0, length;
    while (at < arrlenu(job->words) && (length = option_length(job, Q3_COMMON, at)))
        at += length;
    if (at < arrlenu(job->words) && is_option(job->words[at]) &&
        q3_find_stage(job->words[at] + 1, &job->line->stage))
        arrdel(job->words, at);
}

/* The numbers before the file: three, or one for all of them. */
static void read_numbers(struct translation *job)
{
    struct q3_line *line = job->line;
    size_t count = arrlenu(job->words), file = count ? count - 1 : 0, first = file;
    if (!strchr(q3_stages[line->stage].line, '#'))
        return;
    while (first && file - first < 3 && is_number(job->words[first - 1]))
        first--;
    count = file - first;
    for (size_t i = 0; i < 3 && (count == 1 || count == 3); i++)
        arrput(line->numbers, job->words[count == 1 ? first : first + i]);
    if (line->numbers)
        arrdeln(job->words, first, count);
    else
        bad_usage(job, arena_printf(&line->arena, "-%s requires S or SX SY SZ before the file",
                                    q3_stages[line->stage].word));
}

/* Adds a file, or those that a list names. */
static void read_file(struct translation *job, const char *word)
{
    struct q3_line *line = job->line;
    if (line->stage != Q3_REPACK || !str_ends_nocase(word, ".txt")) {
        arrput(line->operands, word);
        return;
    }
    enum status status = path_list_read(word, "BSPs", &line->arena, job->diag, &line->operands);
    if (status != STATUS_OK) {
        job->failed = true;
        job->failure = status;
    }
}

/* The last word, or for some stages all that are no options. */
static void read_files(struct translation *job)
{
    struct q3_line *line = job->line;
    const bool has_many = strstr(q3_stages[line->stage].operands, "...") != NULL;
    size_t count = arrlenu(job->words);
    for (size_t i = 0; i < count; i++)
        if (!is_option(job->words[i]) && (has_many || i + 1 == count))
            read_file(job, job->words[i]);
        else
            arrput(line->unknown, job->words[i]);
    if (!arrlenu(line->operands) && !job->failed)
        bad_usage(job, arena_printf(&line->arena, "missing argument: %s, the last one",
                                    q3_stages[line->stage].operands));
}

/* All names, for a message. */
static const char *list_games(struct arena *arena)
{
    const char *list = "";
    const struct bsp_game *game;
    for (size_t i = 0; (game = bsp_game_at(i)); i++)
        list = arena_printf(arena, "%s%s%s", list, i ? ", " : "", game->name);
    return list;
}

/* Returns why the files of a game are not used, or NULL when they are installed. *is_known: it is
 * the name of a game with usual folders, or a folder. */
static const char *why_idle(const char *game, struct arena *arena, bool *is_known)
{
    static const char reason[] = "no files of that game are installed";
    const struct assets_options options = {.game = game};
    struct diag *silent = diag_new(NULL, NULL);
    const struct env env = {.diag = silent, .fs = fs_disk(), .threads = 1};
    struct quake3_paths places;
    *is_known = quake3_paths_find(&env, &options, arena, &places);
    const char *why = reason;
    if (*is_known)
        why = places.found ? NULL
                           : arena_printf(arena, "%s: %s", reason,
                                          quake3_paths_missing(&options, &places, arena));
    quake3_paths_free(&places);
    diag_free(silent);
    return why;
}

/* The content of the game is in a folder of the base paths. */
static void name_base_game(struct translation *job, const struct bsp_game *game)
{
    if (!game->folder || is_given(job, "fs_basegame") ||
        !q3_find_ours(job->line->stage, "fs_basegame"))
        return;
    pass(job, "-fs_basegame", false);
    pass(job, game->folder, false);
}

static void pass_game(struct translation *job)
{
    if (!q3_find_ours(job->line->stage, "game"))
        return;
    pass(job, "-game", false);
    pass(job, job->game, false);
}

static const char *defaults_of_game(const struct bsp_game *game, enum q3_stage_id stage)
{
    if (!game)
        return "";
    return stage == Q3_BSP ? game->compile : stage == Q3_LIGHT ? game->light : "";
}

/* q3map2's -game is an engine; ours is where files are. With a base path, its own game folders
 * count. Fails for a name that is neither a game nor a folder of one. */
static void settle_game(struct translation *job)
{
    const struct bsp_game *game = bsp_game_find(job->game ? job->game : "quake3");
    bool is_known = true;
    const char *why = job->game ? why_idle(job->game, &job->line->arena, &is_known) : NULL;
    if (!game && !is_known) {
        (void)diag_report(job->diag, DIAG_GAME_UNKNOWN, NULL, "-game %s: the games are %s",
                          job->game, list_games(&job->line->arena));
        job->failed = true;
        job->failure = STATUS_USAGE;
    }
    job->line->target = game ? game->target : "quake3";
    job->line->defaults = defaults_of_game(game, job->line->stage);
    if (job->failed || !job->game)
        return;
    if (game && job->has_base_path)
        name_base_game(job, game);
    else if (why)
        add_idle(job, "game", why);
    else
        pass_game(job);
}

/* Its files take precedence over those of the base path. */
static void settle_home(struct translation *job)
{
    if (!job->home || !q3_find_ours(job->line->stage, "fs_basepath"))
        return;
    arrins(job->line->arguments, 0, job->home);
    arrins(job->line->arguments, 0, "-fs_basepath");
}

/* The output of -convert. */
static void settle_format(struct translation *job)
{
    static const struct {
        const char *name, *ending, *form;
    } formats[] = {
        {"ase", ".ase", NULL},
        {"obj", ".obj", NULL},
        {"map", "_converted.map", "classic"},
        {"map_220", "_converted.map", "valve220"},
        {"map_bp", "_converted.map", "primitives"},
    };
    const char *name = job->format ? job->format : formats[0].name;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!str_equal_nocase(formats[i].name, name))
            continue;
        job->line->ending = formats[i].ending;
        if (formats[i].form) {
            pass(job, "--map-format", false);
            pass(job, formats[i].form, false);
        }
        return;
    }
    const struct bsp_game *game = bsp_game_find(name);
    if (game) {
        job->line->ending = "_converted.bsp";
        pass(job, "--to", false);
        pass(job, game->target, false);
        return;
    }
    bad_usage(job, arena_printf(&job->line->arena,
                                "-format %s: use ase, obj, map, map_220, map_bp or a game: %s",
                                name, list_games(&job->line->arena)));
}

/* Options of the game, in front of those that are given: the later of two opposites holds. */
static void add_defaults_of_game(struct translation *job)
{
    const char *words = job->line->defaults ? job->line->defaults : "";
    size_t at = 0;
    for (words += strspn(words, " "); *words; words += strspn(words, " ")) {
        const size_t length = strcspn(words, " ");
        const char *word = arena_strndup(&job->line->arena, words, length);
        arrins(job->line->arguments, at, word);
        at++;
        words += length;
    }
}

static void add_defaults(struct translation *job)
{
    add_defaults_of_game(job);
    for (size_t i = 0; i < q3_default_count(); i++) {
        const struct q3_default *row = &q3_defaults[i];
        if (row->stage != job->line->stage || is_given(job, row->unless))
            continue;
        for (size_t k = 0; k < 2 && row->ours[k]; k++)
            pass(job, row->ours[k], false);
    }
}

/* After "--" are names alone, and one that begins with a dash looks like a name from then on: the
 * programs that get it, and the stages that take all words that are no options, need not know. */
static void add_words(struct translation *job, int argc, char *const *argv)
{
    bool only_names = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (!only_names && strcmp(word, "--") == 0) {
            only_names = true;
            continue;
        }
        if (only_names && word[0] == '-')
            word = arena_printf(&job->line->arena, "./%s", word);
        arrput(job->words, word);
    }
}

enum status q3_translate(int argc, char *const *argv, struct diag *diag, struct q3_line *out)
{
    *out = (struct q3_line){.stage = Q3_BSP};
    struct translation job = {.line = out, .diag = diag};
    add_words(&job, argc, argv);
    read_stage(&job);
    if (!q3_stages[out->stage].run)
        bad_usage(&job, arena_printf(&out->arena, "-%s is not done here: %s",
                                     q3_stages[out->stage].word, q3_stages[out->stage].line));
    read_options(&job, Q3_COMMON);
    if (!job.failed)
        read_options(&job, out->stage);
    if (!job.failed)
        read_numbers(&job);
    if (!job.failed)
        read_files(&job);
    if (!job.failed) {
        out->only_entities = is_given(&job, "onlyents");
        settle_game(&job);
        settle_home(&job);
        if (out->stage == Q3_JSON && is_given(&job, "pack"))
            out->stage = Q3_JSON_PACK;
        if (out->stage == Q3_CONVERT)
            settle_format(&job);
        add_defaults(&job);
    }
    arrfree(job.words);
    arrfree(job.set);
    return job.failed ? job.failure : STATUS_OK;
}

void q3_line_free(struct q3_line *line)
{
    arrfree(line->arguments);
    arrfree(line->messages);
    arrfree(line->operands);
    arrfree(line->numbers);
    arrfree(line->idle);
    arrfree(line->unknown);
    arrfree(line->clamped);
    arena_free(&line->arena);
}
