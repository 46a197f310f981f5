/* The three stages in one process; the same bytes as the three programs one after the other. */
#include <string.h>

#include "brushwork/verbs.h"
#include "common/assets/assets_of.h"
#include "common/assets/command_config.h"
#include "common/bsp/convert/ambient.h"
#include "common/cli/program.h"
#include "vbsp/check.h"
#include "vbsp/files.h"
#include "vbsp/options.h"
#include "vbsp/report/dumps.h"
#include "vrad/files.h"
#include "vrad/options.h"
#include "vvis/options.h"

static const char details[] =
    "Compiles a map, computes its visibility and lights it, in one process. What comes out is what "
    "vbsp, vvis and vrad write one after the other; the portals (.prt), and of a map of Quake 3 "
    "the notes on surfaces (.srf), lie beside the BSP.\n\n"
    "When the map leaks, the BSP and the way from outside to an entity (.lin) are written, there "
    "is no visibility and no light, and the exit status is 3. MAP may be named with or without "
    ".vmf or .map; - is standard input. Files are replaced whole, and only when all went well.";

enum preset { PRESET_FAST, PRESET_NORMAL, PRESET_FINAL };

static const char *const preset_names[] = {"fast", "normal", "final", NULL};

struct arguments {
    struct standard_options standard;
    struct vbsp_settings vbsp;
    struct vbsp_check check;
    struct vvis_options vvis;
    struct vrad_options vrad;
    int preset; /* enum preset */
};

static const struct option_def build_options[] = {
    {.name = "preset",
     .argument = "NAME",
     .kind = OPTION_CHOICE,
     .choices = preset_names,
     .offset = offsetof(struct arguments, preset),
     .two_dashes = true,
     .help = "how much care is taken over visibility and light: fast is -fast of both, final is "
             "-final"},
};

struct build {
    const struct program *program;
    const struct env *env;
    struct arguments *arguments;
    const struct bsp_format *format;
    struct vbsp_files files;
    struct arena arena;
    struct map_source source;
    struct assets *assets;
    struct vbsp_output output;
    struct bytes old_pakfile; /* of -keepstalezip */
};

static void apply_preset(struct arguments *arguments)
{
    if (arguments->preset == PRESET_FAST)
        arguments->vvis.fast = arguments->vrad.fast = true;
    else if (arguments->preset == PRESET_FINAL)
        arguments->vrad.final = true;
}

static void report_limits(struct build *build)
{
    if (build->output.bsp && build->output.limits.format)
        limit_report_update(&build->output.limits, build->output.bsp);
    vbsp_check_report(&build->arguments->check, build->program,
                      build->arguments->standard.console.json, &build->output, build->files.bsp);
}

static enum status build_map(struct build *build)
{
    const struct env *env = build->env;
    struct arguments *arguments = build->arguments;
    TRY(vbsp_read_source(env, build->files.source, &build->source));
    TRY(program_apply_map_keys(build->program, &build->source.entities[0].keys));
    const struct assets_use use = {.first = arguments->vbsp.options.embed,
                                   .quake3 = build->format->family == CONTAINER_IBSP};
    TRY(assets_open_of(env, &arguments->standard, use, &build->assets));
    if (arguments->vbsp.keep_stale_zip)
        TRY(vbsp_read_old_pakfile(env, &build->files, &build->old_pakfile));
    arguments->vbsp.options.old_pakfile = build->old_pakfile;
    enum status status =
        vbsp_run(env, &arguments->vbsp.options, build->assets, &build->source, &build->output);
    if (status != STATUS_OK || arguments->check.check)
        report_limits(build);
    if (vbsp_check_conditions(&arguments->check, build->format, build->output.bsp, env->diag) !=
        STATUS_OK)
        status = STATUS_FAILED;
    if (arguments->check.check)
        return vbsp_check_output(env, &build->files, build->format, &build->output, status);
    if (status == STATUS_OK || status == STATUS_LEAK) {
        enum status dumped = vbsp_write_dumps(env, &build->files, &arguments->vbsp, &build->output);
        if (dumped != STATUS_OK)
            return dumped;
    }
    if (status == STATUS_LEAK) {
        enum status written = vbsp_write_output(env, &build->files, build->format, &build->output);
        if (written != STATUS_OK)
            return written;
        console_wrote(build->program->console, build->files.bsp);
        if (build->files.lin)
            console_wrote(build->program->console, build->files.lin);
    }
    return status;
}

/* Portals as their file tells them: its numbers are rounded, and vvis alone sees those. */
static enum status portals_as_written(const struct build *build, struct prt *out)
{
    struct bytes text = {0};
    prt_format(&build->output.prt, &text);
    enum status status =
        prt_parse((const char *)text.data, text.size, "portals", build->env->diag, out);
    bytes_free(&text);
    return status;
}

static enum status build_visibility(struct build *build)
{
    struct prt prt = {0};
    enum status status = portals_as_written(build, &prt);
    if (status == STATUS_OK)
        status = vvis_run(build->env, &build->arguments->vvis, &prt, build->output.bsp);
    prt_free(&prt);
    return status;
}

/* A mapper keeps MAP.rad beside the source; where the BSP goes elsewhere it is found there too. */
static enum status build_light(struct build *build)
{
    struct vrad_options *options = &build->arguments->vrad;
    options->map_rad = vrad_map_rad(build->env, &build->arena, build->files.bsp, ".bsp");
    if (!options->map_rad)
        options->map_rad = vrad_map_rad(build->env, &build->arena, build->files.source,
                                        vbsp_source_extension(build->files.source));
    options->quake3.notes = &build->output.notes;
    options->quake3.map_path = build->files.bsp;
    TRY(vrad_run(build->env, options, build->assets, build->output.bsp));
    if (build->format->family == CONTAINER_VBSP)
        bsp_ambient_fit_all(build->output.bsp, build->format);
    return STATUS_OK;
}

static enum status build_stages(struct build *build)
{
    struct console *console = build->program->console;
    console_stage(console, "vbsp", build->files.source);
    TRY(build_map(build));
    if (build->arguments->check.check)
        return STATUS_OK;
    console_stage(console, "vvis", NULL);
    TRY(build_visibility(build));
    console_stage(console, "vrad", NULL);
    TRY(build_light(build));
    report_limits(build);
    TRY(vbsp_check_conditions(&build->arguments->check, build->format, build->output.bsp,
                              build->env->diag));
    TRY(vbsp_write_output(build->env, &build->files, build->format, &build->output));
    console_wrote(console, build->files.bsp);
    return STATUS_OK;
}

static enum status run_build(const struct program *program)
{
    struct arguments *arguments = program->values;
    struct build build = {.program = program, .env = program->env, .arguments = arguments};
    if (arguments->vbsp.only_ents || arguments->vbsp.only_props) {
        (void)diag_report(program->env->diag, DIAG_USAGE, NULL,
                          "-onlyents and -onlyprops keep what was compiled, and this compiles all "
                          "anew: run vbsp for them");
        return STATUS_USAGE;
    }
    apply_preset(arguments);
    enum status status = vbsp_files_find(program->env, program->result->operands[0],
                                         arguments->vbsp.output, &build.arena, &build.files);
    if (status == STATUS_OK)
        status = vbsp_settings_finish(&arguments->vbsp, build.files.source, program->env->diag,
                                      &build.format);
    if (status == STATUS_OK)
        status = vbsp_check_finish(&arguments->check, build.format, program->env->diag,
                                   &arguments->vbsp.options);
    if (status == STATUS_OK) {
        if (!build.files.prt)
            console_hush(program->console);
        status = build_stages(&build);
    }
    vbsp_output_free(&build.output);
    bytes_free(&build.old_pakfile);
    if (build.assets) {
        assets_report_shaders(build.assets);
        assets_free(build.assets);
    }
    map_source_free(&build.source);
    arena_free(&build.arena);
    return status;
}

int verb_build(int argc, char **argv)
{
    struct arguments arguments = {
        .vbsp = vbsp_settings_defaults(),
        .vvis = vvis_defaults,
        .vrad = vrad_defaults,
        .preset = PRESET_NORMAL,
    };
    const struct arguments defaults = arguments;
    const struct option_group groups[] = {
        vbsp_option_group(offsetof(struct arguments, vbsp)),
        vbsp_check_option_group(offsetof(struct arguments, check)),
        vvis_option_group(offsetof(struct arguments, vvis)),
        vrad_option_group(offsetof(struct arguments, vrad)),
        standard_option_group(offsetof(struct arguments, standard)),
    };
    const struct option_table table = {
        VERB_PAGE(brushwork_verbs[VERB_build]),
        .details = details,
        .defs = build_options,
        .count = sizeof build_options / sizeof *build_options,
        .groups = groups,
        .group_count = sizeof groups / sizeof *groups,
        .defaults = &defaults,
        .config = command_config_apply,
        .least_operands = 1,
        .most_operands = 1,
    };
    int status = program_run(&table, &arguments, &arguments.standard, argc, argv, run_build);
    vbsp_check_free(&arguments.check);
    return status;
}
