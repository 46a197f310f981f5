/* brushwork report: writes a page about a map for those who review it. */
#include "report/report.h"

#include <string.h>

#include "brushwork/report/report_build.h"
#include "brushwork/shared/browser.h"
#include "brushwork/shared/child_words.h"
#include "brushwork/shared/picture.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/assets/content_roots.h"
#include "common/bsp/codec/format.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/usage.def"
#include "common/io/fs.h"

static const char details[] =
    "Writes one HTML file about a map for those who review it: pictures from its spawns and from "
    "above, the messages of the build and faults of the file, limits, costs of the stages, the "
    "clusters that see most, entities by class and materials by area. Each message is there with "
    "its "
    "fix and explanation. With --against it says how the map differs from an older BSP, in "
    "sentences, the worst lightmaps first, in the sections of brushwork-diff and with pictures of "
    "both under a slider, which must be drawn from the same content to be compared. The page needs "
    "no script, no server and no network: pictures are in the file.\n\n"
    "A source is built first, into a temporary folder, with the words of --build-option "
    "and the options of the cache. If it "
    "leaks the page is about the map without light, and the exit status is 3; without a map there "
    "is no page. Of a BSP, --messages names what its build has said, with the costs; if that is "
    "a leak, FILE_leak.png beside the BSP is in the page, too.\n\n"
    "The page is the same for the same inputs. For that it has no date, and the seconds of the "
    "build only with --times.\n\n"
    "Textures and models come from the map's packed files, from --game and from "
    "-insert_search_path, as for brushwork-render. A BSP may be given without .bsp; - is "
    "standard input, and --out - is standard output.";

struct report_values {
    struct standard_options standard;
    struct report_settings report;
    bool hdr, open;
    int width;
    const char *out, *against, *messages;
    const char **build;
};

enum { WIDTH = 768, SAMPLES = 4 };

#define FIELD(name) offsetof(struct report_values, name)

static const struct option_def report_verb_options[] = {
    VERB_OUT(struct report_values,
             "output page (default: FILE with _report.html instead of its ending)"),
    VERB_AGAINST(struct report_values, "an older BSP: what has changed since"),
    {.name = "messages",
     .argument = "FILE",
     .endings = "json sarif",
     .kind = OPTION_TEXT,
     .path = OPTION_READS,
     .offset = FIELD(messages),
     .two_dashes = true,
     .help = "what the build has said, which --diagnostics-file of brushwork-build has written as "
             "json, with the costs of the stages, or as sarif"},
    VERB_FLAG(struct report_values, "times", report.times,
              "with the seconds of the build, which are not the same in each run"),
    {.name = "pictures",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(report.pictures),
     .max = REPORT_PICTURES_MAX,
     .two_dashes = true,
     .help = "at most this many pictures from spawns, far from each other"},
    {.name = "width",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(width),
     .min = 16,
     .max = 3840,
     .two_dashes = true,
     .help = "width of a picture in pixels; its sides are as 16 to 9"},
    {.name = "build-option",
     .argument = "WORD",
     .kind = OPTION_LIST,
     .offset = FIELD(build),
     .two_dashes = true,
     .help = "of a source: a word of the command line of brushwork-build; once for each"},
    VERB_HDR(struct report_values, hdr),
    VERB_OPEN(struct report_values),
    VERB_CONTENT(struct report_values),
    VERB_THREADS(struct report_values),
};

/* The files of a run. */
struct report_files {
    const char *map, *out; /* as the command line names them */
    bool is_source;
    struct report_build build;
    const char *bsp, *messages; /* that are read; messages NULL: none */
    const char *against;        /* the BSP to compare with, or NULL */
    const char *leak_picture;   /* that the build has drawn beside the BSP, if there is one */
};

static enum status refuse(struct diag *diag, const char *text)
{
    (void)diag_report(diag, DIAG_USAGE, NULL, "%s", text);
    return STATUS_USAGE;
}

/* An option_adapt. */
static enum status settle(const struct option_table *table, void *settled,
                          struct option_result *result, struct diag *diag)
{
    const struct report_values *values = settled;
    const char *refusal =
        browser_refusal(&values->standard, values->out ? values->out : result->operands[0]);
    (void)table;
    if (values->open && refusal)
        return refuse(diag, refusal);
    if (!child_can_build(result->operands[0]))
        return arrlen(values->build) ? refuse(diag, "--build-option is of sources") : STATUS_OK;
    if (values->standard.sandbox)
        return refuse(diag, "a source is built by another process, which --sandbox does not allow");
    if (values->messages)
        return refuse(diag, "--messages is of a BSP: the build of a source has its own");
    return STATUS_OK;
}

static const char *page_beside(struct arena *arena, const struct report_files *files)
{
    const char *dot = strrchr(path_name(files->map), '.');
    if (strcmp(files->map, "-") == 0)
        return "-";
    return path_beside(arena, files->map, dot ? dot : ".bsp", "_report.html");
}

/* With the picture of the leak, which they are about. */
static enum status load_messages(const struct env *env, const struct report_files *files,
                                 struct report_source *source)
{
    source->messages_file = files->messages;
    if (!files->messages)
        return STATUS_OK;
    if (files->leak_picture)
        (void)fs_load_optional(env->fs, env->diag, files->leak_picture, &source->leak_picture);
    return fs_load(env->fs, env->diag, files->messages, &source->messages);
}

static enum status write_page(const struct program *program, const struct report_files *files,
                              struct report_source *source, struct arena *arena)
{
    const struct report_values *values = program->values;
    const struct env *env = program->env;
    struct bytes html = {0};
    enum status status = load_messages(env, files, source);
    source->map.file = files->bsp;
    source->map.name = picture_map_name(arena, files->bsp);
    if (status == STATUS_OK)
        status = report_write(env, source, &values->report, &html);
    if (status == STATUS_OK)
        status = env_store(env, files->out, html.data, html.size);
    progress_count(env->progress, "bytes", (int64_t)html.size);
    bytes_free(&html);
    bytes_free(&source->messages);
    bytes_free(&source->leak_picture);
    return status;
}

static enum status open_and_write(const struct program *program, const struct report_files *files,
                                  struct arena *arena)
{
    const struct report_values *values = program->values;
    const struct env *env = program->env;
    struct render_options options = render_defaults;
    struct picture_map map, against = {0};
    struct report_source source = {.map.render = NULL};
    options.scene.hdr = values->hdr;
    options.scene.seconds = RENDER_MOMENT;
    options.width = values->width;
    options.height = values->width * 9 / 16;
    options.samples = SAMPLES;
    options.scene.file = files->against ? files->map : NULL;
    enum status status = picture_map_open(env, &values->standard, &options, files->bsp, &map);
    if (status == STATUS_OK && files->against) {
        source.against.file = files->against;
        source.against.name = picture_map_name(arena, source.against.file);
        options.scene.file = source.against.file;
        status = picture_map_open(env, &values->standard, &options, source.against.file, &against);
    }
    source.map.render = map.render;
    source.against.render = against.render;
    if (status == STATUS_OK)
        status = write_page(program, files, &source, arena);
    picture_map_close(&against);
    picture_map_close(&map);
    return status;
}

static enum status build(const struct program *program, struct report_files *files,
                         struct arena *arena)
{
    const struct report_values *values = program->values;
    TRY(report_build(program, &values->standard, files->map, values->build, arena, &files->build));
    files->bsp = files->build.bsp;
    files->messages = files->build.messages;
    return STATUS_OK;
}

static enum status report_map(const struct program *program)
{
    const struct report_values *values = program->values;
    const struct env *env = program->env;
    const char *operand = program->result->operands[0];
    struct arena arena = {0};
    struct report_files files = {.is_source = child_can_build(operand),
                                 .messages = values->messages};
    files.map = files.is_source ? operand : picture_operand(program, 0, &arena);
    files.bsp = files.map;
    files.out = values->out ? values->out : page_beside(&arena, &files);
    if (strcmp(files.out, "-") == 0)
        console_quiet(program->console);
    console_stage(program->console, "report", files.map);
    enum status status = picture_prepare(program, values->out, files.out, "html htm");
    if (status == STATUS_OK)
        status = picture_against(env, values->against, &arena, &files.against);
    if (status == STATUS_OK && files.is_source)
        status = build(program, &files, &arena);
    if (strcmp(files.bsp, "-") != 0)
        files.leak_picture = path_beside(&arena, files.bsp, ".bsp", "_leak.png");
    if (status == STATUS_OK)
        status = open_and_write(program, &files, &arena);
    if (status == STATUS_OK && values->open)
        status = browser_open(env, files.out);
    if (status == STATUS_OK)
        status = files.build.status;
    report_build_end(env, &files.build);
    arena_free(&arena);
    return status;
}

int verb_report(int argc, char **argv)
{
    struct report_values values = {.report = report_defaults, .width = WIDTH};
    const struct report_values defaults = values;
    const struct option_group cache = cache_option_group(offsetof(struct report_values, standard));
    const struct option_table table = {
        VERB_PAGE(brushwork_verb("report")),
        .endings = "bsp vmf vmm map bmx",
        .adapt = settle,
        .details = details,
        .exit_statuses = EXIT_STATUSES_WITH_LEAK,
        .defs = report_verb_options,
        .count = sizeof report_verb_options / sizeof *report_verb_options,
        .defaults = &defaults,
        .groups = &cache,
        .group_count = 1,
        .content = content_roots,
        .has_loops = true,
        .min_operands = 1,
        .max_operands = 1,
    };
    int status = program_run(&table, &values, &values.standard, argc, argv, report_map);
    arrfree(values.build);
    return status;
}
