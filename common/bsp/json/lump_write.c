#include <math.h>

#include "common/bsp/codec/lump_records.h"
#include "common/bsp/engine.h"
#include "common/bsp/json/json_fields.h"
#include "common/bsp/json/lump_json.h"
#include "common/core/array.h"
#include "common/text/entities.h"

/* A byte of the game is a character, so that any bytes come back. */
static void write_quoted(const char *text, size_t size, struct bytes *out)
{
    bytes_append(out, "\"", 1);
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            bytes_append_text(out, "\\%c", c);
        else if (c < ' ' || c > '~')
            bytes_append_text(out, "\\u%04x", c);
        else
            bytes_append(out, &c, 1);
    }
    bytes_append(out, "\"", 1);
}

/* JSON has no infinite numbers, nor those that are none: their bits stand in a text. */
static void write_float(float number, struct bytes *out)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (isfinite(number)) /* "-0" would be read as a whole number, without its sign */
        bytes_append_text(out, "%.9g%s", (double)number, bits == 0x80000000 ? ".0" : "");
    else
        bytes_append_text(out, "\"0x%08x\"", bits);
}

static void write_element(const struct record_field *field, const char *at, struct bytes *out)
{
    float number;
    if (field->kind == FIELD_F32) {
        memcpy(&number, at, sizeof number);
        write_float(number, out);
        return;
    }
    const int64_t value = record_element_get(field, at);
    if (field_is_flag(field))
        bytes_append_text(out, "%s", value ? "true" : "false");
    else
        bytes_append_text(out, "%lld", (long long)value);
}

static void write_field(const struct record_field *field, const char *record, struct bytes *out)
{
    const char *at = record + field->offset;
    const size_t count = record_field_elements(field);
    size_t length;
    if (field_is_text(field, at, &length)) {
        write_quoted(at, length, out);
        return;
    }
    if (count > 1)
        bytes_append(out, "[", 1);
    for (size_t i = 0; i < count; i++) {
        bytes_append_text(out, "%s", i ? ", " : "");
        write_element(field, at + i * record_element_size(field), out);
    }
    if (count > 1)
        bytes_append(out, "]", 1);
}

static void write_record(const struct record *record, const char *at, struct bytes *out)
{
    const bool scalar = record_is_scalar(record);
    size_t shown = 0;
    bytes_append_text(out, scalar ? "" : "{");
    for (size_t k = 0; k < record->field_count; k++) {
        if (!record_field_elements(&record->fields[k]))
            continue;
        if (!scalar)
            bytes_append_text(out, "%s\"%s\": ", shown++ ? ", " : "", record->fields[k].name);
        write_field(&record->fields[k], at, out);
    }
    bytes_append_text(out, scalar ? "" : "}");
}

void records_to_json(const struct lump_records *records, struct bytes *out)
{
    const char *data = array_data(records->array);
    size_t count = array_length(records->array);
    bytes_append_text(out, "[\n");
    for (size_t i = 0; i < count; i++) {
        write_record(records->record, data + i * records->record->memory_size, out);
        bytes_append_text(out, "%s\n", i + 1 < count ? "," : "");
    }
    bytes_append_text(out, "]\n");
}

/* Entities as lists of pairs, where that gives the same bytes again; else as one text. */
static void write_entities(const struct bsp *bsp, struct bytes *out)
{
    struct diag *silent = diag_new(NULL, NULL);
    struct entity_list list;
    struct bytes again = {0};
    size_t size = arrlenu(bsp->entities);
    bool same = entities_parse(bsp->entities, size, "", silent, &list) == STATUS_OK;
    if (same) {
        entities_format(&list, &again);
        same = again.size == size && (!size || memcmp(again.data, bsp->entities, size) == 0);
    }
    if (!same)
        write_quoted(bsp->entities, size, out);
    else
        bytes_append_text(out, "[");
    for (size_t i = 0; same && i < arrlenu(list.entities); i++) {
        bytes_append_text(out, "%s\n[", i ? "," : "");
        for (size_t k = 0; k < arrlenu(list.entities[i].pairs); k++) {
            const struct key_value *pair = &list.entities[i].pairs[k];
            bytes_append_text(out, "%s\n  [", k ? "," : "");
            write_quoted(pair->key, strlen(pair->key), out);
            bytes_append_text(out, ", ");
            write_quoted(pair->value, strlen(pair->value), out);
            bytes_append_text(out, "]");
        }
        bytes_append_text(out, "]");
    }
    bytes_append_text(out, same ? "\n]\n" : "\n");
    entities_free(&list);
    bytes_free(&again);
    diag_free(silent);
}

static void write_visibility(const struct bsp *bsp, struct bytes *out)
{
    size_t row = (size_t)bsp->visibility_row;
    bytes_append_text(out, "{\"clusters\": %d, \"row_bytes\": %d, \"rows\": [",
                      bsp->visibility_clusters, bsp->visibility_row);
    for (size_t i = 0; i < (size_t)bsp->visibility_clusters; i++) {
        bytes_append_text(out, "%s\n\"", i ? "," : "");
        for (size_t k = 0; k < row; k++)
            bytes_append_text(out, "%02x", bsp->visibility.data[i * row + k]);
        bytes_append_text(out, "\"");
    }
    bytes_append_text(out, "\n]}\n");
}

bool lump_to_json(struct bsp *bsp, int lump, struct bytes *out)
{
    struct lump_records records;
    if (lump == IBSP_ENTITIES)
        write_entities(bsp, out);
    else if (lump == IBSP_VISIBILITY && bsp->engine->has_lump_files)
        write_visibility(bsp, out);
    else if (lump_records_of(bsp, lump, &records))
        records_to_json(&records, out);
    else
        return false;
    return true;
}
