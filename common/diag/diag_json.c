#include "common/diag/diag_json.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/text_stream.h"
#include "common/core/unicode.h"
#include "common/diag/diag_format.h"
#include "common/diag/diag_property.h"

const char *diag_status_name(enum status status)
{
    switch (status) {
    case STATUS_OK:
        return "ok";
    case STATUS_FAILED:
        return "failed";
    case STATUS_USAGE:
        return "usage";
    case STATUS_LEAK:
        return "leak";
    case STATUS_BOUND:
        return "bound";
    case STATUS_INTERNAL:
        break;
    }
    return "internal";
}

char *diag_utf8(const char *text)
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
    return clean;
}

json_t *diag_json_text(const char *text)
{
    char *clean = diag_utf8(text);
    json_t *string = json_string(clean);
    memory_free(clean);
    return string;
}

static json_t *json_numbers(const double *numbers, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_real(numbers[i]));
    return list;
}

static void add_part(json_t *object, const struct diag_where *where, enum diag_property_part part);

/* The members of a list have the keys of a place. */
static json_t *json_places(const struct diag_property *property)
{
    json_t *list = json_array();
    for (size_t i = 0; i < property->count; i++) {
        json_t *object = json_object();
        add_part(object, &property->places[i], DIAG_PART_FIRST);
        diag_json_where(object, &property->places[i]);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *json_property(const struct diag_property *property)
{
    const struct diag_property_info *info = diag_property_info(property->name);
    switch (info->kind) {
    case DIAG_KIND_TEXT:
        return diag_json_text(property->text);
    case DIAG_KIND_NUMBERS:
        return info->count == 1 ? json_real(*property->numbers)
                                : json_numbers(property->numbers, property->count);
    case DIAG_KIND_PLACES:
        return json_places(property);
    case DIAG_KIND_BOOL:
        break;
    }
    return json_boolean(property->is_true);
}

static void add_part(json_t *object, const struct diag_where *where, enum diag_property_part part)
{
    for (size_t i = 0; i < where->property_count; i++) {
        const struct diag_property *property = &where->properties[i];
        const struct diag_property_info *info = diag_property_info(property->name);
        if (info->part == part)
            json_object_set_new(object, info->key, json_property(property));
    }
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
        json_object_set_new(object, "point", json_numbers(where->point, 3));
    add_part(object, where, DIAG_PART_PLACE);
    if (where->placed_by) {
        json_t *outer = json_object();
        diag_json_where(outer, where->placed_by);
        json_object_set_new(object, "placed_by", outer);
    }
}

void diag_json_whole(json_t *object, const struct diag_where *where)
{
    diag_json_where(object, where);
    add_part(object, where, DIAG_PART_LAST);
}

static json_t *json_fix(const struct diag_entry *entry)
{
    struct text_stream text;
    if (!text_stream_open(&text))
        return diag_json_text(diag_info(entry->code)->fix);
    diag_put_fix(text.out, entry);
    text_stream_close(&text);
    json_t *fix = diag_json_text(text.text);
    free(text.text);
    return fix;
}

void diag_print_json(FILE *out, const char *program, const struct diag_entry *entry)
{
    const struct diag_info *info = diag_info(entry->code);
    json_t *object = json_object();
    json_object_set_new(object, "program", diag_json_text(program));
    json_object_set_new(object, "severity", diag_json_text(diag_severity_name(entry->severity)));
    json_object_set_new(object, "code", diag_json_text(info->code));
    json_object_set_new(object, "title", diag_json_text(info->title));
    json_object_set_new(object, "message", diag_json_text(entry->message));
    json_object_set_new(object, "fix", json_fix(entry));
    diag_json_whole(object, &entry->where);
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
                     diag_severity_name(group->severity), "title", info->title, "count",
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

static void print_entry(struct diag_writer *writer, const struct diag_entry *entry, FILE *out)
{
    diag_print_json(out, writer->options.program, entry);
}

static void print_tail(struct diag_writer *writer, const struct diag *diag, enum status status,
                       FILE *out)
{
    (void)status;
    struct diag_group *groups = diag ? diag_summary(diag) : NULL;
    if (groups)
        diag_summary_json(out, writer->options.program, groups);
    arrfree(groups);
}

static void put_last(const struct diag_writer *writer, const struct diag_last *last,
                     struct diag_fixed *out)
{
    const struct diag_info *info = diag_info(last->code);
    const char *const members[] = {"program",  writer->options.program,
                                   "severity", "error",
                                   "code",     info->code,
                                   "title",    info->title,
                                   "message",  last->message,
                                   "fix",      info->fix};
    for (size_t i = 0; i < sizeof members / sizeof *members; i += 2) {
        diag_fixed_add(out, i ? "," : "{");
        diag_fixed_quote(out, members[i]);
        diag_fixed_add(out, ":");
        diag_fixed_quote(out, members[i + 1]);
    }
    diag_fixed_add(out, "}\n");
}

static void put_last_tail(const struct diag_writer *writer, const struct diag_last *last,
                          struct diag_fixed *out)
{
    char result[160];
    diag_fixed_add(out, "{\"program\":");
    diag_fixed_quote(out, writer->options.program);
    snprintf(result, sizeof result,
             ",\"result\":{\"version\":%d,\"status\":\"%s\",\"exit_status\":%d,\"errors\":1,"
             "\"codes\":{\"%s\":1}}}\n",
             JSON_VERSION, diag_status_name(last->status), (int)last->status,
             diag_info(last->code)->code);
    diag_fixed_add(out, result);
}

const struct diag_format diag_format_json = {.name = "json",
                                             .has_objects = true,
                                             .entry = print_entry,
                                             .tail = print_tail,
                                             .last = put_last,
                                             .last_tail = put_last_tail};
