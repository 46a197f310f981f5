/* The values of a group of options as bytes, for another process of the same run. */
#include <math.h>
#include <string.h>

#include "common/cli/options.h"

/* A field of the values that a row of the table describes. */
struct field {
    const struct option_group *group;
    const struct option_def *def;
    char *at;
    size_t count; /* of numbers */
};

static struct field field_of(const struct option_group *group, size_t index, void *values)
{
    const struct option_def *def = &group->defs[index];
    return (struct field){group, def, option_field(def, (char *)values + group->base),
                          def->arity > 1 ? (size_t)def->arity : 1};
}

/* ---- writing ---- */

static void put_number(struct bytes *out, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    bytes_u64(out, bits);
}

static void put_text(struct bytes *out, const char *text)
{
    bytes_u8(out, text != NULL);
    if (text)
        bytes_sized_text(out, text);
}

static void put_field(const struct field *field, struct bytes *out)
{
    const void *at = field->at;
    switch (option_value(field->def)) {
    case VALUE_BOOL:
        bytes_u8(out, *(const bool *)at);
        break;
    case VALUE_INTS:
    case VALUE_CHOICE:
        for (size_t i = 0; i < field->count; i++)
            bytes_i32(out, ((const int *)at)[i]);
        break;
    case VALUE_NUMBERS:
        for (size_t i = 0; i < field->count; i++)
            put_number(out, ((const double *)at)[i]);
        break;
    case VALUE_TEXT:
        put_text(out, *(const char *const *)at);
        break;
    case VALUE_LIST: /* no stage that has other ranks has one */
    case VALUE_NONE:
        break;
    }
}

void option_group_append(const struct option_group *group, const void *values, struct bytes *out)
{
    for (size_t i = 0; i < group->count; i++) {
        struct field field = field_of(group, i, (void *)values);
        put_field(&field, out);
    }
}

/* ---- reading ---- */

/* The limits are those of any option that sets the field; a default may lie outside of them. */
static bool is_allowed(const struct field *field, double number, double is_now)
{
    const struct option_group *group = field->group;
    bool allowed = number == is_now;
    for (size_t i = 0; i < group->count && !allowed && isfinite(number); i++)
        allowed = group->defs[i].part == field->def->part &&
                  group->defs[i].offset == field->def->offset &&
                  group->defs[i].kind == field->def->kind &&
                  option_in_range(&group->defs[i], number);
    return allowed;
}

static bool take_bool(struct byte_reader *from, bool *out)
{
    uint8_t byte = read_u8(from);
    *out = byte == 1;
    return byte <= 1;
}

static bool take_ints(const struct field *field, struct byte_reader *from)
{
    int *at = (int *)(void *)field->at;
    for (size_t i = 0; i < field->count; i++) {
        int32_t number = read_i32(from);
        if (!is_allowed(field, number, at[i]))
            return false;
        at[i] = number;
    }
    return true;
}

static bool take_choice(const struct field *field, struct byte_reader *from)
{
    int *at = (int *)(void *)field->at, count = 0, number = read_i32(from);
    while (field->def->choices[count])
        count++;
    bool fits = number == *at || (number >= 0 && number < count);
    *at = fits ? number : *at;
    return fits;
}

static bool take_numbers(const struct field *field, struct byte_reader *from)
{
    double *at = (double *)(void *)field->at, number;
    for (size_t i = 0; i < field->count; i++) {
        uint64_t bits = read_u64(from);
        memcpy(&number, &bits, sizeof number);
        if (!is_allowed(field, number, at[i]))
            return false;
        at[i] = number;
    }
    return true;
}

static bool take_text(const struct field *field, struct byte_reader *from, struct arena *texts)
{
    const char **at = (const char **)(void *)field->at;
    bool is_set;
    *at = NULL;
    if (!take_bool(from, &is_set))
        return false;
    if (is_set)
        *at = read_sized_text(from, texts);
    return !from->failed;
}

static bool take_field(const struct field *field, struct byte_reader *from, struct arena *texts)
{
    switch (option_value(field->def)) {
    case VALUE_BOOL:
        return take_bool(from, (bool *)(void *)field->at);
    case VALUE_INTS:
        return take_ints(field, from);
    case VALUE_CHOICE:
        return take_choice(field, from);
    case VALUE_NUMBERS:
        return take_numbers(field, from);
    case VALUE_TEXT:
        return take_text(field, from, texts);
    case VALUE_LIST:
    case VALUE_NONE:
        break;
    }
    return true;
}

bool option_group_read(const struct option_group *group, struct byte_reader *from, void *values,
                       struct arena *texts)
{
    bool fits = true;
    option_group_own_parts(group, values, texts);
    for (size_t i = 0; i < group->count && fits; i++) {
        const struct field field = field_of(group, i, values);
        fits = take_field(&field, from, texts) && !from->failed;
    }
    from->failed |= !fits;
    return fits;
}
