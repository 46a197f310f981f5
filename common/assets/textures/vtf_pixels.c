#include "common/assets/textures/vtf_pixels.h"

#include <string.h>

#include "common/assets/textures/light_bytes.h"
#include "common/core/bytes.h"

enum { BLOCK = 4 }; /* pixels along an edge */

static int block_bytes(int format)
{
    switch (format) {
    case VTF_DXT1:
    case VTF_DXT1_ONEBITALPHA:
        return 8;
    case VTF_DXT3:
    case VTF_DXT5:
        return 16;
    default:
        return 0;
    }
}

static int pixel_bytes(int format)
{
    switch (format) {
    case VTF_RGBA16F:
        return 8;
    case VTF_RGBA8888:
    case VTF_ABGR8888:
    case VTF_ARGB8888:
    case VTF_BGRA8888:
    case VTF_BGRX8888:
        return 4;
    case VTF_RGB888:
    case VTF_BGR888:
    case VTF_RGB888_BLUESCREEN:
    case VTF_BGR888_BLUESCREEN:
        return 3;
    case VTF_RGB565:
    case VTF_IA88:
    case VTF_BGR565:
    case VTF_BGRX5551:
    case VTF_BGRA4444:
    case VTF_BGRA5551:
        return 2;
    case VTF_I8:
    case VTF_A8:
        return 1;
    default:
        return 0;
    }
}

uint64_t vtf_picture_size(int format, int width, int height)
{
    int block = block_bytes(format);
    if (block)
        return (uint64_t)((width + BLOCK - 1) / BLOCK) * (uint64_t)((height + BLOCK - 1) / BLOCK) *
               (uint64_t)block;
    return (uint64_t)width * (uint64_t)height * (uint64_t)pixel_bytes(format);
}

static void set(uint8_t rgba[4], unsigned r, unsigned g, unsigned b, unsigned a)
{
    rgba[0] = (uint8_t)r;
    rgba[1] = (uint8_t)g;
    rgba[2] = (uint8_t)b;
    rgba[3] = (uint8_t)a;
}

static unsigned five(unsigned bits)
{
    return (bits & 31) << 3 | (bits & 31) >> 2;
}

static unsigned six(unsigned bits)
{
    return (bits & 63) << 2 | (bits & 63) >> 4;
}

static void blue_screen(uint8_t rgba[4], unsigned r, unsigned g, unsigned b)
{
    if (r == 0 && g == 0 && b == 255)
        set(rgba, 0, 0, 0, 0);
    else
        set(rgba, r, g, b, 255);
}

static void decode_pixel_16(int format, const unsigned char *p, uint8_t rgba[4])
{
    unsigned word = load_u16(p);
    switch (format) {
    case VTF_IA88:
        set(rgba, p[0], p[0], p[0], p[1]);
        break;
    case VTF_RGB565:
        set(rgba, five(word), six(word >> 5), five(word >> 11), 255);
        break;
    case VTF_BGR565:
        set(rgba, five(word >> 11), six(word >> 5), five(word), 255);
        break;
    case VTF_BGRA4444:
        set(rgba, (word >> 8 & 15) * 17, (word >> 4 & 15) * 17, (word & 15) * 17,
            (word >> 12) * 17);
        break;
    default:
        set(rgba, five(word >> 10), five(word >> 5), five(word),
            format == VTF_BGRX5551 || word >> 15 ? 255 : 0);
        break;
    }
}

static void decode_pixel(int format, const unsigned char *p, uint8_t rgba[4])
{
    switch (format) {
    case VTF_RGBA8888:
        set(rgba, p[0], p[1], p[2], p[3]);
        break;
    case VTF_ABGR8888:
        set(rgba, p[3], p[2], p[1], p[0]);
        break;
    case VTF_ARGB8888: /* the name's order of channels is not the stored one */
        set(rgba, p[3], p[0], p[1], p[2]);
        break;
    case VTF_BGRA8888:
        set(rgba, p[2], p[1], p[0], p[3]);
        break;
    case VTF_BGRX8888:
    case VTF_BGR888:
        set(rgba, p[2], p[1], p[0], 255);
        break;
    case VTF_RGB888:
        set(rgba, p[0], p[1], p[2], 255);
        break;
    case VTF_RGB888_BLUESCREEN:
        blue_screen(rgba, p[0], p[1], p[2]);
        break;
    case VTF_BGR888_BLUESCREEN:
        blue_screen(rgba, p[2], p[1], p[0]);
        break;
    case VTF_I8:
        set(rgba, p[0], p[0], p[0], 255);
        break;
    case VTF_A8:
        set(rgba, 0, 0, 0, p[0]);
        break;
    default:
        decode_pixel_16(format, p, rgba);
        break;
    }
}

/* Computes the four colours of a block. Those of DXT3 and DXT5 are always mixed in thirds. */
static void block_colours(const unsigned char *p, bool thirds, uint8_t colours[4][4])
{
    unsigned words[2] = {load_u16(p), load_u16(p + 2)};
    for (int i = 0; i < 2; i++)
        set(colours[i], five(words[i] >> 11), six(words[i] >> 5), five(words[i]), 255);
    thirds = thirds || words[0] > words[1];
    for (int k = 0; k < 3; k++) {
        unsigned a = colours[0][k], b = colours[1][k];
        colours[2][k] = (uint8_t)(thirds ? (2 * a + b) / 3 : (a + b) / 2);
        colours[3][k] = (uint8_t)(thirds ? (a + 2 * b) / 3 : 0);
    }
    colours[2][3] = 255;
    colours[3][3] = thirds ? 255 : 0;
}

static void block_alphas_5(const unsigned char *p, uint8_t alphas[16])
{
    unsigned table[8] = {p[0], p[1]};
    bool eight = p[0] > p[1];
    unsigned steps = eight ? 7 : 5;
    for (unsigned k = 2; k <= steps; k++)
        table[k] = ((steps + 1 - k) * table[0] + (k - 1) * table[1]) / steps;
    if (!eight) {
        table[6] = 0;
        table[7] = 255;
    }
    uint64_t bits = (uint64_t)load_u32(p + 2) | (uint64_t)load_u16(p + 6) << 32;
    for (int i = 0; i < 16; i++)
        alphas[i] = (uint8_t)table[bits >> 3 * i & 7];
}

static void block_alphas(int format, const unsigned char *p, uint8_t alphas[16])
{
    if (format == VTF_DXT5) {
        block_alphas_5(p, alphas);
        return;
    }
    for (int i = 0; i < 16; i++)
        alphas[i] = (uint8_t)((p[i / 2] >> 4 * (i % 2) & 15) * 17);
}

static void decode_block(int format, const unsigned char *p, uint8_t pixels[16][4])
{
    bool wide = block_bytes(format) == 16;
    const unsigned char *colour = wide ? p + 8 : p;
    uint8_t colours[4][4], alphas[16];
    block_colours(colour, wide, colours);
    uint32_t indices = load_u32(colour + 4);
    for (int i = 0; i < 16; i++)
        memcpy(pixels[i], colours[indices >> 2 * i & 3], 4);
    if (wide) {
        block_alphas(format, p, alphas);
        for (int i = 0; i < 16; i++)
            pixels[i][3] = alphas[i];
    }
}

static void decode_blocks(int format, const unsigned char *data, int width, int height,
                          uint8_t *rgba)
{
    uint8_t pixels[16][4];
    for (int y = 0; y < height; y += BLOCK) {
        for (int x = 0; x < width; x += BLOCK) {
            decode_block(format, data, pixels);
            data += block_bytes(format);
            for (int i = 0; i < BLOCK * BLOCK; i++) {
                int px = x + i % BLOCK, py = y + i / BLOCK;
                if (px < width && py < height)
                    memcpy(rgba + 4 * ((size_t)py * (size_t)width + (size_t)px), pixels[i], 4);
            }
        }
    }
}

bool vtf_format_is_light(int format)
{
    return format == VTF_RGBA16F;
}

/* Files have values that are no numbers: they count as black. */
static float half_at(const unsigned char *p)
{
    float value = half_to_float(load_u16(p));
    return value == value ? value : 0;
}

void vtf_decode_light(int format, const unsigned char *data, int width, int height, float *rgba)
{
    size_t count = 4 * (size_t)width * (size_t)height;
    for (size_t i = 0; i < count && vtf_format_is_light(format); i++)
        rgba[i] = half_at(data + 2 * i);
}

static void decode_light_bytes(const unsigned char *data, size_t count, uint8_t *rgba)
{
    struct light_bytes table;
    light_bytes_fill(&table);
    for (size_t i = 0; i < 4 * count; i++) {
        float value = half_at(data + 2 * i);
        rgba[i] = i % 4 < 3 ? light_bytes_of(&table, value) : light_bytes_share(value);
    }
}

void vtf_decode_picture(int format, const unsigned char *data, int width, int height, uint8_t *rgba)
{
    size_t count = (size_t)width * (size_t)height, bytes = (size_t)pixel_bytes(format);
    if (vtf_format_is_light(format)) {
        decode_light_bytes(data, count, rgba);
        return;
    }
    if (block_bytes(format)) {
        decode_blocks(format, data, width, height, rgba);
        return;
    }
    for (size_t i = 0; i < count; i++)
        decode_pixel(format, data + bytes * i, rgba + 4 * i);
}
