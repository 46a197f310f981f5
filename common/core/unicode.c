#include "common/core/unicode.h"

#include <string.h>

bool unicode_is_valid(uint32_t point)
{
    return point < 0xd800 || (point >= 0xe000 && point < 0x110000);
}

size_t utf8_length(const char *text, size_t size, uint32_t *point)
{
    static const uint32_t min[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    if (!size)
        return 0;
    *point = bytes[0];
    if (bytes[0] < 0x80)
        return 1;
    size_t length = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    if (bytes[0] < 0xc0 || bytes[0] >= 0xf8 || length > size)
        return 0;
    uint32_t value = bytes[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3fu);
    }
    *point = value;
    return value >= min[length] && unicode_is_valid(value) ? length : 0;
}

size_t utf8_encode(uint32_t point, char out[4])
{
    size_t length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i; i--, point >>= 6)
        out[i] = (char)(0x80 | (point & 0x3f));
    out[0] = (char)(length == 1 ? point : (0xff00u >> length & 0xff) | point);
    return length;
}

void utf8_put(struct bytes *out, uint32_t point)
{
    char text[4] = {0};
    bytes_append(out, text, utf8_encode(point, text));
}

size_t utf8_mark_length(const char *text, size_t size)
{
    static const char mark[3] = {'\xEF', '\xBB', '\xBF'};
    return size >= sizeof mark && memcmp(text, mark, sizeof mark) == 0 ? sizeof mark : 0;
}

static uint32_t unit(const unsigned char *at, bool big_endian)
{
    return big_endian ? (uint32_t)(at[0] << 8 | at[1]) : (uint32_t)(at[0] | at[1] << 8);
}

void unicode_to_utf8(struct arena *arena, const char **text, size_t *size)
{
    const unsigned char *in = (const unsigned char *)*text;
    if (*size < 2 || !((in[0] == 0xFF && in[1] == 0xFE) || (in[0] == 0xFE && in[1] == 0xFF)))
        return;
    bool big_endian = in[0] == 0xFE;
    size_t units = *size / 2;
    char *start = arena_alloc(arena, units, 3), *out = start;
    for (size_t i = 1; i < units; i++) {
        uint32_t code = unit(in + 2 * i, big_endian);
        if (code >= 0xD800 && code < 0xE000) {
            uint32_t low = i + 1 < units ? unit(in + 2 * (i + 1), big_endian) : 0;
            if (code < 0xDC00 && low >= 0xDC00 && low < 0xE000) {
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                i++;
            } else {
                code = UNICODE_REPLACEMENT;
            }
        }
        out += utf8_encode(code, out);
    }
    *text = start;
    *size = (size_t)(out - start);
}
