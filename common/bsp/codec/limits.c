/* Usage of limits by a BSP, and what is said of those that are passed. */
#include "common/bsp/codec/codec.h"
#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/diag/codes/bsp_limits.def"

void bsp_limit_use(const struct bsp *bsp, const struct bsp_format *format, int64_t *used)
{
    for (size_t i = 0; i < format->limit_count; i++) {
        const struct bsp_limit *limit = bsp_limit_at(format, i);
        if (limit->count)
            used[i] = limit->count(bsp);
        else if (bsp->skipped >> limit->lump & 1)
            used[i] = bsp_lump_count(bsp, limit->lump);
        else
            used[i] = (int64_t)array_length((const unsigned char *)bsp + limit->array);
    }
}

/* Fills `used` with the usage of the file that the bsp was read from; zeros if it was not read. The
 * lumps that were skipped then are skipped again: they may be absent or invalid. */
static void use_of_file(const struct bsp *bsp, const struct bsp_format *format, int64_t *used)
{
    struct diag *quiet = diag_new(NULL, NULL);
    struct bytes file = {0};
    struct bsp *was = NULL;
    if (bsp->layout.count) {
        bytes_append(&file, bsp->layout.file.data, bsp->layout.file.size);
        if (bsp_decode_part(&file, ~bsp->skipped, "", quiet, &was) == STATUS_OK)
            bsp_limit_use(was, format, used);
        bsp_free(was);
    }
    diag_free(quiet);
}

/* `more`: said after it, or "". */
static enum status report(struct diag *diag, enum diag_severity severity,
                          const struct bsp_format *format, const struct bsp_limit *limit,
                          int64_t used, const char *name, const char *more)
{
    const struct diag_where where = {.file = name};
    if (!limit->maximum)
        return diag_report_as(diag, severity, DIAG_BSP_LIMIT, &where,
                              "%s: %lld; %s (%s) can have none: %s", limit->name, (long long)used,
                              format->title, format->target, limit->source);
    return diag_report_as(diag, severity, DIAG_BSP_LIMIT, &where,
                          "%s: %lld; the maximum of %s (%s) is %lld (%lld too many%s%s)",
                          limit->name, (long long)used, format->title, format->target,
                          (long long)limit->maximum, (long long)(used - limit->maximum),
                          *more ? ", " : "", more);
}

enum status bsp_check_written_limits(const struct bsp *bsp, const struct bsp_format *format,
                                     const char *name, struct diag *diag)
{
    enum status status = STATUS_OK;
    int64_t *used = memory_zalloc(format->limit_count, sizeof *used), *before = NULL;
    bsp_limit_use(bsp, format, used);
    for (size_t i = 0; i < format->limit_count; i++) {
        const struct bsp_limit *limit = bsp_limit_at(format, i);
        if (used[i] <= limit->accepted)
            continue;
        if (!before) {
            before = memory_zalloc(format->limit_count, sizeof *before);
            use_of_file(bsp, format, before);
        }
        bool kept = used[i] <= before[i];
        if (report(diag, kept ? DIAG_WARNING : DIAG_ERROR, format, limit, used[i], name,
                   kept ? "as in the file that was read" : "") != STATUS_OK)
            status = STATUS_FAILED;
    }
    memory_free(before);
    memory_free(used);
    return status;
}

/* Another branch with files of the same form that takes as many; or NULL. */
static const struct bsp_format *branch_that_takes(const struct bsp_format *format, size_t limit,
                                                  int64_t used)
{
    const struct bsp_format *other;
    for (size_t i = 0; (other = bsp_format_at(i)); i++)
        if (bsp_format_is_same_file(other, format) && used <= bsp_limit_at(other, limit)->accepted)
            return other;
    return NULL;
}

/* Reports a limit that is passed. */
static enum status report_passed(const struct bsp_format *format, bool any_branch, size_t index,
                                 int64_t used, const char *name, struct diag *diag)
{
    const struct bsp_limit *limit = bsp_limit_at(format, index);
    struct arena scratch = {0};
    bool refused = used > limit->accepted;
    const char *more = refused ? "" : limit->beyond;
    const struct bsp_format *other =
        refused && any_branch ? branch_that_takes(format, index, used) : NULL;
    if (other)
        more = arena_printf(&scratch, "which %s takes: give --target if it is for that",
                            other->target);
    enum status status = report(diag, refused && !other ? DIAG_ERROR : DIAG_WARNING, format, limit,
                                used, name, more);
    arena_free(&scratch);
    return status;
}

enum status bsp_check_limits(const struct bsp *bsp, const struct bsp_format *format,
                             bool any_branch, const char *name, struct diag *diag)
{
    enum status status = STATUS_OK;
    int64_t *used = memory_zalloc(format->limit_count, sizeof *used);
    bsp_limit_use(bsp, format, used);
    for (size_t i = 0; i < format->limit_count; i++)
        if (used[i] > bsp_limit_at(format, i)->maximum &&
            report_passed(format, any_branch, i, used[i], name, diag) != STATUS_OK)
            status = STATUS_FAILED;
    memory_free(used);
    return status;
}
