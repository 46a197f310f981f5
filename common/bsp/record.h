/* Records of lumps: one description of a record's fields serves reading and writing.
 *
 * A record in a file is its fields in order, little-endian, without gaps. In memory it is a struct
 * whose members are wider; a value that the file's field cannot hold is a misfit. */
#ifndef BSP_RECORD_H
#define BSP_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/bytes.h"

enum field_kind {
    FIELD_F32,  /* float */
    FIELD_I32,  /* int32_t or uint32_t */
    FIELD_I16,  /* int32_t in memory */
    FIELD_U16,  /* int32_t in memory */
    FIELD_ID16, /* uint16_t in memory */
    FIELD_U8,   /* uint8_t */
    FIELD_BITS, /* int32_t: the next `count` bits of a 16-bit word, from the low end */
    FIELD_FLAG, /* bool: the next bit of such a word */
    FIELD_PAD,  /* `count` zero bytes; not in memory */
};

struct record_field {
    enum field_kind kind;
    uint16_t count; /* elements; bits of FIELD_BITS */
    uint16_t offset;
    const char *name;
};

struct record {
    const char *name; /* what one is called: "face" */
    size_t memory_size, file_size;
    const struct record_field *fields;
    size_t field_count;
};

struct record_misfit {
    size_t record;
    const char *field;
    int64_t value, least, most;
};

/* Reads `count` records; data has count * file_size bytes, out has room for count structs. */
void record_decode(const struct record *record, const unsigned char *data, size_t count, void *out);

/* Appends `count` records. False at the first misfit; *out then holds a part. */
bool record_encode(const struct record *record, const void *array, size_t count, struct bytes *out,
                   struct record_misfit *misfit);

#endif
