/* The table of targets, and the lump order and versions of Valve's tools of each branch: measured
 * on their maps, including empty lumps, which keep the running offset. */
#include "common/bsp/codec/codec.h"
#include "common/bsp/engine.h"
#include "common/core/strings.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const uint8_t order19[] = {1,  10, 3,  5,  6,  2,  26, 33, 34, 48, 47, 37, 38, 39, 7,
                                  27, 18, 19, 16, 17, 13, 12, 14, 20, 21, 8,  4,  0,  15, 32,
                                  36, 9,  41, 42, 43, 44, 45, 29, 49, 30, 31, 46, 35, 40};
static const uint8_t order2007[] = {1,  10, 56, 55, 3,  5,  6,  2,  26, 33, 34, 48, 47,
                                    37, 38, 39, 7,  58, 27, 18, 19, 16, 17, 13, 12, 14,
                                    20, 21, 8,  53, 4,  0,  15, 54, 36, 9,  59, 41, 42,
                                    43, 44, 45, 50, 29, 30, 31, 46, 51, 52, 35, 40};
static const uint8_t order2013[] = {1,  10, 56, 52, 51, 55, 3,  5,  6,  2,  26, 33, 48, 34,
                                    47, 37, 38, 39, 7,  58, 11, 27, 18, 19, 16, 17, 13, 12,
                                    14, 20, 21, 8,  53, 4,  0,  15, 54, 36, 9,  59, 41, 42,
                                    43, 44, 45, 50, 60, 29, 28, 30, 31, 46, 35, 40};
static const uint8_t order21[] = {59, 6,  2,  43, 44, 10, 17, 1,  18, 19, 14, 5,  20, 21, 4,
                                  0,  29, 26, 3,  12, 13, 7,  58, 33, 48, 63, 28, 9,  8,  53,
                                  37, 38, 39, 30, 31, 56, 52, 51, 55, 16, 36, 45, 50, 60, 61,
                                  46, 41, 42, 15, 34, 54, 47, 11, 22, 23, 27, 35, 40};
static const uint8_t order_l4d2[] = {59, 6,  2,  43, 44, 10, 17, 1,  18, 19, 14, 5,  20, 21, 4,
                                     0,  29, 26, 3,  12, 13, 7,  58, 33, 48, 28, 9,  8,  53, 37,
                                     38, 39, 30, 31, 51, 52, 55, 56, 16, 36, 45, 50, 60, 61, 46,
                                     15, 34, 41, 42, 54, 47, 11, 27, 22, 23, 35, 40};

/* Of q3map2 in all its versions. */
static const uint8_t order46[] = {1, 2, 4, 3, 8, 9, 5, 6, 7, 10, 13, 16, 14, 15, 0, 12, 11};

#define VBSP(target, version, entry, ambient, worldlight, props, read_only, order, codec)          \
    {target, "VBSP " #version, &engine_source, entry,        version,     ambient,     worldlight, \
     props,  read_only,        order,          COUNT(order), vbsp_limits, VBSP_LIMITS, &(codec)}

/* The first row of a file version is the default for it; the first of all is the default. */
static const struct bsp_format formats[] = {
    VBSP("sdk2013", 20, ENTRY_OFFSET_FIRST, AMBIENT_INDEXED, 0, 10, false, order2013, vbsp_codec),
    VBSP("tf2", 20, ENTRY_OFFSET_FIRST, AMBIENT_INDEXED, 0, 10, false, order2013, vbsp_codec),
    VBSP("sdk2013sp", 20, ENTRY_OFFSET_FIRST, AMBIENT_INDEXED, 0, 6, false, order2013, vbsp_codec),
    VBSP("source2007", 20, ENTRY_OFFSET_FIRST, AMBIENT_A_LEAF, 0, 5, false, order2007, vbsp_codec),
    VBSP("css19", 19, ENTRY_OFFSET_FIRST, AMBIENT_IN_LEAF, 0, 5, false, order19, vbsp_codec),
    VBSP("portal2", 21, ENTRY_OFFSET_FIRST, AMBIENT_INDEXED, 1, 9, false, order21, vbsp21_codec),
    VBSP("csgo", 21, ENTRY_OFFSET_FIRST, AMBIENT_INDEXED, 1, 11, false, order21, vbsp21_codec),
    VBSP("l4d2", 21, ENTRY_VERSION_FIRST, AMBIENT_INDEXED, 1, 9, false, order_l4d2, vbsp21_codec),
    VBSP("beta", 18, ENTRY_OFFSET_FIRST, AMBIENT_IN_LEAF, 0, 4, true, order19, vbsp_codec),
    VBSP("vampire", 17, ENTRY_OFFSET_FIRST, AMBIENT_NONE, 0, 4, true, order19, vbsp17_codec),
    {"quake3", "IBSP 46", &engine_quake3, ENTRY_SHORT, 46, AMBIENT_NONE, 0, 0, false, order46,
     COUNT(order46), ibsp_limits, IBSP_LIMITS, &ibsp46_codec},
};

const struct bsp_format *bsp_format_at(size_t index)
{
    return index < COUNT(formats) ? &formats[index] : NULL;
}

const struct bsp_format *bsp_format_find(const char *target)
{
    const struct bsp_format *format;
    for (size_t i = 0; (format = bsp_format_at(i)); i++)
        if (str_equal_nocase(format->target, target))
            return format;
    return NULL;
}

int32_t vbsp_usual_version(const struct bsp_format *format, int lump)
{
    switch (lump) {
    case LUMP_FACES:
    case LUMP_LIGHTING:
        return 1;
    case LUMP_LEAFS:
    case LUMP_LIGHTING_HDR:
    case LUMP_LEAFAMBIENT_HDR:
    case LUMP_LEAFAMBIENT:
    case LUMP_FACES_HDR:
        return format->version >= 20;
    case LUMP_WORLDLIGHTS:
    case LUMP_WORLDLIGHTS_HDR:
        return format->worldlight_version;
    case LUMP_OCCLUSION:
        return 2;
    default:
        return 0;
    }
}
