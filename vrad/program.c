#include <string.h>

#include "common/assets/game_program.h"
#include "common/bsp/codec/limit_report.h"
#include "common/bsp/convert/convert.h"
#include "common/bsp/engine.h"
#include "common/cli/next_step.h"
#include "common/cli/resume_options.h"
#include "common/cli/run_summary.h"
#include "common/core/array.h"
#include "common/io/fs.h"
#include "common/resume/fs_trace.h"
#include "vrad/files.h"
#include "vrad/vrad.h"

/* clang-format off */
static const char details[] =
    "Computes direct light, bounced light and sky light, and writes lightmaps, ambient samples, prop "
    "lighting and worldlights into the BSP. Texture lights come from lights.rad of the "
    "game, from -lights FILE and from MAP.rad beside the BSP.\n\n"
    "In a Quake 3 BSP it writes lightmap pages, vertex lighting and the light grid. Surface lights, "
    "skies and suns come from its shaders, which -game finds; MAP.srf beside the BSP, written by "
    "vbsp, holds the luxel sizes of surfaces.\n\n"
    "FILE may be given without .bsp. It is replaced as a whole, and only on success. Run vvis first: "
    "without visibility vrad takes longer, and the engine does not know which lights reach where.\n\n"
    "Long runs keep finished work in a checkpoint (.vradcheckpoint) next to the output. After a "
    "crash, Ctrl-C, SIGTERM or SIGHUP, --resume with the same options continues from there and gives the "
    "same result. It starts over when the BSP, an option or any other file that was read has changed. "
    "Another Ctrl-C ends the run at once.";
/* clang-format on */

struct arguments {
    struct standard_options standard;
    struct vrad_options vrad;
    struct resume_options resume;
    const char *output;
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
};

/* All reading goes through `traced`, where the checkpoint finds it. */
struct run {
    const struct program *program;
    struct program reader; /* the same, with `traced` */
    struct env traced;
    struct arguments *arguments;
    struct arena arena;
    const char *path, *output;
    struct vrad_session session;
    struct fs_hold *hold;
    struct bsp *bsp;
};

static void find_files(struct run *run)
{
    const struct program *program = run->program;
    struct arguments *arguments = run->arguments;
    const struct env *env = program->env;
    run->path = path_of_operand(&run->arena, env->fs, program->result->operands[0], ".bsp");
    run->output = arguments->output ? arguments->output : run->path;
    if (strcmp(run->output, "-") == 0)
        console_quiet(program->console);
    console_stage(program->console, vrad_stage.name, run->path);
    bool streams = strcmp(run->path, "-") == 0;
    struct stage_session *session = &run->session.stage;
    stage_session_begin(&vrad_stage, program, &arguments->resume, &run->arena,
                        streams ? "-" : run->output, session);
    session->env = env;
    run->traced = *env;
    if (session->checkpoint)
        run->traced.fs = session->trace = fs_trace_new(env->fs);
    run->reader = *program;
    run->reader.env = &run->traced;
    arguments->vrad.map_rad = vrad_map_rad(&run->traced, &run->arena, run->path, ".bsp");
    arguments->vrad.quake3.map_path = run->output;
}

static enum status read_bsp(struct run *run)
{
    const struct env *env = run->program->env;
    TRY(run->arguments->output ? fs_prepare_output(env->fs, env->diag, run->output)
                               : fs_prepare_beside(env->fs, env->diag, run->output));
    TRY(depfile_prepare(run->program->console, &run->arguments->standard.depfile,
                        run->program->result, run->output));
    TRY(env_hold(env, run->path, run->output, &run->hold));
    TRY(bsp_read_file(&run->traced, run->path, &run->bsp));
    TRY(program_apply_map_text(&run->reader, run->bsp->entities, arrlenu(run->bsp->entities),
                               run->path));
    return STATUS_OK;
}

/* The light is kept by the content of the game that it reads; the BSP is known by then. */
static struct env begin_cache(struct run *run)
{
    struct env content = run->traced;
    if (!content.cache)
        return content;
    content.fs = run->session.content = fs_trace_new(run->traced.fs);
    stage_options_key(&vrad_stage, run->program, run->session.options);
    return content;
}

static enum status light(struct run *run)
{
    const struct env *env = &run->traced;
    struct arguments *arguments = run->arguments;
    struct assets *assets;
    struct surface_notes notes;
    TRY(vrad_read_notes(env, run->path, run->bsp, &notes));
    arguments->vrad.quake3.notes = &notes;
    resume_key(run->program, run->path, run->session.stage.key);
    struct env content = begin_cache(run);
    const bool has_shaders = run->bsp->engine->has_shaders;
    const struct assets_use use = {.has_shaders = has_shaders,
                                   .parms.engine = run->bsp->engine,
                                   .parms.custom =
                                       has_shaders && arguments->vrad.quake3.custom_parms};
    enum status status = assets_open_of(&content, &arguments->standard, use, &assets);
    if (status == STATUS_OK) {
        console_saves(run->program->console, run->session.stage.checkpoint != NULL);
        status = vrad_run(&content, &arguments->vrad, &run->session, assets, run->bsp);
        assets_free(assets);
    }
    surface_notes_free(&notes);
    stage_session_tell(&run->session.stage, run->program->console);
    return status;
}

static enum status write_bsp(struct run *run)
{
    const struct program *program = run->program;
    struct bsp *bsp = run->bsp;
    bsp_light_fit(bsp, bsp->format, program->env->diag);
    TRY(bsp_write_output(program->env, bsp, bsp->format,
                         &(struct bsp_output_file){.path = run->output, .hold = run->hold}));
    stage_session_remove(&run->session.stage, program->env);
    map_summary_add(console_summary(program->console), bsp,
                    bsp_branch_that_takes(bsp, bsp->format));
    map_summary_light(console_summary(program->console), bsp);
    next_step_play(program, &run->arguments->standard, run->output, bsp->engine);
    return STATUS_OK;
}

static enum status run_vrad(const struct program *program)
{
    struct run run = {.program = program, .arguments = program->values};
    console_catch_signals(program->console);
    find_files(&run);
    enum status status = read_bsp(&run);
    if (status == STATUS_OK)
        status = light(&run);
    if (status == STATUS_OK)
        status = write_bsp(&run);
    bsp_free(run.bsp);
    fs_hold_end(run.hold);
    diag_free(run.session.shader_reports);
    fs_trace_free(run.session.content);
    fs_trace_free(run.session.stage.trace);
    arena_free(&run.arena);
    return status;
}

const struct farm_stage vrad_farm_stages[] = {{"vrad", vrad_work}, {NULL, NULL}};

int vrad_program(int argc, char *const *argv, const struct host *host)
{
    struct arguments arguments = {.vrad = vrad_defaults,
                                  .resume.seconds = RESUME_DEFAULT_SECONDS,
                                  .standard = {.console.host = host}};
    const struct arguments defaults = arguments;
    const struct game_program program = {
        .name = "vrad",
        .summary = "light a BSP",
        .operand = "FILE",
        .endings = "bsp",
        .details = details,
        .defs = file_options,
        .count = sizeof file_options / sizeof *file_options,
        .groups = {vrad_option_group(offsetof(struct arguments, vrad)),
                   resume_option_group(offsetof(struct arguments, resume)),
                   cache_option_group(offsetof(struct arguments, standard))},
        .group_count = 3,
        .has_depfile = true,
        .body = run_vrad,
    };
    return game_program_run(&program, &arguments, &defaults, argc, argv);
}
