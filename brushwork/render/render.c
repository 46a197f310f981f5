/* brushwork render: draws pictures of a compiled map. */
#include "render/render.h"

#include <string.h>

#include "brushwork/render/minimap_verb.h"
#include "brushwork/shared/picture.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/assets/content_roots.h"
#include "common/assets/game_program.h"
#include "common/bsp/codec/format.h"
#include "common/cli/program.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/io/fs.h"
#include "render/png.h"

static const char details[] =
    "Draws what a player would see of a compiled map: faces, displacements, brush entities and "
    "static props, with the lighting that vrad computed. Textures and models come from the "
    "map's packed files, from --game and from -insert_search_path. A material without a texture "
    "is drawn in the mean colour stored in the map; a prop without a model is skipped. Effects, "
    "overlays, sprites and switchable lights are not drawn. A map of Quake 3 stores neither "
    "textures nor mean colours: they come from --game and the other options that name folders or "
    "packs, and without them its surfaces are grey, with their light.\n\n"
    "The picture is a PNG. Without --from it is taken from a player spawn, turned to where most is "
    "seen if a wall is before it; without a spawn, from the place and in the direction that see "
    "most. Several --from give "
    "several pictures, named with _1, _2 and so on. FILE may be given with or without .bsp; - "
    "is standard input, and --out - is standard output.\n\n"
    "--minimap draws a map from above instead, as a TGA beside it (NAME_mini.tga): the thicker the "
    "solid brushes at a place, the brighter. Sky is left out. The part of the map that fills the "
    "picture is printed.";

struct render_values {
    struct standard_options standard;
    struct render_options render;
    struct minimap_values minimap;
    const char *out;
    const char **from;
    const char *size;
    struct render_view *views; /* stb_ds array: `from`, or where a player starts */
};

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
     .help = "width and height in pixels (default: 1280x720; with --minimap 512x512)"},
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
    MINIMAP_OPTIONS(struct render_values, minimap),
    VERB_HDR(struct render_values, render.hdr),
    VERB_FLAG(struct render_values, "lightmap-only", render.lightmap_only,
              "show only the lighting, on white surfaces"),
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
    long sides[2];
    if (length == 0 || length >= sizeof first || (!text[length] && !square))
        return false;
    memcpy(first, text, length);
    first[length] = 0;
    const char *second = text[length] ? text + length + 1 : first;
    if (!str_to_long(first, &sides[0]) || !str_to_long(second, &sides[1]))
        return false;
    for (int i = 0; i < 2; i++)
        if (sides[i] < 1 || sides[i] > RENDER_SIDE)
            return false;
    *width = (int)sides[0];
    *height = (int)sides[1];
    return true;
}

/* Parses the options. */
static enum status read_values(const struct env *env, struct render_values *values)
{
    struct render_options *options = &values->render;
    if (values->size && !read_size(values->size, false, &options->width, &options->height))
        return bad_value(env, "size", values->size, "a size such as 1280x720, at most 8192x8192");
    for (size_t i = 0; i < arrlenu(values->from); i++) {
        struct render_view view;
        if (!render_read_view(values->from[i], &view))
            return bad_value(env, "from", values->from[i], "a view such as \"0 0 64 0 90\"");
        arrput(values->views, view);
    }
    if (values->out && strcmp(values->out, "-") == 0 && arrlen(values->views) > 1)
        return bad_value(env, "out", "-", "a file for several pictures");
    return STATUS_OK;
}

/* Returns "shot_2.png" for the second of several "shot.png". */
static const char *numbered(struct arena *arena, const char *path, size_t number)
{
    const char *end = str_ends_nocase(path, ".png") ? path + strlen(path) - 4 : path + strlen(path);
    return arena_printf(arena, "%.*s_%zu%s", (int)(end - path), path, number, end);
}

static enum status draw_view(const struct program *program, const struct render *render,
                             const struct render_view *view, const char *path)
{
    const struct render_values *values = program->values;
    const struct env *env = program->env;
    struct bytes png = {0};
    unsigned char *pixels = render_draw(render, view);
    png_encode(pixels, 3, values->render.width, values->render.height, &png);
    memory_free(pixels);
    enum status status = env_store(env, path, png.data, png.size);
    bytes_free(&png);
    return status;
}

static enum status draw_views(const struct program *program, const struct render *render,
                              const struct picture_paths *paths)
{
    struct render_values *values = program->values;
    struct arena arena = {0};
    struct render_view start;
    enum status status = STATUS_OK;
    if (arrlen(values->views) == 0) {
        const struct diag_where where = {.file = program->result->operands[0]};
        if (!render_start_view(render, &start))
            return diag_report(program->env->diag, DIAG_PICTURE_NO_START, &where,
                               "nothing is seen from any place inside the map");
        arrput(values->views, start);
    }
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
    if (values->from)
        return bad_value(program->env, "from", values->from[0], "no viewpoint with --minimap");
    if (values->size && (!read_size(values->size, true, &width, &height) || width != height))
        return bad_value(program->env, "size", values->size,
                         "one number, since a minimap is square, at most 8192");
    options->size = width;
    options->samples = values->render.samples;
    return render_minimap(program, &values->minimap, values->out);
}

static enum status render_pictures(const struct program *program)
{
    struct render_values *values = program->values;
    if (values->minimap.wanted)
        return draw_minimap(program);
    const struct picture_verb verb = {.name = "render",
                                      .extension = ".png",
                                      .out = values->out,
                                      .standard = &values->standard,
                                      .options = &values->render,
                                      .write = draw_views};
    return picture_write(program, &verb, read_values(program->env, values));
}

int verb_render(int argc, char **argv)
{
    struct render_values values = {.render = render_defaults,
                                   .minimap = {.options = minimap_defaults}};
    const struct render_values defaults = values;
    const struct option_table table = {
        VERB_PAGE(brushwork_verbs[VERB_render]),
        .endings = "bsp",
        .details = details,
        .defs = render_verb_options,
        .count = sizeof render_verb_options / sizeof *render_verb_options,
        .defaults = &defaults,
        .content = content_roots,
        .has_loops = true,
        .min_operands = 1,
        .max_operands = 1,
    };
    int status = program_run(&table, &values, &values.standard, argc, argv, render_pictures);
    arrfree(values.from);
    arrfree(values.views);
    return status;
}
