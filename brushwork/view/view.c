/* brushwork view: writes a page that shows a compiled map in a browser. */
#include "view/view.h"

#include <string.h>

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

static const char details[] =
    "Writes one HTML file that draws a compiled map with WebGL 2: faces, displacements, patches, "
    "brush entities and static props, with textures, lighting, or both. Open it in a browser. It "
    "needs no server and no network, and loads nothing: the map, its images and the program are "
    "in the file. Fly or walk with the mouse and the keys W A S D, or by touch; the address holds "
    "the place and the mode, so that a link leads to the same view. A click tells about a face, "
    "the "
    "lights that reach it, or an entity; other views show what a cluster sees, luxel density and "
    "overdraw. The way out of a leak is read from the .lin or .pts file beside the map.\n\n"
    "Textures and models come from the map's packed files, from --game and from "
    "-insert_search_path, as for brushwork-render. FILE may be given with or without .bsp; - is "
    "standard input, and --out - is standard output.";

struct view_values {
    struct standard_options standard;
    struct view_options view;
    bool hdr;
    const char *out, *messages;
};

#define FIELD(name) offsetof(struct view_values, name)

static const struct option_def view_verb_options[] = {
    VERB_OUT(struct view_values, "output page (default: FILE with .html instead of .bsp)"),
    VERB_HDR(struct view_values, hdr),
    {.name = "texture-size",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(view.texture_size),
     .min = 1,
     .max = 1024,
     .two_dashes = true,
     .help = "largest width and height of textures, in pixels"},
    {.name = "quality",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(view.quality),
     .min = 1,
     .max = 100,
     .two_dashes = true,
     .help = "quality of textures without transparency, which are stored as JPEG"},
    {.name = "messages",
     .argument = "FILE",
     .endings = "json sarif",
     .kind = OPTION_TEXT,
     .path = OPTION_READS,
     .offset = FIELD(messages),
     .two_dashes = true,
     .help = "list the messages of the build, which --diagnostics-file of brushwork-build has "
             "written as json or sarif; a click flies to the place"},
    VERB_CONTENT(struct view_values),
    VERB_THREADS(struct view_values),
};

/* Returns "map" for "folder/map.bsp". */
static const char *name_of(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    return arena_printf(arena, "%.*s", (int)(str_ends_nocase(name, ".bsp") ? length - 4 : length),
                        name);
}

/* Loads the way out of a leak, which vbsp and q3map2 leave beside the map. */
static void load_leak(const struct program *program, const char *path, struct bytes *out)
{
    static const char *const endings[] = {".lin", ".pts"};
    const struct env *env = program->env;
    struct arena arena = {0};
    bool found = strcmp(path, "-") == 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !found; i++)
        found = fs_load_optional(env->fs, env->diag, path_beside(&arena, path, ".bsp", endings[i]),
                                 out);
    arena_free(&arena);
}

static enum status write_page(const struct program *program, const struct render *render,
                              const struct picture_paths *paths)
{
    const struct view_values *values = program->values;
    struct arena arena = {0};
    struct bytes html = {0};
    struct view_source source = {
        .render = render, .name = name_of(&arena, paths->map), .messages_file = values->messages};
    load_leak(program, paths->map, &source.leak);
    enum status status = view_write(program->env, &source, &values->view, &html);
    if (status == STATUS_OK)
        status = env_store(program->env, paths->out, html.data, html.size);
    progress_count(program->env->progress, "bytes", (int64_t)html.size);
    bytes_free(&html);
    bytes_free(&source.leak);
    arena_free(&arena);
    return status;
}

static enum status view_map(const struct program *program)
{
    const struct view_values *values = program->values;
    struct render_options options = render_defaults;
    options.hdr = values->hdr;
    const struct picture_verb verb = {.name = "view",
                                      .extension = ".html",
                                      .out = values->out,
                                      .standard = &values->standard,
                                      .options = &options,
                                      .write = write_page};
    return picture_write(program, &verb, STATUS_OK);
}

int verb_view(int argc, char **argv)
{
    struct view_values values = {.view = view_defaults};
    const struct view_values defaults = values;
    const struct option_table table = {
        VERB_PAGE(brushwork_verbs[VERB_view]),
        .endings = "bsp",
        .details = details,
        .defs = view_verb_options,
        .count = sizeof view_verb_options / sizeof *view_verb_options,
        .defaults = &defaults,
        .content = content_roots,
        .has_loops = true,
        .min_operands = 1,
        .max_operands = 1,
    };
    return program_run(&table, &values, &values.standard, argc, argv, view_map);
}
