#include "view/pack/diagnostics.h"

#include <string.h>

#include "common/core/arena.h"
#include "common/diag/diag_json_read.h"
#include "common/io/fs.h"

static const char *const severities[] = {"error", "warning", "note"};

enum { SEVERITIES = sizeof severities / sizeof *severities };

struct reading {
    json_t *rows[SEVERITIES];
    struct arena arena;
    bool is_known; /* something was read that only such a file has */
};

/* --- a message --- */

static const char *add_part(struct arena *arena, const char *before, const char *part)
{
    return arena_printf(arena, "%s%s%s", before, *before ? ", " : "", part);
}

static const char *where_of(struct arena *arena, const char *file, json_int_t line,
                            const json_t *more)
{
    static const char *const keys[] = {"entity", "solid", "side"};
    const char *where = file ? path_name(file) : "";
    if (file && line > 0)
        where = arena_printf(arena, "%s:%lld", where, (long long)line);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *number = json_object_get(more, keys[i]);
        if (json_is_integer(number))
            where = add_part(
                arena, where,
                arena_printf(arena, "%s %lld", keys[i], (long long)json_integer_value(number)));
    }
    return where;
}

/* The editor's numbers, by which the page finds what has no point. */
static void add_numbers(const json_t *more, json_t *row)
{
    static const char *const keys[] = {"entity", "side"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *number = json_object_get(more, keys[i]);
        if (json_is_integer(number))
            json_object_set(row, keys[i], number);
    }
}

static bool is_point(const json_t *value)
{
    return json_array_size(value) == 3 && json_is_number(json_array_get(value, 0)) &&
           json_is_number(json_array_get(value, 1)) && json_is_number(json_array_get(value, 2));
}

/* The hole of a leak is what one wants to see of it. */
static json_t *places_of(const json_t *more)
{
    static const char *const keys[] = {"hole", "point"};
    json_t *places = json_array();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *value = json_object_get(more, keys[i]);
        if (is_point(value))
            json_array_append_new(places, json_pack("[sO]", keys[i], value));
    }
    return places;
}

static void add_row(struct reading *reading, const char *severity, const json_t *more, json_t *row)
{
    add_numbers(more, row);
    reading->is_known = true;
    for (int i = 0; i < SEVERITIES; i++)
        if (strcmp(severity, severities[i]) == 0) {
            json_array_append(reading->rows[i], row);
            break;
        }
    json_decref(row);
}

/* --- lines of JSON --- */

/* A diag_json_visit. */
static void read_object(void *context, json_t *object)
{
    struct reading *reading = context;
    const char *code, *severity, *title, *message, *file = NULL;
    json_int_t line = 0;
    if (json_unpack(object, "{s:s, s:s, s:s, s:s, s?s, s?I}", "code", &code, "severity", &severity,
                    "title", &title, "message", &message, "file", &file, "line", &line) != 0) {
        reading->is_known |= json_object_get(object, "program") != NULL;
        return;
    }
    const char *text = arena_printf(&reading->arena, "%s: %s", title, message);
    add_row(reading, severity, object,
            json_pack("{s:s, s:s, s:s, s:s, s:o}", "severity", severity, "code", code, "text", text,
                      "where", where_of(&reading->arena, file, line, object), "places",
                      places_of(object)));
}

/* --- SARIF --- */

static void read_result(struct reading *reading, const json_t *result)
{
    const char *code, *severity, *text, *file = NULL;
    json_int_t line = 0;
    if (json_unpack((json_t *)result, "{s:s, s:s, s:{s:s}}", "ruleId", &code, "level", &severity,
                    "message", "text", &text) != 0)
        return;
    const json_t *location = json_array_get(json_object_get(result, "locations"), 0);
    (void)json_unpack((json_t *)location, "{s:{s:{s:s}, s?{s?I}}}", "physicalLocation",
                      "artifactLocation", "uri", &file, "region", "startLine", &line);
    const json_t *more = json_object_get(result, "properties");
    add_row(reading, severity, more,
            json_pack("{s:s, s:s, s:s, s:s, s:o}", "severity", severity, "code", code, "text", text,
                      "where", where_of(&reading->arena, file, line, more), "places",
                      places_of(more)));
}

static bool read_sarif(struct reading *reading, const struct bytes *text)
{
    json_t *document = json_loadb((const char *)text->data, text->size, 0, NULL);
    const json_t *runs = json_object_get(document, "runs");
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *results = json_object_get(json_array_get(runs, i), "results");
        for (size_t k = 0; k < json_array_size(results); k++)
            read_result(reading, json_array_get(results, k));
    }
    const bool has_runs = json_is_array(runs);
    reading->is_known |= has_runs;
    json_decref(document);
    return has_runs;
}

json_t *view_diagnostics_read(const struct bytes *text)
{
    struct reading reading = {0};
    json_t *rows = json_array();
    for (int i = 0; i < SEVERITIES; i++)
        reading.rows[i] = json_array();
    if (text->size && !read_sarif(&reading, text))
        diag_json_lines(text, read_object, &reading);
    for (int i = 0; i < SEVERITIES; i++) {
        json_array_extend(rows, reading.rows[i]);
        json_decref(reading.rows[i]);
    }
    if (text->size && !reading.is_known) {
        json_decref(rows);
        rows = NULL;
    }
    arena_free(&reading.arena);
    return rows;
}
