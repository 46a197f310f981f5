#include "common/assets/textures/vtf_image.h"

#include "common/assets/textures/vtf_pixels.h"
#include "common/core/bytes.h"
#include "common/core/memory.h"

enum {
    FLAG_ENVMAP = 0x4000,
    DIRECTORY = 80, /* of 7.3 and later: tag and value, 8 bytes each */
    TAG_IMAGE = 0x30,
    MOST_RESOURCES = 32,
    THUMBNAIL_FORMAT = 57,
};

struct finder {
    const unsigned char *data;
    size_t size;
    struct vtf_header header;
};

/* Where the pictures begin: behind the thumbnail, or where the directory says. 0: nowhere. */
static uint64_t pictures_start(const struct finder *finder)
{
    const unsigned char *p = finder->data;
    uint64_t header_size = load_u32(p + 12);
    if (finder->header.minor < 3) {
        int format = (int)(int32_t)load_u32(p + THUMBNAIL_FORMAT);
        return header_size + (format < 0 ? 0 : vtf_picture_size(format, p[61], p[62]));
    }
    uint32_t count = load_u32(p + 68);
    if (count > MOST_RESOURCES || DIRECTORY + 8 * (size_t)count > finder->size)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *entry = p + DIRECTORY + 8 * (size_t)i;
        if (entry[0] == TAG_IMAGE && !entry[1] && !entry[2])
            return load_u32(entry + 4);
    }
    return 0;
}

static int halved(int side, int mip)
{
    return side >> mip > 0 ? side >> mip : 1;
}

/* Bytes of all frames and slices of a mip; the smaller the mip, the earlier it stands. */
static uint64_t mip_size(const struct vtf_header *header, int mip)
{
    return vtf_picture_size(header->format, halved(header->width, mip),
                            halved(header->height, mip)) *
           (uint64_t)header->frames * (uint64_t)halved(header->depth, mip);
}

bool vtf_read_image(const void *data, size_t size, int most, struct vtf_image *out)
{
    struct finder finder = {.data = data, .size = size};
    struct vtf_header *header = &finder.header;
    *out = (struct vtf_image){0};
    if (!vtf_read_header(data, size, header) || header->flags & FLAG_ENVMAP ||
        !vtf_picture_size(header->format, 1, 1))
        return false;
    int mip = 0;
    while (mip + 1 < header->mips &&
           (halved(header->width, mip) > most || halved(header->height, mip) > most))
        mip++;
    uint64_t at = pictures_start(&finder);
    if (at == 0)
        return false;
    for (int i = header->mips - 1; i > mip; i--)
        at += mip_size(header, i);
    int width = halved(header->width, mip), height = halved(header->height, mip);
    uint64_t bytes = vtf_picture_size(header->format, width, height);
    if (at > size || bytes > size - at)
        return false;
    out->width = width;
    out->height = height;
    out->rgba = memory_alloc((size_t)width * (size_t)height * 4);
    vtf_decode_picture(header->format, finder.data + at, width, height, out->rgba);
    return true;
}

void vtf_image_free(struct vtf_image *image)
{
    memory_free(image->rgba);
    *image = (struct vtf_image){0};
}
