#include "common/assets/textures/tga.h"

enum {
    KIND_AT = 2,
    SIZE_AT = 12,
    BITS_AT = 16,
    FLAGS_AT = 17,
    HEAD = 18,
    KIND_COLOURS = 2,
    KIND_GREY = 3,
    ALPHA_BITS = 8,
};

void tga_encode(const unsigned char *pixels, int width, int height, enum tga_pixels kind,
                struct bytes *out)
{
    unsigned char head[HEAD] = {0};
    head[KIND_AT] = kind == TGA_GREY ? KIND_GREY : KIND_COLOURS;
    store_u16(ORDER_LITTLE, head + SIZE_AT, (uint16_t)width);
    store_u16(ORDER_LITTLE, head + SIZE_AT + 2, (uint16_t)height);
    head[BITS_AT] = (unsigned char)(8 * kind);
    head[FLAGS_AT] = kind == TGA_RGBA ? ALPHA_BITS : 0;
    bytes_append(out, head, sizeof head);
    size_t row = (size_t)width * kind;
    for (int y = height - 1; y >= 0; y--) {
        unsigned char *at = bytes_extend(out, row), *end = at + row;
        if (row)
            memcpy(at, pixels + (size_t)y * row, row);
        for (; kind != TGA_GREY && at < end; at += kind) {
            unsigned char red = at[0];
            at[0] = at[2];
            at[2] = red;
        }
    }
}
