#include "common/diag/diag_explain.h"

#include <string.h>

#include "common/core/strings.h"

static const struct diag_explanation explanations[DIAG_CODES] = {
#define EXPLAIN(name, text, example) [DIAG_##name] = {text, example, NULL},
#include "common/diag/diag_explanations.def"
#undef EXPLAIN
};

static const struct diag_family families[] = {
#define FAMILY(first, last, text, example) {first, last, text, example},
#include "common/diag/diag_families.def"
#undef FAMILY
};

const struct diag_family *diag_family_at(size_t index)
{
    return index < sizeof families / sizeof *families ? &families[index] : NULL;
}

/* Codes are a letter and three digits, so their order is that of their texts. */
static const struct diag_family *family_of(const char *code)
{
    const struct diag_family *family = NULL;
    for (size_t i = 0; (family = diag_family_at(i)) != NULL; i++)
        if (strcmp(code, family->first) >= 0 && strcmp(code, family->last) <= 0)
            break;
    return family;
}

struct diag_explanation diag_explain(enum diag_code code)
{
    const struct diag_explanation own = explanations[code];
    const struct diag_family *family = own.text ? NULL : family_of(diag_info(code)->code);
    return family ? (struct diag_explanation){family->text, family->example, family} : own;
}

enum diag_code diag_code_named(const char *text)
{
    int code = 0;
    while (code < DIAG_CODES && !str_equal_nocase(diag_info((enum diag_code)code)->code, text))
        code++;
    return (enum diag_code)code;
}
