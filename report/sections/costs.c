#include "report/sections/sections.h"

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
