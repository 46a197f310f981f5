
#include <string.h>

#include "common/assets/textures/vtf.h"
#include "common/core/bytes.h"
#include "common/core/memory.h"

enum { SIZE_72 = 80, RESOURCE = 8, FLAG_ENVMAP = 0x4000 };

enum coding {
    CODING_BYTE, /* the byte at `at` of a texel */
    CODING_NIBBLE,
    CODING_BIT,
    CODING_U16,
    CODING_HALF,
    CODING_DXT1,
    CODING_DXT3,
    CODING_DXT5
};

/* `unit` is the size of a texel, or of a block of 4 x 4. */
struct layout {
    int format;
    enum coding coding;
    int unit, at;
};

static const struct layout layouts[] = {
    {0, CODING_BYTE, 4, 3},    {1, CODING_BYTE, 4, 0},   {6, CODING_BYTE, 2, 1},
    {8, CODING_BYTE, 1, 0},    {11, CODING_BYTE, 4, 2},  {12, CODING_BYTE, 4, 3},
    {13, CODING_DXT1, 8, 0},   {14, CODING_DXT3, 16, 0}, {15, CODING_DXT5, 16, 0},
    {19, CODING_NIBBLE, 2, 1}, {20, CODING_DXT1, 8, 0},  {21, CODING_BIT, 2, 1},
    {24, CODING_HALF, 8, 6},   {25, CODING_U16, 8, 6},
};

static const struct layout *layout_of(int format)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].format == format)
            return &layouts[i];
    return NULL;
}

static bool is_block(const struct layout *layout)
{
    return layout->coding >= CODING_DXT1;
}

static uint64_t picture_size(const struct layout *layout, int width, int height)
{
    uint64_t w = (uint64_t)width, h = (uint64_t)height;
    if (is_block(layout)) {
        w = (w + 3) / 4;
        h = (h + 3) / 4;
    }
    return w * h * (uint64_t)layout->unit;
}

static int shrunk(int side, int mip)
{
    return side >> mip > 1 ? side >> mip : 1;
}

/* Size of the thumbnail in bytes: DXT1, or 3 bytes per texel. */
static uint64_t thumbnail_size(const unsigned char *p)
{
    int32_t format = (int32_t)load_u32(p + 57);
    uint64_t w = p[61], h = p[62];
    if (format < 0)
        return 0;
    return format == 13 ? (w + 3) / 4 * ((h + 3) / 4) * 8 : w * h * 3;
}

/* Returns the offset of the pictures, or `size` when it is unknown. */
static uint64_t image_start(const struct vtf_header *header, const unsigned char *p, size_t size)
{
    uint64_t start = load_u32(p + 12);
    if (header->minor < 3)
        return start + thumbnail_size(p);
    uint32_t count = load_u32(p + 68);
    for (uint32_t i = 0; i < count && SIZE_72 + ((size_t)i + 1) * RESOURCE <= size; i++) {
        const unsigned char *resource = p + SIZE_72 + (size_t)i * RESOURCE;
        if (memcmp(resource, "\x30\0\0", 3) == 0)
            return load_u32(resource + 4);
    }
    return size;
}

/* The largest mip level comes last. */
static const unsigned char *find_picture(const struct vtf_header *header,
                                         const struct layout *layout, const unsigned char *p,
                                         size_t size)
{
    uint64_t copies = (uint64_t)header->frames * (uint64_t)header->depth;
    uint64_t at = image_start(header, p, size);
    for (int mip = header->mips - 1; mip > 0; mip--)
        at +=
            copies * picture_size(layout, shrunk(header->width, mip), shrunk(header->height, mip));
    uint64_t need = picture_size(layout, header->width, header->height);
    return at <= size && need <= size - at ? p + at : NULL;
}

static unsigned char half_alpha(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 1023;
    if (half & 0x8000 || exponent == 0)
        return 0;
    if (exponent >= 15) /* 1 and more */
        return 255;
    return (unsigned char)((1024 + fraction) * 255 >> (10 + 15 - exponent));
}

static unsigned char texel_alpha(const struct layout *layout, const unsigned char *texel)
{
    unsigned char byte = texel[layout->at];
    switch (layout->coding) {
    case CODING_NIBBLE:
        return (unsigned char)((byte >> 4) * 17);
    case CODING_BIT:
        return byte & 0x80 ? 255 : 0;
    case CODING_U16:
        return texel[layout->at + 1];
    case CODING_HALF:
        return half_alpha(load_u16(texel + layout->at));
    default:
        return byte;
    }
}

static void dxt5_palette(const unsigned char *block, unsigned char palette[8])
{
    int a = block[0], b = block[1];
    palette[0] = (unsigned char)a;
    palette[1] = (unsigned char)b;
    for (int k = 2; k < 8; k++)
        palette[k] = (unsigned char)(a > b ? ((8 - k) * a + (k - 1) * b) / 7
                                           : ((6 - k) * a + (k - 1) * b) / 5);
    if (a <= b) {
        palette[6] = 0;
        palette[7] = 255;
    }
}

/* Decodes the alpha of the 16 texels of a block. */
static void block_alpha(const struct layout *layout, const unsigned char *block,
                        unsigned char out[16])
{
    if (layout->coding == CODING_DXT1) {
        bool cut_out = load_u16(block) <= load_u16(block + 2);
        uint32_t bits = load_u32(block + 4);
        for (int i = 0; i < 16; i++)
            out[i] = cut_out && (bits >> 2 * i & 3) == 3 ? 0 : 255;
    } else if (layout->coding == CODING_DXT3) {
        for (int i = 0; i < 16; i++)
            out[i] = (unsigned char)((block[i / 2] >> 4 * (i % 2) & 15) * 17);
    } else {
        unsigned char palette[8];
        dxt5_palette(block, palette);
        uint64_t bits = 0;
        for (int i = 0; i < 6; i++)
            bits |= (uint64_t)block[2 + i] << 8 * i;
        for (int i = 0; i < 16; i++)
            out[i] = palette[bits >> 3 * i & 7];
    }
}

static void decode_blocks(const struct layout *layout, const unsigned char *from,
                          struct vtf_alpha *out)
{
    int across = (out->width + 3) / 4, along = (out->height + 3) / 4;
    for (int i = 0; i < across * along; i++) {
        unsigned char block[16];
        block_alpha(layout, from + (size_t)i * (size_t)layout->unit, block);
        for (int k = 0; k < 16; k++) {
            int x = i % across * 4 + k % 4, y = i / across * 4 + k / 4;
            if (x < out->width && y < out->height)
                out->texels[(size_t)y * (size_t)out->width + (size_t)x] = block[k];
        }
    }
}

bool vtf_alpha_read(const void *data, size_t size, struct vtf_alpha *out)
{
    struct vtf_header header;
    *out = (struct vtf_alpha){0};
    if (!vtf_read_header(data, size, &header) || header.flags & FLAG_ENVMAP)
        return false;
    const struct layout *layout = layout_of(header.format);
    const unsigned char *from = layout ? find_picture(&header, layout, data, size) : NULL;
    if (!from)
        return false;
    size_t count = (size_t)header.width * (size_t)header.height;
    *out = (struct vtf_alpha){header.width, header.height, memory_alloc(count)};
    if (is_block(layout))
        decode_blocks(layout, from, out);
    else
        for (size_t i = 0; i < count; i++)
            out->texels[i] = texel_alpha(layout, from + i * (size_t)layout->unit);
    return true;
}
