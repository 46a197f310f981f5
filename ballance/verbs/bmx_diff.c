/* brushwork bmx diff: compares the content of two BM files. */
#include "ballance/bmx/diff.h"
#include "ballance/verbs/bmx.h"
#include "brushwork/shared/verb_options.h"

static const char details[] =
    "Compares objects, meshes, materials and textures by name, groups as sets, faces by the "
    "values at their corners, and texture files byte by byte. The order of records and unused "
    "numbers do not count. The exit status is 0 if there are no differences, and 1 if there are "
    "any or a file is unreadable. With --json, prints one JSON object on standard output.";

struct diff_values {
    struct standard_options standard;
    struct bmx_diff_options options;
};

static const struct option_def diff_options[] = {
    {.name = "tol",
     .argument = "T",
     .kind = OPTION_NUMBER,
     .offset = offsetof(struct diff_values, options.tolerance),
     .max = 1e30,
     .two_dashes = true,
     .help = "tolerance for numbers: T, relative for numbers above 1"},
    VERB_FLAG(struct diff_values, "no-normals", options.ignore_normals, "do not compare normals"),
};

static void print_difference(void *context, const char *where, const char *text)
{
    (void)context;
    print_safely(where, stdout);
    fputs(": ", stdout);
    print_safely(text, stdout);
    fputc('\n', stdout);
}

static void keep_difference(void *context, const char *where, const char *text)
{
    json_t *item = json_object();
    json_object_set_new(item, "where", bmx_json_text(where));
    json_object_set_new(item, "message", bmx_json_text(text));
    json_array_append_new(context, item);
}

static void compare_to_json(const struct diff_values *values, const struct bmx_input *a,
                            const struct bmx_input *b, size_t *count)
{
    json_t *object = print_json_object(), *list = json_array();
    *count = bmx_diff(a->bmx, b->bmx, &values->options, keep_difference, list);
    json_object_set_new(object, "a", bmx_json_text(a->path));
    json_object_set_new(object, "b", bmx_json_text(b->path));
    json_object_set_new(object, "same", json_boolean(!*count));
    json_object_set_new(object, "differences", list);
    print_json(object, stdout);
}

static enum status compare(const struct program *program, const struct bmx_input *a,
                           const struct bmx_input *b)
{
    const struct diff_values *values = program->values;
    size_t count;
    if (values->standard.console.json) {
        compare_to_json(values, a, b, &count);
    } else {
        count = bmx_diff(a->bmx, b->bmx, &values->options, print_difference, NULL);
        if (count)
            printf("%zu difference%s\n", count, count == 1 ? "" : "s");
    }
    TRY(print_flush(program->env->diag));
    return count ? STATUS_FAILED : STATUS_OK;
}

static enum status diff(const struct program *program)
{
    struct bmx_input a = {0}, b = {0};
    console_quiet(program->console);
    enum status status = bmx_input_need(program->env, program_file(program, 0, ".bmx"), &a);
    if (status == STATUS_OK)
        status = bmx_input_need(program->env, program_file(program, 1, ".bmx"), &b);
    if (status == STATUS_OK)
        status = compare(program, &a, &b);
    bmx_input_free(&a);
    bmx_input_free(&b);
    return status;
}

int bmx_verb_diff(int argc, char **argv)
{
    struct diff_values values = {0};
    const struct option_table table = {
        VERB_PAGE(bmx_verb("diff")),
        .endings = "bmx",
        .details = details,
        .exit_statuses =
            "0 the same; 1 different, or failure; 2 invalid command line; 4 internal error or "
            "out of memory; 5 bound reached",
        .defs = diff_options,
        .count = sizeof diff_options / sizeof *diff_options,
        .min_operands = 2,
        .max_operands = 2,
    };
    return program_run(&table, &values, &values.standard, argc, argv, diff);
}
