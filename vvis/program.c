#include <stdio.h>
#include <string.h>

#include "common/assets/game_program.h"
#include "common/bsp/codec/limit_report.h"
#include "common/cli/resume_options.h"
#include "common/cli/run_summary.h"
#include "common/core/array.h"
#include "common/diag/codes/usage.def"
#include "common/io/fs.h"
#include "vvis/files.h"
#include "vvis/report/report.h"
#include "vvis/report/trace.h"
#include "vvis/vvis.h"

static const char details[] =
    "Reads a BSP and its portal file (.prt), computes visibility (PVS and PAS) and writes it into "
    "the BSP, which may be of Source or of Quake 3.\n\n"
    "FILE may be given with or without .bsp. The output file is replaced only on success.\n\n"
    "Long runs store their progress in a checkpoint (.vischeckpoint) next to the output. After a "
    "crash, --resume with the same -o continues from there and gives the same result. On Ctrl-C, "
    "SIGTERM and SIGHUP vvis finishes the current round, writes the checkpoint and ends by that "
    "signal; another Ctrl-C ends it at once.";

struct arguments {
    struct standard_options standard;
    struct vvis_options vvis;
    const char *portals, *output;
    bool portals_in_tmp, report;
    struct resume_options resume;
    int trace[2];
};

static const struct option_def file_options[] = {
    {.name = "o",
     .alias = "output",
     .hidden = "out",
     .argument = "FILE",
     .endings = "bsp",
     .kind = OPTION_TEXT,
     .path = OPTION_WRITES,
     .offset = offsetof(struct arguments, output),
     .help = "output BSP (default: overwrite FILE); - is standard output"},
    {.name = "prt",
     .argument = "FILE",
     .endings = "prt",
     .kind = OPTION_TEXT,
     .path = OPTION_READS,
     .offset = offsetof(struct arguments, portals),
     .two_dashes = true,
     .help = "portal file (default: FILE with .prt instead of .bsp; where it is missing or of "
             "another compile, portals are made from the BSP)"},
    {.name = "tmpin",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct arguments, portals_in_tmp),
     .use = OPTION_RARE,
     .touches_files = true,
     .help = "read the portal file from /tmp"},
    {.name = "trace",
     .argument = "A B",
     .kind = OPTION_INT,
     .arity = 2,
     .min = 0,
     .max = 65535,
     .offset = offsetof(struct arguments, trace),
     .use = OPTION_RARE,
     .touches_files = true,
     .help =
         "only find a sightline from cluster A to cluster B and write it as a .lin file next to "
         "the BSP; exit status 1 if there is none"},
    {.name = "report",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct arguments, report),
     .two_dashes = true,
     .help = "show where visibility is expensive, which clusters see nearly the whole map, and "
             "where hint brushes or func_detail may help; with --json as one JSON object on "
             "standard output"},
};

struct run {
    const struct program *program;
    struct arguments *arguments;
    struct arena arena;
    const char *path, *output, *portals;
    struct vvis_session session;
    struct vvis_input input;
    struct fs_hold *hold;
};

static const char *portals_path(struct run *run)
{
    if (run->arguments->portals)
        return run->arguments->portals;
    const char *beside = path_beside(&run->arena, run->path, ".bsp", ".prt");
    if (!run->arguments->portals_in_tmp)
        return beside;
    return arena_printf(&run->arena, "/tmp/%s", path_name(beside));
}

static void find_files(struct run *run)
{
    const struct program *program = run->program;
    run->path =
        path_of_operand(&run->arena, program->env->fs, program->result->operands[0], ".bsp");
    run->output = run->arguments->output ? run->arguments->output : run->path;
    run->portals = portals_path(run);
    const char *beside = strcmp(run->output, "-") != 0 ? run->output : run->path;
    if (run->arguments->trace[0] < 0)
        stage_session_begin(&vvis_stage, program, &run->arguments->resume, &run->arena, beside,
                            &run->session.stage);
}

static enum status read_input(struct run *run)
{
    const struct program *program = run->program;
    struct vvis_input *input = &run->input;
    struct fs *fs = program->env->fs;
    const char *output = run->arguments->trace[0] < 0 ? run->output : NULL;
    if (run->arguments->output)
        TRY(fs_prepare_output(fs, program->env->diag, output));
    else if (output)
        TRY(fs_prepare_beside(fs, program->env->diag, output));
    if (output)
        TRY(depfile_prepare(program->console, &run->arguments->standard.depfile, program->result,
                            output));
    if (output)
        TRY(env_hold(program->env, run->path, output, &run->hold));
    const struct vvis_portals portals = {run->portals,
                                         run->arguments->portals || run->arguments->portals_in_tmp};
    TRY(vvis_read_input(program->env, run->path, &portals, output, input));
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
                trace.proven        ? "sightline"
                : trace.over_budget ? "over budget, assumed visible:"
                                    : "no sightline found, but visibility cannot be ruled out:",
                trace.from.x, trace.from.y, trace.from.z, trace.to.x, trace.to.y, trace.to.z);
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
    struct vis_report report = {0};
    struct stage_session *session = &run->session.stage;
    run->session.report = run->arguments->report ? &report : NULL;
    stage_session_key(&vvis_stage, run->program, run->path, session);
    console_saves(run->program->console, session->checkpoint != NULL);
    enum status status =
        vvis_run(env, &run->arguments->vvis, &run->session, &run->input.prt, run->input.bsp);
    stage_session_tell(session, run->program->console);
    TRY(status);
    if (run->session.report)
        print_report(run, &report);
    report_free(&report);
    const struct bsp *bsp = run->input.bsp;
    TRY(bsp_write_output(env, bsp, bsp->format,
                         &(struct bsp_output_file){.path = run->output,
                                                   .staged = vvis_input_staged(&run->input),
                                                   .hold = run->hold}));
    stage_session_remove(session, env);
    map_summary_add(console_summary(run->program->console), bsp,
                    bsp_branch_that_takes(bsp, bsp->format));
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
        console_quiet(program->console);
    console_catch_signals(program->console);
    console_stage(program->console, vvis_stage.name, run.path);
    enum status status = read_input(&run);
    if (status == STATUS_OK)
        status = run.arguments->trace[0] >= 0 ? write_trace(&run) : write_visibility(&run);
    vvis_input_free(&run.input);
    fs_hold_end(run.hold);
    arena_free(&run.arena);
    return status;
}

const struct farm_stage vvis_farm_stages[] = {{"vvis", vvis_work}, {NULL, NULL}};

int vvis_program(int argc, char *const *argv, const struct host *host)
{
    struct arguments arguments = {
        .standard = {.console.host = host},
        .vvis = vvis_defaults,
        .resume.seconds = RESUME_DEFAULT_SECONDS,
        .trace = {-1, -1},
    };
    const struct arguments defaults = arguments;
    const struct game_program program = {
        .name = "vvis",
        .summary = "compute the visibility of a BSP",
        .operand = "FILE",
        .endings = "bsp",
        .details = details,
        .defs = file_options,
        .count = sizeof file_options / sizeof *file_options,
        .groups = {vvis_option_group(offsetof(struct arguments, vvis)),
                   resume_option_group(offsetof(struct arguments, resume)),
                   cache_option_group(offsetof(struct arguments, standard))},
        .group_count = 3,
        .has_depfile = true,
        .body = run_vvis,
    };
    return game_program_run(&program, &arguments, &defaults, argc, argv);
}
