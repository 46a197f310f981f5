/* Records of lumps: one description of a record's fields is used for reading and writing.
 *
 * In a file a record is its fields in order, without gaps, with numbers in the file's byte order.
 * In memory it is a struct whose members are wider; a value that the file's field cannot hold is a
 * range error. */
#ifndef BSP_RECORD_H
#define BSP_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/bytes.h"

enum field_kind {
    FIELD_F32,       /* float */
    FIELD_I32,       /* int32_t or uint32_t */
    FIELD_I16,       /* int32_t in memory */
    FIELD_U16,       /* int32_t in memory */
    FIELD_ID16,      /* uint16_t in memory */
    FIELD_U8,        /* uint8_t */
    FIELD_BITS,      /* int32_t: the next `count` bits of a 16-bit word, from the low end */
    FIELD_FLAG,      /* bool: the next bit of such a word */
    FIELD_WIDE_BITS, /* like FIELD_BITS, of a 32-bit word */
    FIELD_WIDE_FLAG,
    FIELD_ID32,  /* uint16_t in memory; more than it holds becomes 0 */
    FIELD_FLOOR, /* a float, int32_t in memory: the next whole number below */
    FIELD_CEIL,  /* or above */
    FIELD_PAD,   /* `count` zero bytes; not in memory */
};

struct record_field {
    enum field_kind kind;
    uint16_t count; /* elements; bits of FIELD_BITS */
    uint16_t offset;
    const char *name;
};

struct record {
    const char *name; /* name of one record: "face" */
    size_t memory_size, file_size;
    const struct record_field *fields;
    size_t field_count;
};

/* A field in memory: how many elements it has there, one for bits and none for padding, the bytes
 * of each, and what an element holds as a whole number from *min to *max; a flag is 0 or 1. Of
 * FIELD_F32 there are no numbers. */
size_t record_field_elements(const struct record_field *field);
size_t record_element_size(const struct record_field *field);
void record_element_range(const struct record_field *field, int64_t *min, int64_t *max);
int64_t record_element_get(const struct record_field *field, const void *element);
void record_element_set(const struct record_field *field, void *element, int64_t value);

struct record_range_error {
    size_t record;
    const char *what; /* the record's name */
    const char *field;
    int64_t value, min, max;
};

/* Decodes `count` records; data has count * file_size bytes, out has room for count structs.
 * Members without a field are left unchanged. */
void record_decode(const struct record *record, enum byte_order order, const unsigned char *data,
                   size_t count, void *out);

/* Appends `count` records in the byte order of *out. Returns false at the first value out of range,
 * with a part of the records in *out. */
bool record_encode(const struct record *record, const void *array, size_t count, struct bytes *out,
                   struct record_range_error *range_error);

/* For tables of fields: a field that is a struct's member, an array of n, padding, a scalar. */
#define RECORD_FIELD(kind, type, member) {FIELD_##kind, 1, offsetof(struct type, member), #member}
#define RECORD_ARRAY(kind, type, member, n)                                                        \
    {FIELD_##kind, n, offsetof(struct type, member), #member}
/* A part of a member that is an array: n elements, the first is `element`. */
#define RECORD_PART(kind, type, element, n)                                                        \
    {FIELD_##kind, n, offsetof(struct type, element), #element}
#define RECORD_PAD(n)       {FIELD_PAD, n, 0, "padding"}
#define RECORD_SCALAR(kind) {FIELD_##kind, 1, 0, "value"}
/* A record of a type with `bytes` bytes in the file and a table of fields. */
#define RECORD(title, type, bytes, fields)                                                         \
    {title, sizeof(type), bytes, fields, sizeof(fields) / sizeof(fields)[0]}

#endif
