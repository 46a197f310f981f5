#include "common/diag/diag_json_read.h"

#include <string.h>

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static bool read_numbers(const json_t *object, const char *key, double *out, size_t count)
{
    const json_t *list = json_object_get(object, key);
    if (json_array_size(list) != count)
        return false;
    for (size_t i = 0; i < count; i++)
        out[i] = json_number_value(json_array_get(list, i));
    return true;
}

/* Ids that count from 0 are -1 where they do not apply, others 0. */
static void read_ids(const json_t *object, struct diag_where *where)
{
    const json_t *entity = json_object_get(object, "entity");
    const json_t *solid = json_object_get(object, "solid"), *side = json_object_get(object, "side");
    const json_t *brush = json_object_get(object, "brush");
    where->counted = brush || (entity && !json_integer_value(entity));
    const int none = where->counted ? -1 : 0;
    where->entity_id = entity ? (int)json_integer_value(entity) : none;
    where->solid_id = brush ? (int)json_integer_value(brush) : (int)json_integer_value(solid);
    if (!brush && !solid)
        where->solid_id = none;
    where->side_id = side ? (int)json_integer_value(side) : none;
}

static void read_where(const json_t *object, struct arena *arena, struct diag_where *out);

static void read_leak(const json_t *object, struct arena *arena, struct diag_where *where)
{
    struct diag_leak leak = {.pointfile = text_of(object, "pointfile")};
    double sides[2] = {0};
    leak.has_size = read_numbers(object, "hole_size", sides, 2);
    leak.has_outside = read_numbers(object, "outside", leak.outside, 3);
    if (leak.has_size) {
        const json_t *solids = json_object_get(object, "solids");
        struct diag_where *list =
            ARENA_ARRAY(arena, struct diag_where, json_array_size(solids) + 1);
        leak.width = sides[0];
        leak.height = sides[1];
        leak.area = json_number_value(json_object_get(object, "hole_area"));
        leak.is_only = json_is_true(json_object_get(object, "hole_is_only"));
        leak.solid_count = json_array_size(solids);
        leak.solids = list;
        for (size_t i = 0; i < leak.solid_count; i++)
            read_where(json_array_get(solids, i), arena, &list[i]);
    }
    if (!leak.has_size && !leak.has_outside && !leak.pointfile)
        return;
    struct diag_leak *kept = ARENA_NEW(arena, struct diag_leak);
    *kept = leak;
    where->leak = kept;
}

static void read_where(const json_t *object, struct arena *arena, struct diag_where *out)
{
    const json_t *outer = json_object_get(object, "placed_by");
    *out = (struct diag_where){.file = text_of(object, "file")};
    out->line = (int)json_integer_value(json_object_get(object, "line"));
    read_ids(object, out);
    out->has_point = read_numbers(object, "point", out->point, 3);
    out->has_hole = read_numbers(object, "hole", out->hole, 3);
    read_leak(object, arena, out);
    if (json_is_object(outer)) {
        struct diag_where *placed_by = ARENA_NEW(arena, struct diag_where);
        read_where(outer, arena, placed_by);
        out->placed_by = placed_by;
    }
}

static void read_reached(const json_t *object, struct arena *arena, struct diag_where *where)
{
    const json_t *list = json_object_get(object, "reached");
    size_t count = json_array_size(list);
    if (!count)
        return;
    struct diag_reached *reached = ARENA_ARRAY(arena, struct diag_reached, count);
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_array_get(list, i),
                     *through = json_object_get(one, "through_hole");
        const char *classname = text_of(one, "class");
        reached[i] = (struct diag_reached){.classname = classname ? classname : "",
                                           .has_through_hole = through != NULL,
                                           .through_hole = json_is_true(through)};
        read_where(one, arena, &reached[i].where);
    }
    where->reached = reached;
    where->reached_count = count;
}

static bool find_code(const char *text, enum diag_code *out)
{
    for (int code = 0; text && code < DIAG_CODES; code++)
        if (strcmp(diag_info((enum diag_code)code)->code, text) == 0) {
            *out = (enum diag_code)code;
            return true;
        }
    return false;
}

static bool find_severity(const char *text, enum diag_severity *out)
{
    for (int severity = 0; text && severity < DIAG_SEVERITIES; severity++)
        if (strcmp(diag_severity_name((enum diag_severity)severity), text) == 0) {
            *out = (enum diag_severity)severity;
            return true;
        }
    return false;
}

bool diag_json_read(const json_t *object, struct arena *arena, struct diag_entry *out)
{
    const char *message = text_of(object, "message");
    *out = (struct diag_entry){.message = message ? message : ""};
    if (!find_code(text_of(object, "code"), &out->code) ||
        !find_severity(text_of(object, "severity"), &out->severity))
        return false;
    read_where(object, arena, &out->where);
    read_reached(object, arena, &out->where);
    return true;
}

void diag_json_lines(const struct bytes *text, diag_json_visit *visit, void *context)
{
    const char *lines = (const char *)text->data;
    for (size_t at = 0, length; at < text->size; at += length + 1) {
        const char *stop = memchr(lines + at, '\n', text->size - at);
        length = stop ? (size_t)(stop - lines) - at : text->size - at;
        json_t *object = json_loadb(lines + at, length, 0, NULL);
        if (object)
            visit(context, object);
        json_decref(object);
    }
}
