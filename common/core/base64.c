#include "common/core/base64.h"

static void put_group(const unsigned char *from, size_t count, unsigned char to[4])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; i++)
        bits = bits << 8 | (i < count ? from[i] : 0u);
    for (size_t i = 0; i < 4; i++)
        to[i] = i <= count ? (unsigned char)digits[bits >> (18 - 6 * i) & 63] : '=';
}

void base64_append(struct bytes *out, const void *data, size_t size)
{
    const unsigned char *from = data;
    unsigned char *to = bytes_extend(out, (size + 2) / 3 * 4);
    for (size_t i = 0; i < size; i += 3, to += 4)
        put_group(from + i, size - i < 3 ? size - i : 3, to);
}
