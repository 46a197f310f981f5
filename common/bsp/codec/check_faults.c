/* Faults that the checks of all formats report. */
#include "common/bsp/codec/check_internal.h"
#include "common/diag/codes/bsp_records.def"

void range_fault(struct checker *checker, const char *what, size_t index, const char *field,
                 int64_t value, int64_t min, int64_t end)
{
    if (!fault_limit_reached(checker))
        diag_report(checker->diag, DIAG_BSP_RANGE, &checker->where,
                    "%s %zu: %s is %lld, valid range %lld..%lld", what, index, field,
                    (long long)value, (long long)min, (long long)end - 1);
}

void span_fault(struct checker *checker, const char *what, size_t index, const char *field,
                int64_t first, int64_t count, size_t length)
{
    if (!fault_limit_reached(checker))
        diag_report(checker->diag, DIAG_BSP_RANGE, &checker->where,
                    "%s %zu: %lld %s starting at %lld, but there are %zu", what, index,
                    (long long)count, field, (long long)first, length);
}

void number_fault(struct checker *checker, const char *what, size_t index, size_t at)
{
    if (!fault_limit_reached(checker))
        diag_report(checker->diag, DIAG_BSP_NUMBER, &checker->where, "%s %zu: value %zu", what,
                    index, at);
}

void shared(struct checker *checker, const char *what, size_t length)
{
    int64_t max = (int64_t)length * SHARES_MAX + SHARES_FREE;
    if (checker->spanned > max && !fault_limit_reached(checker))
        diag_report(checker->diag, DIAG_BSP_RANGE, &checker->where,
                    "%lld references to %s, many times the %zu that exist",
                    (long long)checker->spanned, what, length);
    checker->spanned = 0;
}

void list_length(struct checker *checker, const char *what, size_t length, const char *of,
                 size_t expected)
{
    if (length && length != expected && !fault_limit_reached(checker))
        diag_report(checker->diag, DIAG_BSP_LUMP, &checker->where, "%zu %s, but %zu %s", length,
                    what, expected, of);
}

void check_model_records(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    if (!arrlen(bsp->models) && !fault_limit_reached(checker))
        diag_report(checker->diag, DIAG_BSP_LUMP, &checker->where, "no world model");
    for (size_t i = 0; i < arrlenu(bsp->models); i++) {
        const struct bsp_model *model = &bsp->models[i];
        range(checker, "model", i, "head node", model->head_node, -arrlen(bsp->leaves),
              arrlen(bsp->nodes));
        finite(checker, "model", i, model->mins, 3);
        finite(checker, "model", i, model->maxs, 3);
        finite(checker, "model", i, model->origin, 3);
    }
}
