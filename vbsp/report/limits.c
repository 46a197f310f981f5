#include "vbsp/report/limits.h"

#include "common/core/array.h"

static void report_passed(const struct compile *compile, const struct limit_use *use)
{
    struct arena scratch = {0};
    struct diag_where where = {.file = compile->source->file};
    if (use->part_count && use->parts[0].where.file)
        where = use->parts[0].where;
    (void)diag_report(compile->env->diag, DIAG_BSP_LIMIT, &where, "%s: %s, %lld too many%s%s",
                      use->limit->name, limit_use_text(use, &scratch),
                      (long long)(use->used - use->limit->maximum),
                      use->part_count ? "; most are of " : "", limit_parts_text(use, &scratch));
    arena_free(&scratch);
}

enum status limits_check(const struct compile *compile, struct limit_report *out)
{
    enum status status = STATUS_OK;
    if (!compile->options->format)
        return status;
    limit_report_make(compile->bsp, compile->options->format, out);
    for (size_t i = 0; i < arrlenu(out->uses); i++) {
        struct limit_use *use = &out->uses[i];
        bool passed = use->used > use->limit->maximum;
        if (passed || compile->options->limit_parts)
            limit_parts_find(compile, &out->arena, use);
        if (passed) {
            report_passed(compile, use);
            status = STATUS_FAILED;
        }
    }
    return status;
}
