#include "common/diag/diag_explain.h"

#include "common/core/strings.h"

static const struct diag_explanation explanations[DIAG_CODES] = {
#define EXPLAIN(name, text, example) [DIAG_##name] = {text, example},
#include "common/diag/diag_explanations.def"
#undef EXPLAIN
};

struct diag_explanation diag_explain(enum diag_code code)
{
    return explanations[code];
}

enum diag_code diag_code_named(const char *text)
{
    int code = 0;
    while (code < DIAG_CODES && !str_equal_nocase(diag_info((enum diag_code)code)->code, text))
        code++;
    return (enum diag_code)code;
}
