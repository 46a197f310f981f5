#include "common/bsp/codec/limit_report.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/diag_json.h"

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
