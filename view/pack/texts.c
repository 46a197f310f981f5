#include "view/pack/texts.h"

#include "common/bsp/codec/limit_report.h"
#include "common/bsp/verify/verify.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/diag_json.h"

/* More than any leak has. */
enum { MAX_POINTS = 100000, LINE = 256 };

void view_entities_pack(const struct entity_list *entities, struct view_data *data)
{
    json_t *list = json_array();
    for (size_t i = 0; i < arrlenu(entities->entities); i++) {
        const struct entity *entity = &entities->entities[i];
        json_t *row = json_array();
        for (size_t k = 0; k < arrlenu(entity->pairs); k++) {
            json_array_append_new(row, diag_json_text(entity->pairs[k].key));
            json_array_append_new(row, diag_json_text(entity->pairs[k].value));
        }
        json_array_append_new(list, row);
    }
    json_object_set_new(data->head, "entities", list);
}

/* --- checks --- */

static json_t *limits_of(const struct bsp *bsp)
{
    struct limit_report report;
    json_t *rows = json_array();
    limit_report_make(bsp, bsp->format, &report);
    const struct limit_use **uses = limit_report_by_fullness(&report);
    for (size_t i = 0; i < arrlenu(uses); i++) {
        json_t *row = json_array();
        json_array_append_new(row, json_string(uses[i]->limit->name));
        json_array_append_new(row, json_integer(uses[i]->used));
        json_array_append_new(row, json_integer(uses[i]->limit->maximum));
        json_array_append_new(rows, row);
    }
    arrfree(uses);
    limit_report_free(&report);
    return rows;
}

static json_t *fault_of(const struct diag_entry *entry)
{
    const struct diag_info *info = diag_info(entry->code);
    json_t *row = json_object();
    json_object_set_new(row, "code", json_string(info->code));
    json_object_set_new(row, "title", json_string(info->title));
    json_object_set_new(row, "message", diag_json_text(entry->message));
    if (entry->where.has_point)
        json_object_set_new(row, "point", view_numbers(entry->where.point, 3));
    return row;
}

void view_checks_pack(const struct bsp *bsp, const char *name, struct view_data *data)
{
    struct diag *diag = diag_new(NULL, NULL);
    json_t *faults = json_array();
    (void)!bsp_verify(bsp, name, diag); /* a map with faults can be seen */
    for (size_t i = 0; i < diag_entries(diag); i++)
        json_array_append_new(faults, fault_of(diag_entry(diag, i)));
    diag_free(diag);
    json_object_set_new(data->head, "faults", faults);
    json_object_set_new(data->head, "limits", bsp->format ? limits_of(bsp) : json_array());
}

/* --- the leak --- */

void view_leak_pack(const struct bytes *text, struct view_data *data)
{
    json_t *points = json_array();
    const char *at = text->size ? (const char *)text->data : "", *end = at + text->size;
    while (at < end && json_array_size(points) < 3 * MAX_POINTS) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        char line[LINE] = {0};
        double numbers[3];
        if (length >= sizeof line)
            break;
        memcpy(line, at, length);
        if (str_to_doubles(line, numbers, 3) != 3)
            break;
        json_t *three = view_numbers(numbers, 3);
        json_array_extend(points, three);
        json_decref(three);
        at += length + 1;
    }
    json_object_set_new(data->head, "leak", points);
}
