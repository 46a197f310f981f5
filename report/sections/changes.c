#include <math.h>

#include "common/core/array.h"
#include "report/sections/change_words.h"
#include "report/sections/place.h"
#include "report/sections/sections.h"
#include "scene/scene.h"

enum { SHOWN = 8, LISTED = 100 };

static bool is_whole(double value)
{
    return fabs(value) < 1e15 && value == floor(value);
}

static void put_figures(struct html_table *table, const struct bsp_diff_section *section)
{
    html_cell(table);
    for (size_t i = 0; i < arrlenu(section->figures); i++) {
        const struct bsp_diff_figure *figure = &section->figures[i];
        bytes_append_text(table->out, i ? ", " : "");
        html_key(table->out, figure->name);
        bytes_append_text(table->out, " %.*g", is_whole(figure->value) ? 15 : 4, figure->value);
    }
    html_cell_end(table);
}

static void put_section(struct html_table *table, const struct bsp_diff_section *section)
{
    html_row(table);
    html_cell_word(table, section->name);
    html_cell_count(table, section->count[0]);
    html_cell_count(table, section->count[1]);
    html_cell_count(table, section->differing);
    put_figures(table, section);
    html_row_end(table);
}

static void put_examples(struct bytes *out, const struct bsp_diff_section *section)
{
    if (!arrlen(section->examples))
        return;
    bytes_append_text(out, "<details><summary>%s: where</summary>\n<ul>\n", section->name);
    for (size_t i = 0; i < arrlenu(section->examples); i++) {
        bytes_append_text(out, "<li>");
        html_text(out, section->examples[i]);
        bytes_append_text(out, "</li>\n");
    }
    bytes_append_text(out, "</ul></details>\n");
}

/* --- the worst lightmaps --- */

static void put_worst(struct html_table *table, const struct light_change *change,
                      const struct engine *engine)
{
    const double at[3] = {change->worst_at.x, change->worst_at.y, change->worst_at.z};
    html_row(table);
    html_cell_text(table, change->material ? change->material : "");
    html_cell(table);
    report_put_brightness(table->out, change->then, change->now);
    html_cell_end(table);
    html_cell(table);
    html_number(table->out, change->seen, 1);
    html_cell_end(table);
    html_cell(table);
    html_number(table->out, fabs(change->worst), 0);
    html_cell_end(table);
    html_cell_count(table, (int64_t)change->area);
    html_cell(table);
    report_put_point(table->out, engine, at);
    html_cell_end(table);
    html_row_end(table);
}

static void put_lightmaps(const struct report_page *page)
{
    static const char *const columns[] = {"material", "light", "#mean", "#worst",
                                          "#area",    "",      NULL};
    const struct light_changes *light = page->light;
    const size_t count = arrlenu(light->worst), listed = count < LISTED ? count : LISTED;
    struct html_table table = {
        .out = page->out, .columns = columns, .shown = SHOWN, .total = listed};
    if (!count)
        return;
    bytes_append_text(page->out,
                      "<h3>Lightmaps, the worst first</h3>\n<p class=\"note\">How different the "
                      "light of a face looks, of 255 steps of a screen: in the mean, and at the "
                      "worst of the points %.0f units apart that were compared; its place.</p>\n",
                      light->spacing);
    html_table(&table);
    for (size_t i = 0; i < listed; i++)
        put_worst(&table, &light->worst[i], page->source->map.render->scene.bsp->engine);
    html_table_end(&table);
    html_left_out(page->out, count - listed);
}

/* --- all --- */

static void put_records(const struct report_page *page)
{
    static const char *const columns[] = {"", "#A: before", "#B: after", "#different", "", NULL};
    struct html_table table = {.out = page->out, .columns = columns, .shown = SIZE_MAX};
    const struct bsp_diff_section *sections = page->diff->sections;
    html_fold(page->out, NULL);
    bytes_append_text(page->out, "Records of the file that differ");
    html_fold_body(page->out);
    html_table(&table);
    for (size_t i = 0; i < arrlenu(sections); i++)
        if (sections[i].differing)
            put_section(&table, &sections[i]);
    html_table_end(&table);
    for (size_t i = 0; i < arrlenu(sections); i++)
        put_examples(page->out, &sections[i]);
    html_fold_end(page->out);
}

void report_changes(const struct report_page *page)
{
    if (!page->diff)
        return;
    html_section(page->out, "changes", "Changes", NULL);
    bytes_append_text(page->out, "<p>Compared with ");
    html_text(page->out, page->source->against.name);
    if (bsp_diff_is_same(page->diff)) {
        bytes_append_text(page->out, ": the same.</p>\n");
    } else {
        bytes_append_text(page->out, ":</p>\n");
        report_put_change_words(page);
        put_lightmaps(page);
        put_records(page);
    }
    html_section_end(page->out);
}
