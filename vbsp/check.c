#include "vbsp/check.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/files.h"

#define FIELD(name) offsetof(struct vbsp_check, name)

static const struct option_def defs[] = {
    /* --check is the first: vbsp_report_option_group */
    {.name = "check",
     .kind = OPTION_FLAG,
     .offset = FIELD(check),
     .two_dashes = true,
     .help =
         "report all problems of the map and write nothing; the exit status is 1 after errors, 3 "
         "after a leak"},
    {.name = "report",
     .kind = OPTION_FLAG,
     .offset = FIELD(report),
     .two_dashes = true,
     .help =
         "print the usage of each limit, and the largest contributors to those closest to their "
         "maximum; with --json as objects among the diagnostics"},
    {.name = "fail-if",
     .argument = "NAME>N%",
     .kind = OPTION_LIST,
     .offset = FIELD(fail_if),
     .two_dashes = true,
     .help =
         "fail, and write nothing, when the map uses more than N percent of a limit or, "
         "without the percent sign, more than N; repeatable. NAME is warnings, errors, notes "
         "or a diagnostic code, such as A030, for more than N such messages (>0 may be "
         "omitted), or one of models, brushes, brush sides, sides of a brush, entities, planes, "
         "nodes, leaves, leaf faces, leaf brushes, clusters, areas, area portals, area "
         "portal vertices, vertices, edges, surfedges, faces, original faces, vertex "
         "normals, vertex normal indices, texinfo, texdata, texture names, bytes of "
         "texture names, characters of a texture name, displacements, displacement "
         "vertices, displacement triangles, overlays, water overlays, leaf water data, "
         "primitives, primitive vertices, primitive indices, cubemaps, worldlights, "
         "ambient samples, bytes of visibility; blanks may be written as - or _"},
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

struct condition {
    const struct bsp_limit *limit; /* NULL: messages are counted */
    bool is_severity;              /* those of it, else those of the code */
    enum diag_severity severity;
    enum diag_code code;
    double max;
    bool percent;
};

static enum status bad_condition(struct diag *diag, const char *text, const char *why,
                                 const char *nearest)
{
    (void)diag_report(diag, DIAG_USAGE, NULL, "--fail-if \"%s\": %s%s%s%s", text, why,
                      nearest ? " (did you mean '" : "", nearest ? nearest : "",
                      nearest ? "'?)" : "");
    return STATUS_USAGE;
}

/* "V012", or "warnings". */
static bool find_messages(const char *name, struct condition *out)
{
    static const char *const plurals[DIAG_SEVERITIES] = {"notes", "warnings", "errors"};
    for (int i = 0; i < DIAG_SEVERITIES; i++)
        if (str_equal_nocase(plurals[i], name)) {
            out->is_severity = true;
            out->severity = (enum diag_severity)i;
            return true;
        }
    for (int code = 0; code < DIAG_CODES; code++)
        if (str_equal_nocase(diag_info((enum diag_code)code)->code, name)) {
            out->code = (enum diag_code)code;
            return true;
        }
    return false;
}

static enum status parse_condition(const char *text, const struct bsp_format *format,
                                   struct diag *diag, struct condition *out)
{
    const char *above = strchr(text, '>');
    struct arena scratch = {0};
    *out = (struct condition){0};
    if (!above && find_messages(text, out))
        return STATUS_OK;
    if (!above)
        return bad_condition(diag, text, "expected NAME>N% in quotes", NULL);
    const char *name = arena_strndup(&scratch, text, (size_t)(above - text));
    char *number = arena_strdup(&scratch, above + 1);
    size_t length = strlen(number);
    out->percent = length && number[length - 1] == '%';
    if (out->percent)
        number[length - 1] = 0;
    const char *nearest = NULL;
    enum status status = STATUS_OK;
    bool is_count = find_messages(name, out);
    if (!is_count)
        out->limit = limit_find(format, name, &nearest);
    if (is_count && out->percent)
        status = bad_condition(diag, text, "messages are counted, without %", NULL);
    else if (!is_count && !out->limit)
        status = bad_condition(diag, text, "no such limit", nearest);
    else if (!str_to_double(number, &out->max) || out->max < 0)
        status = bad_condition(diag, text, "expected a number, or a number and %, after >", NULL);
    arena_free(&scratch);
    return status;
}

enum status vbsp_check_finish(const struct vbsp_check *check, const struct bsp_format *format,
                              struct diag *diag, struct vbsp_options *options)
{
    enum status status = STATUS_OK;
    struct condition condition;
    for (size_t i = 0; i < arrlenu(check->fail_if); i++)
        if (parse_condition(check->fail_if[i], format, diag, &condition) != STATUS_OK)
            status = STATUS_USAGE;
    options->format = format;
    options->lint = check->check;
    options->limit_contributors = check->report;
    return status;
}

void vbsp_check_free(struct vbsp_check *check)
{
    arrfree(check->fail_if);
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

static enum status check_messages(const struct condition *condition, const char *text,
                                  struct diag *diag)
{
    size_t count = condition->is_severity ? diag_count(diag, condition->severity)
                                          : diag_count_code(diag, condition->code);
    if (condition->is_severity && condition->severity == DIAG_ERROR)
        count -= diag_count_code(diag, DIAG_FAIL_IF);
    if ((double)count <= condition->max)
        return STATUS_OK;
    if (!condition->is_severity)
        return diag_report(diag, DIAG_FAIL_IF, NULL, "\"%s\": %s was reported %zu time%s", text,
                           diag_info(condition->code)->code, count, count == 1 ? "" : "s");
    return diag_report(diag, DIAG_FAIL_IF, NULL, "\"%s\": %zu %s%s reported", text, count,
                       diag_severity_name(condition->severity), count == 1 ? " was" : "s were");
}

enum status vbsp_check_messages(const struct vbsp_check *check, const struct bsp_format *format,
                                struct diag *diag)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(check->fail_if); i++) {
        struct condition condition;
        if (parse_condition(check->fail_if[i], format, diag, &condition) != STATUS_OK)
            continue; /* reported when the command line was read */
        if (!condition.limit && check_messages(&condition, check->fail_if[i], diag) != STATUS_OK)
            status = STATUS_FAILED;
    }
    return status;
}

enum status vbsp_check_limits(const struct vbsp_check *check, const struct bsp_format *format,
                              const struct bsp *bsp, struct diag *diag)
{
    struct limit_report report;
    enum status status = STATUS_OK;
    if (!arrlenu(check->fail_if) || !bsp)
        return status;
    limit_report_make(bsp, format, &report);
    for (size_t i = 0; i < arrlenu(check->fail_if); i++) {
        struct condition condition;
        if (parse_condition(check->fail_if[i], format, diag, &condition) != STATUS_OK ||
            !condition.limit)
            continue;
        const struct limit_use *use = &report.uses[condition.limit - format->limits];
        double value = condition.percent ? limit_percent(use->limit, use->used) : (double)use->used;
        if (value > condition.max)
            status = diag_report(diag, DIAG_FAIL_IF, NULL, "\"%s\": %s: %s", check->fail_if[i],
                                 use->limit->name, limit_use_text(use, &report.arena));
    }
    limit_report_free(&report);
    return status;
}

enum status vbsp_check_conditions(const struct vbsp_check *check, const struct bsp_format *format,
                                  const struct bsp *bsp, struct diag *diag)
{
    if (!bsp)
        return STATUS_OK;
    enum status limits = vbsp_check_limits(check, format, bsp, diag);
    enum status messages = vbsp_check_messages(check, format, diag);
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
    bool errors = diag_count(env->diag, DIAG_ERROR) > diag_count_code(env->diag, DIAG_LEAK);
    return errors ? STATUS_FAILED : status;
}
