#include <string.h>

#include "ballance/compile/convert.h"
#include "common/diag/codes/usage.def"
#include "vbsp/files.h"
#include "vbsp/options.h"
#include "vbsp/target/source/update/update_options.h"
#include "vbsp/vbsp.h"

static const char details[] =
    "Compiles a VMF or MAP to a BSP and writes its portals (.prt) beside it for vvis. When the map "
    "leaks, there are no portals, the path from the outside to an entity is written to a .lin file "
    "(pointfile), and the exit status is 3.\n\n"
    "A VMF is compiled for Source and a MAP for Quake 3 (IBSP 46), with surface notes "
    "(.srf) beside it for vrad, unless --target is given.\n\n"
    "A BM file, a level of Ballance (.bmx), is compiled for Quake 3 too: closed meshes are "
    "brushes, "
    "others clip models, and a sky, light, a place to start and a box that kills who falls are "
    "added. Its textures and shaders are packed into a .pk3 beside the BSP.\n\n"
    "--target ballance writes a level of Ballance instead: a BM file (.bmx) beside the map, or "
    "named "
    "by -o, with the outer hulls of the brushes as meshes. There is no leak then, and no further "
    "stage.\n\n"
    "-onlyents and -onlyprops update the existing BSP, beside the map or named by -o; everything "
    "else keeps its bytes, and the BSP its engine branch.\n\n"
    "Built-in materials, for maps without game content: the compiler's own of tools/ (clip, "
    "nodraw, "
    "skybox, trigger ...) and of dev/ dev_measure*, dev_interior*, dev_concrete*, "
    "dev_blendmeasure, dev_blendmeasure2, dev_corrugatedmetal, dev_hazzardstripe01a, dev_water2 to "
    "dev_water5, graygrid and reflectivity_10 to reflectivity_90. Others come from -game or "
    "--texdata, and are reported when missing.\n\n"
    "MAP may be given with or without .vmf or .map, may be a manifest (.vmm), or - for standard "
    "input. Files are written atomically, and only on success.";

struct arguments {
    struct standard_options standard;
    struct vbsp_settings vbsp;
    struct vbsp_check check;
};

static enum status update_file(struct vbsp_job *job)
{
    const struct env *env = job->program->env;
    const struct vbsp_settings *settings = job->settings;
    vbsp_update *update = settings->update->only_ents ? vbsp_update_entities : vbsp_update_props;
    TRY(vbsp_update_file(env, job->files.bsp, update, &settings->options, job->assets, &job->level,
                         &job->output));
    TRY(vbsp_write_dumps(env, job->files.bsp, &settings->dumps, &job->output));
    return STATUS_OK;
}

static enum status compile_level(struct vbsp_job *job)
{
    const struct env *env = job->program->env;
    enum status status = vbsp_job_compile(job);
    vbsp_job_report(job);
    status = vbsp_job_judge(job, status);
    if (job->check->check || (status != STATUS_OK && status != STATUS_LEAK))
        return status;
    TRY(vbsp_write_output(env, &job->files, job->format, &job->output));
    TRY(vbsp_write_dumps(env, job->files.bsp, &job->settings->dumps, &job->output));
    return status;
}

static enum status run_job(struct vbsp_job *job)
{
    TRY(vbsp_job_begin(job));
    TRY(vbsp_job_read(job));
    return job->settings->update->only_ents || job->settings->update->only_props
               ? update_file(job)
               : compile_level(job);
}

/* Ballance has no BSP: a BM file stands in its place. */
static enum status find_ballance_files(const struct program *program, struct arguments *arguments,
                                       struct arena *arena, struct vbsp_files *files)
{
    const struct env *env = program->env;
    const struct vbsp_settings *settings = &arguments->vbsp;
    TRY(vbsp_files_find(env, program->result->operands[0], settings->output, arena, files));
    if (!settings->output && strcmp(files->bsp, "-") != 0)
        files->bsp = path_beside(arena, files->bsp, ".bsp", BALLANCE_ENDING);
    if (strcmp(files->bsp, "-") == 0)
        console_quiet(program->console);
    console_stage(program->console, vbsp_stage.name, files->level);
    if (settings->update->only_ents || settings->update->only_props) {
        (void)diag_report(env->diag, DIAG_USAGE, NULL, "%s and --target %s cannot be combined",
                          settings->update->only_ents ? "-onlyents" : "-onlyprops",
                          BALLANCE_TARGET);
        return STATUS_USAGE;
    }
    if (settings->source)
        files->level = settings->source;
    if (!arguments->check.check)
        TRY(fs_prepare_output(env->fs, env->diag, files->bsp));
    return depfile_prepare(program->console, &arguments->standard.depfile, program->result,
                           files->bsp);
}

static enum status run_ballance(const struct program *program, struct arguments *arguments,
                                struct arena *arena)
{
    const struct vbsp_settings *settings = &arguments->vbsp;
    bool warns = settings->missing_instances == MISSING_INSTANCES_WARN;
    struct vbsp_files files;
    struct level level;
    TRY(find_ballance_files(program, arguments, arena, &files));
    TRY(vbsp_read_level(program->env, files.level, &level));
    struct ballance_job job = {.env = program->env,
                               .standard = &arguments->standard,
                               .options = settings->ballance,
                               .level = &level,
                               .missing_instances = warns ? DIAG_WARNING : DIAG_ERROR,
                               .content = settings->options.embed,
                               .path = files.bsp,
                               .only_check = arguments->check.check};
    job.options.no_merge = settings->options.no_merge;
    enum status status = ballance_convert(&job);
    level_free(&level);
    return status;
}

static bool is_for_ballance(const struct vbsp_settings *settings)
{
    return settings->target && strcmp(settings->target, BALLANCE_TARGET) == 0;
}

static enum status run_vbsp(const struct program *program)
{
    struct arguments *arguments = program->values;
    if (is_for_ballance(&arguments->vbsp)) {
        struct arena arena = {0};
        enum status ended = run_ballance(program, arguments, &arena);
        arena_free(&arena);
        return ended;
    }
    struct vbsp_job job = {.program = program,
                           .standard = &arguments->standard,
                           .settings = &arguments->vbsp,
                           .check = &arguments->check,
                           .sizes_only = true};
    enum status status = run_job(&job);
    vbsp_job_summarise(&job, status);
    vbsp_job_free(&job);
    return status;
}

const struct farm_stage vbsp_farm_stages[] = {{NULL, NULL}};

int vbsp_program(int argc, char *const *argv, const struct host *host)
{
    struct arguments arguments = {.vbsp = vbsp_settings_defaults(),
                                  .standard = {.console.host = host}};
    const struct arguments defaults = arguments;
    const struct game_program program = {
        .name = "vbsp",
        .summary = "compile a VMF, MAP or BM file to a BSP and its portals",
        .operand = "MAP",
        .endings = "vmf vmm map bmx",
        .details = details,
        .exit_statuses = EXIT_STATUSES_WITH_LEAK,
        .fail_if = &vbsp_fail_if_option,
        .groups = {vbsp_option_group(offsetof(struct arguments, vbsp)),
                   vbsp_check_option_group(offsetof(struct arguments, check)),
                   cache_option_group(offsetof(struct arguments, standard))},
        .group_count = 3,
        .has_depfile = true,
        .body = run_vbsp,
    };
    int status = game_program_run(&program, &arguments, &defaults, argc, argv);
    vbsp_settings_free(&arguments.vbsp);
    return status;
}
