#include "common/text/unicode.h"

#include <stdbool.h>
#include <stdint.h>

#define REPLACEMENT 0xFFFDu

static char *put(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *out++ = (char)(0xE0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    } else {
        *out++ = (char)(0xF0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3F));
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    }
    return out;
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
                code = REPLACEMENT;
            }
        }
        out = put(out, code);
    }
    *text = start;
    *size = (size_t)(out - start);
}
