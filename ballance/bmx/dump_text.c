#include "ballance/bmx/dump_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/diag/codes/bm_dumps.def"

enum { NUMBER_SIZE = 32, HEX = 16 };

static const char digits[] = "0123456789abcdef";

void dump_put_number(struct bytes *out, uint64_t value)
{
    char text[NUMBER_SIZE];
    size_t at = sizeof text;
    do {
        text[--at] = digits[value % 10];
        value /= 10;
    } while (value);
    text[--at] = ' ';
    bytes_append(out, text + at, sizeof text - at);
}

/* Writes nine digits, which read back as the same float; 0x and the bits of a number that is not
 * finite. */
static void dump_put_float(struct bytes *out, float value)
{
    char text[NUMBER_SIZE];
    uint32_t bits;
    int length;
    memcpy(&bits, &value, sizeof bits);
    if (isfinite(value))
        length = snprintf(text, sizeof text, " %.9g", (double)value);
    else
        length = snprintf(text, sizeof text, " 0x%08x", bits);
    bytes_append(out, text, (size_t)length);
}

/* Controls, bidirectional marks and line separators would not be visible. */
static bool shown_plainly(uint32_t point)
{
    return unicode_is_valid(point) && point >= ' ' && !(point >= 0x7f && point < 0xa0) &&
           !(point >= 0x200b && point < 0x2010) && !(point >= 0x2028 && point < 0x202f) &&
           !(point >= 0x2060 && point < 0x2070) && point != 0xfeff && point < 0xe0000;
}

static void put_point(struct bytes *out, uint32_t point)
{
    if (point == '"' || point == '\\')
        bytes_u8(out, '\\');
    if (shown_plainly(point))
        utf8_put(out, point);
    else
        bytes_append_text(out, "\\u{%x}", point);
}

void dump_put_text(struct bytes *out, const struct bmx_text *text)
{
    bytes_append(out, " \"", 2);
    for (size_t i = 0; i < arrlenu(text->points); i++)
        put_point(out, text->points[i]);
    bytes_u8(out, '"');
}

void dump_put_bytes(struct bytes *out, const void *data, size_t size)
{
    const char *text = data;
    bytes_append(out, " \"", 2);
    for (size_t length; size; text += length, size -= length) {
        uint32_t point;
        length = utf8_length(text, size, &point);
        if (length) {
            put_point(out, point);
            continue;
        }
        length = 1;
        bytes_append_text(out, "\\x%02x", (unsigned char)*text);
    }
    bytes_u8(out, '"');
}

void dump_put_hex(struct bytes *out, const unsigned char *data, size_t size)
{
    bytes_u8(out, ' ');
    for (size_t i = 0; i < size; i++) {
        bytes_u8(out, (uint8_t)digits[data[i] >> 4]);
        bytes_u8(out, (uint8_t)digits[data[i] & 15]);
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(struct dump_reader *reader)
{
    while (reader->at < reader->line_end && is_blank(*reader->at))
        reader->at++;
}

/* Goes to the next line that is not empty or a comment, and takes its first word as the keyword. */
static void next_line(struct dump_reader *reader)
{
    reader->keyword_length = 0;
    while (!reader->keyword_length && reader->at < reader->end) {
        const char *end = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
        reader->line_end = end ? end : reader->end;
        reader->where.line++;
        skip_blanks(reader);
        reader->keyword = reader->at;
        while (reader->at < reader->line_end && !is_blank(*reader->at))
            reader->at++;
        if (*reader->keyword != '#')
            reader->keyword_length = (size_t)(reader->at - reader->keyword);
        if (!reader->keyword_length)
            reader->at = end ? end + 1 : reader->end;
    }
}

void dump_open(struct dump_reader *reader, const char *text, size_t size, const char *path,
               struct diag *diag)
{
    size_t mark = utf8_mark_length(text, size);
    text += mark;
    size -= mark;
    *reader =
        (struct dump_reader){.at = text, .end = text + size, .where.file = path, .diag = diag};
    next_line(reader);
}

bool dump_is_at(const struct dump_reader *reader, const char *keyword)
{
    return reader->keyword_length == strlen(keyword) &&
           memcmp(reader->keyword, keyword, reader->keyword_length) == 0;
}

bool dump_has_word(struct dump_reader *reader)
{
    skip_blanks(reader);
    return reader->at < reader->line_end;
}

bool dump_has_text(struct dump_reader *reader)
{
    return dump_has_word(reader) && *reader->at == '"';
}

void dump_fail(struct dump_reader *reader, const char *what)
{
    if (!reader->failed)
        diag_report(reader->diag, DIAG_BMX_DUMP, &reader->where, "%s", what);
    reader->failed = true;
    reader->at = reader->line_end = reader->end;
    reader->keyword_length = 0;
}

void dump_expect(struct dump_reader *reader, const char *keyword)
{
    char what[64];
    if (dump_is_at(reader, keyword))
        return;
    snprintf(what, sizeof what, "expected a line with '%s'", keyword);
    dump_fail(reader, what);
}

void dump_end_line(struct dump_reader *reader)
{
    if (reader->failed)
        return;
    skip_blanks(reader);
    if (reader->at != reader->line_end) {
        dump_fail(reader, "unexpected text at the end of the line");
        return;
    }
    reader->at += reader->at < reader->end;
    next_line(reader);
}

uint64_t dump_joined_number(struct dump_reader *reader, uint64_t max)
{
    const char *start = reader->at;
    uint64_t value = 0;
    while (reader->at < reader->line_end && *reader->at >= '0' && *reader->at <= '9') {
        uint64_t digit = (uint64_t)(*reader->at++ - '0');
        if (value > (max - digit) / 10 || digit > max) {
            dump_fail(reader, "number too large");
            return 0;
        }
        value = value * 10 + digit;
    }
    if (reader->at == start)
        dump_fail(reader, "missing number");
    return value;
}

uint64_t dump_number(struct dump_reader *reader, uint64_t max)
{
    skip_blanks(reader);
    return dump_joined_number(reader, max);
}

void dump_expect_char(struct dump_reader *reader, char mark)
{
    if (reader->at < reader->line_end && *reader->at == mark)
        reader->at++;
    else
        dump_fail(reader, "missing number in a face corner");
}

static int hex_digit(char c)
{
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

/* Reads at least `min` and at most `max` hexadecimal digits. */
static uint32_t hex_number(struct dump_reader *reader, int min, int max)
{
    uint32_t value = 0;
    int count = 0;
    while (count < max && reader->at < reader->line_end && hex_digit(*reader->at) >= 0) {
        value = value * HEX + (uint32_t)hex_digit(*reader->at++);
        count++;
    }
    if (count < min)
        dump_fail(reader, "missing hexadecimal digits (0-9, a-f)");
    return value;
}

static float dump_float(struct dump_reader *reader)
{
    float value = 0;
    skip_blanks(reader);
    if (reader->line_end - reader->at > 2 && memcmp(reader->at, "0x", 2) == 0) {
        reader->at += 2;
        uint32_t bits = hex_number(reader, 8, 8);
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    char *end;
    value = strtof(reader->at, &end);
    if (reader->at == reader->line_end || end == reader->at || end > reader->line_end ||
        (end < reader->line_end && !is_blank(*end)) || !isfinite(value)) {
        dump_fail(reader, "missing or invalid number");
        return 0;
    }
    reader->at = end;
    return value;
}

/* Reads one character or escape of a quoted text. *byte: an invalid byte. */
static uint32_t quoted_point(struct dump_reader *reader, bool *byte)
{
    uint32_t point = 0;
    *byte = false;
    if (*reader->at != '\\') {
        size_t length = utf8_length(reader->at, (size_t)(reader->line_end - reader->at), &point);
        if (!length)
            dump_fail(reader, "invalid UTF-8");
        reader->at += reader->failed ? 0 : length;
        return point;
    }
    reader->at++;
    char kind = reader->at < reader->line_end ? *reader->at++ : 0;
    if (kind == 'u' && reader->at < reader->line_end && *reader->at == '{') {
        reader->at++;
        point = hex_number(reader, 1, 8);
        if (!reader->failed && reader->at < reader->line_end && *reader->at == '}')
            reader->at++;
        else
            dump_fail(reader, "missing '}'");
    } else if (kind == 'x') {
        *byte = true;
        point = hex_number(reader, 2, 2);
    } else if (kind == '"' || kind == '\\') {
        point = (unsigned char)kind;
    } else {
        dump_fail(reader, "invalid escape: use \\\", \\\\, \\u{...} or \\x and two digits");
    }
    return point;
}

static bool open_quote(struct dump_reader *reader)
{
    skip_blanks(reader);
    if (reader->at < reader->line_end && *reader->at == '"') {
        reader->at++;
        return true;
    }
    dump_fail(reader, "missing quoted text");
    return false;
}

/* Returns true when more of the quoted text follows; skips the quote at its end. */
static bool in_quotes(struct dump_reader *reader)
{
    if (reader->failed)
        return false;
    if (reader->at == reader->line_end) {
        dump_fail(reader, "missing closing quote");
        return false;
    }
    if (*reader->at != '"')
        return true;
    reader->at++;
    return false;
}

struct bmx_text dump_text(struct dump_reader *reader)
{
    struct bmx_text text = {0};
    bool more = open_quote(reader);
    while (more && in_quotes(reader)) {
        bool byte;
        uint32_t point = quoted_point(reader, &byte);
        if (byte)
            dump_fail(reader, "\\x outside of a member name");
        if (!reader->failed)
            arrput(text.points, point);
    }
    return text;
}

void dump_bytes(struct dump_reader *reader, struct bytes *out)
{
    bool more = open_quote(reader);
    while (more && in_quotes(reader)) {
        bool byte;
        uint32_t point = quoted_point(reader, &byte);
        if (!byte && !unicode_is_valid(point))
            dump_fail(reader, "invalid Unicode code point");
        if (reader->failed)
            return;
        if (byte)
            bytes_u8(out, (uint8_t)point);
        else
            utf8_put(out, point);
    }
}

void dump_hex(struct dump_reader *reader, struct bytes *out)
{
    skip_blanks(reader);
    do {
        uint32_t value = hex_number(reader, 2, 2);
        if (!reader->failed)
            bytes_u8(out, (uint8_t)value);
    } while (reader->at < reader->line_end && !is_blank(*reader->at));
}

/* --- blocks of a kind by their names --- */

static int order(const void *a, const void *b)
{
    const struct name_entry *left = a, *right = b;
    int names = bmx_text_compare(left->name, right->name);
    return names ? names : (left->block > right->block) - (left->block < right->block);
}

void name_index_make(struct name_index *index, const struct bmx *bmx, enum bmx_kind kind)
{
    size_t count = bmx_count(bmx, kind);
    for (size_t i = 0; i < count; i++)
        arrput(index->entries, ((struct name_entry){bmx_name(bmx, kind, i), (uint32_t)i}));
    if (count)
        qsort(index->entries, count, sizeof *index->entries, order);
}

void name_index_free(struct name_index *index)
{
    arrfree(index->entries);
}

/* Returns the first entry that is not before the name. */
static size_t lower_bound(const struct name_index *index, const struct bmx_text *name)
{
    size_t low = 0, high = arrlenu(index->entries);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (bmx_text_compare(index->entries[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t name_index_find(const struct name_index *index, const struct bmx_text *name, uint32_t *block)
{
    size_t first = lower_bound(index, name), end = first;
    while (end < arrlenu(index->entries) && bmx_text_compare(index->entries[end].name, name) == 0)
        end++;
    if (end > first)
        *block = index->entries[first].block;
    return end - first;
}

/* --- lines and blocks --- */

uint32_t dump_take_number(struct dump_reader *in, const char *keyword, uint32_t max)
{
    dump_expect(in, keyword);
    uint32_t value = (uint32_t)dump_number(in, max);
    dump_end_line(in);
    return value;
}

static uint8_t take_bool(struct dump_reader *in, const char *keyword)
{
    return (uint8_t)dump_take_number(in, keyword, UINT8_MAX);
}

void dump_take_floats(struct dump_reader *in, const char *keyword, float *out, int count)
{
    dump_expect(in, keyword);
    for (int i = 0; i < count; i++) {
        float value = dump_float(in);
        memcpy(&out[i], &value, sizeof value);
    }
    dump_end_line(in);
}

static void put(struct bytes *out, const char *text)
{
    bytes_append(out, text, strlen(text));
}

void dump_put_floats(struct bytes *out, const char *keyword, const float *values, size_t count)
{
    put(out, keyword);
    for (size_t i = 0; i < count; i++)
        dump_put_float(out, values[i]);
    put(out, "\n");
}

void dump_put_number_line(struct bytes *out, const char *keyword, uint32_t value)
{
    put(out, keyword);
    dump_put_number(out, value);
    put(out, "\n");
}

void dump_take_material(struct dump_reader *in, struct bmx_material *material)
{
    dump_take_floats(in, "ambient", material->ambient, 3);
    dump_take_floats(in, "diffuse", material->diffuse, 3);
    dump_take_floats(in, "specular", material->specular, 3);
    dump_take_floats(in, "emissive", material->emissive, 3);
    dump_take_floats(in, "power", &material->power, 1);
    material->alpha_test = take_bool(in, "alpha_test");
    material->alpha_blend = take_bool(in, "alpha_blend");
    material->z_buffer = take_bool(in, "z_buffer");
    material->two_sided = take_bool(in, "two_sided");
    material->use_texture = take_bool(in, "use_texture");
}

void dump_take_texture(struct dump_reader *in, struct bmx_texture *texture)
{
    dump_expect(in, "file");
    texture->file_name = dump_text(in);
    dump_end_line(in);
    texture->is_external = take_bool(in, "external");
}

void dump_put_material(struct bytes *out, const struct bmx_material *material)
{
    dump_put_floats(out, "  ambient", material->ambient, 3);
    dump_put_floats(out, "  diffuse", material->diffuse, 3);
    dump_put_floats(out, "  specular", material->specular, 3);
    dump_put_floats(out, "  emissive", material->emissive, 3);
    dump_put_floats(out, "  power", &material->power, 1);
    dump_put_number_line(out, "  alpha_test", material->alpha_test);
    dump_put_number_line(out, "  alpha_blend", material->alpha_blend);
    dump_put_number_line(out, "  z_buffer", material->z_buffer);
    dump_put_number_line(out, "  two_sided", material->two_sided);
    dump_put_number_line(out, "  use_texture", material->use_texture);
}

void dump_put_texture(struct bytes *out, const struct bmx_texture *texture)
{
    put(out, "  file");
    dump_put_text(out, &texture->file_name);
    put(out, "\n");
    dump_put_number_line(out, "  external", texture->is_external);
}
