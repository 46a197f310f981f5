#include "common/assets/assets_of.h"
#include "common/assets/command_config.h"
#include "common/cli/program.h"
#include "vbsp/check.h"
#include "vbsp/files.h"
#include "vbsp/options.h"
#include "vbsp/report/dumps.h"
#include "vbsp/target/source/update.h"

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

static enum status update_file(const struct program *program, const struct vbsp_files *files,
                               struct assets *assets, const struct map_source *source)
{
    const struct vbsp_settings *settings = &((struct arguments *)program->values)->vbsp;
    vbsp_update *update = settings->only_ents ? vbsp_update_entities : vbsp_update_props;
    struct vbsp_output output;
    TRY(vbsp_update_file(program->env, files->bsp, update, &settings->options, assets, source,
                         &output));
    enum status status = vbsp_write_dumps(program->env, files, settings, &output);
    if (status == STATUS_OK)
        console_wrote(program->console, files->bsp);
    vbsp_output_free(&output);
    return status;
}

static enum status compile_anew(const struct program *program, const struct vbsp_files *files,
                                const struct bsp_format *format, struct assets *assets,
                                const struct map_source *source)
{
    const struct env *env = program->env;
    struct arguments *arguments = program->values;
    struct vbsp_settings *settings = &arguments->vbsp;
    struct bytes kept = {0};
    if (settings->keep_stale_zip)
        TRY(vbsp_read_old_pakfile(env, files, &kept));
    settings->options.old_pakfile = kept;
    struct vbsp_output output = {0};
    enum status status = vbsp_run(env, &settings->options, assets, source, &output);
    const struct vbsp_check *check = &arguments->check;
    vbsp_check_report(check, program, arguments->standard.console.json, &output, files->bsp);
    if (vbsp_check_conditions(check, format, output.bsp, env->diag) != STATUS_OK)
        status = STATUS_FAILED;
    if (check->check) {
        status = vbsp_check_output(env, files, format, &output, status);
    } else if (status == STATUS_OK || status == STATUS_LEAK) {
        enum status written = vbsp_write_output(env, files, format, &output);
        if (written == STATUS_OK)
            written = vbsp_write_dumps(env, files, settings, &output);
        if (written != STATUS_OK)
            status = written;
        else if (output.bsp)
            console_wrote(program->console, files->bsp);
    }
    vbsp_output_free(&output);
    bytes_free(&kept);
    return status;
}

static enum status compile(const struct program *program, const struct vbsp_files *files,
                           const struct bsp_format *format, struct map_source *source)
{
    const struct env *env = program->env;
    struct arguments *arguments = program->values;
    TRY(vbsp_read_source(env, files->source, source));
    TRY(program_apply_map_keys(program, &source->entities[0].keys));
    struct assets *assets;
    const struct assets_use use = {.first = arguments->vbsp.options.embed,
                                   .quake3 = format->family == CONTAINER_IBSP,
                                   .sizes_only = format->family == CONTAINER_IBSP};
    TRY(assets_open_of(env, &arguments->standard, use, &assets));
    enum status status = arguments->vbsp.only_ents || arguments->vbsp.only_props
                             ? update_file(program, files, assets, source)
                             : compile_anew(program, files, format, assets, source);
    assets_report_shaders(assets);
    assets_free(assets);
    return status;
}

static enum status run_vbsp(const struct program *program)
{
    const struct env *env = program->env;
    struct arguments *arguments = program->values;
    struct vbsp_settings *settings = &arguments->vbsp;
    const struct bsp_format *format = NULL;
    struct arena arena = {0};
    struct vbsp_files files;
    struct map_source source = {0};
    enum status status =
        vbsp_files_find(env, program->result->operands[0], settings->output, &arena, &files);
    if (status == STATUS_OK)
        status = vbsp_settings_finish(settings, files.source, env->diag, &format);
    if (status == STATUS_OK)
        status = vbsp_check_finish(&arguments->check, format, env->diag, &settings->options);
    if (status == STATUS_OK) {
        if (!files.prt)
            console_hush(program->console);
        console_stage(program->console, "vbsp", files.source);
        status = compile(program, &files, format, &source);
    }
    map_source_free(&source);
    arena_free(&arena);
    return status;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.vbsp = vbsp_settings_defaults()};
    const struct arguments defaults = arguments;
    const struct option_group groups[] = {
        vbsp_option_group(offsetof(struct arguments, vbsp)),
        vbsp_check_option_group(offsetof(struct arguments, check)),
        standard_option_group(offsetof(struct arguments, standard)),
    };
    const struct option_table table = {
        .program = "vbsp",
        .summary = "compile a map source into a BSP and its portals",
        .operands = "MAP",
        .details = details,
        .groups = groups,
        .group_count = sizeof groups / sizeof *groups,
        .defaults = &defaults,
        .config = command_config_apply,
        .least_operands = 1,
        .most_operands = 1,
    };
    int status = program_run(&table, &arguments, &arguments.standard, argc, argv, run_vbsp);
    vbsp_check_free(&arguments.check);
    return status;
}
