/* brushwork view: writes a page that shows a compiled map in a browser. */
#include "view/view.h"

#include <string.h>

#include "brushwork/shared/browser.h"
#include "brushwork/shared/child_words.h"
#include "brushwork/shared/picture.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "brushwork/view/serve.h"
#include "common/assets/content_roots.h"
#include "common/assets/game_program.h"
#include "common/bsp/codec/format.h"
#include "common/cli/program.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/usage.def"
#include "common/io/fs.h"

static const char details[] =
    "Writes one HTML file that draws a compiled map with WebGL 2: faces, displacements, patches, "
    "brush entities and static props, with textures, lighting, or both. Open it in a browser, or "
    "let --open do so. It "
    "needs no server and no network, and loads nothing: the map, its images and the program are "
    "in the file. Fly or walk with the mouse and the keys W A S D, or by touch; the address holds "
    "the place and the mode, so that a link leads to the same view. A click tells about a face, "
    "the "
    "lights that reach it, or an entity; other views show what a cluster sees, luxel density and "
    "overdraw. The way out of a leak is read from the .lin or .pts file beside the map, "
    "the portals between clusters from the .prt file. With --against two builds are in one "
    "picture, with a border between them that can be moved.\n\n"
    "With --serve FILE may be a source, too: it is built with --preset preview into a temporary "
    "folder, and built and shown again when it or a file that it was built from is saved, while "
    "the camera stays. Messages of the build are listed in the page; after a build that failed the "
    "map before stays. The options of the cache are those of the build; without one, what edits do "
    "not change is kept in the temporary folder until the end. The page is on 127.0.0.1 "
    "alone, under an address that cannot be "
    "guessed.\n\n"
    "Textures and models come from the map's packed files, from --game and from "
    "-insert_search_path, as for brushwork-render. FILE may be given with or without .bsp; - is "
    "standard input, and --out - is standard output. It may be a BM file, a level of Ballance, "
    "too.";

struct view_values {
    struct standard_options standard;
    struct view_options view;
    bool hdr, open;
    const char *out, *messages, *against;
    double serve; /* port; 0, -1: a free one; NOT_SERVED */
    const char **build;
};

#define NOT_SERVED (-2.0)

#define FIELD(name) offsetof(struct view_values, name)

static const struct option_def view_verb_options[] = {
    VERB_OUT(struct view_values, "output page (default: FILE with .html instead of .bsp)"),
    VERB_HDR(struct view_values, hdr),
    VERB_TEXTURES(struct view_values, view),
    {.name = "messages",
     .argument = "FILE",
     .endings = "json sarif",
     .kind = OPTION_TEXT,
     .path = OPTION_READS,
     .offset = FIELD(messages),
     .two_dashes = true,
     .help = "list the messages of the build, which --diagnostics-file of brushwork-build has "
             "written as json or sarif; a click flies to the place"},
    VERB_AGAINST(struct view_values, "an older BSP, which is shown in the same view: left of a "
                                     "border that can be moved"),
    {.name = "serve",
     .argument = "[PORT]",
     .kind = OPTION_NUMBER_OR_NONE,
     .offset = FIELD(serve),
     .min = -1,
     .max = 65535,
     .two_dashes = true,
     .help = "print an address of this machine under which the page is, build a source and show "
             "the map again whenever a file that it was built from is saved; until Ctrl-C. "
             "Without PORT, or with 0 or -1: a free one"},
    {.name = "build-option",
     .argument = "WORD",
     .kind = OPTION_LIST,
     .offset = FIELD(build),
     .two_dashes = true,
     .help =
         "of --serve: a word of the command line of brushwork-build after --preset preview; once "
         "for each"},
    VERB_OPEN(struct view_values),
    VERB_CONTENT(struct view_values),
    VERB_THREADS(struct view_values),
};

static struct render_options options_of(const struct view_values *values)
{
    struct render_options options = render_defaults;
    options.scene.hdr = values->hdr;
    options.scene.dull = true;
    return options;
}

/* Loads the first file that is beside the map with one of these endings. */
static void load_beside(const struct program *program, const char *path, const char *const *endings,
                        struct bytes *out)
{
    const struct env *env = program->env;
    struct arena arena = {0};
    bool found = strcmp(path, "-") == 0;
    for (; *endings && !found; endings++)
        found =
            fs_load_optional(env->fs, env->diag, path_beside(&arena, path, ".bsp", *endings), out);
    arena_free(&arena);
}

/* Free with close_source. */
static void open_source(const struct program *program, const struct render *render,
                        const char *path, struct arena *arena, struct view_source *out)
{
    *out = (struct view_source){.scene = &render->scene,
                                .name = picture_map_name(arena, path),
                                .start = view_start(&render->scene)};
    out->exposure = render_view_exposure(render, &out->start);
    load_beside(program, path, (const char *const[]){".lin", ".pts", NULL}, &out->leak);
    load_beside(program, path, (const char *const[]){".prt", NULL}, &out->portals);
}

static void close_source(struct view_source *source)
{
    bytes_free(&source->leak);
    bytes_free(&source->portals);
}

static enum status write_source(const struct program *program, const struct view_source *source,
                                const char *out)
{
    const struct view_values *values = program->values;
    struct bytes html = {0};
    enum status status = view_write(program->env, source, &values->view, &html);
    if (status == STATUS_OK)
        status = env_store(program->env, out, html.data, html.size);
    progress_count(program->env->progress, "bytes", (int64_t)html.size);
    bytes_free(&html);
    return status;
}

static enum status write_comparison(const struct program *program, const struct view_source *source,
                                    const char *path, struct arena *arena, const char *out)
{
    const struct view_values *values = program->values;
    struct render_options options = options_of(values);
    struct picture_map old;
    options.scene.file = path;
    enum status status = picture_map_open(program->env, &values->standard, &options, path, &old);
    if (status == STATUS_OK) {
        struct view_source both = *source, before;
        open_source(program, old.render, path, arena, &before);
        both.before = &before;
        status = write_source(program, &both, out);
        close_source(&before);
    }
    picture_map_close(&old);
    return status;
}

static enum status write_page(const struct program *program, const struct render *render,
                              const struct picture_paths *paths)
{
    const struct view_values *values = program->values;
    struct arena arena = {0};
    struct view_source source;
    const char *against;
    open_source(program, render, paths->map, &arena, &source);
    source.messages_file = values->messages;
    enum status status = picture_against(program->env, values->against, &arena, &against);
    if (status == STATUS_OK)
        status = against ? write_comparison(program, &source, against, &arena, paths->out)
                         : write_source(program, &source, paths->out);
    close_source(&source);
    arena_free(&arena);
    if (status == STATUS_OK && values->open)
        status = browser_open(program->env, paths->out);
    return status;
}

/* --- serving --- */

static enum status serve(const struct program *program)
{
    const struct view_values *values = program->values;
    const struct cache_choice *cache = &values->standard.cache;
    struct arena arena = {0};
    struct serve_options options = {.port = values->serve > 0 ? (int)values->serve : 0,
                                    .keeps = !cache->off && !cache->options.place &&
                                             !cache->options.server,
                                    .messages = values->messages,
                                    .is_json = values->standard.console.json,
                                    .is_opened = values->open};
    if (options.is_json)
        console_quiet(program->console);
    child_words(&options.build, &arena, &values->standard);
    child_cache_words(&options.build, &arena, cache);
    for (size_t i = 0; i < arrlenu(values->build); i++)
        arrput(options.build, values->build[i]);
    child_words(&options.view, &arena, &values->standard);
    child_word(&options.view, "--texture-size",
               arena_printf(&arena, "%d", values->view.texture_size));
    child_word(&options.view, "--quality", arena_printf(&arena, "%d", values->view.quality));
    if (values->hdr)
        arrput(options.view, "--hdr");
    if (values->against)
        child_word(&options.view, "--against", values->against);
    const char *against; /* is looked for before a map is built */
    enum status status = picture_against(program->env, values->against, &arena, &against);
    if (status == STATUS_OK)
        status = serve_map(program, &options);
    arrfree(options.build);
    arrfree(options.view);
    arena_free(&arena);
    return status;
}

static enum status refuse(struct diag *diag, const char *text)
{
    (void)diag_report(diag, DIAG_USAGE, NULL, "%s", text);
    return STATUS_USAGE;
}

/* An option_adapt. */
static enum status settle(const struct option_table *table, void *settled,
                          struct option_result *result, struct diag *diag)
{
    const struct view_values *values = settled;
    const char *refusal =
        browser_refusal(&values->standard, values->out ? values->out : result->operands[0]);
    (void)table;
    if (values->open && refusal)
        return refuse(diag, refusal);
    if (values->serve <= NOT_SERVED)
        return arrlen(values->build) ? refuse(diag, "--build-option is of --serve") : STATUS_OK;
    if (values->standard.sandbox)
        return refuse(diag, "--serve starts other processes, which --sandbox does not let it do");
    if (values->out)
        return refuse(diag, "--serve writes no page: it excludes --out");
    return STATUS_OK;
}

static enum status view_map(const struct program *program)
{
    const struct view_values *values = program->values;
    if (values->serve > NOT_SERVED)
        return serve(program);
    const struct render_options options = options_of(values);
    const struct picture_verb verb = {.name = "view",
                                      .extension = ".html",
                                      .endings = "html htm",
                                      .out = values->out,
                                      .standard = &values->standard,
                                      .options = &options,
                                      .write = write_page};
    return picture_write(program, &verb, STATUS_OK);
}

int verb_view(int argc, char **argv)
{
    struct view_values values = {.view = view_defaults, .serve = NOT_SERVED};
    const struct view_values defaults = values;
    const struct option_group cache = cache_option_group(offsetof(struct view_values, standard));
    const struct option_table table = {
        VERB_PAGE(brushwork_verb("view")),
        .endings = "bsp vmf vmm map bmx",
        .adapt = settle,
        .details = details,
        .defs = view_verb_options,
        .count = sizeof view_verb_options / sizeof *view_verb_options,
        .defaults = &defaults,
        .groups = &cache,
        .group_count = 1,
        .content = content_roots,
        .has_loops = true,
        .min_operands = 1,
        .max_operands = 1,
    };
    int status = program_run(&table, &values, &values.standard, argc, argv, view_map);
    arrfree(values.build);
    return status;
}
