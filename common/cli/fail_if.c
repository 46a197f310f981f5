#include "common/cli/fail_if.h"

#include <string.h>

#include "common/cli/program.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/usage.def"
#include "common/diag/diag_explain.h"

const struct option_def fail_if_option = {
    .name = "fail-if",
    .argument = "NAME>N",
    .kind = OPTION_LIST,
    .offset = offsetof(struct standard_options, fail_if),
    .two_dashes = true,
    .is_word = true,
    .help = "fail, and write no output after that; repeatable. " FAIL_IF_MESSAGES_HELP,
};

enum status fail_if_refuse(struct diag *diag, const char *text, const char *why,
                           const char *nearest)
{
    (void)diag_report(diag, DIAG_USAGE, NULL, "--fail-if \"%s\": %s%s%s%s", text, why,
                      nearest ? " (did you mean '" : "", nearest ? nearest : "",
                      nearest ? "'?)" : "");
    return STATUS_USAGE;
}

/* "V012", or "warnings". */
static bool find_messages(const char *name, struct diag_condition *out)
{
    static const char *const plurals[DIAG_SEVERITIES] = {"notes", "warnings", "errors"};
    for (int i = 0; i < DIAG_SEVERITIES; i++)
        if (str_equal_nocase(plurals[i], name)) {
            out->is_severity = true;
            out->severity = (enum diag_severity)i;
            return true;
        }
    out->code = diag_code_named(name);
    return out->code != 0;
}

enum status fail_if_parse(const char *text, struct arena *arena, struct diag *diag,
                          struct fail_if *out)
{
    const char *above = strchr(text, '>');
    *out = (struct fail_if){.messages.text = text};
    out->name = above ? arena_strndup(arena, text, (size_t)(above - text)) : text;
    out->counts_messages = find_messages(out->name, &out->messages);
    if (!above)
        return out->counts_messages ? STATUS_OK
                                    : fail_if_refuse(diag, text, "expected NAME>N in quotes", NULL);
    char *number = arena_strdup(arena, above + 1);
    size_t length = strlen(number);
    out->percent = length && number[length - 1] == '%';
    if (out->percent)
        number[length - 1] = 0;
    if (out->counts_messages && out->percent)
        return fail_if_refuse(diag, text, "messages are counted, without %", NULL);
    if (!str_to_double(number, &out->max) || out->max < 0)
        return fail_if_refuse(diag, text, "expected a number, or a number and %, after >", NULL);
    out->messages.max = out->max;
    return STATUS_OK;
}

static enum status add(const char *text, bool has_limits, struct arena *arena, struct diag *diag,
                       struct diag *judge)
{
    struct fail_if condition;
    TRY(fail_if_parse(text, arena, diag, &condition));
    if (!condition.counts_messages)
        return has_limits ? STATUS_OK
                          : fail_if_refuse(diag, text,
                                           "expected warnings, errors, notes or a diagnostic code; "
                                           "only programs that compile a map know limits",
                                           NULL);
    if (judge)
        diag_add_condition(judge, &condition.messages);
    return STATUS_OK;
}

enum status fail_if_add(const char **conditions, bool has_limits, struct diag *diag,
                        struct diag *judge)
{
    struct arena arena = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(conditions); i++)
        if (add(conditions[i], has_limits, &arena, diag, judge) != STATUS_OK)
            status = STATUS_USAGE;
    arena_free(&arena);
    return status;
}
