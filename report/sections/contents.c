/* Entities by class, and materials by area. */
#include <stdlib.h>

#include "common/core/array.h"
#include "common/text/entity_classes.h"
#include "report/facts/material_areas.h"
#include "report/sections/sections.h"
#include "scene/scene.h"

enum { SHOWN = 12, LISTED = 500 };

/* --- entities --- */

/* The most frequent first. */
static int compare_classes(const void *a, const void *b)
{
    const struct entity_class *first = a, *second = b;
    if (first->count != second->count)
        return first->count < second->count ? 1 : -1;
    return strcmp(first->name, second->name);
}

void report_entities(const struct report_page *page)
{
    static const char *const columns[] = {"class", "", "#", NULL};
    const struct entity_list *entities = &page->source->map.render->scene.entities;
    struct entity_class *classes = entity_classes(entities);
    const size_t count = arrlenu(classes), listed = count < LISTED ? count : LISTED;
    struct html_table table = {
        .out = page->out, .columns = columns, .shown = SHOWN, .total = listed};
    if (!count)
        return;
    qsort(classes, count, sizeof *classes, compare_classes);
    html_section(page->out, "entities", "Entities", NULL);
    html_table(&table);
    for (size_t i = 0; i < listed; i++) {
        html_row(&table);
        html_cell_text(&table, *classes[i].name ? classes[i].name : "(no class)");
        html_cell_bar(&table, (double)classes[i].count / (double)classes[0].count);
        html_cell_count(&table, (int64_t)classes[i].count);
        html_row_end(&table);
    }
    html_table_end(&table);
    html_left_out(page->out, count - listed);
    html_section_end(page->out);
    arrfree(classes);
}

/* --- materials --- */

static void put_areas(const struct report_page *page, const struct material_area *areas)
{
    static const char *const columns[] = {"material",      "",       "#of the area",
                                          "#square units", "#faces", NULL};
    const size_t count = arrlenu(areas), listed = count < LISTED ? count : LISTED;
    struct html_table table = {
        .out = page->out, .columns = columns, .shown = SHOWN, .total = listed};
    double total = 0;
    for (size_t i = 0; i < count; i++)
        total += areas[i].area;
    html_table(&table);
    for (size_t i = 0; i < listed; i++) {
        const double share = total > 0 ? areas[i].area / total : 0;
        html_row(&table);
        html_cell_text(&table, areas[i].name);
        html_cell_bar(&table, share);
        html_cell(&table);
        bytes_append_text(page->out, "%.1f %%", 100 * share);
        html_cell_end(&table);
        html_cell_count(&table, areas[i].area < 1e18 ? (int64_t)areas[i].area : 0);
        html_cell_count(&table, (int64_t)areas[i].surfaces);
        html_row_end(&table);
    }
    html_table_end(&table);
    html_left_out(page->out, count - listed);
}

void report_materials(const struct report_page *page)
{
    struct arena arena = {0};
    struct material_area *areas = material_areas_of(page->source->map.render, &arena);
    if (arrlen(areas)) {
        html_section(page->out, "materials", "Materials",
                     "By the area of the faces that are drawn, without props.");
        put_areas(page, areas);
        html_section_end(page->out);
    }
    arrfree(areas);
    arena_free(&arena);
}
