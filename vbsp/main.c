#include "common/core/array.h"
#include "common/core/program.h"
#include "common/text/entity_options.h"
#include "vbsp/check.h"
#include "vbsp/files.h"
#include "vbsp/options.h"

static const char details[] =
    "Reads a VMF and writes a BSP, with its portals (.prt) beside it for vvis. When the map leaks, "
    "the portals are missing and the way from outside to an entity is in a .lin file; the exit "
    "status is 3.\n\n"
    "MAP may be named with or without .vmf, or is a manifest (.vmm); - is standard input. Files "
    "are replaced whole, and "
    "only when all went well.";

struct arguments {
    struct standard_options standard;
    struct vbsp_settings vbsp;
    struct vbsp_check check;
};

static enum status compile(const struct program *program, const struct vbsp_files *files,
                           const struct bsp_format *format, struct map_source *source)
{
    const struct env *env = program->env;
    struct arguments *arguments = program->values;
    TRY(vbsp_read_source(env, files->source, source));
    TRY(entity_options_apply(program, &source->entities[0].keys));
    const struct assets_options look_up = {arguments->standard.game, arguments->standard.texdata,
                                           arrlenu(arguments->standard.texdata)};
    struct assets *assets;
    TRY(assets_open(env, &look_up, &assets));
    struct vbsp_output output = {0};
    enum status status = vbsp_run(env, &arguments->vbsp.options, assets, source, &output);
    vbsp_check_report(&arguments->check, program, arguments->standard.console.json, &output,
                      files->bsp);
    if (vbsp_check_conditions(&arguments->check, format, output.bsp, env->diag) != STATUS_OK)
        status = STATUS_FAILED;
    if (arguments->check.check) {
        status = vbsp_check_output(env, files, format, &output, status);
    } else if (status == STATUS_OK || status == STATUS_LEAK) {
        enum status written = vbsp_write_output(env, files, format, &output);
        if (written != STATUS_OK)
            status = written;
        else if (output.bsp)
            console_wrote(program->console, files->bsp);
    }
    vbsp_output_free(&output);
    assets_free(assets);
    return status;
}

static enum status run_vbsp(const struct program *program)
{
    const struct env *env = program->env;
    struct arguments *arguments = program->values;
    struct vbsp_settings *settings = &arguments->vbsp;
    const struct bsp_format *format;
    TRY(vbsp_settings_finish(settings, env->diag, &format));
    TRY(vbsp_check_finish(&arguments->check, format, env->diag, &settings->options));
    struct arena arena = {0};
    struct vbsp_files files;
    struct map_source source = {0};
    enum status status =
        vbsp_files_find(env, program->result->operands[0], settings->output, &arena, &files);
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
        .least_operands = 1,
        .most_operands = 1,
    };
    int status = program_run(&table, &arguments, &arguments.standard, argc, argv, run_vbsp);
    vbsp_check_free(&arguments.check);
    return status;
}
