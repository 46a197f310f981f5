#include "common/assets/textures/vtf.h"

#include <math.h>
#include <string.h>

#include "common/core/bytes.h"

/* Up to 7.1 the header ends after the thumbnail's size; 7.2 adds the depth. */
#define SIZE_70     64
#define SIZE_72     80
#define LAST_MINOR  6
#define LAST_FORMAT 70 /* games after those that we know added some; none is near this */
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
