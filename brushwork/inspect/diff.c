/* brushwork diff: compares the content of two BSPs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "brushwork/shared/print.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/bsp/codec/format.h"
#include "common/cli/program.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/usage.def"
#include "common/diff/diff.h"

struct diff_view {
    const char *paths[2];
    const struct bsp *bsp[2];
    const struct bsp_diff *diff;
    bool summary; /* only the table */
};

/* Text and JSON output of `brushwork diff`. */

static void print_file(const struct diff_view *view, int side, FILE *out)
{
    const struct bsp *bsp = view->bsp[side];
    fprintf(out, "%c: ", 'A' + side);
    print_safely(view->paths[side], out);
    fprintf(out, ": %s (%s), revision %d, %lld bytes\n", bsp->format->title, bsp->format->target,
            bsp->revision, (long long)bsp->layout.size);
}

static void print_name(const char *name, FILE *out)
{
    for (; *name; name++)
        fputc(*name == '_' ? ' ' : *name, out);
}

static bool is_whole(double value)
{
    return fabs(value) < 1e15 && value == floor(value);
}

static void print_section(const struct bsp_diff_section *section, FILE *out)
{
    fprintf(out, "%-16s %9lld %9lld %9lld ", section->name, (long long)section->count[0],
            (long long)section->count[1], (long long)section->differing);
    if (!section->differing)
        fputs(" same", out);
    for (size_t i = 0; i < arrlenu(section->figures); i++) {
        const struct bsp_diff_figure *figure = &section->figures[i];
        fputs(i || !section->differing ? ", " : " ", out);
        print_name(figure->name, out);
        fprintf(out, is_whole(figure->value) ? " %.0f" : " %.4g", figure->value);
    }
    fputc('\n', out);
}

static void print_examples(const struct bsp_diff_section *section, FILE *out)
{
    if (!arrlen(section->examples))
        return;
    fprintf(out, "\n%s\n", section->name);
    for (size_t i = 0; i < arrlenu(section->examples); i++) {
        fputs("  ", out);
        print_safely(section->examples[i], out);
        fputc('\n', out);
    }
}

static void diff_print(const struct diff_view *view, FILE *out)
{
    const struct bsp_diff_section *sections = view->diff->sections;
    for (int side = 0; side < 2; side++)
        print_file(view, side, out);
    fputs("\nsection                  A         B    differ\n", out);
    for (size_t i = 0; i < arrlenu(sections); i++)
        if (sections[i].count[0] || sections[i].count[1] || sections[i].differing)
            print_section(&sections[i], out);
    for (size_t i = 0; i < arrlenu(sections) && !view->summary; i++)
        print_examples(&sections[i], out);
    fputs(bsp_diff_is_same(view->diff) ? "\nthe same\n" : "\ndifferent\n", out);
}

static json_t *json_file(const struct diff_view *view, int side)
{
    const struct bsp *bsp = view->bsp[side];
    json_t *object = json_object();
    json_object_set_new(object, "file", print_json_text(view->paths[side]));
    json_object_set_new(object, "format", json_string(bsp->format->title));
    json_object_set_new(object, "target", json_string(bsp->format->target));
    json_object_set_new(object, "bsp_version", json_integer(bsp->format->version));
    json_object_set_new(object, "revision", json_integer(bsp->revision));
    json_object_set_new(object, "bytes", json_integer((json_int_t)bsp->layout.size));
    return object;
}

/* Prints counts as integers. */
static json_t *json_figure(double value)
{
    if (is_whole(value))
        return json_integer((json_int_t)value);
    return json_real(value);
}

static json_t *json_section(const struct bsp_diff_section *section)
{
    json_t *object = json_object(), *figures = json_object(), *examples = json_array();
    for (size_t i = 0; i < arrlenu(section->figures); i++)
        json_object_set_new(figures, section->figures[i].name,
                            json_figure(section->figures[i].value));
    for (size_t i = 0; i < arrlenu(section->examples); i++)
        json_array_append_new(examples, print_json_text(section->examples[i]));
    json_object_set_new(object, "name", json_string(section->name));
    json_object_set_new(object, "a", json_integer((json_int_t)section->count[0]));
    json_object_set_new(object, "b", json_integer((json_int_t)section->count[1]));
    json_object_set_new(object, "differing", json_integer((json_int_t)section->differing));
    json_object_set_new(object, "metrics", figures);
    json_object_set_new(object, "examples", examples);
    return object;
}

/* One object. Write errors are reported by print_flush. */
static void diff_print_json(const struct diff_view *view, FILE *out)
{
    json_t *object = print_json_object(), *sections = json_array();
    for (size_t i = 0; i < arrlenu(view->diff->sections); i++)
        json_array_append_new(sections, json_section(&view->diff->sections[i]));
    json_object_set_new(object, "a", json_file(view, 0));
    json_object_set_new(object, "b", json_file(view, 1));
    json_object_set_new(object, "same", json_boolean(bsp_diff_is_same(view->diff)));
    json_object_set_new(object, "sections", sections);
    print_json(object, out);
}

/* --- diff --- */

enum exit_status { EXIT_SAME = 0, EXIT_DIFFERS = 1, EXIT_ERROR = 2 };

static const char details[] =
    "Compares the content of two BSPs, not their bytes. Records are matched by identity: "
    "entities by the editor's ID, else by class, name and origin; brushes by their planes; "
    "faces by polygon; lights, props and the like by position; packed files by name. So the "
    "order of records, the compression of lumps and files, and the format version do not count: "
    "a file is the same as its compressed copy, and as a compile that numbers its records "
    "differently.\n\n"
    "The table has one line per section: the number of records in A and in B, how many differ, "
    "and metrics. Examples with their positions follow. Where the two trees differ, contents, "
    "visibility and ambient light are compared at random points, always the same ones. Lighting "
    "is measured in powers of two of luminance: an rms_log2 of 0.1 is 7 % on average. The name "
    "of the map in file and material names (maps/NAME/) is ignored.\n\n"
    "--only takes a comma-separated list of section names from the table: --only "
    "faces,lightmaps,pvs.\n\n"
    "Distances below --tolerance, colours that differ by less than --light-tolerance of their "
    "brightest component, and other numbers that differ by less than 0.01 % are the same.\n\n"
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
    VERB_FLAG(struct diff_values, "summary", summary, "print only the table, without examples"),
    {.name = "only",
     .argument = "LIST",
     .kind = OPTION_TEXT,
     .offset = FIELD(only),
     .two_dashes = true,
     .help = "compare only these sections"},
    {.name = "limit",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(limit),
     .max = 1000000,
     .two_dashes = true,
     .help = "maximum number of examples per section"},
    {.name = "tolerance",
     .argument = "UNITS",
     .kind = OPTION_NUMBER,
     .offset = FIELD(tolerance),
     .max = 16,
     .two_dashes = true,
     .help = "positions closer than this are the same"},
    {.name = "light-tolerance",
     .argument = "PERCENT",
     .kind = OPTION_NUMBER,
     .offset = FIELD(light_tolerance),
     .max = 100,
     .two_dashes = true,
     .help = "colours closer than this are the same"},
    {.name = "samples",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(samples),
     .min = 1,
     .max = 10000000,
     .two_dashes = true,
     .help = "number of points to compare where trees differ"},
};

static enum status no_section(const char *name, struct diag *diag)
{
    const char *best = bsp_diff_section_name(0), *other;
    for (size_t i = 1; (other = bsp_diff_section_name(i)); i++)
        if (str_distance(other, name) < str_distance(best, name))
            best = other;
    (void)diag_report(diag, DIAG_USAGE, NULL, "--only: unknown section '%s' (did you mean '%s'?)",
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
    const char *const paths[] = {program_file(program, 0, ".bsp"),
                                 program_file(program, 1, ".bsp")};
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
    TRY(bsp_read_file(env, program_file(program, 0, ".bsp"), &bsp[0]));
    enum status status = bsp_read_file(env, program_file(program, 1, ".bsp"), &bsp[1]);
    if (status == STATUS_OK)
        status = compare(program, &options, bsp);
    bsp_free(bsp[0]);
    bsp_free(bsp[1]);
    return status;
}

/* "Different" is not an error and must not look like one. */
static int exit_status_of(int status, bool differs)
{
    if (status == STATUS_OK)
        return differs ? EXIT_DIFFERS : EXIT_SAME;
    return status == STATUS_INTERNAL || status == STATUS_BOUND ? status : EXIT_ERROR;
}

int verb_diff(int argc, char **argv)
{
    const struct bsp_diff_options library_defaults = bsp_diff_defaults();
    const struct diff_values defaults = {.tolerance = library_defaults.distance,
                                         .light_tolerance = library_defaults.light * 100,
                                         .limit = (int)library_defaults.limit,
                                         .samples = library_defaults.samples};
    struct diff_values values = defaults;
    const struct option_table table = {
        VERB_PAGE(brushwork_verb("diff")),
        .endings = "bsp",
        .details = details,
        .exit_statuses =
            "0 the same; 1 different; 2 invalid command line, unreadable file, or --fail-if; "
            "4 internal error or out of memory; 5 bound reached",
        .defs = diff_options,
        .count = sizeof diff_options / sizeof *diff_options,
        .defaults = &defaults,
        .min_operands = 2,
        .max_operands = 2,
    };
    int status = program_run(&table, &values, &values.standard, argc, argv, read_and_compare);
    return exit_status_of(status, values.differs);
}
