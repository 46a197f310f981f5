#include <math.h>

#include "common/core/array.h"
#include "report/sections/sections.h"

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

void report_changes(const struct report_page *page)
{
    static const char *const columns[] = {"", "#A: before", "#B: after", "#different", "", NULL};
    struct html_table table = {.out = page->out, .columns = columns, .shown = SIZE_MAX};
    if (!page->diff)
        return;
    const struct bsp_diff_section *sections = page->diff->sections;
    html_section(page->out, "changes", "Changes", NULL);
    bytes_append_text(page->out, "<p>Compared with ");
    html_text(page->out, page->source->against.name);
    if (bsp_diff_is_same(page->diff)) {
        bytes_append_text(page->out, ": the same.</p>\n");
        html_section_end(page->out);
        return;
    }
    bytes_append_text(page->out, ", without what is the same.</p>\n");
    html_table(&table);
    for (size_t i = 0; i < arrlenu(sections); i++)
        if (sections[i].differing)
            put_section(&table, &sections[i]);
    html_table_end(&table);
    for (size_t i = 0; i < arrlenu(sections); i++)
        put_examples(page->out, &sections[i]);
    html_section_end(page->out);
}
