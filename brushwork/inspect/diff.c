/* brushwork diff: what two BSPs say differently. */
#include "brushwork/inspect/diff.h"

#include <string.h>

#include "brushwork/shared/print.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/bsp/codec/format.h"
#include "common/cli/program.h"
#include "common/core/array.h"
#include "common/core/strings.h"

enum exit_status { EXIT_SAME = 0, EXIT_DIFFERS = 1, EXIT_TROUBLE = 2 };

static const char details[] =
    "Compares what two BSPs mean, not their bytes. Records are matched by what they are: entities "
    "by "
    "the editor's number, else by class, name and place; brushes by their planes; faces by "
    "polygon; "
    "lights, props and the like by place; packed files by name. So the order of records, the "
    "packing "
    "of lumps and files, and the version of the format make no difference by themselves: a file is "
    "the same as its compressed copy, and as a compile that numbers its records in another way.\n"
    "\n"
    "The table has a line a section: how many things A and B have, how many differ, and figures. "
    "Below it stand examples with their places. Where the two trees cut space in other ways, "
    "contents, "
    "visibility and ambient light are compared at random points, the same ones each time. Light is "
    "measured in powers of two of luminance: rms_log2 0.1 is 7 % on average. The name of the map "
    "in "
    "the names of files and materials (maps/NAME/) does not count.\n"
    "\n"
    "--only takes names of sections, as the table has them, with commas between: "
    "--only faces,lightmaps,pvs.\n"
    "\n"
    "Distances below --tolerance, colours that differ by less than --light-tolerance of their "
    "brightest part, and other numbers that differ by less than a ten thousandth are the same.\n"
    "\n"
    "Exit statuses are those of diff(1). Either file may be - for standard input.";

struct diff_values {
    struct standard_options standard;
    double tolerance, light_tolerance; /* units, percent */
    int limit, samples;
    const char *only;
    bool summary;
    bool differs; /* the result */
};

#define FIELD(name) offsetof(struct diff_values, name)

static const struct option_def diff_options[] = {
    VERB_JSON(struct diff_values, VERB_JSON_OBJECT),
    VERB_FLAG(struct diff_values, "summary", summary, "print the table without examples"),
    {.name = "only",
     .argument = "LIST",
     .kind = OPTION_TEXT,
     .offset = FIELD(only),
     .two_dashes = true,
     .help = "compare these sections only"},
    {.name = "limit",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(limit),
     .max = 1000000,
     .two_dashes = true,
     .help = "examples a section"},
    {.name = "tolerance",
     .argument = "UNITS",
     .kind = OPTION_NUMBER,
     .offset = FIELD(tolerance),
     .max = 16,
     .two_dashes = true,
     .help = "places nearer than this are the same"},
    {.name = "light-tolerance",
     .argument = "PERCENT",
     .kind = OPTION_NUMBER,
     .offset = FIELD(light_tolerance),
     .max = 100,
     .two_dashes = true,
     .help = "colours nearer than this are the same"},
    {.name = "samples",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(samples),
     .min = 1,
     .max = 10000000,
     .two_dashes = true,
     .help = "points to compare where trees differ"},
};

static enum status no_section(const char *name, struct diag *diag)
{
    const char *best = bsp_diff_section_name(0), *other;
    for (size_t i = 1; (other = bsp_diff_section_name(i)); i++)
        if (str_distance(other, name) < str_distance(best, name))
            best = other;
    (void)diag_report(diag, DIAG_USAGE, NULL, "--only: '%s' is no section; the nearest is '%s'",
                      name, best);
    return STATUS_USAGE;
}

static enum status parse_only(const char *list, struct diag *diag, uint64_t *out)
{
    enum status status = STATUS_OK;
    while (list && *list && status == STATUS_OK) {
        char name[64] = {0};
        size_t length = strcspn(list, ", "), index = 0;
        memcpy(name, list, length < sizeof name ? length : sizeof name - 1);
        list += length + (list[length] != '\0');
        const char *section = bsp_diff_section_name(0);
        while (*name && section && !str_equal_nocase(section, name))
            section = bsp_diff_section_name(++index);
        if (!section)
            status = no_section(name, diag);
        else if (*name)
            *out |= (uint64_t)1 << index;
    }
    return status;
}

static enum status show(const struct diff_view *view, bool json, struct diag *diag)
{
    if (json)
        diff_print_json(view, stdout);
    else
        diff_print(view, stdout);
    return print_flush(diag);
}

static enum status compare(const struct program *program, const struct bsp_diff_options *options,
                           struct bsp *const bsp[2])
{
    struct diff_values *values = program->values;
    struct diag *diag = program->env->diag;
    const char *const *paths = program->result->operands;
    struct bsp_diff diff = {0};
    TRY(bsp_diff(bsp[0], bsp[1], paths, options, diag, &diff));
    struct diff_view view = {{paths[0], paths[1]}, {bsp[0], bsp[1]}, &diff, values->summary};
    values->differs = !bsp_diff_is_same(&diff);
    enum status status = show(&view, values->standard.console.json, diag);
    bsp_diff_free(&diff);
    return status;
}

static enum status read_and_compare(const struct program *program)
{
    const struct diff_values *values = program->values;
    const struct env *env = program->env;
    struct bsp_diff_options options = bsp_diff_defaults();
    struct bsp *bsp[2] = {NULL, NULL};
    console_quiet(program->console);
    TRY(parse_only(values->only, env->diag, &options.only));
    options.distance = values->tolerance;
    options.light = values->light_tolerance / 100;
    options.limit = values->summary ? 0 : (size_t)values->limit;
    options.samples = values->samples;
    TRY(bsp_read_file(env, program->result->operands[0], &bsp[0]));
    enum status status = bsp_read_file(env, program->result->operands[1], &bsp[1]);
    if (status == STATUS_OK)
        status = compare(program, &options, bsp);
    bsp_free(bsp[0]);
    bsp_free(bsp[1]);
    return status;
}

/* "Differs" is no failure, and must not be mistaken for one. */
static int exit_status_of(int status, bool differs)
{
    if (status == STATUS_OK)
        return differs ? EXIT_DIFFERS : EXIT_SAME;
    return status == STATUS_INTERNAL ? status : EXIT_TROUBLE;
}

int verb_diff(int argc, char **argv)
{
    const struct bsp_diff_options usual = bsp_diff_defaults();
    const struct diff_values defaults = {.tolerance = usual.distance,
                                         .light_tolerance = usual.light * 100,
                                         .limit = (int)usual.limit,
                                         .samples = usual.samples};
    struct diff_values values = defaults;
    const struct option_table table = {
        VERB_PAGE(brushwork_verbs[VERB_diff]),
        .details = details,
        .exit_statuses = "0 the same; 1 different; 2 bad command line, or a file that cannot be "
                         "read; 4 internal error",
        .defs = diff_options,
        .count = sizeof diff_options / sizeof *diff_options,
        .defaults = &defaults,
        .min_operands = 2,
        .max_operands = 2,
    };
    int status = program_run(&table, &values, &values.standard, argc, argv, read_and_compare);
    return exit_status_of(status, values.differs);
}
