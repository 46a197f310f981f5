#include "common/bsp/codec/limit_report.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "common/bsp/codec/codec.h"
#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/bsp_limits.def"
#include "common/diag/diag_json.h"

/* Usage of limits by a BSP, and what is said of those that are passed. */

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
    return diag_report_as(diag, severity, DIAG_BSP_LIMIT, &where,
                          "%s: %lld; the maximum of %s (%s) is %lld (%lld too many%s%s)",
                          limit->name, (long long)used, format->title, format->target,
                          (long long)limit->maximum, (long long)(used - limit->maximum),
                          *more ? ", " : "", more);
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
        if (kept && branch_that_takes(format, i, used[i])) /* the file does not tell its branch */
            continue;
        if (report(diag, kept ? DIAG_WARNING : DIAG_ERROR, format, limit, used[i], name,
                   kept ? "as in the file that was read" : "") != STATUS_OK)
            status = STATUS_FAILED;
    }
    memory_free(before);
    memory_free(used);
    return status;
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

static bool takes_all(const struct bsp_format *format, const int64_t *used)
{
    for (size_t i = 0; i < format->limit_count; i++)
        if (used[i] > bsp_limit_at(format, i)->accepted)
            return false;
    return true;
}

const struct bsp_format *bsp_branch_that_takes(const struct bsp *bsp,
                                               const struct bsp_format *format)
{
    int64_t *used = memory_zalloc(format->limit_count, sizeof *used);
    const struct bsp_format *other = format, *found = NULL;
    bsp_limit_use(bsp, format, used);
    for (size_t i = 0; other && !found; other = bsp_format_at(i++))
        if (bsp_format_is_same_file(other, format) && takes_all(other, used))
            found = other;
    memory_free(used);
    return found ? found : format;
}

/* --- limit report --- */

/* Per cent from which a limit is nearly full: one that a map with more would fail at, and of which
 * no stage leaves anything out. */
#define LIMIT_NEAR 90.0

enum { NEAREST_SHOWN = 5 };

void limit_report_make(const struct bsp *bsp, const struct bsp_format *format,
                       struct limit_report *out)
{
    *out = (struct limit_report){.format = format};
    for (size_t i = 0; i < format->limit_count; i++)
        arrput(out->uses, ((struct limit_use){.limit = bsp_limit_at(format, i)}));
    limit_report_update(out, bsp);
}

void limit_report_update(struct limit_report *report, const struct bsp *bsp)
{
    int64_t *used = memory_zalloc(arrlenu(report->uses), sizeof *used);
    bsp_limit_use(bsp, report->format, used);
    for (size_t i = 0; i < arrlenu(report->uses); i++)
        report->uses[i].used = used[i] > 0 ? used[i] : 0;
    memory_free(used);
}

void limit_report_free(struct limit_report *report)
{
    arrfree(report->uses);
    arena_free(&report->arena);
    *report = (struct limit_report){0};
}

const struct limit_use *limit_report_use(const struct limit_report *report,
                                         const struct bsp_limit *limit)
{
    for (size_t i = 0; i < arrlenu(report->uses); i++)
        if (report->uses[i].limit == limit)
            return &report->uses[i];
    return NULL;
}

double limit_percent(const struct bsp_limit *limit, int64_t used)
{
    return limit->maximum ? 100.0 * (double)used / (double)limit->maximum : 0;
}

static bool limit_is_near(const struct bsp_limit *limit, int64_t used)
{
    bool fails_next = limit->accepted == limit->maximum && !limit->beyond && !limit->per_item;
    return fails_next && used <= limit->maximum && limit_percent(limit, used) >= LIMIT_NEAR;
}

const char *limit_state(const struct bsp_limit *limit, int64_t used)
{
    return used > limit->maximum ? "exceeded" : limit_is_near(limit, used) ? "nearly full" : "";
}

const char *limit_use_text(const struct limit_use *use, struct arena *arena)
{
    return arena_printf(arena, "%lld of %lld (%.1f %%)", (long long)use->used,
                        (long long)use->limit->maximum, limit_percent(use->limit, use->used));
}

/* Rounds a tiny value to 0. */
static double tidy(double value)
{
    return fabs(value) < 1e-6 ? 0 : value;
}

/* Returns " (entity 12, solid 40, at 0 64 8)", or "". */
static const char *place_text(const struct diag_where *where, struct arena *arena)
{
    const char *text = "";
    struct diag_id ids[3];
    size_t count = diag_where_ids(where, ids);
    for (size_t i = 0; i < count; i++)
        text = arena_printf(arena, "%s, %s %d", text, ids[i].name, ids[i].id);
    if (where->has_point)
        text = arena_printf(arena, "%s, at %.6g %.6g %.6g", text, tidy(where->point[0]),
                            tidy(where->point[1]), tidy(where->point[2]));
    return *text ? arena_printf(arena, " (%s)", text + 2) : "";
}

const char *limit_contributors_text(const struct limit_use *use, struct arena *arena)
{
    const char *text = "";
    for (size_t i = 0; i < use->contributor_count; i++) {
        const struct limit_contributor *contributor = &use->contributors[i];
        text = arena_printf(arena, "%s%s%s%s: %lld", text, i ? "; " : "", contributor->name,
                            place_text(&contributor->where, arena), (long long)contributor->amount);
    }
    return text;
}

static int compare_fullness(const void *a, const void *b)
{
    const struct limit_use *p = *(const struct limit_use *const *)a;
    const struct limit_use *q = *(const struct limit_use *const *)b;
    double first = limit_percent(p->limit, p->used), second = limit_percent(q->limit, q->used);
    if (first > second || first < second)
        return first < second ? 1 : -1;
    return p < q ? -1 : p > q;
}

const struct limit_use **limit_report_by_fullness(const struct limit_report *report)
{
    const struct limit_use **sorted = NULL;
    for (size_t i = 0; i < arrlenu(report->uses); i++)
        if (report->uses[i].used)
            arrput(sorted, &report->uses[i]);
    if (sorted)
        qsort(sorted, arrlenu(sorted), sizeof *sorted, compare_fullness);
    return sorted;
}

static void print_contributors(const struct limit_use *use, FILE *out)
{
    struct arena scratch = {0};
    fprintf(out, "\nlargest contributors to %s\n", use->limit->name);
    for (size_t i = 0; i < use->contributor_count; i++) {
        const struct limit_contributor *contributor = &use->contributors[i];
        const char *line =
            arena_printf(&scratch, "%10lld  %s%s", (long long)contributor->amount,
                         contributor->name, place_text(&contributor->where, &scratch));
        diag_put_clean(out, line);
        fputc('\n', out);
    }
    arena_free(&scratch);
}

void limit_print(const struct bsp_limit *limit, int64_t used, FILE *out)
{
    const char *state = limit_state(limit, used);
    fprintf(out, "%-28s %10lld %10lld %7.1f %%%s%s\n", limit->name, (long long)used,
            (long long)limit->maximum, limit_percent(limit, used), *state ? "  " : "", state);
}

void limit_report_print(const struct limit_report *report, FILE *out)
{
    const struct limit_use **sorted = limit_report_by_fullness(report);
    fprintf(out, "\nlimits of %-18s %10s %10s\n", report->format->title, "used", "maximum");
    for (size_t i = 0; i < arrlenu(sorted); i++)
        limit_print(sorted[i]->limit, sorted[i]->used, out);
    size_t shown = 0;
    for (size_t i = 0; i < arrlenu(sorted); i++)
        if (sorted[i]->contributor_count &&
            (sorted[i]->used > sorted[i]->limit->maximum || shown < NEAREST_SHOWN)) {
            print_contributors(sorted[i], out);
            shown++;
        }
    arrfree(sorted);
}

static json_t *json_parts(const struct limit_use *use)
{
    json_t *contributors = json_array();
    for (size_t i = 0; i < use->contributor_count; i++) {
        json_t *contributor = json_object();
        json_object_set_new(contributor, "name", diag_json_text(use->contributors[i].name));
        json_object_set_new(contributor, "amount",
                            json_integer((json_int_t)use->contributors[i].amount));
        diag_json_where(contributor, &use->contributors[i].where);
        json_array_append_new(contributors, contributor);
    }
    return contributors;
}

void limit_report_json(const struct limit_report *report, const char *program, FILE *out)
{
    for (size_t i = 0; i < arrlenu(report->uses); i++) {
        const struct limit_use *use = &report->uses[i];
        json_t *object = json_pack(
            "{s:s,s:s,s:I,s:I,s:f,s:o}", "program", program, "limit", use->limit->name, "used",
            (json_int_t)use->used, "maximum", (json_int_t)use->limit->maximum, "percent",
            limit_percent(use->limit, use->used), "contributors", json_parts(use));
        json_dumpf(object, out, JSON_COMPACT);
        fputc('\n', out);
        json_decref(object);
    }
}

static const char *plain_name(struct arena *arena, const char *name)
{
    char *plain = arena_strdup(arena, name);
    for (char *at = plain; *at; at++)
        *at = *at == '-' || *at == '_' ? ' ' : (char)tolower((unsigned char)*at);
    return plain;
}

const struct bsp_limit *limit_find(const struct bsp_format *format, const char *name,
                                   const char **nearest)
{
    struct arena scratch = {0};
    const char *plain = plain_name(&scratch, name);
    const struct bsp_limit *found = NULL;
    size_t min = SIZE_MAX;
    for (size_t i = 0; i < format->limit_count && !found; i++) {
        const struct bsp_limit *limit = bsp_limit_at(format, i);
        size_t distance = str_distance(limit->name, plain);
        if (distance < min) {
            min = distance;
            *nearest = limit->name;
        }
        if (!distance)
            found = limit;
    }
    arena_free(&scratch);
    return found;
}
