/* The costs of a map: how full its limits are, and the times of its build. */
#include "common/bsp/codec/limit_report.h"
#include "common/core/array.h"
#include "report/sections/sections.h"
#include "scene/scene.h"

static double seconds_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static const char *name_of(const json_t *object)
{
    const char *name = json_string_value(json_object_get(object, "name"));
    return name ? name : "";
}

static void put_seconds(struct html_table *table, double seconds)
{
    html_cell(table);
    html_number(table->out, seconds, seconds < 10 ? 3 : 1);
    html_cell_end(table);
}

static void put_times(struct html_table *table, const char *stage, const char *phase,
                      const json_t *times, double total)
{
    const double wall = seconds_of(times, "wall_seconds");
    html_row(table);
    html_cell_text(table, stage);
    html_cell_text(table, phase);
    html_cell_bar(table, total > 0 ? wall / total : 0);
    put_seconds(table, wall);
    put_seconds(table, seconds_of(times, "cpu_seconds"));
    html_row_end(table);
}

/* Phases of less than this share are left out. */
#define LEAST_SHARE 0.01

static void put_stage_times(const struct report_page *page, const json_t *stages)
{
    static const char *const columns[] = {"stage",    "phase",           "",
                                          "#seconds", "#of all threads", NULL};
    struct html_table table = {.out = page->out, .columns = columns, .shown = SIZE_MAX};
    const double total = seconds_of(page->result, "wall_seconds");
    html_table(&table);
    for (size_t i = 0; i < json_array_size(stages); i++) {
        const json_t *stage = json_array_get(stages, i);
        const json_t *phases = json_object_get(stage, "phases");
        put_times(&table, name_of(stage), "", stage, total);
        for (size_t k = 0; k < json_array_size(phases); k++) {
            const json_t *phase = json_array_get(phases, k);
            if (seconds_of(phase, "wall_seconds") >= LEAST_SHARE * total)
                put_times(&table, "", name_of(phase), phase, total);
        }
    }
    put_times(&table, "all", "", page->result, total);
    html_table_end(&table);
}

static void put_counters(const struct report_page *page, const json_t *stage)
{
    static const char *const columns[] = {"counter", "#", NULL};
    struct html_table table = {.out = page->out, .columns = columns, .shown = SIZE_MAX};
    json_t *counters = json_object_get(stage, "counters"), *value;
    const char *key;
    bytes_append_text(page->out, "<div><h3>");
    html_text(page->out, name_of(stage));
    bytes_append_text(page->out, "</h3>\n");
    html_table(&table);
    json_object_foreach(counters, key, value)
    {
        if (json_number_value(value) == 0)
            continue;
        html_row(&table);
        html_cell(&table);
        html_key(page->out, key);
        html_cell_end(&table);
        html_cell_count(&table, (int64_t)json_number_value(value));
        html_row_end(&table);
    }
    html_table_end(&table);
    bytes_append_text(page->out, "</div>\n");
}

void report_costs(const struct report_page *page)
{
    const json_t *stages = json_object_get(page->result, "stages");
    if (!json_array_size(stages))
        return;
    html_section(page->out, "costs", "Costs of the build",
                 page->settings->times
                     ? "Seconds of the stages and of their longer phases; then what they counted, "
                       "which does not depend on the machine."
                     : "What the stages counted: this does not depend on the machine.");
    if (page->settings->times)
        put_stage_times(page, stages);
    bytes_append_text(page->out, "<div class=\"stages\">\n");
    for (size_t i = 0; i < json_array_size(stages); i++)
        put_counters(page, json_array_get(stages, i));
    bytes_append_text(page->out, "</div>\n");
    html_section_end(page->out);
}

enum { SHOWN = 10 };

static void put_use(struct html_table *table, const struct limit_use *use)
{
    const double percent = limit_percent(use->limit, use->used);
    html_row(table);
    html_cell_text(table, use->limit->name);
    html_cell_bar(table, percent / 100);
    html_cell(table);
    html_number(table->out, percent, 1);
    bytes_append_text(table->out, " %%");
    html_cell_end(table);
    html_cell_count(table, use->used);
    html_cell_count(table, use->limit->maximum);
    html_cell(table);
    bytes_append_text(table->out, "<strong>%s</strong>", limit_state(use->limit, use->used));
    html_cell_end(table);
    html_row_end(table);
}

void report_limits(const struct report_page *page)
{
    static const char *const columns[] = {"limit", "", "#used", "#", "#maximum", "", NULL};
    const struct bsp *bsp = page->source->map.render->scene.bsp;
    struct limit_report report;
    struct html_table table = {.out = page->out, .columns = columns, .shown = SHOWN};
    if (!bsp->format)
        return;
    limit_report_make(bsp, bsp->format, &report);
    const struct limit_use **uses = limit_report_by_fullness(&report);
    table.total = arrlenu(uses);
    html_section(page->out, "limits", "Limits", "What engine and tools allow, the fullest first.");
    html_table(&table);
    for (size_t i = 0; i < table.total; i++)
        put_use(&table, uses[i]);
    html_table_end(&table);
    html_section_end(page->out);
    arrfree(uses);
    limit_report_free(&report);
}
