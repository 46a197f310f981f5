#include "ballance/bmx/text.h"

#include <string.h>

#include "common/core/array.h"

struct bmx_text bmx_text_make(const char *utf8)
{
    struct bmx_text text = {0};
    size_t size = strlen(utf8);
    while (size) {
        uint32_t point;
        size_t length = utf8_length(utf8, size, &point);
        if (!length)
            point = UNICODE_REPLACEMENT;
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

size_t bmx_text_invalid_count(const struct bmx_text *text)
{
    size_t count = 0;
    for (size_t i = 0; i < arrlenu(text->points); i++)
        count += !unicode_is_valid(text->points[i]);
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

int bmx_text_order(const void *a, const void *b)
{
    return bmx_text_compare(*(const struct bmx_text *const *)a, *(const struct bmx_text *const *)b);
}

char *bmx_text_utf8(const struct bmx_text *text, struct arena *arena)
{
    struct bytes utf8 = {0};
    for (size_t i = 0; i < arrlenu(text->points); i++) {
        uint32_t point = text->points[i];
        utf8_put(&utf8, point && unicode_is_valid(point) ? point : UNICODE_REPLACEMENT);
    }
    char *copy = arena_strndup(arena, utf8.size ? (const char *)utf8.data : "", utf8.size);
    bytes_free(&utf8);
    return copy;
}
