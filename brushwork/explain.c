/* brushwork explain: what a diagnostic means. */
#include <string.h>

#include "brushwork/shared/print.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/cli/program.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/options.def"
#include "common/diag/codes/usage.def"
#include "common/diag/diag_explain.h"

enum { INDENT = 4 };

static const char details[] =
    "Prints what diagnostics mean: each message has a code, such as V001, that never changes. "
    "CODE is one of them, in upper or lower case. The page of a code has its title, its severity, "
    "what it means in the game and how it comes about, an example where one helps, and how to fix "
    "it. Codes with a common cause share what is said of them.\n\n"
    "--list prints a line for each code instead, with its severity and title.";

struct explain_values {
    struct standard_options standard;
    bool list;
};

static const struct option_def explain_options[] = {
    VERB_FLAG(struct explain_values, "list", list, "list all codes"),
};

static void print_example(const char *example)
{
    puts("\nExample:\n");
    while (*example) {
        size_t length = strcspn(example, "\n");
        printf("%*s%.*s\n", INDENT, "", (int)length, example);
        example += length + (example[length] == '\n');
    }
}

static void print_page(int code)
{
    const struct diag_info *info = diag_info(code);
    const struct diag_explanation explanation = diag_explain(code);
    printf("%s: %s (%s)\n", info->code, info->title, diag_severity_name(info->severity));
    putchar('\n');
    options_wrap(stdout, explanation.text, 0, 0);
    if (explanation.example)
        print_example(explanation.example);
    if (explanation.family)
        printf("\nThis is said of all from %s to %s that have no page of their own.\n",
               explanation.family->first, explanation.family->last);
    fputs("\nFix: ", stdout);
    options_wrap(stdout, info->fix, 0, 5);
}

static void print_line(int code)
{
    const struct diag_info *info = diag_info(code);
    printf("%s  %-7s  %s\n", info->code, diag_severity_name(info->severity), info->title);
}

static json_t *page_json(int code)
{
    const struct diag_info *info = diag_info(code);
    const struct diag_explanation explanation = diag_explain(code);
    return json_pack("{s:s,s:s,s:s,s:s,s:s*,s:s}", "code", info->code, "severity",
                     diag_severity_name(info->severity), "title", info->title, "explanation",
                     explanation.text, "example", explanation.example, "fix", info->fix);
}

/* Those of one letter lie together, so the nearest differs in few digits. */
static enum status report_unknown(const struct env *env, const char *name)
{
    const char *nearest = diag_info(diag_next(0))->code;
    for (int code = diag_next(0); code; code = diag_next(code)) {
        const char *text = diag_info(code)->code;
        if (str_distance(text, name) < str_distance(nearest, name))
            nearest = text;
    }
    return diag_report(env->diag, DIAG_CODE_UNKNOWN, NULL, "'%s' (did you mean '%s'?)", name,
                       nearest);
}

static enum status check_command(const struct program *program)
{
    const struct explain_values *values = program->values;
    const struct option_result *result = program->result;
    if (values->list == (arrlenu(result->operands) > 0)) {
        (void)diag_report(program->env->diag, DIAG_USAGE, NULL, "give a CODE, or --list");
        return STATUS_USAGE;
    }
    for (size_t i = 0; i < arrlenu(result->operands); i++)
        if (!diag_code_named(result->operands[i]))
            return report_unknown(program->env, result->operands[i]);
    return STATUS_OK;
}

/* Both return an stb_ds array. */
static int *all_codes(void)
{
    int *codes = NULL;
    for (int code = diag_next(0); code; code = diag_next(code))
        arrput(codes, code);
    return codes;
}

static int *named_codes(const struct option_result *result)
{
    int *codes = NULL;
    for (size_t i = 0; i < arrlenu(result->operands); i++)
        arrput(codes, diag_code_named(result->operands[i]));
    return codes;
}

static enum status explain_codes(const struct program *program)
{
    const struct explain_values *values = program->values;
    TRY(check_command(program));
    json_t *pages = json_array();
    console_quiet(program->console);
    int *codes = values->list ? all_codes() : named_codes(program->result);
    const size_t count = arrlenu(codes);
    for (size_t i = 0; i < count; i++) {
        if (values->standard.console.json)
            json_array_append_new(pages, page_json(codes[i]));
        else if (values->list)
            print_line(codes[i]);
        else
            print_page(codes[i]);
        if (i + 1 < count && !values->list && !values->standard.console.json)
            putchar('\n');
    }
    if (values->standard.console.json) {
        json_t *object = print_json_object();
        json_object_set(object, "codes", pages);
        print_json(object, stdout);
    }
    json_decref(pages);
    arrfree(codes);
    return print_flush(program->env->diag);
}

int verb_explain(int argc, char **argv)
{
    struct explain_values values = {0};
    const struct option_table table = {
        VERB_PAGE(brushwork_verb("explain")),
        .details = details,
        .defs = explain_options,
        .count = sizeof explain_options / sizeof *explain_options,
        .max_operands = SIZE_MAX,
    };
    return program_run(&table, &values, &values.standard, argc, argv, explain_codes);
}
