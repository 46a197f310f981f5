#include "vbsp/files.h"
#include "vbsp/vbsp.h"

static const char details[] =
    "Reads a VMF or a MAP and writes a BSP, with its portals (.prt) beside it for vvis. When the "
    "map leaks, the portals are missing and the way from outside to an entity is in a .lin file; "
    "the exit status is 3.\n\n"
    "A VMF becomes a map of Source and a MAP one of Quake 3 (IBSP 46), with notes on its surfaces "
    "(.srf) beside it for vrad, unless --target says otherwise.\n\n"
    "-onlyents and -onlyprops keep the BSP that lies beside the map, or that -o names, and replace "
    "what they say in it; all else keeps its bytes, and the BSP its branch of the engine.\n\n"
    "MAP may be named with or without .vmf or .map, or is a manifest (.vmm); - is standard input. "
    "Files are replaced whole, and only when all went well.";

struct arguments {
    struct standard_options standard;
    struct vbsp_settings vbsp;
    struct vbsp_check check;
};

static enum status update_file(struct vbsp_job *job)
{
    const struct env *env = job->program->env;
    const struct vbsp_settings *settings = job->settings;
    vbsp_update *update = settings->only_ents ? vbsp_update_entities : vbsp_update_props;
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
    return job->settings->only_ents || job->settings->only_props ? update_file(job)
                                                                 : compile_level(job);
}

static enum status run_vbsp(const struct program *program)
{
    struct arguments *arguments = program->values;
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

int main(int argc, char **argv)
{
    struct arguments arguments = {.vbsp = vbsp_settings_defaults()};
    const struct arguments defaults = arguments;
    const struct game_program program = {
        .name = "vbsp",
        .summary = "compile a map source into a BSP and its portals",
        .operand = "MAP",
        .details = details,
        .groups = {vbsp_option_group(offsetof(struct arguments, vbsp)),
                   vbsp_check_option_group(offsetof(struct arguments, check))},
        .group_count = 2,
        .body = run_vbsp,
    };
    int status = game_program_run(&program, &arguments, &defaults, argc, argv);
    vbsp_check_free(&arguments.check);
    return status;
}
