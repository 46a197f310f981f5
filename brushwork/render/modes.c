/* The modes of brushwork render that draw no single view, such as a comparison of two maps, an
 * overview, a levelshot or a minimap; and the options that go together in each. */
#include "brushwork/render/render_verb.h"

#include <string.h>

#include "brushwork/shared/picture.h"
#include "brushwork/shared/print.h"
#include "common/assets/textures/tga.h"
#include "common/bsp/codec/format.h"
#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/diag/codes/pictures.def"
#include "common/diag/codes/usage.def"
#include "common/io/fs.h"
#include "render/debug/debug.h"
#include "render/pictures/comparison.h"
#include "render/pictures/overview.h"

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

/* --- overviews and levelshots --- */

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

/* The subject of a picture: `VIEWS` are those of --from and --spawns, and the one that nobody
 * names. */
enum mode {
    VIEWS = 1,
    TURNTABLE = 2,
    OVERVIEW = 4,
    LEVELSHOT = 8,
    MINIMAP = 16,
    LEAK = 32,
    COMPARISON = 64,
    LIT = VIEWS | TURNTABLE | OVERVIEW | LEVELSHOT | COMPARISON, /* by the map's own light */
};

/* An option that does not go with everything. */
struct use {
    const char *option;
    unsigned modes;     /* it has an effect in these */
    bool without_debug; /* but none with --debug */
    const char *needs;  /* that it is only for; or NULL */
};

static const struct use uses[] = {
    {"fov", (LIT | LEAK) & ~(unsigned)OVERVIEW, false, NULL},
    {"samples", LIT | LEAK | MINIMAP, true, NULL},
    {"exposure", LIT | LEAK, true, NULL},
    {"raise-dark", LIT, true, NULL},
    {"time", LIT, true, NULL},
    {"hdr", LIT, false, NULL},
    {"lightmap-only", LIT | LEAK, true, NULL},
    {"filter", LIT, true, NULL},
    {"foreign-luxels", LIT, true, NULL},
    {"debug", LIT & ~(unsigned)LEVELSHOT, false, NULL},
    {"cut", OVERVIEW, false, "--overview"},
    {"border", MINIMAP, false, "--minimap"},
    {"boost", MINIMAP, false, "--minimap"},
    {"sharpen", MINIMAP, false, "--minimap"},
    {"brightness", MINIMAP, false, "--minimap"},
    {"contrast", MINIMAP, false, "--minimap"},
    {"minmax", MINIMAP, false, "--minimap"},
    {"no-keepaspect", MINIMAP, false, "--minimap"},
    {"no-autolevel", MINIMAP, false, "--minimap"},
    {"black", MINIMAP, false, "--minimap"},
    {"white", MINIMAP, false, "--minimap"},
};

struct choice {
    const char *name;
    enum mode mode;
    bool is_wanted;
};

/* Returns false for a default. */
static bool is_given(const struct program *program, const char *option)
{
    size_t base;
    for (size_t i = 0; i < options_count(program->table); i++)
        if (strcmp(options_at(program->table, i, &base)->name, option) == 0)
            return program->result->sources[i] != OPTION_DEFAULT;
    return false;
}

static enum status refuse(const struct program *program, const char *option, const char *relation,
                          const char *other)
{
    (void)diag_report(program->env->diag, DIAG_USAGE, NULL, "%s%s %s", option, relation, other);
    return STATUS_USAGE;
}

/* Each chooses what is drawn, so that there can be one only. */
static enum status choose(const struct program *program, struct choice *out)
{
    const struct render_values *values = program->values;
    const struct choice choices[] = {
        {"--from", VIEWS, arrlen(values->from) > 0 && !values->compare},
        {"--spawns", VIEWS, values->spawns},
        {"--turntable", TURNTABLE, values->turntable > 0},
        {"--overview", OVERVIEW, values->overview},
        {"--levelshot", LEVELSHOT, values->levelshot},
        {"--minimap", MINIMAP, values->minimap.wanted},
        {"--leak", LEAK, values->leak},
        {"--compare", COMPARISON, values->compare}};
    *out = (struct choice){NULL, VIEWS, false};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        if (!choices[i].is_wanted)
            continue;
        if (out->name) {
            (void)diag_report(program->env->diag, DIAG_USAGE, NULL,
                              "%s and %s are mutually exclusive", out->name, choices[i].name);
            return STATUS_USAGE;
        }
        *out = choices[i];
    }
    return STATUS_OK;
}

/* An option that would change nothing is a mistake of who gives it. */
static enum status check_uses(const struct program *program, const struct choice *choice)
{
    const struct render_values *values = program->values;
    struct arena arena = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof uses / sizeof *uses && status == STATUS_OK; i++) {
        const struct use *use = &uses[i];
        if (!is_given(program, use->option))
            continue;
        const char *option = arena_printf(&arena, "--%s", use->option);
        if (!(use->modes & choice->mode))
            status = use->needs ? refuse(program, option, " needs", use->needs)
                                : refuse(program, option, " has no effect with", choice->name);
        else if (use->without_debug && values->debug != DEBUG_NONE)
            status = refuse(program, option, " has no effect with", "--debug");
    }
    if (status == STATUS_OK && values->pvs_from && values->debug != DEBUG_PVS)
        status = refuse(program, "--pvs-from", " needs", "--debug pvs");
    if (status == STATUS_OK && values->render.scene.foreign != FOREIGN_NONE &&
        values->render.scene.filter != LIGHT_BICUBIC)
        status = refuse(program, "--foreign-luxels", " needs", "--filter bicubic");
    arena_free(&arena);
    return status;
}

enum status render_check_modes(const struct program *program)
{
    const struct render_values *values = program->values;
    struct choice choice;
    TRY(choose(program, &choice));
    if (arrlenu(program->result->operands) == (values->compare ? 2 : 1))
        return check_uses(program, &choice);
    (void)diag_report(program->env->diag, DIAG_USAGE, NULL,
                      values->compare ? "--compare needs two files" : "two files need --compare");
    return STATUS_USAGE;
}
