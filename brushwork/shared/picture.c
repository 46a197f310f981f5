#include "brushwork/shared/picture.h"

#include <string.h>

#include "common/assets/game_program.h"
#include "common/bsp/codec/format.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/io/fs.h"

static enum status open_and_write(const struct program *program, const struct picture_verb *verb,
                                  const struct bsp *bsp, const struct picture_paths *paths)
{
    struct assets *assets;
    struct render *render;
    TRY(assets_open_of(program->env, verb->standard,
                       (struct assets_use){.quake3 = bsp->family == CONTAINER_IBSP}, &assets));
    assets_hold_missing(assets); /* the picture has its own report of them */
    enum status status = render_open(program->env, assets, bsp, verb->options, &render);
    if (status == STATUS_OK)
        status = verb->write(program, render, paths);
    render_close(render);
    const struct material **missing = assets_release_missing(assets);
    arrfree(missing);
    assets_free(assets);
    return status;
}

enum status picture_write(const struct program *program, const struct picture_verb *verb,
                          enum status options_status)
{
    const struct env *env = program->env;
    struct arena arena = {0};
    struct bsp *bsp = NULL;
    const char *map = path_of_operand(&arena, env->fs, program->result->operands[0], ".bsp");
    const char *out = verb->out               ? verb->out
                      : strcmp(map, "-") == 0 ? "-"
                                              : path_beside(&arena, map, ".bsp", verb->extension);
    if (strcmp(out, "-") == 0)
        console_quiet(program->console);
    console_stage(program->console, verb->name, map);
    enum status status = options_status;
    if (status == STATUS_OK)
        status = verb->out ? fs_prepare_output(env->fs, env->diag, out)
                           : fs_prepare_beside(env->fs, env->diag, out);
    if (status == STATUS_OK)
        status = bsp_read_file(env, map, &bsp);
    if (status == STATUS_OK)
        status = open_and_write(program, verb, bsp, &(struct picture_paths){map, out});
    bsp_free(bsp);
    arena_free(&arena);
    return status;
}
