#include "common/bsp/record.h"

#include <math.h>
#include <string.h>

enum { WORD_BITS = 16, WIDE_BITS = 32 };

/* A word that several FIELD_BITS and FIELD_FLAG share, or several FIELD_WIDE_BITS and
 * FIELD_WIDE_FLAG. */
struct bit_word {
    uint32_t word;
    unsigned used; /* 0: no word is open */
};

/* Bits of the word that the field is a part of; 0: of none. */
static unsigned word_bits(const struct record_field *field)
{
    switch (field->kind) {
    case FIELD_BITS:
    case FIELD_FLAG:
        return WORD_BITS;
    case FIELD_WIDE_BITS:
    case FIELD_WIDE_FLAG:
        return WIDE_BITS;
    default:
        return 0;
    }
}

static uint32_t mask_of(unsigned count)
{
    return count < WIDE_BITS ? (UINT32_C(1) << count) - 1 : UINT32_MAX;
}

/* Position of the next field in the file. */
struct source {
    const unsigned char *at;
    enum byte_order order;
    struct bit_word bits;
};

static uint32_t take_bits(struct source *source, const struct record_field *field, unsigned count)
{
    struct bit_word *bits = &source->bits;
    const unsigned size = word_bits(field);
    if (!bits->used) {
        bits->word = size == WORD_BITS ? load_u16_in(source->order, source->at)
                                       : load_u32_in(source->order, source->at);
        source->at += size / 8;
    }
    uint32_t value = bits->word >> bits->used & mask_of(count);
    bits->used = (bits->used + count) % size;
    return value;
}

/* Position for the next field: there is room for all of them. */
struct target {
    unsigned char *at;
    enum byte_order order;
    struct bit_word bits;
};

static void give_bits(struct target *target, const struct record_field *field, unsigned count,
                      uint32_t value)
{
    struct bit_word *bits = &target->bits;
    const unsigned size = word_bits(field);
    if (!bits->used)
        bits->word = 0;
    bits->word |= value << bits->used;
    bits->used = (bits->used + count) % size;
    if (bits->used)
        return;
    if (size == WORD_BITS)
        store_u16(target->order, target->at, (uint16_t)bits->word);
    else
        store_u32(target->order, target->at, bits->word);
    target->at += size / 8;
}

static void store_i32(unsigned char *to, int32_t value)
{
    memcpy(to, &value, sizeof value);
}

static int32_t fetch_i32(const unsigned char *from)
{
    int32_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static void decode_words(struct source *source, size_t count, unsigned char *to)
{
    for (size_t i = 0; i < count; i++, source->at += 4, to += 4) {
        uint32_t value = load_u32_in(source->order, source->at);
        memcpy(to, &value, sizeof value);
    }
}

static void decode_halves(struct source *source, size_t count, bool is_signed, unsigned char *to)
{
    for (size_t i = 0; i < count; i++, source->at += 2, to += 4) {
        uint16_t value = load_u16_in(source->order, source->at);
        store_i32(to, is_signed ? (int16_t)value : value);
    }
}

static void decode_ids(struct source *source, size_t count, unsigned char *to)
{
    for (size_t i = 0; i < count; i++, source->at += 2, to += 2) {
        uint16_t value = load_u16_in(source->order, source->at);
        memcpy(to, &value, sizeof value);
    }
}

static void decode_wide_ids(struct source *source, size_t count, unsigned char *to)
{
    for (size_t i = 0; i < count; i++, source->at += 4, to += 2) {
        uint32_t wide = load_u32_in(source->order, source->at);
        uint16_t value = wide <= UINT16_MAX ? (uint16_t)wide : 0;
        memcpy(to, &value, sizeof value);
    }
}

/* Numbers that are none, or too large, become 0. */
static void decode_rounded(struct source *source, size_t count, bool up, unsigned char *to)
{
    for (size_t i = 0; i < count; i++, source->at += 4, to += 4) {
        uint32_t word = load_u32_in(source->order, source->at);
        float value;
        memcpy(&value, &word, sizeof value);
        value = up ? ceilf(value) : floorf(value);
        store_i32(to, value > -1e9F && value < 1e9F ? (int32_t)value : 0);
    }
}

static void decode_field(struct source *source, const struct record_field *field, unsigned char *to)
{
    bool flag;
    switch (field->kind) {
    case FIELD_F32:
    case FIELD_I32:
        decode_words(source, field->count, to);
        break;
    case FIELD_I16:
    case FIELD_U16:
        decode_halves(source, field->count, field->kind == FIELD_I16, to);
        break;
    case FIELD_ID16:
        decode_ids(source, field->count, to);
        break;
    case FIELD_ID32:
        decode_wide_ids(source, field->count, to);
        break;
    case FIELD_FLOOR:
    case FIELD_CEIL:
        decode_rounded(source, field->count, field->kind == FIELD_CEIL, to);
        break;
    case FIELD_U8:
        memcpy(to, source->at, field->count);
        source->at += field->count;
        break;
    case FIELD_BITS:
    case FIELD_WIDE_BITS:
        store_i32(to, (int32_t)take_bits(source, field, field->count));
        break;
    case FIELD_FLAG:
    case FIELD_WIDE_FLAG:
        flag = take_bits(source, field, 1) != 0;
        memcpy(to, &flag, sizeof flag);
        break;
    case FIELD_PAD:
        source->at += field->count;
        break;
    }
}

/* Returns true when memory has the same bytes as a file of that byte order. */
static bool is_image(const struct record *record, enum byte_order order)
{
    size_t at = 0;
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || order != ORDER_LITTLE ||
        record->memory_size != record->file_size)
        return false;
    for (size_t k = 0; k < record->field_count; k++) {
        const struct record_field *field = &record->fields[k];
        size_t size = field->kind == FIELD_U8 ? 1 : field->kind == FIELD_ID16 ? 2 : 4;
        if (field->kind != FIELD_F32 && field->kind != FIELD_I32 && field->kind != FIELD_ID16 &&
            field->kind != FIELD_U8)
            return false;
        if (field->offset != at)
            return false;
        at += size * field->count;
    }
    return at == record->file_size;
}

void record_decode(const struct record *record, enum byte_order order, const unsigned char *data,
                   size_t count, void *out)
{
    unsigned char *to = out;
    if (is_image(record, order)) {
        if (count)
            memcpy(out, data, count * record->file_size);
        return;
    }
    for (size_t i = 0; i < count; i++, to += record->memory_size) {
        struct source source = {data + i * record->file_size, order, {0, 0}};
        for (size_t k = 0; k < record->field_count; k++)
            decode_field(&source, &record->fields[k], to + record->fields[k].offset);
    }
}

size_t record_field_elements(const struct record_field *field)
{
    if (field->kind == FIELD_PAD)
        return 0;
    return word_bits(field) ? 1 : field->count;
}

size_t record_element_size(const struct record_field *field)
{
    switch (field->kind) {
    case FIELD_U8:
        return 1;
    case FIELD_FLAG:
    case FIELD_WIDE_FLAG:
        return sizeof(bool);
    case FIELD_ID16:
    case FIELD_ID32:
        return sizeof(uint16_t);
    default:
        return sizeof(int32_t);
    }
}

void record_element_range(const struct record_field *field, int64_t *min, int64_t *max)
{
    *min = 0;
    switch (field->kind) {
    case FIELD_I16:
        *min = INT16_MIN;
        *max = INT16_MAX;
        break;
    case FIELD_U16:
    case FIELD_ID16:
    case FIELD_ID32:
        *max = UINT16_MAX;
        break;
    case FIELD_U8:
        *max = UINT8_MAX;
        break;
    case FIELD_BITS:
    case FIELD_WIDE_BITS:
        *max = mask_of(field->count);
        break;
    case FIELD_FLAG:
    case FIELD_WIDE_FLAG:
        *max = 1;
        break;
    default:
        *min = INT32_MIN;
        *max = INT32_MAX;
        break;
    }
}

int64_t record_element_get(const struct record_field *field, const void *element)
{
    const size_t size = record_element_size(field);
    uint16_t id;
    if (field->kind == FIELD_FLAG || field->kind == FIELD_WIDE_FLAG)
        return *(const bool *)element;
    if (size == sizeof(unsigned char))
        return *(const unsigned char *)element;
    if (size == sizeof(int32_t))
        return fetch_i32(element);
    memcpy(&id, element, sizeof id);
    return id;
}

void record_element_set(const struct record_field *field, void *element, int64_t value)
{
    const size_t size = record_element_size(field);
    const uint16_t id = (uint16_t)value;
    if (field->kind == FIELD_FLAG || field->kind == FIELD_WIDE_FLAG)
        *(bool *)element = value != 0;
    else if (size == sizeof(unsigned char))
        *(unsigned char *)element = (unsigned char)value;
    else if (size == sizeof(int32_t))
        store_i32(element, (int32_t)value);
    else
        memcpy(element, &id, sizeof id);
}

static bool fits(const struct record_field *field, int32_t value,
                 struct record_range_error *range_error)
{
    int64_t min, max;
    record_element_range(field, &min, &max);
    if (value >= min && value <= max)
        return true;
    range_error->field = field->name;
    range_error->value = value;
    range_error->min = min;
    range_error->max = max;
    return false;
}

static void encode_words(struct target *target, size_t count, const unsigned char *from)
{
    for (size_t i = 0; i < count; i++, from += 4, target->at += 4) {
        uint32_t value;
        memcpy(&value, from, sizeof value);
        store_u32(target->order, target->at, value);
    }
}

static bool encode_halves(struct target *target, const struct record_field *field,
                          const unsigned char *from, struct record_range_error *range_error)
{
    for (size_t i = 0; i < field->count; i++, from += 4, target->at += 2) {
        int32_t value = fetch_i32(from);
        if (!fits(field, value, range_error))
            return false;
        store_u16(target->order, target->at, (uint16_t)value);
    }
    return true;
}

static void encode_ids(struct target *target, size_t count, const unsigned char *from)
{
    for (size_t i = 0; i < count; i++, from += 2, target->at += 2) {
        uint16_t id;
        memcpy(&id, from, sizeof id);
        store_u16(target->order, target->at, id);
    }
}

static void encode_wide_ids(struct target *target, size_t count, const unsigned char *from)
{
    for (size_t i = 0; i < count; i++, from += 2, target->at += 4) {
        uint16_t id;
        memcpy(&id, from, sizeof id);
        store_u32(target->order, target->at, id);
    }
}

static void encode_rounded(struct target *target, size_t count, const unsigned char *from)
{
    for (size_t i = 0; i < count; i++, from += 4, target->at += 4) {
        float value = (float)fetch_i32(from);
        uint32_t word;
        memcpy(&word, &value, sizeof word);
        store_u32(target->order, target->at, word);
    }
}

static bool encode_field(struct target *target, const struct record_field *field,
                         const unsigned char *from, struct record_range_error *range_error)
{
    bool flag;
    switch (field->kind) {
    case FIELD_BITS:
    case FIELD_WIDE_BITS:
        if (!fits(field, fetch_i32(from), range_error))
            return false;
        give_bits(target, field, field->count, (uint32_t)fetch_i32(from));
        return true;
    case FIELD_FLAG:
    case FIELD_WIDE_FLAG:
        memcpy(&flag, from, sizeof flag);
        give_bits(target, field, 1, flag);
        return true;
    case FIELD_ID32:
        encode_wide_ids(target, field->count, from);
        return true;
    case FIELD_FLOOR:
    case FIELD_CEIL:
        encode_rounded(target, field->count, from);
        return true;
    case FIELD_PAD:
        memset(target->at, 0, field->count);
        target->at += field->count;
        return true;
    case FIELD_F32:
    case FIELD_I32:
        encode_words(target, field->count, from);
        return true;
    case FIELD_I16:
    case FIELD_U16:
        return encode_halves(target, field, from, range_error);
    case FIELD_ID16:
        encode_ids(target, field->count, from);
        return true;
    case FIELD_U8:
        memcpy(target->at, from, field->count);
        target->at += field->count;
        return true;
    }
    return true;
}

/* Bytes in the file of each element of a field that is no part of a word. */
static size_t element_bytes(enum field_kind kind)
{
    switch (kind) {
    case FIELD_U8:
    case FIELD_PAD:
        return 1;
    case FIELD_I16:
    case FIELD_U16:
    case FIELD_ID16:
        return 2;
    default:
        return 4;
    }
}

/* Size of a record in the file; a partly used word of bits counts as a whole one. */
static size_t room_for(const struct record *record)
{
    size_t size = 0, bits = 0;
    for (size_t k = 0; k < record->field_count; k++) {
        const struct record_field *field = &record->fields[k];
        const bool is_flag = field->kind == FIELD_FLAG || field->kind == FIELD_WIDE_FLAG;
        if (word_bits(field))
            bits += is_flag ? 1 : field->count;
        else
            size += element_bytes(field->kind) * (size_t)field->count;
    }
    return size + (bits + WORD_BITS - 1) / WORD_BITS * 2;
}

bool record_encode(const struct record *record, const void *array, size_t count, struct bytes *out,
                   struct record_range_error *range_error)
{
    const unsigned char *from = array;
    range_error->what = record->name;
    if (is_image(record, out->order)) {
        bytes_append(out, array, count * record->file_size);
        return true;
    }
    if (!count)
        return true;
    unsigned char *room = bytes_extend(out, count * room_for(record));
    struct target target = {room, out->order, {0, 0}};
    bool fit = true;
    for (size_t i = 0; i < count && fit; i++, from += record->memory_size) {
        target.bits = (struct bit_word){0, 0};
        range_error->record = i;
        for (size_t k = 0; k < record->field_count && fit; k++) {
            const struct record_field *field = &record->fields[k];
            fit = encode_field(&target, field, from + field->offset, range_error);
        }
    }
    out->size = (size_t)(target.at - out->data);
    return fit;
}
