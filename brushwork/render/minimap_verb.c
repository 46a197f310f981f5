#include "brushwork/render/minimap_verb.h"

#include <string.h>

#include "brushwork/shared/picture.h"
#include "common/assets/textures/tga.h"
#include "common/bsp/codec/format.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/diag/codes/pictures.def"
#include "common/diag/codes/usage.def"
#include "common/io/fs.h"

static enum status check_values(const struct env *env, const struct minimap_values *values,
                                struct minimap_options *options)
{
    const struct bounds *bounds = &options->bounds;
    const char *wrong = NULL;
    for (int k = 0; k < 3; k++) {
        options->bounds.mins.e[k] = portable_fmin(values->bounds[k], values->bounds[3 + k]);
        options->bounds.maxs.e[k] = portable_fmax(values->bounds[k], values->bounds[3 + k]);
        options->has_bounds |= fabs(values->bounds[k]) > 0 || fabs(values->bounds[3 + k]) > 0;
    }
    for (int k = 0; k < 3 && options->has_bounds; k++)
        if (!(bounds->maxs.e[k] > bounds->mins.e[k]))
            wrong = "--minmax: the two corners must differ on each axis";
    if (values->black && values->white)
        wrong = "--black and --white are mutually exclusive";
    options->colours = values->black ? MINIMAP_BLACK : values->white ? MINIMAP_WHITE : MINIMAP_GREY;
    if (!wrong)
        return STATUS_OK;
    (void)diag_report(env->diag, DIAG_USAGE, NULL, "%s", wrong);
    return STATUS_USAGE;
}

static enum status draw(const struct program *program, const struct minimap_options *options,
                        const struct bsp *bsp, const char *path, const char *out)
{
    const struct env *env = program->env;
    struct bounds shown;
    struct bytes tga = {0};
    unsigned char *pixels = minimap_draw(bsp, options, env->threads, &shown);
    if (!pixels)
        return diag_report(env->diag, DIAG_PICTURE_EMPTY, &(struct diag_where){.file = path},
                           "no solid brushes");
    tga_encode(pixels, options->size, options->size,
               options->colours == MINIMAP_GREY ? TGA_GREY : TGA_RGBA, &tga);
    memory_free(pixels);
    enum status status = env_store(env, out, tga.data, tga.size);
    bytes_free(&tga);
    if (status == STATUS_OK)
        console_say(program->console, "  shows %g %g %g to %g %g %g", shown.mins.x, shown.mins.y,
                    shown.mins.z, shown.maxs.x, shown.maxs.y, shown.maxs.z);
    return status;
}

enum status render_minimap(const struct program *program, const struct minimap_values *values,
                           const char *out)
{
    const struct env *env = program->env;
    struct minimap_options options = values->options;
    struct arena arena = {0};
    struct bsp *bsp = NULL;
    const char *path = picture_operand(program, 0, &arena);
    const char *named = out;
    if (!named)
        out = strcmp(path, "-") == 0 ? "-" : path_beside(&arena, path, ".bsp", "_mini.tga");
    if (strcmp(out, "-") == 0)
        console_quiet(program->console);
    console_stage(program->console, "render", path);
    enum status status = check_values(env, values, &options);
    if (status == STATUS_OK)
        status = picture_prepare(program, named, out, "tga");
    if (status == STATUS_OK)
        status = bsp_read_file(env, path, &bsp);
    if (status == STATUS_OK)
        status = draw(program, &options, bsp, path, out);
    bsp_free(bsp);
    arena_free(&arena);
    return status;
}
