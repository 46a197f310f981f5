/* Internal: fields of records, as their JSON has them. */
#ifndef BSP_JSON_JSON_FIELDS_H
#define BSP_JSON_JSON_FIELDS_H

#include "common/bsp/record.h"

/* Bytes of an element in memory. */
static inline size_t field_size(const struct record_field *field)
{
    return field->kind == FIELD_U8 ? 1 : 4;
}

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

/* Returns true for a record that is one number. */
static inline bool record_is_scalar(const struct record *record)
{
    return record->field_count == 1 && record->fields[0].count == 1;
}

#endif
