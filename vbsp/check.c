#include "vbsp/check.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/fail_if.h"
#include "common/core/array.h"
#include "common/diag/codes/fail_if.def"
#include "vbsp/files.h"

#define FIELD(name) offsetof(struct vbsp_check, name)

static const struct option_def defs[] = {
    /* --check is the first: vbsp_report_option_group */
    {.name = "check",
     .kind = OPTION_FLAG,
     .offset = FIELD(check),
     .two_dashes = true,
     .use = OPTION_MAIN,
     .help =
         "report all problems of the map and write nothing; the exit status is 1 after errors, 3 "
         "after a leak"},
    {.name = "report",
     .kind = OPTION_FLAG,
     .offset = FIELD(report),
     .two_dashes = true,
     .use = OPTION_COMMON,
     .help =
         "print the usage of each limit, and the largest contributors to those closest to their "
         "maximum; with --json as objects among the diagnostics"},
};

const struct option_def vbsp_fail_if_option = {
    .name = "fail-if",
    .argument = "NAME>N%",
    .kind = OPTION_LIST,
    .offset = offsetof(struct standard_options, fail_if),
    .two_dashes = true,
    .is_word = true,
    .help = "fail, and write nothing, when the map uses more than N percent of a limit or, "
            "without the percent sign, more than N; repeatable. " FAIL_IF_MESSAGES_HELP
            ", or one of models, brushes, brush sides, sides of a brush, entities, planes, "
            "nodes, leaves, leaf faces, leaf brushes, clusters, areas, area portals, area "
            "portal vertices, vertices, edges, surfedges, faces, original faces, vertex "
            "normals, vertex normal indices, texinfo, texdata, texture names, bytes of "
            "texture names, characters of a texture name, displacements, displacement "
            "vertices, displacement triangles, overlays, water overlays, leaf water data, "
            "primitives, primitive vertices, primitive indices, cubemaps, worldlights, "
            "ambient samples, bytes of visibility; blanks may be written as - or _",
};

struct option_group vbsp_check_option_group(size_t base)
{
    return (struct option_group){.title = "Checking the map",
                                 .defs = defs,
                                 .count = sizeof defs / sizeof *defs,
                                 .base = base,
                                 .tool = "vbsp"};
}

struct option_group vbsp_report_option_group(size_t base)
{
    struct option_group group = vbsp_check_option_group(base);
    group.defs++;
    group.count--;
    return group;
}

/* Returns the limit that the condition is about, after a report (USAGE) if there is none. */
static const struct bsp_limit *find_limit(const struct fail_if *condition,
                                          const struct bsp_format *format, struct diag *diag)
{
    const char *nearest = NULL;
    const struct bsp_limit *limit = limit_find(format, condition->name, &nearest);
    if (!limit)
        (void)fail_if_refuse(diag, condition->messages.text, "no such limit", nearest);
    return limit;
}

enum status vbsp_check_finish(const struct vbsp_check *check, const char **fail_if,
                              const struct bsp_format *format, struct diag *diag,
                              struct vbsp_options *options)
{
    enum status status = STATUS_OK;
    struct arena arena = {0};
    for (size_t i = 0; i < arrlenu(fail_if); i++) {
        struct fail_if condition;
        if (fail_if_parse(fail_if[i], &arena, diag, &condition) != STATUS_OK ||
            (!condition.counts_messages && !find_limit(&condition, format, diag)))
            status = STATUS_USAGE;
    }
    arena_free(&arena);
    options->format = format;
    options->lint = check->check;
    options->limit_contributors = check->report;
    return status;
}

struct limit_lines {
    const struct limit_report *report;
    const char *program;
};

static void print_limits(const void *context, FILE *out)
{
    const struct limit_lines *lines = context;
    limit_report_json(lines->report, lines->program, out);
}

void vbsp_check_report(const struct vbsp_check *check, const struct program *program, bool json,
                       const struct vbsp_output *output, const char *bsp_path)
{
    const struct limit_report *report = &output->limits;
    if (!check->report || !report->format)
        return;
    console_lines(program->console, print_limits,
                  &(struct limit_lines){report, program->table->program});
    if (!json)
        limit_report_print(report, strcmp(bsp_path, "-") == 0 ? stderr : stdout);
    fflush(stdout);
}

static enum status check_limit(const char *text, const struct bsp_format *format,
                               struct limit_report *report, struct diag *diag)
{
    struct fail_if condition;
    TRY(fail_if_parse(text, &report->arena, diag, &condition));
    if (condition.counts_messages)
        return STATUS_OK;
    const struct bsp_limit *limit = find_limit(&condition, format, diag);
    if (!limit)
        return STATUS_FAILED;
    const struct limit_use *use = limit_report_use(report, limit);
    double value = condition.percent ? limit_percent(use->limit, use->used) : (double)use->used;
    if (value <= condition.max)
        return STATUS_OK;
    return diag_report(diag, DIAG_FAIL_IF, NULL, "\"%s\": %s: %s", text, use->limit->name,
                       limit_use_text(use, &report->arena));
}

enum status vbsp_check_limits(const char **fail_if, const struct bsp_format *format,
                              const struct bsp *bsp, struct diag *diag)
{
    struct limit_report report;
    enum status status = STATUS_OK;
    if (!arrlenu(fail_if) || !bsp)
        return status;
    limit_report_make(bsp, format, &report);
    for (size_t i = 0; i < arrlenu(fail_if); i++)
        if (check_limit(fail_if[i], format, &report, diag) != STATUS_OK)
            status = STATUS_FAILED;
    limit_report_free(&report);
    return status;
}

enum status vbsp_check_conditions(const char **fail_if, const struct bsp_format *format,
                                  const struct bsp *bsp, struct diag *diag)
{
    if (!bsp)
        return STATUS_OK;
    enum status limits = vbsp_check_limits(fail_if, format, bsp, diag);
    enum status messages = diag_judge(diag);
    return limits == STATUS_OK ? messages : limits;
}

enum status vbsp_check_output(const struct env *env, const struct vbsp_files *files,
                              const struct bsp_format *format, const struct vbsp_output *output,
                              enum status status)
{
    struct bytes bytes = {0};
    if (output->bsp && bsp_encode(output->bsp, format, files->bsp, env->diag, &bytes) != STATUS_OK)
        status = STATUS_FAILED;
    bytes_free(&bytes);
    bool errors = diag_count(env->diag, DIAG_ERROR) > diag_leaks(env->diag);
    return errors ? STATUS_FAILED : status;
}
