/* brushwork render: draws pictures of a compiled map. */
#include <string.h>

#include "brushwork/render/render_verb.h"
#include "brushwork/shared/picture.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/assets/content_roots.h"
#include "common/assets/game_program.h"
#include "common/bsp/codec/format.h"
#include "common/cli/program.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/pictures.def"
#include "common/diag/codes/usage.def"
#include "common/io/fs.h"
#include "render/debug/debug.h"
#include "render/pictures/overview.h"
#include "render/render.h"
#include "vbsp/files.h"
#include "vbsp/options.h"

/* brushwork render --leak. */

static enum status draw(struct vbsp_job *job, const struct render_options *options, const char *out)
{
    const struct env *env = job->program->env;
    TRY(picture_prepare(job->program, out, job->files.level, PICTURE_ENDINGS));
    TRY(vbsp_job_read(job));
    enum status status = vbsp_job_compile(job);
    if (status == STATUS_OK)
        console_say(job->program->console, "  does not leak: no picture");
    if (status != STATUS_LEAK)
        return status;
    if (!out)
        out = path_beside(&job->arena, job->files.level, vbsp_level_extension(job->files.level),
                          "_leak.png");
    console_stage(job->program->console, "render", NULL);
    TRY(leak_picture_write(env, job->assets, job->output.bsp, options, out));
    return STATUS_LEAK;
}

/* Compiles the source that the operand names as far as its leak shows, and draws that into `out`,
 * or into MAP_leak.png beside it if that is NULL. Returns STATUS_LEAK when it leaks. */
static enum status render_leak(const struct program *program, struct standard_options *standard,
                               const struct render_options *options, const char *out)
{
    struct vbsp_settings settings = vbsp_settings_defaults();
    const struct vbsp_check check = {.check = true};
    struct vbsp_job job = {
        .program = program, .standard = standard, .settings = &settings, .check = &check};
    if (!out && strcmp(program->result->operands[0], "-") == 0)
        out = "-";
    if (out && strcmp(out, "-") == 0)
        console_quiet(program->console);
    enum status status = vbsp_job_begin(&job);
    if (status == STATUS_OK)
        status = draw(&job, options, out);
    vbsp_job_free(&job);
    vbsp_settings_free(&settings);
    return status;
}

/* --- render --- */

static const char details[] =
    "Draws what a player would see of a compiled map: faces, displacements, brush entities and "
    "static props, with the lighting that vrad computed. Textures and models come from the "
    "map's packed files, from --game and from -insert_search_path. A material without a texture "
    "is drawn in the mean colour stored in the map, one of developers (dev/) with a grid of 16 and "
    "64 units; a prop without a model is skipped. The sky is the six materials that the map's "
    "skyname names, or has the colour of its light without them. Materials with $envmap reflect "
    "the "
    "map's cubemaps, if these are drawn (brushwork cubemaps, or the game). Effects, overlays, "
    "sprites and "
    "switchable lights are not drawn. A map of Quake 3 stores neither "
    "textures nor mean colours: they come from --game and the other options that name folders or "
    "packs, and without them its surfaces are grey, with their light.\n\n"
    "The picture is a PNG. Without --from it is taken from a player spawn, turned to where most is "
    "seen if a wall is before it; without a spawn, from the place and in the direction that see "
    "most. Several --from give "
    "several pictures, named with _1, _2 and so on. FILE may be given with or without .bsp; - "
    "is standard input, and --out - is standard output. It may be a BM file, a level of Ballance, "
    "too.\n\n"
    "--overview draws the map from above, lit, for the map of a game: FILE_overview.png is what "
    "materials/overviews/FILE.vtf is made from, and FILE_overview.txt belongs into "
    "resource/overviews/FILE.txt. For Quake 3, --levelshot is the picture for levelshots/FILE.jpg. "
    "A name that ends in .jpg gives a JPEG.\n\n"
    "--debug shows with one ray a pixel, and a legend: portals, the lines around the portals of "
    "FILE.prt that are not hidden; clusters and leaves, a colour for each; pvs, what a cluster can "
    "see bright, what it cannot see dark, which is best with --overview or --turntable; density, "
    "the size of luxels, with each luxel a square; seams, where two lightmaps meet, red where "
    "their light differs; overdraw, how many surfaces of visible clusters are behind a pixel; "
    "normals, as red, green and blue; lights, how many of the lights that are always on reach a "
    "surface, and where the light entities are.\n\n"
    "--compare draws two maps from one viewpoint, that of the first if none is named: A, B, and "
    "the difference, black where there is none. The PSNR is printed too, with --json as an object. "
    "--debug compares that.\n\n"
    "--minimap draws a map from above instead, as a TGA beside it (NAME_mini.tga): the thicker the "
    "solid brushes at a place, the brighter. Sky is left out. The part of the map that fills the "
    "picture is printed.\n\n"
    "--leak draws the hole through which a source leaks (MAP_leak.png): from the inside, with the "
    "way out as a line, the solids beside it tinted and numbered as the editor numbers them, and "
    "a plan of the map at the height of the hole, cut there. The exit status is then 3. "
    "brushwork-build draws a quick one when a map leaks.";

#define ANY_HEIGHT 65536.0

#define FIELD(name) offsetof(struct render_values, name)

static const struct option_def render_verb_options[] = {
    VERB_OUT(struct render_values, "output picture (default: FILE with .png instead of .bsp)"),
    {.name = "from",
     .argument = "PLACE",
     .kind = OPTION_LIST,
     .offset = FIELD(from),
     .two_dashes = true,
     .help = "viewpoint as \"x y z pitch yaw\" in map coordinates, or as printed by the game's "
             "getpos; repeatable"},
    {.name = "size",
     .argument = "WxH",
     .kind = OPTION_TEXT,
     .offset = FIELD(size),
     .two_dashes = true,
     .help = "width and height in pixels (default: 1280x720; --minimap 512x512, --overview "
             "1024x1024, --levelshot 1024x768, --compare 640x360 each)"},
    {.name = "fov",
     .argument = "DEGREES",
     .kind = OPTION_NUMBER,
     .offset = FIELD(render.fov),
     .min = 1,
     .max = 170,
     .two_dashes = true,
     .help = "horizontal field of view"},
    {.name = "samples",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(render.samples),
     .min = 1,
     .max = 4096,
     .two_dashes = true,
     .help = "rays per pixel"},
    {.name = "exposure",
     .argument = "N",
     .kind = OPTION_NUMBER,
     .offset = FIELD(render.exposure),
     .min = 0,
     .max = 1000,
     .two_dashes = true,
     .help = "exposure factor; 0: 1 for LDR, automatic for HDR"},
    {.name = "time",
     .argument = "SECONDS",
     .kind = OPTION_NUMBER,
     .offset = FIELD(render.scene.seconds),
     .min = 0,
     .max = 1e6,
     .two_dashes = true,
     .use = OPTION_RARE,
     .help = "show shaders of Quake 3 as they are at this moment of the game: images in turn, "
             "waves, and what moves over surfaces"},
    VERB_RARE_FLAG(struct render_values, "raise-dark", render.raise_dark,
                   "raise the exposure of LDR light in a view that is nearly black, as "
                   "brushwork-view does for the first view of a map"),
    VERB_FLAG(struct render_values, "compare", compare,
              "draw two maps by the same view, and their difference, side by side "
              "(FILE_compare.png), and print the PSNR"),
    VERB_FLAG(struct render_values, "spawns", spawns, "draw a picture from each spawn point"),
    {.name = "turntable",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(turntable),
     .min = 1,
     .max = 3600,
     .two_dashes = true,
     .help = "draw N pictures from around the map, which is seen from outside without the backs "
             "of its surfaces"},
    VERB_FLAG(struct render_values, "overview", overview,
              "draw the map from straight above, north up (FILE_overview.png); of a map for Source "
              "with the text file of its position and scale that the games read beside it"),
    {.name = "cut",
     .argument = "Z",
     .kind = OPTION_NUMBER,
     .offset = FIELD(cut),
     .min = -ANY_HEIGHT,
     .max = ANY_HEIGHT,
     .two_dashes = true,
     .use = OPTION_RARE,
     .help = "with --overview: leave out what is above this height"},
    {.name = "debug",
     .argument = "MODE",
     .kind = OPTION_CHOICE,
     .choices = debug_mode_names,
     .offset = FIELD(debug),
     .two_dashes = true,
     .help = "show what the compilers know instead of light"},
    {.name = "pvs-from",
     .argument = "PLACE",
     .kind = OPTION_TEXT,
     .offset = FIELD(pvs_from),
     .two_dashes = true,
     .use = OPTION_RARE,
     .help = "with --debug pvs: the place \"x y z\" from which (default: the viewpoint; of views "
             "from outside, where a player starts)"},
    VERB_FLAG(struct render_values, "levelshot", levelshot,
              "draw the picture that Quake 3 shows while it loads the map (FILE_levelshot.jpg)"),
    VERB_FLAG(struct render_values, "leak", leak,
              "draw the leak of a source (.vmf, .vmm, .map), which is compiled as far as it shows"),
    MINIMAP_OPTIONS(struct render_values, minimap),
    VERB_HDR(struct render_values, render.scene.hdr),
    VERB_RARE_FLAG(struct render_values, "no-reflections", render.scene.dull,
                   "Source: do not show what materials reflect of the map's cubemaps"),
    VERB_FLAG(struct render_values, "lightmap-only", render.scene.lightmap_only,
              "show only the lighting, on white surfaces"),
    {.name = "filter",
     .argument = "FILTER",
     .kind = OPTION_CHOICE,
     .choices = light_filter_names,
     .offset = FIELD(render.scene.filter),
     .two_dashes = true,
     .help = "Source: what lightmaps are shown with; bicubic is the cubic B-spline of games since "
             "2024"},
    {.name = "foreign-luxels",
     .argument = "COLOUR",
     .kind = OPTION_CHOICE,
     .choices = foreign_luxels_names,
     .offset = FIELD(render.scene.foreign),
     .two_dashes = true,
     .use = OPTION_RARE,
     .help = "with --filter bicubic: black or white luxels around each lightmap, where games have "
             "those of other faces, to show where these are seen (none: the outermost luxels "
             "repeat)"},
    VERB_CONTENT(struct render_values),
    VERB_THREADS(struct render_values),
};

static enum status bad_value(const struct env *env, const char *option, const char *value,
                             const char *wanted)
{
    (void)diag_report(env->diag, DIAG_USAGE, NULL, "--%s: invalid value '%s'; expected %s", option,
                      value, wanted);
    return STATUS_USAGE;
}

/* Parses "1280x720", or if `square` a number for both as well. */
static bool read_size(const char *text, bool square, int *width, int *height)
{
    char first[16];
    size_t length = strcspn(text, "xX");
    int64_t sides[2];
    if (length == 0 || length >= sizeof first || (!text[length] && !square))
        return false;
    memcpy(first, text, length);
    first[length] = 0;
    const char *second = text[length] ? text + length + 1 : first;
    if (!str_to_int64(first, &sides[0]) || !str_to_int64(second, &sides[1]))
        return false;
    for (int i = 0; i < 2; i++)
        if (sides[i] < 1 || sides[i] > RENDER_SIDE)
            return false;
    *width = (int)sides[0];
    *height = (int)sides[1];
    return true;
}

static enum status read_place(const struct env *env, struct render_values *values)
{
    struct scene_view view;
    if (!values->pvs_from)
        return STATUS_OK;
    if (!scene_view_read(values->pvs_from, &view))
        return bad_value(env, "pvs-from", values->pvs_from, "a place such as \"0 0 64\"");
    values->pvs_place = view.eye;
    return STATUS_OK;
}

/* Parses the size, of which the default is another one than that of views. */
static enum status read_default_size(const struct env *env, struct render_values *values, int width,
                                     int height)
{
    struct render_options *options = &values->render;
    bool square = width == height;
    options->width = width;
    options->height = height;
    if (values->size && !read_size(values->size, square, &options->width, &options->height))
        return bad_value(env, "size", values->size, "a size such as 1280x720, at most 8192x8192");
    if (square && options->width != options->height)
        return bad_value(env, "size", values->size, "one number: it is square");
    return read_place(env, values);
}

/* Portals are read from a file beside the map, and several pictures need names of their own. */
static enum status check_files(const struct program *program)
{
    const struct render_values *values = program->values;
    const char *map = program->result->operands[0], *out = values->out ? values->out : map;
    const char *wrong = NULL;
    if (strcmp(map, "-") == 0 && values->debug == DEBUG_PORTALS)
        wrong = "--debug portals needs a map that has a name: the .prt file is beside it";
    if (strcmp(out, "-") == 0 &&
        (arrlen(values->from) > 1 || values->turntable > 1 || values->spawns))
        wrong = "several pictures need --out FILE: not -o -";
    if (!wrong)
        return STATUS_OK;
    (void)diag_report(program->env->diag, DIAG_USAGE, NULL, "%s", wrong);
    return STATUS_USAGE;
}

/* Parses the options. */
static enum status read_values(const struct env *env, struct render_values *values)
{
    TRY(read_default_size(env, values, values->render.width, values->render.height));
    for (size_t i = 0; i < arrlenu(values->from); i++) {
        struct scene_view view;
        if (!scene_view_read(values->from[i], &view))
            return bad_value(env, "from", values->from[i], "a view such as \"0 0 64 0 90\"");
        arrput(values->views, view);
    }
    return STATUS_OK;
}

/* Returns "shot_2.png" for the second of several "shot.png". */
static const char *numbered(struct arena *arena, const char *path, size_t number)
{
    const char *dot = strrchr(path_name(path), '.'), *end = dot ? dot : path + strlen(path);
    return arena_printf(arena, "%.*s_%zu%s", (int)(end - path), path, number, end);
}

unsigned char *render_draw_wanted(const struct program *program, const struct render *render,
                                  const struct scene_view *view)
{
    const struct render_values *values = program->values;
    struct debug_source source = {
        .mode = (enum debug_mode)values->debug, .portals = &values->portals, .place = view->eye};
    struct scene_view start;
    if (values->debug == DEBUG_NONE)
        return render_draw(render, view);
    if (values->pvs_from)
        source.place = values->pvs_place;
    else if (view->outside && source.mode == DEBUG_PVS && scene_start_view(&render->scene, &start))
        source.place = start.eye;
    return debug_draw(render, &source, view);
}

/* Reads the portals beside the map, if they are to be shown. */
static enum status load_portals(const struct program *program, const char *map)
{
    struct render_values *values = program->values;
    const struct env *env = program->env;
    struct arena arena = {0};
    struct bytes text = {0};
    if (values->debug != DEBUG_PORTALS)
        return STATUS_OK;
    const char *path = path_beside(&arena, map, ".bsp", ".prt");
    enum status status = fs_load(env->fs, env->diag, path, &text);
    if (status == STATUS_OK)
        status = prt_parse((const char *)text.data, text.size, path, env->diag, &values->portals);
    bytes_free(&text);
    arena_free(&arena);
    return status;
}

static enum status draw_view(const struct program *program, const struct render *render,
                             const struct scene_view *view, const char *path)
{
    const struct render_values *values = program->values;
    unsigned char *pixels = render_draw_wanted(program, render, view);
    enum status status =
        picture_store(program->env, pixels, values->render.width, values->render.height, path);
    memory_free(pixels);
    return status;
}

static void add_turntable(struct render_values *values, const struct render *render)
{
    const struct bounds bounds = overview_bounds(render);
    for (int i = 0; i < values->turntable; i++)
        arrput(values->views, turntable_view(&bounds, &values->render, i, values->turntable));
}

/* Chooses the views that are not named: of spawns, from around, or the one into the open. */
static enum status choose_views(const struct program *program, const struct render *render)
{
    struct render_values *values = program->values;
    const struct diag_where where = {.file = program->result->operands[0]};
    struct scene_view start;
    if (values->spawns)
        values->views = scene_spawn_views(&render->scene);
    if (values->turntable > 0)
        add_turntable(values, render);
    if (arrlen(values->views) > 0)
        return STATUS_OK;
    if (values->spawns)
        return diag_report(program->env->diag, DIAG_PICTURE_NO_START, &where,
                           "the map has no spawn point in the open");
    if (!scene_start_view(&render->scene, &start))
        return diag_report(program->env->diag, DIAG_PICTURE_NO_START, &where,
                           "nothing is seen from any place inside the map");
    arrput(values->views, start);
    return STATUS_OK;
}

static enum status draw_views(const struct program *program, const struct render *render,
                              const struct picture_paths *paths)
{
    const struct render_values *values = program->values;
    struct arena arena = {0};
    TRY(load_portals(program, paths->map));
    TRY(choose_views(program, render));
    enum status status = STATUS_OK;
    bool several = arrlen(values->views) > 1;
    for (size_t i = 0; i < arrlenu(values->views) && status == STATUS_OK; i++)
        status = draw_view(program, render, &values->views[i],
                           several ? numbered(&arena, paths->out, i + 1) : paths->out);
    arena_free(&arena);
    return status;
}

static enum status draw_minimap(const struct program *program)
{
    struct render_values *values = program->values;
    struct minimap_options *options = &values->minimap.options;
    int width = options->size, height = width;
    if (values->size && (!read_size(values->size, true, &width, &height) || width != height))
        return bad_value(program->env, "size", values->size,
                         "one number, since a minimap is square, at most 8192");
    options->size = width;
    options->samples = values->render.samples;
    return render_minimap(program, &values->minimap, values->out);
}

static enum status draw_leak(const struct program *program)
{
    struct render_values *values = program->values;
    TRY(read_values(program->env, values));
    return render_leak(program, &values->standard, &values->render, values->out);
}

static enum status write_overview(const struct program *program, const struct render *render,
                                  const struct picture_paths *paths)
{
    TRY(load_portals(program, paths->map));
    return render_write_overview(program, render, paths);
}

/* The first map chooses the view, if none is named, for both. */
static enum status draw_compared(const struct program *program, const struct render *render,
                                 const struct picture_paths *paths)
{
    prt_free(&((struct render_values *)program->values)->portals);
    TRY(load_portals(program, paths->map));
    TRY(choose_views(program, render));
    return render_draw_compared(program, render, paths);
}

static enum status compare(const struct program *program)
{
    struct render_values *values = program->values;
    const struct picture_verb verb = {.name = "render",
                                      .standard = &values->standard,
                                      .options = &values->render,
                                      .write = draw_compared};
    values->render.width = 640;
    values->render.height = 360;
    TRY(read_values(program->env, values));
    if (arrlen(values->views) > 1)
        return bad_value(program->env, "from", values->from[1], "one viewpoint with --compare");
    return render_compare(program, &verb);
}

static enum status render_pictures(const struct program *program)
{
    struct render_values *values = program->values;
    TRY(render_check_modes(program));
    TRY(check_files(program));
    if (values->compare)
        return compare(program);
    if (values->minimap.wanted)
        return draw_minimap(program);
    if (values->leak)
        return draw_leak(program);
    struct picture_verb verb = {.name = "render",
                                .extension = ".png",
                                .endings = PICTURE_ENDINGS,
                                .out = values->out,
                                .standard = &values->standard,
                                .options = &values->render,
                                .write = draw_views};
    if (values->overview) {
        verb.extension = "_overview.png";
        verb.write = write_overview;
        return picture_write(program, &verb, read_default_size(program->env, values, 1024, 1024));
    }
    if (values->levelshot) {
        verb.extension = "_levelshot.jpg";
        verb.write = render_write_levelshot;
        return picture_write(program, &verb, read_default_size(program->env, values, 1024, 768));
    }
    return picture_write(program, &verb, read_values(program->env, values));
}

int verb_render(int argc, char **argv)
{
    struct render_values values = {
        .render = render_defaults, .cut = ANY_HEIGHT, .minimap = {.options = minimap_defaults}};
    values.render.scene.seconds = RENDER_MOMENT;
    const struct render_values defaults = values;
    const struct option_table table = {
        VERB_PAGE(brushwork_verb("render")),
        .endings = "bsp bmx vmf vmm map",
        .exit_statuses = EXIT_STATUSES_WITH_LEAK,
        .details = details,
        .defs = render_verb_options,
        .count = sizeof render_verb_options / sizeof *render_verb_options,
        .defaults = &defaults,
        .content = content_roots,
        .has_loops = true,
        .min_operands = 1,
        .max_operands = 2,
    };
    int status = program_run(&table, &values, &values.standard, argc, argv, render_pictures);
    arrfree(values.from);
    arrfree(values.views);
    prt_free(&values.portals);
    return status;
}
