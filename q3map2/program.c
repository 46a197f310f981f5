#include <string.h>

#include "brushwork/verbs.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/io/fs.h"
#include "q3map2/pages.h"
#include "q3map2/q3map2.h"
#include "q3map2/translate.h"
#include "vbsp/files.h"
#include "vrad/files.h"
#include "vvis/files.h"

/* An argv of a program that is called. */
struct call {
    char **argv; /* stb_ds array */
    struct arena arena;
};

/* main has arguments that may be written to, and no program writes to them. */
static void add(struct call *call, const char *word)
{
    char *copy = arena_strdup(&call->arena, word);
    arrput(call->argv, copy);
}

static void add_all(struct call *call, const char *const *words)
{
    for (size_t i = 0; i < arrlenu(words); i++)
        add(call, words[i]);
}

static int finish(struct call *call, int status)
{
    arrfree(call->argv);
    arena_free(&call->arena);
    return status;
}

static int run_program(struct call *call, program_main *program, const struct host *host)
{
    return finish(call, program((int)arrlen(call->argv), call->argv, host));
}

static int run_verb(struct call *call, int (*verb)(int argc, char **argv))
{
    return finish(call, verb((int)arrlen(call->argv), call->argv));
}

/* The BSP of a line's file: each stage is named by the map. */
static const char *bsp_of(struct call *call, const struct q3_line *line)
{
    return path_of_operand(&call->arena, fs_disk(), line->operands[0], ".bsp");
}

static int run_bsp(const struct q3_line *line, const struct host *host)
{
    static const char *const sources[] = {".map", ".reg", ".vmf", ".vmm"};
    struct call call = {0};
    const char *map = line->operands[0];
    bool is_source = strcmp(map, "-") == 0;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        is_source |= str_ends_nocase(map, sources[i]);
    if (!is_source)
        map = path_of_operand(&call.arena, fs_disk(), map, ".map");
    add(&call, "vbsp");
    add(&call, "--target");
    add(&call, "quake3");
    add_all(&call, line->arguments);
    if (line->source) {
        add(&call, "-o");
        add(&call,
            path_beside(&call.arena, map, strrchr(map, '.') ? strrchr(map, '.') : "", ".bsp"));
    }
    add(&call, line->source ? line->source : map);
    return run_program(&call, vbsp_program, host);
}

/* The portals are of no use once visibility is in the BSP. */
static int run_vis(const struct q3_line *line, const struct host *host)
{
    struct call call = {0};
    struct fs *fs = fs_disk();
    add(&call, "vvis");
    add_all(&call, line->arguments);
    add(&call, line->operands[0]);
    const char *portals = path_beside(&call.arena, bsp_of(&call, line), ".bsp", ".prt");
    int status = vvis_program((int)arrlen(call.argv), call.argv, host);
    if (status == STATUS_OK && !line->keeps_portals && fs->ops->kind(fs, portals) == FS_FILE)
        (void)fs->ops->remove(fs, portals);
    return finish(&call, status);
}

static int run_light(const struct q3_line *line, const struct host *host)
{
    struct call call = {0};
    add(&call, "vrad");
    add_all(&call, line->arguments);
    add(&call, line->operands[0]);
    return run_program(&call, vrad_program, host);
}

static int run_info(const struct q3_line *line, const struct host *host)
{
    struct call call = {0};
    (void)host;
    add(&call, "info");
    add_all(&call, line->arguments);
    add_all(&call, line->operands);
    return run_verb(&call, verb_info);
}

static int run_pk3(const struct q3_line *line, const struct host *host)
{
    int status = STATUS_OK;
    (void)host;
    for (size_t i = 0; i < arrlenu(line->operands); i++) {
        struct call call = {0};
        const char *bsp = path_of_operand(&call.arena, fs_disk(), line->operands[i], ".bsp");
        add(&call, "pack");
        add_all(&call, line->arguments);
        add(&call, "--pk3");
        add(&call, path_beside(&call.arena, bsp, ".bsp", "_autopacked.pk3"));
        add(&call, bsp);
        int of_file = run_verb(&call, verb_pack);
        status = of_file ? of_file : status;
    }
    return status;
}

static int run_exportents(const struct q3_line *line, const struct host *host)
{
    struct call call = {0};
    (void)host;
    const char *bsp = bsp_of(&call, line);
    add(&call, "unpack");
    add_all(&call, line->arguments);
    add(&call, "--entities");
    add(&call, "--force");
    add(&call, "--to");
    add(&call, path_beside(&call.arena, bsp, ".bsp", ".ent"));
    add(&call, bsp);
    return run_verb(&call, verb_unpack);
}

typedef int run_stage(const struct q3_line *line, const struct host *host);

static run_stage *const runs[Q3_STAGES] = {
    [Q3_BSP] = run_bsp,   [Q3_VIS] = run_vis, [Q3_LIGHT] = run_light,
    [Q3_INFO] = run_info, [Q3_PK3] = run_pk3, [Q3_EXPORTENTS] = run_exportents,
};

/* What is said before the stage begins; messages of the stage are its own. */

static const char *list_idle(const struct q3_line *line, struct arena *arena)
{
    const char *list = "";
    for (size_t i = 0; i < arrlenu(line->idle); i++)
        list = arena_printf(arena, "%s%s-%s (%s)", list, i ? ", " : "", line->idle[i].name,
                            line->idle[i].why);
    return list;
}

static void report_line(const struct q3_line *line, struct diag *diag)
{
    struct arena arena = {0};
    for (size_t i = 0; i < arrlenu(line->unknown); i++)
        (void)diag_report(diag, DIAG_UNKNOWN_OPTION, NULL, "'%s' of -%s", line->unknown[i],
                          q3_stages[line->stage].word);
    for (size_t i = 0; i < arrlenu(line->clamped); i++)
        (void)diag_report(diag, DIAG_OPTION_RANGE, NULL, "%s", line->clamped[i]);
    if (arrlenu(line->idle))
        (void)diag_report(diag, DIAG_IDLE_OPTION, NULL, "%s", list_idle(line, &arena));
    arena_free(&arena);
}

/* Options of messages, as the stage will take them. */
static struct console_options console_options_of(const struct q3_line *line,
                                                 const struct host *host)
{
    struct standard_options standard = {0};
    struct option_group groups[PROGRAM_COMMON_GROUPS];
    program_common_groups(NULL, 0, groups);
    const struct option_table table = {
        .program = "q3map2", .operands = "", .groups = groups, .group_count = 1};
    struct call call = {0};
    struct option_result result;
    struct diag *silent = diag_new(NULL, NULL);
    add(&call, "q3map2");
    add_all(&call, line->messages);
    (void)!options_parse(&table, &standard, (int)arrlen(call.argv), call.argv, &result, silent);
    if (standard.console.json && !standard.console.diagnostics_file)
        standard.console.diagnostics = DIAG_AS_JSON;
    standard.console.json = false; /* the result is that of the stage */
    standard.console.host = host;
    options_free(&result);
    diag_free(silent);
    (void)finish(&call, STATUS_OK);
    return standard.console;
}

/* Prints the messages of the line itself. Returns the exit status. */
static int tell(const struct q3_line *line, const struct diag *early, enum status status,
                const struct host *host)
{
    if (status == STATUS_OK && !arrlenu(line->unknown) && !arrlenu(line->clamped) &&
        !arrlenu(line->idle))
        return STATUS_OK;
    struct console_options options = console_options_of(line, host);
    struct console *console = console_new("q3map2", &options);
    struct diag *diag = console_env(console)->diag;
    for (size_t i = 0; i < diag_entries(early); i++) {
        const struct diag_entry *entry = diag_entry(early, i);
        (void)diag_report(diag, entry->code, &entry->where, "%s", entry->message);
    }
    if (status == STATUS_OK)
        report_line(line, diag);
    return console_finish(console, status);
}

int q3map2_program(int argc, char *const *argv, const struct host *host)
{
    if (argc < 2) {
        q3_explain();
        return STATUS_USAGE;
    }
    if (q3_answer(argc, argv))
        return STATUS_OK;
    struct q3_line line;
    struct diag *early = diag_new(NULL, NULL);
    enum status status = q3_translate(argc, argv, early, &line);
    int exit_status = tell(&line, early, status, host);
    if (exit_status == STATUS_OK)
        exit_status = runs[line.stage](&line, host);
    q3_line_free(&line);
    diag_free(early);
    return exit_status;
}
