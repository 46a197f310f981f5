/* brushwork render --overview and --levelshot. */
#include <string.h>

#include "brushwork/render/render_verb.h"
#include "common/core/memory.h"
#include "common/diag/codes/pictures.def"
#include "render/pictures/overview.h"

/* Games of Source take every overview for one of this many pixels. */
#define GAME_PIXELS 1024.0

/* Part of the side that stays free at each edge. */
#define BORDER (1.0 / 66)

/* The file that belongs to overviews/NAME.vtf. */
static enum status write_text(const struct env *env, const struct overview *overview,
                              const struct picture_paths *paths, struct arena *arena)
{
    const char *name = picture_map_name(arena, paths->map);
    struct bytes text = {0};
    bytes_append_text(&text,
                      "\"%s\"\n{\n\t\"material\"\t\"overviews/%s\"\n\t\"pos_x\"\t\t\"%.6g\"\n"
                      "\t\"pos_y\"\t\t\"%.6g\"\n\t\"scale\"\t\t\"%.6g\"\n\t\"rotate\"\t\"0\"\n"
                      "\t\"zoom\"\t\t\"0\"\n}\n",
                      name, name, overview->left, overview->top, overview->view.span / GAME_PIXELS);
    const char *path = path_beside(arena, paths->out, ".png", ".txt");
    enum status status = env_store(env, path, text.data, text.size);
    bytes_free(&text);
    return status;
}

enum status render_write_overview(const struct program *program, const struct render *render,
                                  const struct picture_paths *paths)
{
    const struct render_values *values = program->values;
    const struct render_options *options = &values->render;
    struct arena arena = {0};
    struct bounds bounds = overview_bounds(render);
    struct overview overview = overview_of(&bounds, BORDER, options->width, options->height);
    if (values->cut < overview.view.eye.z)
        overview.view.eye.z = values->cut;
    unsigned char *pixels = render_draw_wanted(program, render, &overview.view);
    enum status status =
        picture_store(program->env, pixels, options->width, options->height, paths->out);
    memory_free(pixels);
    if (status == STATUS_OK && strcmp(paths->out, "-") != 0 &&
        render->scene.bsp->engine->has_overview_text)
        status = write_text(program->env, &overview, paths, &arena);
    console_say(program->console, "  shows %g %g to %g %g below %g, %g units a pixel",
                overview.left, overview.top - overview.view.span,
                overview.left + overview.view.span, overview.top, overview.view.eye.z,
                overview.scale);
    arena_free(&arena);
    return status;
}

enum status render_write_levelshot(const struct program *program, const struct render *render,
                                   const struct picture_paths *paths)
{
    const struct render_values *values = program->values;
    struct scene_view view;
    if (!scene_start_view(&render->scene, &view))
        return diag_report(program->env->diag, DIAG_PICTURE_NO_START,
                           &(struct diag_where){.file = paths->map},
                           "nothing is seen from any place inside the map");
    unsigned char *pixels = render_draw(render, &view);
    enum status status = picture_store(program->env, pixels, values->render.width,
                                       values->render.height, paths->out);
    memory_free(pixels);
    return status;
}
