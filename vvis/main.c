#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/assets/game_program.h"
#include "common/bsp/codec/format.h"
#include "common/core/array.h"
#include "common/io/fs.h"
#include "vvis/files.h"
#include "vvis/graph/orient.h"
#include "vvis/options.h"
#include "vvis/report/report.h"
#include "vvis/report/trace.h"

static const char details[] =
    "Reads a BSP and the portals (.prt) that were written beside it, computes what can be seen and "
    "heard from where, and writes that into the BSP, of Source or of Quake 3.\n\n"
    "FILE may be named with or without .bsp. The file is replaced whole, and only when all went "
    "well.\n\n"
    "A run of some minutes keeps what it knows in a checkpoint (.vischeckpoint) beside the BSP "
    "that it is to write; --resume, with the same -o, goes on from there after a crash, and gives "
    "the same bytes. Interrupted once "
    "(Ctrl-C), vvis writes the checkpoint after the round that it is in and ends with status 1; "
    "interrupted again it ends at once.";

struct arguments {
    struct standard_options standard;
    struct vvis_options vvis;
    const char *portals, *output;
    bool portals_in_tmp, resume, report;
    double checkpoint_seconds;
    int trace[2];
};

static const struct option_def file_options[] = {
    {.name = "o",
     .alias = "output",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct arguments, output),
     .help = "the BSP to write (default: the one that was read); - is standard output"},
    {.name = "prt",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct arguments, portals),
     .two_dashes = true,
     .help = "the portal file (default: beside the BSP)"},
    {.name = "tmpin",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct arguments, portals_in_tmp),
     .help = "the portal file is in /tmp"},
    {.name = "trace",
     .argument = "A B",
     .kind = OPTION_INT,
     .arity = 2,
     .min = 0,
     .max = 65535,
     .offset = offsetof(struct arguments, trace),
     .help = "write only a line of sight from cluster A to cluster B, as a .lin beside the BSP; "
             "status 1 when there is none"},
    {.name = "resume",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct arguments, resume),
     .two_dashes = true,
     .help = "go on from the checkpoint of a run that did not end"},
    {.name = "checkpoint-every",
     .argument = "SECONDS",
     .kind = OPTION_NUMBER,
     .offset = offsetof(struct arguments, checkpoint_seconds),
     .max = 1e6,
     .two_dashes = true,
     .help = "how often what is known is kept, at most; 0: after each round"},
    {.name = "report",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct arguments, report),
     .two_dashes = true,
     .help = "tell what visibility costs where, which clusters see nearly all, and where a hint or "
             "func_detail may help; with --json as one object on standard output"},
};

/* Set by a signal; the one thing that a handler may do for the run. */
static volatile sig_atomic_t stop_wanted;

static void on_signal(int number)
{
    static const char text[] = "\nvvis: stopping after this round; once more to stop at once\n";
    (void)number;
    stop_wanted = 1;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
}

/* The second one ends the process as if nothing were here. */
static void catch_signals(void)
{
    struct sigaction action = {0};
    action.sa_handler = on_signal;
    action.sa_flags = (int)SA_RESETHAND | SA_RESTART;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

struct run {
    const struct program *program;
    struct arguments *arguments;
    struct arena arena;
    const char *path, *output, *portals, *checkpoint;
    struct vvis_input input;
};

static const char *portals_path(struct run *run)
{
    if (run->arguments->portals)
        return run->arguments->portals;
    const char *beside = path_beside(&run->arena, run->path, ".bsp", ".prt");
    if (!run->arguments->portals_in_tmp)
        return beside;
    const char *slash = strrchr(beside, '/');
    return arena_printf(&run->arena, "/tmp/%s", slash ? slash + 1 : beside);
}

static void find_files(struct run *run)
{
    const struct program *program = run->program;
    run->path =
        path_of_operand(&run->arena, program->env->fs, program->result->operands[0], ".bsp");
    run->output = run->arguments->output ? run->arguments->output : run->path;
    run->portals = portals_path(run);
    const char *beside = strcmp(run->output, "-") != 0 ? run->output : run->path;
    if (strcmp(beside, "-") != 0)
        run->checkpoint = path_beside(&run->arena, beside, ".bsp", ".vischeckpoint");
}

static enum status read_input(struct run *run)
{
    const struct program *program = run->program;
    struct vvis_input *input = &run->input;
    const char *output = run->arguments->trace[0] < 0 ? run->output : NULL;
    TRY(vvis_read_input(program->env, run->path, run->portals, output, input));
    TRY(portals_orient(program->env, input->bsp, &input->prt));
    TRY(program_apply_map_text(program, input->bsp->entities, arrlenu(input->bsp->entities),
                               run->path));
    return STATUS_OK;
}

static enum status write_trace(struct run *run)
{
    const struct env *env = run->program->env;
    struct vis_trace trace;
    TRY(vvis_trace(env, &run->arguments->vvis, &run->input.prt, run->input.bsp,
                   run->arguments->trace[0], run->arguments->trace[1], &trace));
    const char *path = path_beside(&run->arena, run->path, ".bsp", ".lin");
    const struct vec3 points[] = {trace.from, trace.to};
    TRY(vvis_write_lin(env, path, points, 2));
    console_say(run->program->console, "%s from (%.1f %.1f %.1f) to (%.1f %.1f %.1f)",
                trace.proven     ? "a line of sight goes"
                : trace.given_up ? "undecided, and so taken for seen:"
                                 : "too narrow to be followed, but not to be ruled out:",
                trace.from.x, trace.from.y, trace.from.z, trace.to.x, trace.to.y, trace.to.z);
    console_wrote(run->program->console, path);
    return STATUS_OK;
}

static void print_report(struct run *run, const struct vis_report *report)
{
    struct bytes text = {0};
    if (run->arguments->standard.console.json)
        report_json(report, &text);
    else
        report_text(report, &text);
    fwrite(text.data, 1, text.size, stdout);
    bytes_free(&text);
}

static enum status write_visibility(struct run *run)
{
    const struct env *env = run->program->env;
    struct fs *fs = env->fs;
    struct vis_report report = {0};
    const struct vvis_session session = {
        .report = run->arguments->report ? &report : NULL,
        .checkpoint = run->checkpoint,
        .resume = run->arguments->resume,
        .checkpoint_seconds = run->arguments->checkpoint_seconds,
        .stop = &stop_wanted,
    };
    if (session.resume && !run->checkpoint)
        (void)diag_report(env->diag, DIAG_VIS_CHECKPOINT_ABSENT, NULL,
                          "there is none for standard input and output");
    bool left = run->checkpoint && fs->ops->kind(fs, run->checkpoint) == FS_FILE;
    if (left && !session.resume)
        console_say(run->program->console, "  an earlier run left %s; --resume goes on from there",
                    run->checkpoint);
    TRY(vvis_run_session(env, &run->arguments->vvis, &session, &run->input.prt, run->input.bsp));
    if (session.report)
        print_report(run, &report);
    report_free(&report);
    const struct bsp *bsp = run->input.bsp;
    TRY(bsp_write_draft(env, bsp, bsp->format, run->output, vvis_input_draft(&run->input)));
    console_wrote(run->program->console, run->output);
    if (run->checkpoint && fs->ops->kind(fs, run->checkpoint) == FS_FILE)
        (void)fs->ops->remove(fs, run->checkpoint);
    return STATUS_OK;
}

static enum status run_vvis(const struct program *program)
{
    struct run run = {.program = program, .arguments = program->values};
    find_files(&run);
    if (run.arguments->report && strcmp(run.output, "-") == 0) {
        (void)diag_report(program->env->diag, DIAG_USAGE, NULL,
                          "--report and -o - cannot be combined");
        arena_free(&run.arena);
        return STATUS_USAGE;
    }
    if (strcmp(run.output, "-") == 0 ||
        (run.arguments->report && run.arguments->standard.console.json))
        console_hush(program->console);
    catch_signals();
    console_stage(program->console, "vvis", run.path);
    enum status status = read_input(&run);
    if (status == STATUS_OK)
        status = run.arguments->trace[0] >= 0 ? write_trace(&run) : write_visibility(&run);
    vvis_input_free(&run.input);
    arena_free(&run.arena);
    return status;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {
        .vvis = vvis_defaults, .checkpoint_seconds = 60, .trace = {-1, -1}};
    const struct arguments defaults = arguments;
    const struct game_program program = {
        .name = "vvis",
        .summary = "compute the visibility of a BSP",
        .operand = "FILE",
        .details = details,
        .defs = file_options,
        .count = sizeof file_options / sizeof *file_options,
        .groups = {vvis_option_group(offsetof(struct arguments, vvis))},
        .group_count = 1,
        .body = run_vvis,
    };
    return game_program_run(&program, &arguments, &defaults, argc, argv);
}
