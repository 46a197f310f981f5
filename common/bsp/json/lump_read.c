#include <math.h>
#include <stdlib.h>

#include <jansson.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/codec/lump_records.h"
#include "common/bsp/engine.h"
#include "common/bsp/json/json_fields.h"
#include "common/bsp/json/lump_json.h"
#include "common/core/array.h"
#include "common/diag/codes/sidecars.def"

enum { MAX_CLUSTERS = 1 << 20, MAX_ROW = MAX_CLUSTERS / 8 };

struct reading {
    struct diag_where where;
    struct diag *diag;
    size_t item; /* number of the record, for messages */
};

static enum status wrong(const struct reading *reading, const char *field, const char *wanted)
{
    return diag_report(reading->diag, DIAG_LUMP_FILE, &reading->where,
                       "item %zu: \"%s\": expected %s", reading->item, field, wanted);
}

static bool read_float(const json_t *value, float *out)
{
    if (json_is_number(value)) {
        double number = json_number_value(value);
        *out = (float)number;
        return isfinite(*out);
    }
    const char *text = json_string_value(value);
    char *end = NULL;
    if (!text || strlen(text) != 10 || strncmp(text, "0x", 2) != 0)
        return false;
    uint32_t bits = (uint32_t)strtoull(text + 2, &end, 16);
    memcpy(out, &bits, sizeof *out);
    return *end == 0;
}

static enum status wrong_number(const struct reading *reading, const struct record_field *field,
                                int64_t min, int64_t max)
{
    char wanted[96];
    if (field_is_flag(field))
        return wrong(reading, field->name, "true or false");
    if (min == INT32_MIN)
        return wrong(reading, field->name, "a whole number of 32 bits");
    snprintf(wanted, sizeof wanted, "a whole number from %lld to %lld", (long long)min,
             (long long)max);
    return wrong(reading, field->name, wanted);
}

static enum status read_element(const struct reading *reading, const struct record_field *field,
                                const json_t *value, char *at)
{
    float number;
    int64_t min, max, whole = json_integer_value(value);
    if (field->kind == FIELD_F32) {
        if (!read_float(value, &number))
            return wrong(reading, field->name, "a number");
        memcpy(at, &number, sizeof number);
        return STATUS_OK;
    }
    record_element_range(field, &min, &max);
    if (field_is_flag(field) ? !json_is_boolean(value)
                             : !json_is_integer(value) || whole < min || whole > max)
        return wrong_number(reading, field, min, max);
    record_element_set(field, at, field_is_flag(field) ? json_is_true(value) : whole);
    return STATUS_OK;
}

static enum status read_field(const struct reading *reading, const struct record_field *field,
                              const json_t *value, char *record)
{
    const size_t count = record_field_elements(field);
    char *at = record + field->offset;
    if (json_is_string(value) && field->kind == FIELD_U8 && field->count >= TEXT_BYTES) {
        size_t length = json_string_length(value);
        if (length > field->count)
            return wrong(reading, field->name, "a shorter text");
        memset(at, 0, field->count);
        memcpy(at, json_string_value(value), length);
        return STATUS_OK;
    }
    if (count == 1)
        return read_element(reading, field, value, at);
    if (!json_is_array(value) || json_array_size(value) != count)
        return wrong(reading, field->name, "a list of another length");
    for (size_t i = 0; i < count; i++)
        TRY(read_element(reading, field, json_array_get(value, i),
                         at + i * record_element_size(field)));
    return STATUS_OK;
}

static enum status read_record(const struct reading *reading, const struct record *record,
                               const json_t *value, char *at)
{
    if (record_is_scalar(record))
        return read_field(reading, &record->fields[0], value, at);
    if (!json_is_object(value) || json_object_size(value) != record_shown_fields(record))
        return wrong(reading, record->name, "an object with each field once");
    for (size_t k = 0; k < record->field_count; k++) {
        const json_t *field = json_object_get(value, record->fields[k].name);
        if (!record_field_elements(&record->fields[k]))
            continue;
        if (!field)
            return wrong(reading, record->fields[k].name, "this field");
        TRY(read_field(reading, &record->fields[k], field, at));
    }
    return STATUS_OK;
}

static enum status read_records(struct reading *reading, const struct lump_records *records,
                                const json_t *list)
{
    if (!json_is_array(list))
        return wrong(reading, records->record->name, "a list");
    array_drop(records->array);
    char *data = array_make(records->array, json_array_size(list), records->record->memory_size);
    for (reading->item = 0; reading->item < json_array_size(list); reading->item++)
        TRY(read_record(reading, records->record, json_array_get(list, reading->item),
                        data + reading->item * records->record->memory_size));
    return STATUS_OK;
}

/* Appends a text with a byte for each character up to 255, as it was written. */
static void append_text(const json_t *value, struct bytes *out)
{
    const unsigned char *at = (const unsigned char *)json_string_value(value);
    for (const unsigned char *end = at + json_string_length(value); at < end; at++) {
        bool wide = (*at == 0xc2 || *at == 0xc3) && at + 1 < end;
        bytes_u8(out, wide ? (uint8_t)(at[0] << 6 | (at[1] & 0x3f)) : *at);
        at += wide;
    }
}

/* Nothing can stand for a quote in the entities of a game. */
static bool append_quoted(const json_t *value, struct bytes *out)
{
    size_t start = out->size + 1;
    if (!json_is_string(value))
        return false;
    bytes_u8(out, '"');
    append_text(value, out);
    if (memchr(out->data + start, '"', out->size - start))
        return false;
    bytes_u8(out, '"');
    return true;
}

static enum status read_entity(const struct reading *reading, const json_t *entity,
                               struct bytes *text)
{
    if (!json_is_array(entity))
        return wrong(reading, "entity", "a list of pairs");
    bytes_append_text(text, "{\n");
    for (size_t k = 0; k < json_array_size(entity); k++) {
        const json_t *pair = json_array_get(entity, k);
        bool sound = json_array_size(pair) == 2 && append_quoted(json_array_get(pair, 0), text);
        bytes_u8(text, ' ');
        if (!sound || !append_quoted(json_array_get(pair, 1), text))
            return wrong(reading, "entity", "pairs of two texts without quotes");
        bytes_u8(text, '\n');
    }
    bytes_append_text(text, "}\n");
    return STATUS_OK;
}

static enum status read_entities(struct reading *reading, struct bsp *bsp, const json_t *list)
{
    struct bytes text = {0};
    enum status status = STATUS_OK;
    if (json_is_string(list))
        append_text(list, &text);
    else if (!json_is_array(list))
        status = wrong(reading, "entities", "a list or a text");
    for (reading->item = 0; status == STATUS_OK && reading->item < json_array_size(list);
         reading->item++)
        status = read_entity(reading, json_array_get(list, reading->item), &text);
    if (status == STATUS_OK) {
        arrsetlen(bsp->entities, text.size);
        if (text.size)
            memcpy(bsp->entities, text.data, text.size);
    }
    bytes_free(&text);
    return status;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static enum status read_row(const struct reading *reading, const json_t *value, size_t size,
                            struct bytes *out)
{
    const char *text = json_string_value(value);
    if (!text || json_string_length(value) != 2 * size)
        return wrong(reading, "rows", "two digits for each byte of row_bytes");
    for (size_t i = 0; i < size; i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return wrong(reading, "rows", "hexadecimal digits");
        bytes_u8(out, (uint8_t)(high << 4 | low));
    }
    return STATUS_OK;
}

static enum status read_visibility(struct reading *reading, struct bsp *bsp, const json_t *object)
{
    const json_t *rows = json_object_get(object, "rows");
    json_int_t clusters = json_integer_value(json_object_get(object, "clusters")),
               row = json_integer_value(json_object_get(object, "row_bytes"));
    if (!json_is_array(rows) || clusters < 0 || clusters > MAX_CLUSTERS || row < 0 ||
        row > MAX_ROW || json_array_size(rows) != (size_t)clusters)
        return wrong(reading, "visibility", "clusters, row_bytes, and a row for each cluster");
    bytes_free(&bsp->visibility);
    bsp->visibility = (struct bytes){0};
    for (reading->item = 0; reading->item < (size_t)clusters; reading->item++)
        TRY(read_row(reading, json_array_get(rows, reading->item), (size_t)row, &bsp->visibility));
    bsp->visibility_clusters = (int32_t)clusters;
    bsp->visibility_row = (int32_t)row;
    return STATUS_OK;
}

/* NULL, and reported, for a text that is no JSON. */
static json_t *load(struct reading *reading, const struct bytes *text)
{
    json_error_t error;
    json_t *root = json_loadb((const char *)text->data, text->size,
                              JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    reading->where.line = root ? 0 : error.line;
    if (!root)
        (void)diag_report(reading->diag, DIAG_LUMP_FILE, &reading->where, "%s", error.text);
    return root;
}

enum status records_from_json(const struct lump_records *records, const struct bytes *text,
                              const char *name, struct diag *diag)
{
    struct reading reading = {.where = {.file = name}, .diag = diag};
    json_t *root = load(&reading, text);
    enum status status = root ? read_records(&reading, records, root) : STATUS_FAILED;
    json_decref(root);
    return status;
}

enum status lump_from_json(struct bsp *bsp, int lump, const struct bytes *text, const char *name,
                           struct diag *diag)
{
    struct reading reading = {.where = {.file = name}, .diag = diag};
    struct lump_records records;
    enum status status;
    json_t *root = load(&reading, text);
    if (!root)
        return STATUS_FAILED;
    if (lump == IBSP_ENTITIES)
        status = read_entities(&reading, bsp, root);
    else if (lump == IBSP_VISIBILITY && bsp->engine->has_lump_files)
        status = read_visibility(&reading, bsp, root);
    else if (lump_records_of(bsp, lump, &records))
        status = read_records(&reading, &records, root);
    else
        status = wrong(&reading, bsp_lump_name(bsp->format, lump), "another file");
    json_decref(root);
    return status;
}
