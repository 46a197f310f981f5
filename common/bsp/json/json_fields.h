/* Internal: fields of records, as their JSON has them: whole numbers, true and false for flags, and
 * numbers. Padding has no place in it. */
#ifndef BSP_JSON_JSON_FIELDS_H
#define BSP_JSON_JSON_FIELDS_H

#include <string.h>

#include "common/bsp/codec/lump_records.h"
#include "common/bsp/record.h"
#include "common/diag/diag.h"

/* Fields from this number of bytes on hold text. */
enum { TEXT_BYTES = 32 };

/* Returns true for a text that zeros fill up, in ASCII; others are lists of bytes. */
static inline bool field_is_text(const struct record_field *field, const char *at, size_t *length)
{
    if (field->kind != FIELD_U8 || field->count < TEXT_BYTES)
        return false;
    size_t size = *length = strnlen(at, field->count);
    for (size_t i = 0; i < field->count; i++)
        if (i < size ? (unsigned char)at[i] < ' ' || (unsigned char)at[i] > '~' : at[i] != 0)
            return false;
    return true;
}

static inline bool field_is_flag(const struct record_field *field)
{
    return field->kind == FIELD_FLAG || field->kind == FIELD_WIDE_FLAG;
}

/* Returns true for a record that is one number. */
static inline bool record_is_scalar(const struct record *record)
{
    return record->field_count == 1 && record_field_elements(&record->fields[0]) == 1;
}

/* Number of fields that are in memory. */
static inline size_t record_shown_fields(const struct record *record)
{
    size_t count = 0;
    for (size_t k = 0; k < record->field_count; k++)
        count += record_field_elements(&record->fields[k]) > 0;
    return count;
}

/* Appends all records of the array, and replaces them by what such a text says; reports as
 * lump_from_json. */
void records_to_json(const struct lump_records *records, struct bytes *out);
NODISCARD enum status records_from_json(const struct lump_records *records,
                                        const struct bytes *text, const char *name,
                                        struct diag *diag);

#endif
