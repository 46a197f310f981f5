#include "common/diag/diag_text.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/unicode.h"

static const char *const severity_names[] = {"note", "warning", "error"};

/* Number of the entities that a leak reaches in text. */
enum { REACHED_SHOWN = 5 };

/* Terminal colours: cyan, yellow, red. */
static const char *const severity_colours[] = {"\033[36m", "\033[33m", "\033[31m"};

void diag_put_clean(FILE *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        fputc(c < 0x20 || c == 0x7f ? (c == '\t' || c == '\n' ? ' ' : '?') : c, out);
    }
}

/* Rounds a tiny value to 0. */
static double tidy(double value)
{
    return value > -1e-6 && value < 1e-6 ? 0 : value;
}

static void put_point(FILE *out, const char *before, const double point[3])
{
    fprintf(out, "%sat %g %g %g", before, tidy(point[0]), tidy(point[1]), tidy(point[2]));
}

/* "(entity 3, solid 7, at 0 64 128)", or nothing. */
static void put_ids(FILE *out, const struct diag_where *where)
{
    const char *separator = " (";
    struct diag_id ids[3];
    size_t count = diag_where_ids(where, ids);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%s %d", separator, ids[i].name, ids[i].id);
        separator = ", ";
    }
    if (where->has_point) {
        put_point(out, separator, where->point);
        separator = ", ";
    }
    if (where->has_hole) {
        fprintf(out, "%shole ", separator);
        put_point(out, "", where->hole);
        separator = ", ";
    }
    if (*separator == ',')
        fputc(')', out);
}

static void put_place(FILE *out, const char *program, const struct diag_where *where)
{
    diag_put_clean(out, where->file ? where->file : program);
    if (where->file && where->line)
        fprintf(out, ":%d", where->line);
}

/* Prints those that the message does not name. */
static void put_reached(FILE *out, const char *program, const struct diag_where *where, bool whole)
{
    size_t shown = 0, count = 0;
    for (size_t i = 0; i < where->reached_count; i++) {
        const struct diag_reached *reached = &where->reached[i];
        if (reached->is_named || (count++ >= REACHED_SHOWN && !whole))
            continue;
        fputs("  also reached: ", out);
        put_place(out, program, &reached->where);
        fputs(": ", out);
        diag_put_clean(out, reached->classname);
        put_ids(out, &reached->where);
        fputs(reached->has_through_hole && !reached->through_hole ? ", not through the hole\n"
                                                                  : "\n",
              out);
        shown++;
    }
    if (count > shown)
        fprintf(out, "  also reached: %zu more (-v lists them)\n", count - shown);
}

void diag_print_text(FILE *out, const char *program, const struct diag_entry *entry,
                     struct diag_style style)
{
    const struct diag_info *info = diag_info(entry->code);
    const char *reset = style.colour ? "\033[0m" : "";
    put_place(out, program, &entry->where);
    fprintf(out, ": %s%s %s%s: %s%s", style.colour ? severity_colours[entry->severity] : "",
            severity_names[entry->severity], info->code, reset, info->title,
            *entry->message ? ": " : "");
    diag_put_clean(out, entry->message);
    put_ids(out, &entry->where);
    fputc('\n', out);
    for (const struct diag_where *outer = entry->where.placed_by; outer; outer = outer->placed_by) {
        fputs("  instanced from ", out);
        put_place(out, program, outer);
        put_ids(out, outer);
        fputc('\n', out);
    }
    put_reached(out, program, &entry->where, style.whole);
    if (style.fix)
        fprintf(out, "  fix: %s\n", info->fix);
}

/* Prints a name in quotes at the start of the message. */
static void put_subject(FILE *out, const char *message)
{
    const char *end = *message == '"' ? strchr(message + 1, '"') : NULL;
    char name[64];
    if (!end || end - message >= (ptrdiff_t)sizeof name - 1)
        return;
    memcpy(name, message, (size_t)(end + 1 - message));
    name[end + 1 - message] = 0;
    diag_put_clean(out, name);
    fputc(' ', out);
}

/* Prints the solid, else the side or the entity; a counted one with its entity. Returns false when
 * there is none. */
static bool put_first_object(FILE *out, const struct diag_entry *entry)
{
    struct diag_id ids[3];
    size_t count = diag_where_ids(&entry->where, ids);
    if (!count)
        return false;
    put_subject(out, entry->message);
    const struct diag_id *best = &ids[0];
    for (size_t i = count; i-- > 0;)
        if (strcmp(ids[i].name, "entity") != 0)
            best = &ids[i];
    if (entry->where.counted && best != &ids[0])
        fprintf(out, "entity %d ", ids[0].id);
    fprintf(out, "%s %d", best->name, best->id);
    return true;
}

/* Prints "solid 7 at 0 64 128", or what is known of it: an object, a line, or the message. */
static void put_first_place(FILE *out, const struct diag_entry *entry)
{
    const struct diag_where *where = &entry->where;
    bool told = put_first_object(out, entry);
    if (!told && where->file && where->line)
        put_place(out, "", where);
    else if (!told && !where->has_point)
        diag_put_clean(out, entry->message);
    if (where->has_point)
        fprintf(out, " at %.6g %.6g %.6g", tidy(where->point[0]), tidy(where->point[1]),
                tidy(where->point[2]));
    if (where->placed_by) {
        fputs(" in ", out);
        diag_put_clean(out, where->file ? where->file : "an instance");
    }
}

void diag_summary_text(FILE *out, const char *program, const struct diag_group *groups, bool notes)
{
    fprintf(out, "%s: summary\n", program);
    for (size_t i = 0; i < arrlenu(groups); i++) {
        const struct diag_group *group = &groups[i];
        const struct diag_info *info = diag_info(group->code);
        if (group->severity == DIAG_NOTE && !notes)
            continue;
        fprintf(out, "%7zu %s%s %s: %s", group->count, severity_names[group->severity],
                group->count == 1 ? "" : "s", info->code, info->title);
        for (size_t j = 0; j < group->place_count; j++) {
            fputs(j ? "; " : ": ", out);
            put_first_place(out, group->places[j]);
        }
        if (group->count > group->place_count)
            fprintf(out, "; %zu more", group->count - group->place_count);
        fputc('\n', out);
    }
}

json_t *diag_json_text(const char *text)
{
    size_t left = strlen(text);
    char *clean = memory_alloc(left + 1), *to = clean;
    while (left) {
        uint32_t point;
        size_t length = utf8_length(text, left, &point), taken = length ? length : 1;
        memcpy(to, length ? text : "?", taken);
        to += taken;
        text += taken;
        left -= taken;
    }
    *to = 0;
    json_t *string = json_string(clean);
    memory_free(clean);
    return string;
}

static json_t *json_point(const double point[3])
{
    json_t *list = json_array();
    for (int i = 0; i < 3; i++)
        json_array_append_new(list, json_real(point[i]));
    return list;
}

void diag_json_where(json_t *object, const struct diag_where *where)
{
    if (where->file)
        json_object_set_new(object, "file", diag_json_text(where->file));
    if (where->line)
        json_object_set_new(object, "line", json_integer(where->line));
    struct diag_id ids[3];
    size_t count = diag_where_ids(where, ids);
    for (size_t i = 0; i < count; i++)
        json_object_set_new(object, ids[i].name, json_integer(ids[i].id));
    if (where->has_point)
        json_object_set_new(object, "point", json_point(where->point));
    if (where->has_hole)
        json_object_set_new(object, "hole", json_point(where->hole));
    if (where->placed_by) {
        json_t *outer = json_object();
        diag_json_where(outer, where->placed_by);
        json_object_set_new(object, "placed_by", outer);
    }
}

static json_t *json_reached(const struct diag_where *where)
{
    json_t *list = json_array();
    for (size_t i = 0; i < where->reached_count; i++) {
        const struct diag_reached *reached = &where->reached[i];
        json_t *object = json_object();
        json_object_set_new(object, "class", diag_json_text(reached->classname));
        if (reached->has_through_hole)
            json_object_set_new(object, "through_hole", json_boolean(reached->through_hole));
        diag_json_where(object, &reached->where);
        json_array_append_new(list, object);
    }
    return list;
}

void diag_print_json(FILE *out, const char *program, const struct diag_entry *entry)
{
    const struct diag_info *info = diag_info(entry->code);
    json_t *object = json_object();
    json_object_set_new(object, "program", diag_json_text(program));
    json_object_set_new(object, "severity", diag_json_text(severity_names[entry->severity]));
    json_object_set_new(object, "code", diag_json_text(info->code));
    json_object_set_new(object, "title", diag_json_text(info->title));
    json_object_set_new(object, "message", diag_json_text(entry->message));
    json_object_set_new(object, "fix", diag_json_text(info->fix));
    diag_json_where(object, &entry->where);
    if (entry->where.reached_count)
        json_object_set_new(object, "reached", json_reached(&entry->where));
    json_dumpf(object, out, JSON_COMPACT);
    fputc('\n', out);
    json_decref(object);
}

static json_t *json_group(const struct diag_group *group)
{
    const struct diag_info *info = diag_info(group->code);
    json_t *places = json_array();
    for (size_t i = 0; i < group->place_count; i++) {
        json_t *place = json_object();
        json_object_set_new(place, "message", diag_json_text(group->places[i]->message));
        diag_json_where(place, &group->places[i]->where);
        json_array_append_new(places, place);
    }
    return json_pack("{s:s,s:s,s:s,s:I,s:o}", "code", info->code, "severity",
                     severity_names[group->severity], "title", info->title, "count",
                     (json_int_t)group->count, "places", places);
}

void diag_summary_json(FILE *out, const char *program, const struct diag_group *groups)
{
    json_t *object = json_object(), *list = json_array();
    for (size_t i = 0; i < arrlenu(groups); i++)
        json_array_append_new(list, json_group(&groups[i]));
    json_object_set_new(object, "program", diag_json_text(program));
    json_object_set_new(object, "summary", list);
    json_dumpf(object, out, JSON_COMPACT);
    fputc('\n', out);
    json_decref(object);
}
