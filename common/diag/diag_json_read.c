#include "common/diag/diag_json_read.h"

#include <string.h>

#include "common/diag/diag_property.h"

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

static bool read_list(const json_t *value, struct arena *arena, struct diag_property *out)
{
    size_t count = diag_property_info(out->name)->count,
           items = count == 1 ? 1 : json_array_size(value);
    double *numbers = ARENA_ARRAY(arena, double, items);
    for (size_t i = 0; i < items; i++) {
        const json_t *item = count == 1 ? value : json_array_get(value, i);
        if (!json_is_number(item))
            return false;
        numbers[i] = json_number_value(item);
    }
    out->numbers = numbers;
    out->count = items;
    return count ? items == count : json_is_array(value);
}

static bool read_places(const json_t *value, struct arena *arena, struct diag_property *out)
{
    struct diag_where *places = ARENA_ARRAY(arena, struct diag_where, json_array_size(value));
    out->count = json_array_size(value);
    out->places = places;
    for (size_t i = 0; i < out->count; i++)
        read_where(json_array_get(value, i), arena, &places[i]);
    return json_is_array(value);
}

/* Returns false for a value of another kind. */
static bool read_property(const json_t *value, struct arena *arena, struct diag_property *out)
{
    switch (diag_property_info(out->name)->kind) {
    case DIAG_KIND_TEXT:
        out->text = json_string_value(value);
        return out->text != NULL;
    case DIAG_KIND_NUMBERS:
        return read_list(value, arena, out);
    case DIAG_KIND_PLACES:
        return read_places(value, arena, out);
    case DIAG_KIND_BOOL:
        break;
    }
    out->is_true = json_is_true(value);
    return json_is_boolean(value);
}

static void read_properties(const json_t *object, struct arena *arena, struct diag_where *out)
{
    struct diag_property found[DIAG_PROPERTIES_MAX];
    size_t count = 0;
    for (int name = 0; name < DIAG_PROPERTIES_MAX; name++) {
        const struct diag_property_info *info = diag_property_info(name);
        const json_t *value = info ? json_object_get(object, info->key) : NULL;
        found[count] = (struct diag_property){.name = name};
        if (value && info->part != DIAG_PART_ASIDE && read_property(value, arena, &found[count]))
            count++;
    }
    if (!count)
        return;
    struct diag_property *kept = ARENA_ARRAY(arena, struct diag_property, count);
    memcpy(kept, found, count * sizeof *kept);
    out->properties = kept;
    out->property_count = count;
}

static void read_where(const json_t *object, struct arena *arena, struct diag_where *out)
{
    const json_t *outer = json_object_get(object, "placed_by");
    *out = (struct diag_where){.file = text_of(object, "file")};
    out->line = (int)json_integer_value(json_object_get(object, "line"));
    read_ids(object, out);
    out->has_point = read_numbers(object, "point", out->point, 3);
    read_properties(object, arena, out);
    if (json_is_object(outer)) {
        struct diag_where *placed_by = ARENA_NEW(arena, struct diag_where);
        read_where(outer, arena, placed_by);
        out->placed_by = placed_by;
    }
}

static bool find_code(const char *text, int *out)
{
    for (int code = text ? diag_next(0) : 0; code; code = diag_next(code))
        if (strcmp(diag_info(code)->code, text) == 0) {
            *out = code;
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
