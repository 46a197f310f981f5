#include "common/bsp/codec/limit_report.h"
#include "common/core/array.h"
#include "report/sections/sections.h"
#include "scene/scene.h"

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
