#include "common/bsp/verify/verify.h"
#include "common/core/arena.h"
#include "report/sections/sections.h"
#include "scene/scene.h"

enum { SHOWN = 30, FAULTS_SHOWN = 10, MAX_MESSAGES = 1000 };

static const char *const columns[] = {"", "code", "message", "place", NULL};

/* A sign besides the word and the colour. */
static const char *sign_of(const char *severity)
{
    return strcmp(severity, "error") == 0     ? "&#10005;"
           : strcmp(severity, "warning") == 0 ? "&#9650;"
                                              : "&#8226;";
}

static void put_severity(struct html_table *table, const char *severity)
{
    html_cell(table);
    bytes_append_text(table->out, "<span class=\"word %s\">%s ",
                      strcmp(severity, "error") == 0     ? "error"
                      : strcmp(severity, "warning") == 0 ? "warning"
                                                         : "remark",
                      sign_of(severity));
    html_text(table->out, severity);
    bytes_append_text(table->out, "</span>");
    html_cell_end(table);
}

static void put_row(struct html_table *table, const char *const texts[3], const char *place)
{
    html_row(table);
    put_severity(table, texts[0]);
    html_cell_word(table, texts[1]);
    html_cell_text(table, texts[2]);
    html_cell_text(table, place);
    html_row_end(table);
}

static const char *point_text(struct arena *arena, const json_t *point)
{
    return arena_printf(arena, "%g %g %g", json_number_value(json_array_get(point, 0)),
                        json_number_value(json_array_get(point, 1)),
                        json_number_value(json_array_get(point, 2)));
}

/* "box.vmf:12, solid 3, point 0 0 64". */
static const char *place_of(struct arena *arena, const json_t *row, const char *where)
{
    const json_t *places = json_object_get(row, "places");
    for (size_t i = 0; i < json_array_size(places); i++) {
        const json_t *place = json_array_get(places, i);
        const char *name = json_string_value(json_array_get(place, 0));
        where = arena_printf(arena, "%s%s%s %s", where, *where ? ", " : "", name ? name : "",
                             point_text(arena, json_array_get(place, 1)));
    }
    return where;
}

static void put_message(struct html_table *table, const json_t *row)
{
    const char *texts[3], *where;
    struct arena arena = {0};
    if (json_unpack((json_t *)row, "{s:s, s:s, s:s, s:s}", "severity", &texts[0], "code", &texts[1],
                    "text", &texts[2], "where", &where) == 0)
        put_row(table, texts, place_of(&arena, row, where));
    arena_free(&arena);
}

static void put_messages(const struct report_page *page)
{
    size_t count = json_array_size(page->messages);
    size_t listed = count < MAX_MESSAGES ? count : MAX_MESSAGES;
    struct html_table table = {
        .out = page->out, .columns = columns, .shown = SHOWN, .total = listed};
    bytes_append_text(page->out, "<h3>Build</h3>\n");
    if (!count) {
        bytes_append_text(page->out, "<p>%s</p>\n",
                          page->messages ? "The build reported nothing."
                                         : "What the build reported is not known.");
        return;
    }
    html_table(&table);
    for (size_t i = 0; i < listed; i++)
        put_message(&table, json_array_get(page->messages, i));
    html_table_end(&table);
    html_left_out(page->out, count - listed);
}

static void put_fault(struct html_table *table, const struct diag_entry *entry)
{
    const struct diag_info *info = diag_info(entry->code);
    struct arena arena = {0};
    const double *at = entry->where.point;
    const char *const texts[3] = {diag_severity_name(entry->severity), info->code,
                                  arena_printf(&arena, "%s: %s", info->title, entry->message)};
    put_row(table, texts,
            entry->where.has_point ? arena_printf(&arena, "%g %g %g", at[0], at[1], at[2]) : "");
    arena_free(&arena);
}

static void put_faults(const struct report_page *page)
{
    struct diag *diag = diag_new(NULL, NULL);
    const struct report_map *map = &page->source->map;
    (void)!bsp_verify(map->render->scene.bsp, map->name, diag); /* the entries tell the faults */
    size_t count = diag_entries(diag), listed = count < MAX_MESSAGES ? count : MAX_MESSAGES;
    struct html_table table = {
        .out = page->out, .columns = columns, .shown = FAULTS_SHOWN, .total = listed};
    bytes_append_text(page->out, "<h3>Checks of the file</h3>\n");
    if (count) {
        html_table(&table);
        for (size_t i = 0; i < listed; i++)
            put_fault(&table, diag_entry(diag, i));
        html_table_end(&table);
        html_left_out(page->out, count - listed);
    } else {
        bytes_append_text(page->out, "<p>All indices and invariants hold.</p>\n");
    }
    diag_free(diag);
}

void report_messages(const struct report_page *page)
{
    html_section(page->out, "messages", "Messages", NULL);
    put_messages(page);
    put_faults(page);
    html_section_end(page->out);
}
