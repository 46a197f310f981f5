#include <string.h>

#include "common/assets/command_config.h"
#include "common/bsp/format.h"
#include "common/core/array.h"
#include "common/core/paths.h"
#include "common/core/program.h"
#include "common/text/entity_options.h"
#include "vvis/files.h"
#include "vvis/options.h"

static const char details[] =
    "Reads a BSP and the portals (.prt) that vbsp wrote beside it, computes what can be seen and "
    "heard from where, and writes that into the BSP.\n\n"
    "FILE may be named with or without .bsp. The file is replaced whole, and only when all went "
    "well.";

struct arguments {
    struct standard_options standard;
    struct vvis_options vvis;
    const char *portals, *output;
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
};

static enum status read_input(const struct program *program, const char *path, const char *portals,
                              struct bsp **bsp, struct prt *prt)
{
    const struct env *env = program->env;
    TRY(bsp_read_vbsp_file(env, path, bsp));
    TRY(vvis_read_portals(env, portals, prt));
    TRY(entity_options_apply_text(program, (*bsp)->entities, arrlenu((*bsp)->entities), path));
    return STATUS_OK;
}

static enum status run_vvis(const struct program *program)
{
    const struct env *env = program->env;
    struct arguments *arguments = program->values;
    struct arena arena = {0};
    const char *path = path_of_operand(&arena, env->fs, program->result->operands[0], ".bsp");
    const char *output = arguments->output ? arguments->output : path;
    const char *portals =
        arguments->portals ? arguments->portals : path_beside(&arena, path, ".bsp", ".prt");
    if (strcmp(output, "-") == 0)
        console_hush(program->console);
    console_stage(program->console, "vvis", path);
    struct bsp *bsp = NULL;
    struct prt prt = {0};
    enum status status = read_input(program, path, portals, &bsp, &prt);
    if (status == STATUS_OK)
        status = vvis_run(env, &arguments->vvis, &prt, bsp);
    if (status == STATUS_OK)
        status = bsp_write_file(env, bsp, bsp->format, output);
    if (status == STATUS_OK)
        console_wrote(program->console, output);
    prt_free(&prt);
    bsp_free(bsp);
    arena_free(&arena);
    return status;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.vvis = vvis_defaults};
    const struct arguments defaults = arguments;
    const struct option_group groups[] = {
        vvis_option_group(offsetof(struct arguments, vvis)),
        standard_option_group(offsetof(struct arguments, standard)),
    };
    const struct option_table table = {
        .program = "vvis",
        .summary = "compute the visibility of a BSP",
        .operands = "FILE",
        .details = details,
        .defs = file_options,
        .count = sizeof file_options / sizeof *file_options,
        .groups = groups,
        .group_count = sizeof groups / sizeof *groups,
        .defaults = &defaults,
        .config = command_config_apply,
        .least_operands = 1,
        .most_operands = 1,
    };
    return program_run(&table, &arguments, &arguments.standard, argc, argv, run_vvis);
}
