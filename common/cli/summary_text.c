/* The summary of a run for people. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/run_summary.h"
#include "common/core/array.h"
#include "common/diag/diag_text.h"

enum { LABEL_WIDTH = 10, LINE_WIDTH = 100, FULLEST = 3 };

/* A label and items after it, with commas between. */
struct row {
    FILE *out;
    int column;
    bool empty;
};

static struct row begin_row(FILE *out, const char *label)
{
    fprintf(out, "%-*s", LABEL_WIDTH, label);
    return (struct row){out, LABEL_WIDTH, true};
}

static void put_text(struct row *row, const char *text)
{
    int length = (int)strlen(text);
    bool wraps = !row->empty && row->column + length + 3 > LINE_WIDTH; /* ", " and a comma after */
    if (!row->empty)
        row->column += fprintf(row->out, wraps ? "," : ", ");
    if (wraps)
        row->column = fprintf(row->out, "\n%*s", LABEL_WIDTH, "") - 1;
    diag_put_clean(row->out, text);
    row->column += length;
    row->empty = false;
}

static void put_item(struct row *row, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void put_item(struct row *row, const char *format, ...)
{
    struct arena arena = {0};
    va_list args;
    va_start(args, format);
    put_text(row, arena_vprintf(&arena, format, args));
    va_end(args);
    arena_free(&arena);
}

static void end_row(const struct row *row)
{
    fputc('\n', row->out);
}

static void put_count(struct row *row, int64_t count, const char *noun, const char *plural)
{
    put_item(row, "%lld %s", (long long)count, count == 1 ? noun : plural);
}

/* "brushes" -> "brush", "leaves" -> "leaf", "entities" -> "entity", "faces" -> "face". */
static const char *singular(struct arena *arena, const char *plural)
{
    static const struct {
        const char *from, *to;
    } endings[] = {{"shes", "sh"}, {"leaves", "leaf"}, {"ies", "y"}, {"s", ""}};
    size_t length = strlen(plural);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t end = strlen(endings[i].from);
        if (length > end && strcmp(plural + length - end, endings[i].from) == 0)
            return arena_printf(arena, "%.*s%s", (int)(length - end), plural, endings[i].to);
        if (strcmp(plural, endings[i].from) == 0)
            return endings[i].to;
    }
    return plural;
}

static void print_map(const struct run_summary *summary, FILE *out)
{
    if (!arrlenu(summary->map))
        return;
    struct arena arena = {0};
    struct row row = begin_row(out, "map");
    for (size_t i = 0; i < arrlenu(summary->map); i++)
        put_count(&row, summary->map[i].value, singular(&arena, summary->map[i].name),
                  summary->map[i].name);
    end_row(&row);
    arena_free(&arena);
}

static void print_light(const struct summary_light *light, FILE *out)
{
    if (!light->present)
        return;
    struct row row = begin_row(out, "light");
    if (light->luxels >= 0)
        put_count(&row, light->luxels, "luxel", "luxels");
    if (light->lights >= 0)
        put_count(&row, light->lights, "light", "lights");
    put_text(&row, light->ldr && light->hdr ? "LDR and HDR"
                   : light->hdr             ? "HDR"
                   : light->ldr             ? "LDR"
                                            : "no lightmaps");
    end_row(&row);
}

static double percent(const struct summary_limit *limit)
{
    return limit_percent(limit->limit, limit->used);
}

static void print_limits(const struct run_summary *summary, FILE *out)
{
    const struct summary_limit *limits = summary->limits, *shown[FULLEST];
    size_t count = 0;
    if (!arrlenu(limits))
        return;
    for (size_t i = 0; i < arrlenu(limits); i++) {
        size_t at = count;
        if (limits[i].limit->per_item && limits[i].used <= limits[i].limit->maximum)
            continue;
        for (; at > 0 && percent(&limits[i]) > percent(shown[at - 1]); at--)
            if (at < FULLEST)
                shown[at] = shown[at - 1];
        if (at < FULLEST)
            shown[at] = &limits[i];
        count += count < FULLEST;
    }
    struct row row = begin_row(out, "limits");
    for (size_t i = 0; i < count; i++)
        put_item(&row, "%s %.1f %% (%lld of %lld)", shown[i]->limit->name, percent(shown[i]),
                 (long long)shown[i]->used, (long long)shown[i]->limit->maximum);
    end_row(&row);
}

static void print_codes(const struct diag_group *groups, enum diag_severity severity,
                        const char *label, FILE *out)
{
    struct row row = begin_row(out, label);
    for (size_t i = 0; i < arrlenu(groups); i++)
        if (groups[i].severity == severity)
            put_item(&row, "%zu %s %s", groups[i].count, diag_info(groups[i].code)->code,
                     diag_info(groups[i].code)->title);
    if (row.empty)
        put_text(&row, "none");
    end_row(&row);
}

/* Which command tells more of the errors. */
static void print_explain(const struct diag_group *groups, FILE *out)
{
    struct row row = {.empty = true};
    for (size_t i = 0; i < arrlenu(groups); i++) {
        if (groups[i].severity != DIAG_ERROR)
            continue;
        if (row.empty) {
            row = begin_row(out, "explain");
            put_text(&row, "brushwork explain");
        }
        fprintf(out, " %s", diag_info(groups[i].code)->code);
    }
    if (!row.empty)
        end_row(&row);
}

static void print_diagnostics(const struct diag *diag, bool failed, FILE *out)
{
    struct diag_group *groups = diag_summary(diag);
    if (diag_count(diag, DIAG_ERROR))
        print_codes(groups, DIAG_ERROR, "errors", out);
    if (!failed || diag_count(diag, DIAG_WARNING))
        print_codes(groups, DIAG_WARNING, "warnings", out);
    print_explain(groups, out);
    arrfree(groups);
}

static void print_time(const struct run_summary *summary, bool cpu, const char *label, FILE *out)
{
    size_t count = arrlenu(summary->stages);
    double total = 0;
    if (!count)
        return;
    struct row row = begin_row(out, label);
    for (size_t i = 0; i < count; i++) {
        double seconds = cpu ? summary->stages[i].cpu : summary->stages[i].wall;
        put_item(&row, "%s %.2f s", summary->stages[i].name, seconds);
        total += seconds;
    }
    if (count > 1)
        put_item(&row, "total %.2f s", total);
    end_row(&row);
}

static void print_files(const struct run_summary *summary, FILE *out)
{
    if (!arrlenu(summary->files))
        return;
    struct row row = begin_row(out, "wrote");
    for (size_t i = 0; i < arrlenu(summary->files); i++) {
        const char *path = summary->files[i].path;
        int64_t bytes = summary->files[i].bytes;
        if (bytes < 1024)
            put_item(&row, "%s (%lld byte%s)", path, (long long)bytes, bytes == 1 ? "" : "s");
        else if (bytes < 1024 * 1024)
            put_item(&row, "%s (%.0f KiB)", path, (double)bytes / 1024);
        else
            put_item(&row, "%s (%.1f MiB)", path, (double)bytes / (1024 * 1024));
    }
    end_row(&row);
}

/* Lines of words. */
static void print_next(const char *text, FILE *out)
{
    struct arena arena = {0};
    struct row row = begin_row(out, "next");
    while (*text) {
        size_t length = strcspn(text, " ");
        if (!row.empty && row.column + 1 + (int)length > LINE_WIDTH)
            row.column = fprintf(out, "\n%*s", LABEL_WIDTH, "") - 1;
        else if (!row.empty)
            row.column += fprintf(out, " ");
        diag_put_clean(out, arena_strndup(&arena, text, length));
        row.column += (int)length;
        row.empty = false;
        text += length + strspn(text + length, " ");
    }
    end_row(&row);
    arena_free(&arena);
}

static bool exceeds_limit(const struct run_summary *summary)
{
    bool any = false;
    for (size_t i = 0; i < arrlenu(summary->limits); i++)
        any |= summary->limits[i].used > summary->limits[i].limit->maximum;
    return any;
}

/* False for a run that failed before it counted anything. */
static bool has_counts(const struct run_summary *summary)
{
    bool any = false;
    for (size_t i = 0; i < arrlenu(summary->map); i++)
        any |= summary->map[i].value != 0;
    return any;
}

/* False if all times would read 0.00 s. */
static bool has_times(const struct run_summary *summary)
{
    bool any = false;
    for (size_t i = 0; i < arrlenu(summary->stages); i++)
        any |= summary->stages[i].wall >= 0.005;
    return any;
}

void run_summary_print(const struct run_summary *summary, const struct diag *diag,
                       enum status status, FILE *out)
{
    fputc('\n', out);
    if (status == STATUS_LEAK)
        fprintf(out, "%-*sthe map leaks (exit status %d)\n", LABEL_WIDTH, "result", (int)status);
    else if (status != STATUS_OK)
        fprintf(out, "%-*sfailed (exit status %d)\n", LABEL_WIDTH, "result", (int)status);
    bool failed = status != STATUS_OK && status != STATUS_LEAK;
    if (!failed || has_counts(summary)) {
        print_map(summary, out);
        print_light(&summary->light, out);
    }
    if (!failed || exceeds_limit(summary))
        print_limits(summary, out);
    print_diagnostics(diag, failed, out);
    if (!failed || has_times(summary)) {
        print_time(summary, false, "time", out);
        print_time(summary, true, "CPU time", out);
    }
    print_files(summary, out);
    if (summary->next)
        print_next(summary->next, out);
}
