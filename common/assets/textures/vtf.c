#include "common/assets/textures/vtf.h"

#include <math.h>
#include <string.h>

#include "common/assets/textures/vtf_pixels.h"
#include "common/core/bytes.h"
#include "common/core/memory.h"

/* Up to 7.1 the header ends after the thumbnail's size; 7.2 adds the depth. */
#define SIZE_70     64
#define SIZE_72     80
#define LAST_MINOR  6
#define LAST_FORMAT 70 /* later games added a few formats; none has a number near this */
#define MAX_SIDE    32768

static bool is_sane(const struct vtf_header *header)
{
    for (int i = 0; i < 3; i++)
        if (!isfinite(header->reflectivity[i]))
            return false;
    return header->major == 7 && header->minor <= LAST_MINOR && header->width >= 1 &&
           header->width <= MAX_SIDE && header->height >= 1 && header->height <= MAX_SIDE &&
           header->depth <= MAX_SIDE && header->frames >= 1 && header->mips >= 1 &&
           header->mips <= 16 && header->format >= 0 && header->format <= LAST_FORMAT;
}

bool vtf_read_header(const void *data, size_t size, struct vtf_header *out)
{
    const unsigned char *p = data;
    if (size < SIZE_70 || memcmp(p, "VTF\0", 4) != 0)
        return false;
    uint32_t major = load_u32(p + 4), minor = load_u32(p + 8);
    if (major > INT16_MAX || minor > INT16_MAX)
        return false;
    struct vtf_header header = {
        .major = (int)major,
        .minor = (int)minor,
        .width = load_u16(p + 16),
        .height = load_u16(p + 18),
        .depth = 1,
        .frames = load_u16(p + 24),
        .mips = p[56],
        .format = (int)(int32_t)load_u32(p + 52),
        .flags = load_u32(p + 20),
    };
    for (int i = 0; i < 3; i++)
        header.reflectivity[i] = load_f32(p + 32 + 4 * i);
    if (minor >= 2) {
        if (size < SIZE_72)
            return false;
        uint16_t depth = load_u16(p + 63);
        header.depth = depth ? depth : 1;
    }
    if (load_u32(p + 12) < (minor >= 2 ? SIZE_72 : SIZE_70) || !is_sane(&header))
        return false;
    *out = header;
    return true;
}

enum {
    FLAG_ENVMAP = 0x4000,
    DIRECTORY = 80, /* of 7.3 and later: tag and value, 8 bytes each */
    TAG_IMAGE = 0x30,
    MAX_RESOURCES = 32,
    THUMBNAIL_FORMAT = 57,
    CUBE_FACES = 6,
    FIRST_WITHOUT_SPHERE = 5, /* minor version */
};

struct finder {
    const unsigned char *data;
    size_t size;
    struct vtf_header header;
};

/* Returns the offset of the pictures: after the thumbnail, or from the directory. 0: none. */
static uint64_t pictures_start(const struct finder *finder)
{
    const unsigned char *p = finder->data;
    uint64_t header_size = load_u32(p + 12);
    if (finder->header.minor < 3) {
        int format = (int)(int32_t)load_u32(p + THUMBNAIL_FORMAT);
        return header_size + (format < 0 ? 0 : vtf_picture_size(format, p[61], p[62]));
    }
    uint32_t count = load_u32(p + 68);
    if (count > MAX_RESOURCES || DIRECTORY + 8 * (size_t)count > finder->size)
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

/* Products of sizes stay at this, which is more than any file has; sums of a few fit. */
#define TOO_LARGE ((uint64_t)1 << 58)

static uint64_t times(uint64_t a, int b)
{
    return b > 0 && a > TOO_LARGE / (uint64_t)b ? TOO_LARGE : a * (uint64_t)b;
}

/* Size of all pictures of a mip level in bytes; smaller levels come first. */
static uint64_t mip_size(const struct vtf_header *header, int faces, int mip)
{
    uint64_t picture =
        vtf_picture_size(header->format, halved(header->width, mip), halved(header->height, mip));
    return times(times(times(picture, header->frames), faces), halved(header->depth, mip));
}

static uint64_t end_of_pictures(const struct finder *finder, int faces)
{
    uint64_t at = pictures_start(finder);
    for (int i = 0; i < finder->header.mips; i++)
        at += mip_size(&finder->header, faces, i);
    return at;
}

static int face_count(const struct finder *finder)
{
    if (!(finder->header.flags & FLAG_ENVMAP))
        return 1;
    bool sphere = finder->header.minor < FIRST_WITHOUT_SPHERE &&
                  end_of_pictures(finder, CUBE_FACES + 1) <= finder->size;
    return CUBE_FACES + sphere;
}

int vtf_face_count(const void *data, size_t size, const struct vtf_header *header)
{
    return face_count(&(struct finder){data, size, *header});
}

/* Returns the bytes of a picture, or NULL. */
static const unsigned char *find_picture(const struct finder *finder, struct vtf_place place)
{
    const struct vtf_header *header = &finder->header;
    uint64_t at = pictures_start(finder);
    int faces = face_count(finder), slices = halved(header->depth, place.mip);
    if (at == 0 || place.mip < 0 || place.mip >= header->mips || place.frame < 0 ||
        place.frame >= header->frames || place.face < 0 || place.face >= faces)
        return NULL;
    for (int i = header->mips - 1; i > place.mip; i--)
        at += mip_size(header, faces, i);
    uint64_t bytes = vtf_picture_size(header->format, halved(header->width, place.mip),
                                      halved(header->height, place.mip));
    at += times(times(bytes, slices), place.frame * faces + place.face);
    bool inside = bytes && at <= finder->size && bytes <= finder->size - at;
    return inside ? finder->data + at : NULL;
}

bool vtf_read_picture(const void *data, size_t size, struct vtf_place place, struct vtf_image *out)
{
    struct finder finder = {.data = data, .size = size};
    const struct vtf_header *header = &finder.header;
    *out = (struct vtf_image){0};
    if (!vtf_read_header(data, size, &finder.header))
        return false;
    const unsigned char *from = find_picture(&finder, place);
    if (!from)
        return false;
    out->width = halved(header->width, place.mip);
    out->height = halved(header->height, place.mip);
    out->rgba = memory_alloc((size_t)out->width * (size_t)out->height * 4);
    vtf_decode_picture(header->format, from, out->width, out->height, out->rgba);
    return true;
}

float *vtf_read_light(const void *data, size_t size, struct vtf_place place, int *width,
                      int *height)
{
    struct finder finder = {.data = data, .size = size};
    const struct vtf_header *header = &finder.header;
    if (!vtf_read_header(data, size, &finder.header) || !vtf_format_is_light(header->format))
        return NULL;
    const unsigned char *from = find_picture(&finder, place);
    if (!from)
        return NULL;
    *width = halved(header->width, place.mip);
    *height = halved(header->height, place.mip);
    float *light = memory_alloc((size_t)*width * (size_t)*height * 4 * sizeof *light);
    vtf_decode_light(header->format, from, *width, *height, light);
    return light;
}

bool vtf_read_image(const void *data, size_t size, int max, struct vtf_image *out)
{
    struct vtf_header header;
    struct vtf_place place = {0};
    *out = (struct vtf_image){0};
    if (!vtf_read_header(data, size, &header) || header.flags & FLAG_ENVMAP ||
        vtf_format_is_light(header.format))
        return false;
    while (place.mip + 1 < header.mips &&
           (halved(header.width, place.mip) > max || halved(header.height, place.mip) > max))
        place.mip++;
    return vtf_read_picture(data, size, place, out);
}

void vtf_image_free(struct vtf_image *image)
{
    memory_free(image->rgba);
    *image = (struct vtf_image){0};
}
