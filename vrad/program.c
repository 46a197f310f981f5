#include <string.h>

#include "common/assets/game_program.h"
#include "common/bsp/convert/convert.h"
#include "common/cli/map_summary.h"
#include "common/cli/next_step.h"
#include "common/core/array.h"
#include "common/io/fs.h"
#include "vrad/files.h"
#include "vrad/options.h"

/* clang-format off */
static const char details[] =
    "Computes direct light, bounced light and sky light, and writes lightmaps, ambient samples, prop "
    "lighting and worldlights into the BSP. Texture lights come from lights.rad of the "
    "game, from -lights FILE and from MAP.rad beside the BSP.\n\n"
    "In a Quake 3 BSP it writes lightmap pages, vertex lighting and the light grid. Surface lights, "
    "skies and suns come from its shaders, which -game finds; MAP.srf beside the BSP, written by "
    "vbsp, holds the luxel sizes of surfaces.\n\n"
    "FILE may be given without .bsp. It is replaced as a whole, and only on success. Run vvis first: "
    "without visibility vrad takes longer, and the engine does not know which lights reach where.";
/* clang-format on */

struct arguments {
    struct standard_options standard;
    struct vrad_options vrad;
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

static enum status light(const struct program *program, const char *path, struct bsp *bsp)
{
    const struct env *env = program->env;
    struct arguments *arguments = program->values;
    TRY(program_apply_map_text(program, bsp->entities, arrlenu(bsp->entities), path));
    struct assets *assets;
    struct surface_notes notes;
    TRY(vrad_read_notes(env, path, bsp, &notes));
    arguments->vrad.quake3.notes = &notes;
    enum status status =
        assets_open_of(env, &arguments->standard,
                       (struct assets_use){.quake3 = bsp->family == CONTAINER_IBSP}, &assets);
    if (status == STATUS_OK) {
        status = vrad_run(env, &arguments->vrad, assets, bsp);
        assets_free(assets);
    }
    surface_notes_free(&notes);
    return status;
}

static enum status run_vrad(const struct program *program)
{
    const struct env *env = program->env;
    struct arguments *arguments = program->values;
    struct arena arena = {0};
    const char *path = path_of_operand(&arena, env->fs, program->result->operands[0], ".bsp");
    const char *output = arguments->output ? arguments->output : path;
    arguments->vrad.map_rad = vrad_map_rad(env, &arena, path, ".bsp");
    arguments->vrad.quake3.map_path = output;
    if (strcmp(output, "-") == 0)
        console_quiet(program->console);
    console_stage(program->console, "vrad", path);
    struct bsp *bsp = NULL;
    struct fs_hold *hold = NULL;
    enum status status = arguments->output ? fs_prepare_output(env->fs, env->diag, output)
                                           : fs_prepare_beside(env->fs, env->diag, output);
    if (status == STATUS_OK)
        status = env_hold(env, path, output, &hold);
    if (status == STATUS_OK)
        status = bsp_read_file(env, path, &bsp);
    if (status == STATUS_OK)
        status = light(program, path, bsp);
    if (status == STATUS_OK) {
        bsp_ambient_fit_all(bsp, bsp->format);
        status = bsp_write_output(env, bsp, bsp->format,
                                  &(struct bsp_output_file){.path = output, .hold = hold});
    }
    if (status == STATUS_OK) {
        map_summary_add(console_summary(program->console), bsp, bsp->format);
        map_summary_light(console_summary(program->console), bsp);
        next_step_play(program, &arguments->standard, output, bsp->family == CONTAINER_IBSP);
    }
    bsp_free(bsp);
    fs_hold_end(hold);
    arena_free(&arena);
    return status;
}

int vrad_program(int argc, char *const *argv, const struct host *host)
{
    struct arguments arguments = {.vrad = vrad_defaults, .standard = {.console.host = host}};
    const struct arguments defaults = arguments;
    const struct game_program program = {
        .name = "vrad",
        .summary = "light a BSP",
        .operand = "FILE",
        .endings = "bsp",
        .details = details,
        .defs = file_options,
        .count = sizeof file_options / sizeof *file_options,
        .groups = {vrad_option_group(offsetof(struct arguments, vrad))},
        .group_count = 1,
        .body = run_vrad,
    };
    return game_program_run(&program, &arguments, &defaults, argc, argv);
}
