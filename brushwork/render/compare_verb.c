/* brushwork render --compare: two maps by the same view. */
#include <string.h>

#include "brushwork/render/render_verb.h"
#include "brushwork/shared/print.h"
#include "common/core/memory.h"
#include "render/pictures/comparison.h"

static void print(const struct program *program, const char *const maps[2],
                  const struct comparison *comparison)
{
    const struct render_values *values = program->values;
    if (!values->standard.console.json && comparison->is_equal) {
        console_say(program->console, "  the pictures are equal");
        return;
    }
    if (!values->standard.console.json) {
        console_say(program->console, "  PSNR %.2f dB, %.3g %% of the pixels differ, by %d at most",
                    comparison->psnr, 100 * comparison->changed, comparison->max);
        return;
    }
    json_t *object = print_json_object();
    json_object_set_new(object, "files",
                        json_pack("[oo]", print_json_text(maps[0]), print_json_text(maps[1])));
    json_object_set_new(object, "equal", json_boolean(comparison->is_equal));
    if (!comparison->is_equal)
        json_object_set_new(object, "psnr", json_real(comparison->psnr));
    json_object_set_new(object, "changed_share", json_real(comparison->changed));
    json_object_set_new(object, "largest_difference", json_integer(comparison->max));
    print_json(object, stdout);
}

static enum status write_picture(const struct program *program, const char *const maps[2],
                                 const char *out)
{
    struct render_values *values = program->values;
    int width = values->render.width, height = values->render.height;
    struct comparison comparison =
        comparison_of(values->compared[0], values->compared[1], (size_t)width * (size_t)height);
    struct canvas picture =
        comparison_draw(values->compared[0], values->compared[1], width, height, &comparison);
    enum status status =
        picture_store(program->env, picture.pixels, picture.width, picture.height, out);
    memory_free(picture.pixels);
    if (status != STATUS_OK)
        return status;
    print(program, maps, &comparison);
    return values->standard.console.json ? print_flush(program->env->diag) : STATUS_OK;
}

enum status render_draw_compared(const struct program *program, const struct render *render,
                                 const struct picture_paths *paths)
{
    struct render_values *values = program->values;
    (void)paths;
    values->compared[values->compared_count++] =
        render_draw_wanted(program, render, &values->views[0]);
    return STATUS_OK;
}

enum status render_compare(const struct program *program, const struct picture_verb *verb)
{
    struct render_values *values = program->values;
    struct arena arena = {0};
    const char *maps[2];
    for (int i = 0; i < 2; i++)
        maps[i] = picture_operand(program, (size_t)i, &arena);
    const char *out = values->out ? values->out
                      : strcmp(maps[0], "-") == 0
                          ? "-"
                          : path_beside(&arena, maps[0], ".bsp", "_compare.png");
    if (values->standard.console.json || strcmp(out, "-") == 0)
        console_quiet(program->console);
    console_stage(program->console, "render", maps[0]);
    enum status status = picture_prepare(program, values->out, out, PICTURE_ENDINGS);
    for (int i = 0; i < 2 && status == STATUS_OK; i++) {
        values->render.scene.file = maps[i];
        status = picture_open(program, verb, &(struct picture_paths){maps[i], out});
    }
    if (status == STATUS_OK)
        status = write_picture(program, maps, out);
    for (int i = 0; i < values->compared_count; i++)
        memory_free(values->compared[i]);
    arena_free(&arena);
    return status;
}
