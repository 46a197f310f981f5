#include "common/bsp/record.h"

enum { WORD_BITS = 16 };

/* A 16-bit word that several FIELD_BITS and FIELD_FLAG share. */
struct bit_word {
    uint32_t word;
    unsigned used; /* 0: none is open */
};

static uint32_t take_bits(struct byte_reader *reader, struct bit_word *bits, unsigned count)
{
    if (!bits->used)
        bits->word = read_u16(reader);
    uint32_t value = bits->word >> bits->used & ((1u << count) - 1);
    bits->used = (bits->used + count) % WORD_BITS;
    return value;
}

static void give_bits(struct bytes *out, struct bit_word *bits, unsigned count, uint32_t value)
{
    if (!bits->used)
        bits->word = 0;
    bits->word |= value << bits->used;
    bits->used = (bits->used + count) % WORD_BITS;
    if (!bits->used)
        bytes_u16(out, (uint16_t)bits->word);
}

static size_t element_size(enum field_kind kind)
{
    switch (kind) {
    case FIELD_ID16:
        return 2;
    case FIELD_U8:
        return 1;
    default:
        return 4;
    }
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

static void decode_element(struct byte_reader *reader, enum field_kind kind, unsigned char *to)
{
    uint16_t id;
    float number;
    switch (kind) {
    case FIELD_F32:
        number = read_f32(reader);
        memcpy(to, &number, sizeof number);
        break;
    case FIELD_I32:
        store_i32(to, read_i32(reader));
        break;
    case FIELD_I16:
        store_i32(to, read_i16(reader));
        break;
    case FIELD_U16:
        store_i32(to, read_u16(reader));
        break;
    case FIELD_ID16:
        id = read_u16(reader);
        memcpy(to, &id, sizeof id);
        break;
    default:
        *to = read_u8(reader);
        break;
    }
}

static void decode_field(struct byte_reader *reader, const struct record_field *field,
                         struct bit_word *bits, unsigned char *to)
{
    bool flag;
    switch (field->kind) {
    case FIELD_BITS:
        store_i32(to, (int32_t)take_bits(reader, bits, field->count));
        break;
    case FIELD_FLAG:
        flag = take_bits(reader, bits, 1) != 0;
        memcpy(to, &flag, sizeof flag);
        break;
    case FIELD_PAD:
        (void)read_block(reader, field->count);
        break;
    default:
        for (size_t i = 0; i < field->count; i++)
            decode_element(reader, field->kind, to + i * element_size(field->kind));
        break;
    }
}

void record_decode(const struct record *record, const unsigned char *data, size_t count, void *out)
{
    struct byte_reader reader = byte_reader(data, count * record->file_size);
    unsigned char *to = out;
    for (size_t i = 0; i < count; i++, to += record->memory_size) {
        struct bit_word bits = {0};
        for (size_t k = 0; k < record->field_count; k++)
            decode_field(&reader, &record->fields[k], &bits, to + record->fields[k].offset);
    }
}

/* What an integer field can hold. */
static void field_range(const struct record_field *field, int64_t *least, int64_t *most)
{
    *least = 0;
    switch (field->kind) {
    case FIELD_I16:
        *least = INT16_MIN;
        *most = INT16_MAX;
        break;
    case FIELD_U16:
        *most = UINT16_MAX;
        break;
    case FIELD_BITS:
        *most = (1 << field->count) - 1;
        break;
    default:
        *least = INT64_MIN;
        *most = INT64_MAX;
        break;
    }
}

static bool fits(const struct record_field *field, int32_t value, struct record_misfit *misfit)
{
    int64_t least, most;
    field_range(field, &least, &most);
    if (value >= least && value <= most)
        return true;
    misfit->field = field->name;
    misfit->value = value;
    misfit->least = least;
    misfit->most = most;
    return false;
}

static bool encode_element(struct bytes *out, const struct record_field *field,
                           const unsigned char *from, struct record_misfit *misfit)
{
    uint16_t id;
    float number;
    switch (field->kind) {
    case FIELD_F32:
        memcpy(&number, from, sizeof number);
        bytes_f32(out, number);
        return true;
    case FIELD_I32:
        bytes_i32(out, fetch_i32(from));
        return true;
    case FIELD_I16:
    case FIELD_U16:
        bytes_u16(out, (uint16_t)fetch_i32(from));
        return fits(field, fetch_i32(from), misfit);
    case FIELD_ID16:
        memcpy(&id, from, sizeof id);
        bytes_u16(out, id);
        return true;
    default:
        bytes_u8(out, *from);
        return true;
    }
}

static bool encode_field(struct bytes *out, const struct record_field *field, struct bit_word *bits,
                         const unsigned char *from, struct record_misfit *misfit)
{
    bool flag;
    switch (field->kind) {
    case FIELD_BITS:
        if (!fits(field, fetch_i32(from), misfit))
            return false;
        give_bits(out, bits, field->count, (uint32_t)fetch_i32(from));
        return true;
    case FIELD_FLAG:
        memcpy(&flag, from, sizeof flag);
        give_bits(out, bits, 1, flag);
        return true;
    case FIELD_PAD:
        bytes_fill(out, 0, field->count);
        return true;
    default:
        for (size_t i = 0; i < field->count; i++)
            if (!encode_element(out, field, from + i * element_size(field->kind), misfit))
                return false;
        return true;
    }
}

bool record_encode(const struct record *record, const void *array, size_t count, struct bytes *out,
                   struct record_misfit *misfit)
{
    const unsigned char *from = array;
    for (size_t i = 0; i < count; i++, from += record->memory_size) {
        struct bit_word bits = {0};
        misfit->record = i;
        for (size_t k = 0; k < record->field_count; k++) {
            const struct record_field *field = &record->fields[k];
            if (!encode_field(out, field, &bits, from + field->offset, misfit))
                return false;
        }
    }
    return true;
}
