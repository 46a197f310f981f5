/* brushwork bmx check: the rules of the standard, and what other programs cannot read. */
#include "ballance/bmx/level_rules.h"
#include "ballance/verbs/bmx.h"
#include "brushwork/shared/verb_options.h"
#include "common/core/array.h"

static const char details[] =
    "Validates each BM file, including malicious ones: archive, index, blocks, indices, "
    "numbers, names and textures. The exit status is 1 if a file has an error, and with "
    "--strict also if it has a warning. With --json, the findings of each file, with their names "
    "in "
    "other checkers such as E_MISSING, are printed as one JSON object per line on standard output. "
    "FILE may be - for standard input. With --ballance, a file without errors is also checked as a "
    "level of the game: start and end, sectors, checkpoints and reset points, groups of "
    "components, "
    "objects with physics, stoppers, rails and sides of floors.";

struct check_values {
    struct standard_options standard;
    bool strict, ballance;
};

static const struct option_def check_options[] = {
    VERB_FLAG(struct check_values, "strict", strict, "exit with status 1 if there are warnings"),
    VERB_FLAG(struct check_values, "ballance", ballance,
              "check the rules for levels of the game too"),
};

static void print_findings(const struct bmx_input *input)
{
    const struct bmx_findings *findings = &input->findings;
    json_t *list = json_array();
    for (size_t i = 0; i < arrlenu(findings->list); i++) {
        const struct bmx_finding *finding = &findings->list[i];
        json_t *item = json_object();
        json_object_set_new(item, "code", json_string(bmx_code_name(finding->code)));
        json_object_set_new(item, "diagnostic", json_string(diag_info(finding->code)->code));
        json_object_set_new(item, "object", bmx_json_text(finding->object));
        json_object_set_new(item, "message", bmx_json_text(finding->text));
        json_array_append_new(list, item);
    }
    json_t *object = print_json_object();
    json_object_set_new(object, "file", bmx_json_text(input->path));
    json_object_set_new(object, "ok", json_boolean(!findings->by_severity[DIAG_ERROR]));
    json_object_set_new(object, "errors",
                        json_integer((json_int_t)findings->by_severity[DIAG_ERROR]));
    json_object_set_new(object, "warnings",
                        json_integer((json_int_t)findings->by_severity[DIAG_WARNING]));
    json_object_set_new(object, "findings", list);
    print_json_line(object, stdout);
}

static enum status check_file(const struct program *program, const char *path)
{
    const struct check_values *values = program->values;
    const struct env *env = program->env;
    struct bmx_input input = {0};
    TRY(bmx_input_read(env, path, &input));
    if (values->ballance && !input.findings.by_severity[DIAG_ERROR])
        bmx_check_level(input.bmx, &input.findings);
    enum status status = bmx_report(&input.findings, path, env->diag);
    size_t warnings = input.findings.by_severity[DIAG_WARNING];
    if (values->strict && warnings)
        status = STATUS_FAILED;
    if (values->standard.console.json)
        print_findings(&input);
    else if (!input.findings.by_severity[DIAG_ERROR])
        console_say(program->console, "%s: BM 1.4, objects %zu, meshes %zu, faces %zu: %s", path,
                    arrlenu(input.bmx->objects), arrlenu(input.bmx->meshes), input.stats.faces,
                    warnings ? "no errors, but warnings" : "no errors");
    bmx_input_free(&input);
    return status;
}

static enum status check_files(const struct program *program)
{
    const struct check_values *values = program->values;
    enum status status = STATUS_OK;
    if (values->standard.console.json)
        console_quiet(program->console);
    for (size_t i = 0; i < arrlenu(program->result->operands); i++)
        if (check_file(program, program_file(program, i, ".bmx")) != STATUS_OK)
            status = STATUS_FAILED;
    TRY(print_flush(program->env->diag));
    return status;
}

int bmx_verb_check(int argc, char **argv)
{
    struct check_values values = {0};
    const struct option_table table = {
        VERB_PAGE(bmx_verb("check")),
        .endings = "bmx",
        .details = details,
        .defs = check_options,
        .count = sizeof check_options / sizeof *check_options,
        .min_operands = 1,
        .max_operands = SIZE_MAX,
    };
    return program_run(&table, &values, &values.standard, argc, argv, check_files);
}
