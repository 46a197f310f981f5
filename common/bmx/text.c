#include "common/bmx/text.h"

#include <string.h>

#include "common/core/array.h"

size_t bmx_utf8_length(const char *text, size_t size, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
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
    return value >= least[length] && bmx_point_is_sound(value) ? length : 0;
}

size_t bmx_utf8_encode(uint32_t point, char out[4])
{
    size_t length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i; i--, point >>= 6)
        out[i] = (char)(0x80 | (point & 0x3f));
    out[0] = (char)(length == 1 ? point : (0xff00u >> length & 0xff) | point);
    return length;
}

void bmx_put_utf8(struct bytes *out, uint32_t point)
{
    char text[4] = {0};
    bytes_append(out, text, bmx_utf8_encode(point, text));
}

struct bmx_text bmx_text_make(const char *utf8)
{
    struct bmx_text text = {0};
    size_t size = strlen(utf8);
    while (size) {
        uint32_t point;
        size_t length = bmx_utf8_length(utf8, size, &point);
        if (!length)
            point = BMX_REPLACEMENT;
        arrput(text.points, point);
        utf8 += length ? length : 1;
        size -= length ? length : 1;
    }
    return text;
}

struct bmx_text bmx_text_copy(const struct bmx_text *text)
{
    struct bmx_text copy = {0};
    size_t count = arrlenu(text->points);
    if (count) {
        arrsetlen(copy.points, count);
        memcpy(copy.points, text->points, count * sizeof *copy.points);
    }
    return copy;
}

void bmx_text_free(struct bmx_text *text)
{
    arrfree(text->points);
}

bool bmx_point_is_sound(uint32_t point)
{
    return point < 0xd800 || (point >= 0xe000 && point < 0x110000);
}

size_t bmx_text_unsound(const struct bmx_text *text)
{
    size_t count = 0;
    for (size_t i = 0; i < arrlenu(text->points); i++)
        count += !bmx_point_is_sound(text->points[i]);
    return count;
}

bool bmx_text_is_ascii(const struct bmx_text *text)
{
    for (size_t i = 0; i < arrlenu(text->points); i++)
        if (text->points[i] >= 0x80)
            return false;
    return true;
}

int bmx_text_compare(const struct bmx_text *a, const struct bmx_text *b)
{
    size_t count_a = arrlenu(a->points), count_b = arrlenu(b->points);
    for (size_t i = 0; i < count_a && i < count_b; i++)
        if (a->points[i] != b->points[i])
            return a->points[i] < b->points[i] ? -1 : 1;
    return count_a == count_b ? 0 : count_a < count_b ? -1 : 1;
}

char *bmx_text_utf8(const struct bmx_text *text, struct arena *arena)
{
    struct bytes utf8 = {0};
    for (size_t i = 0; i < arrlenu(text->points); i++) {
        uint32_t point = text->points[i];
        bmx_put_utf8(&utf8, point && bmx_point_is_sound(point) ? point : BMX_REPLACEMENT);
    }
    char *copy = arena_strndup(arena, utf8.size ? (const char *)utf8.data : "", utf8.size);
    bytes_free(&utf8);
    return copy;
}
