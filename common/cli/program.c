#include "common/cli/program.h"

#include <jansson.h>
#include <string.h>

#include "common/cli/bounds.h"
#include "common/cli/command_line.h"
#include "common/cli/fail_if.h"
#include "common/cli/farm_start.h"
#include "common/cli/feedback.h"
#include "common/cli/game_by_name.h"
#include "common/cli/priority.h"
#include "common/cli/provenance.h"
#include "common/cli/sandbox.h"
#include "common/cli/subject.h"
#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/float_mode.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/diag/codes/options.def"
#include "common/diag/codes/usage.def"
#include "common/parallel/parallel.h"

#define FIELD(name) offsetof(struct standard_options, name)

#define WINDOWS_ONLY "about the process of Valve's tools on Windows"
#define FARM         "mpirun shares a run between machines instead: see docs/mpi.md"

static const struct option_def defs[] = {
    {.name = "game",
     .alias = "vproject",
     .argument = "DIR",
     .kind = OPTION_TEXT,
     .offset = FIELD(game),
     .use = OPTION_COMMON,
     .help = "game whose materials and textures are used; a folder with gameinfo.txt, the name of "
             "a game that Steam has (tf), openarena, quake3, or the folder of a Quake 3 game"},
    {.name = "insert_search_path",
     .argument = "DIR",
     .endings = "vpk pk3",
     .kind = OPTION_LIST,
     .path = OPTION_READS,
     .offset = FIELD(search_paths),
     .help = "folder, .vpk or .pk3 to search before those of the game; repeatable"},
    {.name = "texdata",
     .argument = "FILE",
     .endings = "tsv txt",
     .kind = OPTION_LIST,
     .path = OPTION_READS,
     .offset = FIELD(texdata),
     .two_dashes = true,
     .use = OPTION_COMMON,
     .help = "material catalogue in place of a game; tab-separated, repeatable"},
    {.name = "fs_basepath",
     .argument = "DIR",
     .kind = OPTION_LIST,
     .offset = FIELD(base_paths),
     .help = "Quake 3: folder that contains game folders; repeatable, the first match wins"},
    {.name = "fs_game",
     .argument = "NAME",
     .kind = OPTION_LIST,
     .offset = FIELD(mods),
     .help = "Quake 3: game folder of a mod, searched before the base game; repeatable"},
    {.name = "fs_basegame",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     .offset = FIELD(base_game),
     .help = "Quake 3: base game folder (default: that of --game, or baseq3)"},
    {.name = "fs_pakpath",
     .argument = "DIR",
     .endings = "pk3",
     .kind = OPTION_LIST,
     .path = OPTION_READS,
     .offset = FIELD(pak_paths),
     .help = "Quake 3: folder with packs and files, or a pack, to search before all others; "
             "repeatable"},
    {.name = "fs_forbiddenpath",
     .argument = "PATTERN",
     .kind = OPTION_LIST,
     .offset = FIELD(forbidden),
     .is_word = true,
     .help = "Quake 3: ignore packs whose names match PATTERN (* and ?); repeatable"},
    {.name = "novconfig",
     .kind = OPTION_FLAG,
     .offset = FIELD(no_config),
     .help = "ignore cfg/commandline.cfg of the game, which sets options per map and program"},
    {.name = "threads",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(console.threads),
     .max = 1024,
     .of_run = true,
     .use = OPTION_COMMON,
     .help = "number of threads, 0: one per CPU; does not change the result"},
    {.name = "low",
     .kind = OPTION_FLAG,
     .offset = FIELD(low),
     .of_run = true,
     .help = "run at the lowest priority"},
    {.name = "nox360", .kind = OPTION_STANDING, .help = "no files for the Xbox 360 are written"},
    {.name = "x360",
     .kind = OPTION_IGNORED,
     .help = "no file for the Xbox 360 is written beside the BSP; brushwork convert --big-endian "
             "makes one"},
    {.name = "FullMinidumps", .kind = OPTION_IGNORED, .help = WINDOWS_ONLY},
    {.name = "steam", .kind = OPTION_IGNORED, .help = "programs do not talk to Steam"},
    {.name = "allowdebug", .kind = OPTION_IGNORED, .help = WINDOWS_ONLY},
    {.name = "processheap", .kind = OPTION_IGNORED, .help = WINDOWS_ONLY},
    {.name = "localphysx", .kind = OPTION_IGNORED, .help = WINDOWS_ONLY},
    {.name = "mpi", .kind = OPTION_IGNORED, .help = FARM},
    {.name = "mpi_pw", .argument = "PASSWORD", .kind = OPTION_IGNORED_ARG, .help = FARM},
    {.name = "mpi_ListParams", .kind = OPTION_IGNORED, .help = FARM},
};

/* Options of all programs, also of those without the general group. */
static const struct option_def message_defs[] = {
    {.name = "v",
     .alias = "verbose",
     .kind = OPTION_FLAG,
     .offset = FIELD(console.verbose),
     .of_run = true,
     .use = OPTION_COMMON,
     .help =
         "print settings, notes and counters; all messages of a code instead of the first five"},
    {.name = "quiet",
     .alias = "q",
     .kind = OPTION_FLAG,
     .offset = FIELD(console.quiet),
     .of_run = true,
     .two_dashes = true,
     .use = OPTION_COMMON,
     .help = "print warnings and errors only; data that were asked for are printed too"},
    {.name = "json",
     .kind = OPTION_FLAG,
     .offset = FIELD(console.json),
     .of_run = true,
     .two_dashes = true,
     .use = OPTION_COMMON,
     .help =
         "print diagnostics, then the result, to standard error, one JSON object per line; data "
         "on standard output are JSON too"},
    {.name = "log",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     .path = OPTION_APPENDS,
     .offset = FIELD(console.log),
     .of_run = true,
     .two_dashes = true,
     .help = "also append all messages to FILE, even with --quiet"},
    {.name = "diagnostics",
     .argument = "FORMAT",
     .kind = OPTION_CHOICE,
     .choices = diag_format_names,
     .offset = FIELD(console.diagnostics),
     .of_run = true,
     .two_dashes = true,
     .help = "format of the messages on standard error: json is the same as --json, sarif is SARIF "
             "2.1.0, github are annotations of GitHub Actions, gitlab is a code quality report of "
             "GitLab"},
    {.name = "diagnostics-file",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     .path = OPTION_APPENDS,
     .offset = FIELD(console.diagnostics_file),
     .of_run = true,
     .two_dashes = true,
     .help =
         "write the messages in that format to FILE, for an upload; standard error has text, or "
         "JSON with --json"},
    {.name = "annotations",
     .kind = OPTION_FLAG,
     .offset = FIELD(console.annotations),
     .of_run = true,
     .two_dashes = true,
     .help = "with --diagnostics-file: standard error has annotations of GitHub Actions, not text"},
    {.name = "connect",
     .argument = "HOST:PORT",
     .kind = OPTION_TEXT,
     .offset = FIELD(console.connect),
     .of_run = true,
     .of_caller = true,
     .help = "send what the run says to the build window of NetRadiant, which listens there: an "
             "address in numbers, or localhost"},
};

static const struct option_def common_defs[] = {
    {.name = "sandbox",
     .kind = OPTION_FLAG,
     .offset = FIELD(sandbox),
     .of_run = true,
     .two_dashes = true,
     .help = "read and write only the folders of FILE and of outputs, and read what options name; "
             "also set by BRUSHWORK_SANDBOX=1. For files of unknown origin: see SECURITY.md"},
    {.name = "max-memory",
     .argument = "SIZE",
     .kind = OPTION_TEXT,
     .offset = FIELD(max_memory),
     .of_run = true,
     .two_dashes = true,
     .is_word = true,
     .help = "stop with exit status 5 when more memory than this is asked for: 512M, 2G; the "
             "program itself and its threads take some tens of megabytes more"},
    {.name = "max-time",
     .argument = "SECONDS",
     .kind = OPTION_NUMBER,
     .offset = FIELD(console.max_seconds),
     .max = 1e7,
     .of_run = true,
     .two_dashes = true,
     .help = "stop with exit status 5 after this time; a run that keeps a checkpoint ends its "
             "round and "
             "writes it first, for which it has a tenth more, at least 2 seconds; 0: no limit"},
    {.name = "no-wait",
     .kind = OPTION_FLAG,
     .offset = FIELD(console.no_wait),
     .of_run = true,
     .two_dashes = true,
     .help = "fail at once (C016) when another run is changing the file that is to be changed in "
             "place, instead of waiting for up to 60 seconds"},
};

struct option_group standard_option_group(size_t base)
{
    return (struct option_group){
        .title = "General", .defs = defs, .count = sizeof defs / sizeof *defs, .base = base};
}

void program_common_groups(const struct option_def *fail_if, size_t base,
                           struct option_group out[PROGRAM_COMMON_GROUPS])
{
    out[0] = (struct option_group){.title = "Messages",
                                   .defs = message_defs,
                                   .count = sizeof message_defs / sizeof *message_defs,
                                   .base = base};
    out[1] = (struct option_group){.title = "Conditions",
                                   .defs = fail_if ? fail_if : &fail_if_option,
                                   .count = 1,
                                   .base = base};
    out[2] = (struct option_group){.title = "Safety",
                                   .defs = common_defs,
                                   .count = sizeof common_defs / sizeof *common_defs,
                                   .base = base};
}

/* About the next program_run. */
static _Thread_local struct next_run {
    program_inspector *see;
    void *context;
    const struct diag *preface;
    program_epilogue *then;
    void *then_context;
} next;

void program_inspect(program_inspector *see, void *context)
{
    next.see = see;
    next.context = context;
}

void program_preface(const struct diag *messages)
{
    next.preface = messages;
}

void program_then(program_epilogue *then, void *context)
{
    next.then = then;
    next.then_context = context;
}

/* Arguments of program_run, and the table with the options that it adds. */
struct run {
    struct option_table table;
    struct option_group *groups; /* stb_ds array */
    void *values;
    struct standard_options *standard;
    program_body *body;
    struct depfile depfile;
};

struct body_run {
    const struct run *run;
    const struct program *program;
    enum status status;
    struct cache *cache;
    struct next_run next;
    int exit_status;
};

/* With the end of the program, so that its threads have little to wait for after it. */
static void run_to_end(void *context)
{
    struct body_run *run = context;
    if (run->status == STATUS_OK)
        run->status = run->run->body(run->program);
    if (run->status == STATUS_OK || run->status == STATUS_LEAK) {
        enum status written = provenance_write(run->program, &run->run->depfile,
                                               &run->run->standard->depfile, run->status);
        run->status = written == STATUS_OK ? run->status : written;
    }
    if (run->status == STATUS_OK || run->status == STATUS_LEAK) {
        enum status written =
            depfile_write(&run->run->depfile, &run->run->standard->depfile, run->program->console);
        run->status = written == STATUS_OK ? run->status : written;
    }
    cache_report_counts(run->cache);
    cache_choice_close(&run->run->standard->cache, run->cache);
    if (run->status == STATUS_OK && run->next.then)
        run->next.then(run->program->env, run->next.then_context);
    run->exit_status = console_finish(run->program->console, run->status);
}

/* The table with the options of all programs. */
static void add_common_options(struct run *run, const struct option_table *table)
{
    for (size_t i = 0; i < table->group_count; i++)
        arrput(run->groups, table->groups[i]);
    size_t base = (size_t)((char *)run->standard - (char *)run->values);
    struct option_group common[PROGRAM_COMMON_GROUPS];
    program_common_groups(table->fail_if, base, common);
    for (size_t i = 0; i < PROGRAM_COMMON_GROUPS; i++)
        arrput(run->groups, common[i]);
    run->table = *table;
    run->table.groups = run->groups;
    run->table.group_count = arrlenu(run->groups);
}

/* One note of the options that were given and have no effect. */
static void note_ignored(const struct option_table *table, const struct option_result *result,
                         struct diag *diag)
{
    struct arena arena = {0};
    const char *names = options_ignored(table, result, &arena);
    if (names)
        (void)diag_report(diag, DIAG_IDLE_OPTION, NULL, "%s", names);
    arena_free(&arena);
}

/* The stages of this run are of all ranks. */
static enum status join_farm(const struct standard_options *standard, struct env *env)
{
    TRY(farm_check(env->diag));
    env->ranks = farm_ranks();
    if (!env->ranks)
        return STATUS_OK;
    if (standard->sandbox) {
        (void)diag_report(
            env->diag, DIAG_USAGE, NULL,
            "--sandbox is of a process that reaches no other one, and this run has %d "
            "ranks",
            ranks_count(env->ranks));
        return STATUS_USAGE;
    }
    if (!standard->console.threads)
        env->threads = farm_share(env->ranks);
    farm_set(env->ranks, &(struct farm_settings){.threads = standard->console.threads,
                                                 .max_memory = standard->console.max_memory});
    return STATUS_OK;
}

static int run_body(struct run *run, struct option_result *result, const struct diag *early,
                    enum status status)
{
    const struct option_table *table = &run->table;
    struct standard_options *standard = run->standard;
    const bool has_host = standard->console.host != NULL;
    if (standard->low && !has_host)
        priority_lower();
    struct console *console = console_new(table->program, &standard->console);
    struct env *env = console_env(console);
    if (diag_count(env->diag, DIAG_ERROR) && status == STATUS_OK)
        status = STATUS_FAILED;
    if (!has_host)
        command_line_report(env->diag);
    diag_report_again(next.preface, env->diag);
    diag_report_again(early, env->diag);
    if (status == STATUS_OK && !has_host)
        status = join_farm(standard, env);
    if (status == STATUS_OK)
        note_ignored(table, result, env->diag);
    if (status == STATUS_OK)
        status = fail_if_add(standard->fail_if, table->fail_if != NULL, env->diag, env->diag);
    struct sandbox *sandbox = NULL;
    if (status == STATUS_OK && standard->sandbox)
        status = sandbox_enter(env, table, run->values, result, standard, &sandbox);
    if (!has_host)
        bounds_watch();
    /* Another program's file system may be one for outputs alone; what the cache reads is no input.
     */
    struct env of_cache = *env;
    of_cache.fs = has_host ? fs_disk() : env->fs;
    depfile_watch(&run->depfile, &standard->depfile, console);
    const struct program program = {console, env, table, run->values, result};
    struct body_run body = {.run = run, .program = &program, .status = status, .next = next};
    next = (struct next_run){0};
    if (status == STATUS_OK)
        env->cache = cache_choice_open(&of_cache, &standard->cache, sandbox);
    body.cache = env->cache;
    parallel_stage(table->has_loops && status == STATUS_OK ? env->threads : 1, run_to_end, &body);
    sandbox_free(sandbox);
    return body.exit_status;
}

static enum status check_address(const struct standard_options *standard, struct diag *diag)
{
    const char *text = standard->console.connect;
    if (!text || feedback_is_address(text))
        return STATUS_OK;
    (void)diag_report(diag, DIAG_USAGE, NULL,
                      "-connect needs an address such as 127.0.0.1:39000, not \"%s\"", text);
    return STATUS_USAGE;
}

static enum status read_bounds(struct standard_options *standard, struct diag *diag)
{
    if (!standard->max_memory ||
        bounds_parse_size(standard->max_memory, &standard->console.max_memory))
        return STATUS_OK;
    (void)diag_report(diag, DIAG_USAGE, NULL,
                      "--max-memory needs a size of at least 1M, such as 512M or 2G, not \"%s\"",
                      standard->max_memory);
    return STATUS_USAGE;
}

/* These are about the whole process. */
static enum status refuse_with_host(const struct standard_options *standard, struct diag *diag)
{
    if (!standard->console.host ||
        (!standard->sandbox && !standard->low && !standard->max_memory &&
         standard->console.max_seconds <= 0 && !standard->console.connect))
        return STATUS_OK;
    (void)diag_report(
        diag, DIAG_USAGE, NULL,
        "--sandbox, -low, --max-memory, --max-time and -connect are of programs alone");
    return STATUS_USAGE;
}

static bool is_given(const struct option_table *table, const struct option_result *result,
                     const char *name)
{
    size_t base;
    for (size_t i = 0; i < arrlenu(result->sources); i++)
        if (strcmp(options_at(table, i, &base)->name, name) == 0)
            return result->sources[i] != OPTION_DEFAULT;
    return false;
}

/* --json and --diagnostics=json are the same; with another format --json is about the data alone,
 * and with a file about standard error. */
static enum status settle_formats(const struct option_table *table, struct console_options *console,
                                  bool is_chosen, struct diag *diag)
{
    if (console->diagnostics_file && !is_chosen) {
        console->diagnostics_file = NULL;
        (void)diag_report(diag, DIAG_USAGE, NULL,
                          "--diagnostics-file needs --diagnostics: the format of the file");
        return STATUS_USAGE;
    }
    if (console->diagnostics_file && subject_names_input(table, console->diagnostics_file)) {
        (void)diag_report(diag, DIAG_USAGE, NULL, "--diagnostics-file: %s would be overwritten",
                          console->diagnostics_file);
        console->diagnostics_file = NULL;
        return STATUS_USAGE;
    }
    if (!is_chosen && console->json)
        console->diagnostics = DIAG_AS_JSON;
    if (console->diagnostics == DIAG_AS_JSON && !console->diagnostics_file)
        console->json = true;
    return STATUS_OK;
}

/* A file that was written would be below a folder "C:". */
static void refuse_drive(const struct option_def *def, const char *path, struct diag *diag)
{
    (void)diag_report(diag, DIAG_USAGE, NULL,
                      "%s%s%s'%s' is a path of Windows; name a file or folder of this system",
                      def ? option_dashes(def, def->name) : "", def ? def->name : "",
                      def ? ": " : "", path);
}

static const char *take_path(const char *path, const struct option_def *def,
                             struct option_result *result, struct diag *diag)
{
    if (path && option_writes(def) && path_is_foreign(path))
        refuse_drive(def, path, diag);
    return path ? path_of_windows(&result->texts, fs_disk(), path) : NULL;
}

/* An operand may be an input or an output. */
static void check_operands(const struct option_table *table, const struct option_result *result,
                           struct diag *diag)
{
    for (size_t i = 0; i < arrlenu(result->operands); i++)
        if (path_is_foreign(result->operands[i]) && !subject_exists(table, result->operands[i]))
            refuse_drive(NULL, result->operands[i], diag);
}

/* Takes the paths of options with `/` for `\`, as those of operands are. */
static enum status take_paths(const struct option_table *table, void *values,
                              struct option_result *result, struct diag *diag)
{
    size_t count = options_count(table), errors = diag_count(diag, DIAG_ERROR), base;
    check_operands(table, result, diag);
    for (size_t i = 0; i < count; i++) {
        const struct option_def *def = options_at(table, i, &base);
        char *field = (char *)values + base + def->offset;
        if (def->path == OPTION_NO_PATH || result->sources[i] == OPTION_DEFAULT)
            continue;
        if (def->kind == OPTION_TEXT) {
            const char **text = (const char **)(void *)field;
            *text = take_path(*text, def, result, diag);
            continue;
        }
        const char **list = *(const char ***)(void *)field;
        for (size_t k = 0; def->kind == OPTION_LIST && k < arrlenu(list); k++)
            if (def->arity <= 1 || k % (size_t)def->arity == 0)
                list[k] = take_path(list[k], def, result, diag);
    }
    return diag_count(diag, DIAG_ERROR) == errors ? STATUS_OK : STATUS_USAGE;
}

static enum status parse(const struct run *run, int argc, char *const *argv,
                         struct option_result *result, struct arena *arena, struct diag *early)
{
    const struct option_table *table = &run->table;
    struct standard_options *standard = run->standard;
    enum status status = options_parse(table, run->values, argc, argv, result, early);
    enum status settled =
        settle_formats(table, &standard->console, is_given(table, result, "diagnostics"), early);
    standard->sandbox |= !standard->console.host && sandbox_wanted();
    if (table->adapt && status == STATUS_OK && settled == STATUS_OK && !result->page)
        status = table->adapt(table, run->values, result, early);
    standard->console.subject = subject_find(table, result, arena);
    standard->console.has_more_files =
        arrlenu(result->operands) > 1 && subject_names_input(table, result->operands[1]);
    TRY(status);
    TRY(settled);
    TRY(cache_choose(table, result, &standard->cache, !standard->console.host, early));
    if (!standard->console.host)
        TRY(take_paths(table, run->values, result, early));
    TRY(refuse_with_host(standard, early));
    TRY(check_address(standard, early));
    if (standard->game && !standard->console.host && !result->page)
        TRY(game_by_name(fs_disk(), early, &result->texts, &standard->game));
    bool configures = table->config && standard->game && !standard->no_config && !standard->sandbox;
    if (!result->page && configures)
        TRY(table->config(table, run->values, result, standard->game, run->depfile.settings, arena,
                          early));
    return result->page ? STATUS_OK : read_bounds(standard, early);
}

static void free_lists(struct standard_options *standard)
{
    arrfree(standard->texdata);
    arrfree(standard->search_paths);
    arrfree(standard->base_paths);
    arrfree(standard->mods);
    arrfree(standard->pak_paths);
    arrfree(standard->forbidden);
    arrfree(standard->fail_if);
}

/* Answers program_inspect. */
static void show_table(const struct option_table *own, void *values,
                       struct standard_options *standard)
{
    struct run run = {.values = values, .standard = standard};
    program_inspector *see = next.see;
    next.see = NULL;
    add_common_options(&run, own);
    see(&run.table, next.context);
    arrfree(run.groups);
}

int program_run(const struct option_table *own, void *values, struct standard_options *standard,
                int argc, char *const *argv, program_body *body)
{
    if (next.see) {
        show_table(own, values, standard);
        return STATUS_OK;
    }
    struct float_mode mode;
    float_mode_begin(&mode);
    if (!standard->console.host)
        bounds_prepare(own->program);
    json_set_alloc_funcs(memory_alloc, memory_free);
    /* How to print is itself an option, so the messages about the others wait for it. */
    struct diag *early = diag_new(NULL, NULL);
    struct option_result result;
    struct arena arena = {0};
    struct run run = {.values = values, .standard = standard, .body = body};
    add_common_options(&run, own);
    depfile_begin(&run.depfile);
    const struct option_table *table = &run.table;
    enum status status = parse(&run, argc, argv, &result, &arena, early);
    int exit_status = STATUS_OK;
    if (status == STATUS_OK && result.page)
        options_answer(table, &result, stdout);
    else
        exit_status = run_body(&run, &result, early, status);
    options_free(&result);
    depfile_end(&run.depfile);
    arrfree(run.groups);
    free_lists(standard);
    arena_free(&arena);
    diag_free(early);
    float_mode_end(&mode);
    return exit_status;
}

const char *program_file(const struct program *program, size_t index, const char *extension)
{
    return path_of_operand(&program->result->texts, program->env->fs,
                           program->result->operands[index], extension);
}

enum status program_apply_map_keys(const struct program *program, const struct entity *world)
{
    for (size_t i = 0; i < arrlenu(world->pairs); i++)
        TRY(options_apply_map_key(program->table, program->values, program->result,
                                  world->pairs[i].key, world->pairs[i].value, program->env->diag));
    console_settings(program->console, program->table, program->values, program->result);
    return STATUS_OK;
}

enum status program_apply_map_text(const struct program *program, const char *text, size_t size,
                                   const char *name)
{
    struct entity_list list = {0};
    enum status status = entities_parse(text, size, name, program->env->diag, &list);
    if (status == STATUS_OK && arrlenu(list.entities))
        status = program_apply_map_keys(program, &list.entities[0]);
    entities_free(&list);
    return status;
}
