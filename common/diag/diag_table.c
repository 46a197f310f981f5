/* The table of all messages: the one file that depends on every file of common/diag/codes. */
#include "common/diag/diag_code.h"
#include "common/diag/diag_explain.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "common/core/strings.h"

#undef DIAG
#undef EXPLAIN
#undef FAMILY

#define EXPLAIN(name, text, example)
#define FAMILY(first, last, text, example)

enum { CODES_END = DIAG_LETTERS * 1000 };

enum row {
#define DIAG(name, letter, number, severity, title, fix) ROW_##name,
#include "common/diag/codes/all.def"
#undef DIAG
    ROWS
};

static_assert((int)ROWS <= (int)DIAG_CODES_MAX, "more codes than DIAG_CODES_MAX");

static const struct diag_info infos[ROWS] = {
#define DIAG(name, letter, number, severity, title, fix)                                           \
    {#name, #letter #number, DIAG_##severity, title, fix},
#include "common/diag/codes/all.def"
#undef DIAG
};

/* By code: 1 + its row, or 0. Two rows with one code are an error of the compiler's. */
static const uint16_t rows[CODES_END] = {
#define DIAG(name, letter, number, severity, title, fix)                                           \
    [DIAG_CODE(letter, number)] = 1 + ROW_##name,
#include "common/diag/codes/all.def"
#undef DIAG
};

#define DIAG(name, letter, number, severity, title, fix)

#undef EXPLAIN
static const struct diag_explanation explanations[ROWS] = {
#define EXPLAIN(name, text, example) [ROW_##name] = {text, example, NULL},
#include "common/diag/codes/all.def"
#undef EXPLAIN
};
#define EXPLAIN(name, text, example)

#undef FAMILY
static const struct diag_family families[] = {
#define FAMILY(first, last, text, example) {first, last, text, example},
#include "common/diag/codes/all.def"
#undef FAMILY
};

const struct diag_info *diag_info(int code)
{
    return code > 0 && code < CODES_END && rows[code] ? &infos[rows[code] - 1] : NULL;
}

size_t diag_index(int code)
{
    return rows[code] - (size_t)1;
}

int diag_next(int code)
{
    do
        code++;
    while (code < CODES_END && !rows[code]);
    return code < CODES_END ? code : 0;
}

int diag_code_named(const char *text)
{
    int code = diag_next(0);
    while (code && !str_equal_nocase(diag_info(code)->code, text))
        code = diag_next(code);
    return code;
}

const struct diag_family *diag_family_at(size_t index)
{
    return index < sizeof families / sizeof *families ? &families[index] : NULL;
}

const struct diag_family *diag_family(int code)
{
    const char *text = diag_info(code)->code;
    const struct diag_family *family = NULL;
    for (size_t i = 0; (family = diag_family_at(i)) != NULL; i++)
        if (strcmp(text, family->first) >= 0 && strcmp(text, family->last) <= 0)
            break;
    return family;
}

struct diag_explanation diag_explain(int code)
{
    const struct diag_explanation own = explanations[diag_index(code)];
    const struct diag_family *family = own.text ? NULL : diag_family(code);
    return family ? (struct diag_explanation){family->text, family->example, family} : own;
}
