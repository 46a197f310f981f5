/* The table of targets, and the lump order and versions of Valve's tools of each branch: measured
 * on their maps, including empty lumps, which keep the running offset. */
#include "common/bsp/codec/codec.h"
#include "common/bsp/engine.h"
#include "common/core/strings.h"

#define ENGINE(row, ...) extern const struct engine engine_##row;
#include "common/bsp/codec/limit_tables.h"
#include "common/bsp/engines.def"
#undef ENGINE

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
static const uint8_t order25[] = {59, 6,  2,  43, 44, 10, 17, 1,  18, 19, 14, 5,  20, 21, 4,
                                  0,  29, 26, 62, 3,  12, 13, 7,  58, 33, 48, 63, 28, 9,  8,
                                  53, 37, 38, 39, 30, 31, 56, 52, 51, 55, 16, 36, 45, 50, 60,
                                  61, 46, 41, 42, 15, 34, 54, 47, 11, 22, 23, 27, 35, 40};
static const uint8_t order_l4d2[] = {59, 6,  2,  43, 44, 10, 17, 1,  18, 19, 14, 5,  20, 21, 4,
                                     0,  29, 26, 3,  12, 13, 7,  58, 33, 48, 28, 9,  8,  53, 37,
                                     38, 39, 30, 31, 51, 52, 55, 56, 16, 36, 45, 50, 60, 61, 46,
                                     15, 34, 41, 42, 54, 47, 11, 27, 22, 23, 35, 40};

/* Of q3map2 in all its versions. */
static const uint8_t order46[] = {1, 2, 4, 3, 8, 9, 5, 6, 7, 10, 13, 16, 14, 15, 0, 12, 11};

/* The array of the light grid is beside its points. */
static const uint8_t order_rbsp[] = {1, 2, 4, 3, 8, 9, 5, 6, 7, 10, 13, 16, 14, 15, 17, 0, 12, 11};

#define OTHERS(limits) .own_limits = (limits), .own_limit_count = COUNT(limits)
#define OWN_SERVER     .spawns_without_model = true
#define BASE           .own_limits = NULL /* the limits of the family */

#define VBSP_FILE(n, first_entry, order_of, codec_of)                                              \
    .title = "VBSP " #n, .engine = &engine_source, .version = (n), .entry = ENTRY_##first_entry,   \
    .order = (order_of), .order_count = COUNT(order_of), .codec = &(codec_of),                     \
    .limits = vbsp_limits, .limit_count = VBSP_LIMITS
#define VBSP_LIGHT(form, worldlights) .ambient = AMBIENT_##form, .worldlight_version = (worldlights)

#define VBSP17   VBSP_FILE(17, OFFSET_FIRST, order19, vbsp17_codec), VBSP_LIGHT(NONE, 0)
#define VBSP18   VBSP_FILE(18, OFFSET_FIRST, order19, vbsp_codec), VBSP_LIGHT(IN_LEAF, 0)
#define VBSP19   VBSP_FILE(19, OFFSET_FIRST, order19, vbsp_codec), VBSP_LIGHT(IN_LEAF, 0)
#define VBSP2007 VBSP_FILE(20, OFFSET_FIRST, order2007, vbsp_codec), VBSP_LIGHT(A_LEAF, 0)
#define VBSP20   VBSP_FILE(20, OFFSET_FIRST, order2013, vbsp_codec), VBSP_LIGHT(INDEXED, 0)
#define VBSP21   VBSP_FILE(21, OFFSET_FIRST, order21, vbsp21_codec), VBSP_LIGHT(INDEXED, 1)
#define VBSP25   VBSP_FILE(25, OFFSET_FIRST, order25, vbsp25_codec), VBSP_LIGHT(INDEXED, 1)
#define VBSPL4D2 VBSP_FILE(21, VERSION_FIRST, order_l4d2, vbsp21_codec), VBSP_LIGHT(INDEXED, 1)

#define IBSP_FILE(n, row)                                                                          \
    .title = "IBSP " #n, .engine = &engine_##row, .version = (n), .entry = ENTRY_SHORT,            \
    .order = order46, .order_count = COUNT(order46), .codec = &ibsp46_codec,                       \
    .limits = ibsp_limits, .limit_count = IBSP_LIMITS, .ambient = AMBIENT_NONE

#define RBSP_FILE(name_of, row, codec_of)                                                          \
    .title = (name_of), .engine = &engine_##row, .version = 1, .entry = ENTRY_SHORT,               \
    .order = order_rbsp, .order_count = COUNT(order_rbsp), .codec = &(codec_of),                   \
    .limits = ibsp_limits, .limit_count = IBSP_LIMITS, .ambient = AMBIENT_NONE

/* The first row of a file version is the default for it; the first of all is the default. Strata
 * Source, the engine of Momentum, goes on from Portal 2 and CS:GO and writes version 25; momentum
 * is the file of CS:GO, version 21. */
static const struct bsp_format formats[] = {
    {.target = "sdk2013", VBSP20, .plays_lzma = true, .static_prop_version = 10, BASE},
    {.target = "tf2", VBSP20, .plays_lzma = true, .static_prop_version = 10, BASE},
    {.target = "gmod", VBSP20, .static_prop_version = 10, OTHERS(vbsp_limits_gmod)},
    {.target = "sdk2013sp", VBSP20, .plays_lzma = true, .static_prop_version = 6, BASE},
    {.target = "mapbase",
     VBSP20,
     .plays_lzma = true,
     .static_prop_version = 6,
     .escapes = ESCAPES_LINE_BREAKS,
     BASE},
    {.target = "source2007", VBSP2007, .static_prop_version = 5, BASE},
    {.target = "css19", VBSP19, .static_prop_version = 5, OTHERS(vbsp_limits_2004)},
    {.target = "portal2",
     VBSP21,
     .brush_worlds = true,
     .static_prop_version = 9,
     OTHERS(vbsp_limits_swarm)},
    {.target = "csgo", VBSP21, .static_prop_version = 11, OTHERS(vbsp_limits_swarm)},
    {.target = "momentum", VBSP21, .static_prop_version = 11, OTHERS(vbsp_limits_swarm)},
    {.target = "l4d2", VBSPL4D2, .static_prop_version = 9, BASE},
    {.target = "beta", VBSP18, .static_prop_version = 4, .read_only = true, BASE},
    {.target = "vampire", VBSP17, .static_prop_version = 4, .read_only = true, BASE},
    {.target = "strata",
     VBSP25,
     .static_prop_version = 12,
     .escapes = ESCAPES_QUOTES,
     OTHERS(vbsp_limits_25)},
    {.target = "quake3", IBSP_FILE(46, quake3), BASE},
    {.target = "openarena", IBSP_FILE(46, quake3), BASE},
    {.target = "xonotic", IBSP_FILE(46, quake3), OWN_SERVER, OTHERS(ibsp_limits_darkplaces)},
    {.target = "unvanquished", IBSP_FILE(46, unvanquished), OWN_SERVER, BASE},
    {.target = "urbanterror", IBSP_FILE(46, quake3), BASE},
    {.target = "smokinguns", IBSP_FILE(46, smokinguns), BASE},
    {.target = "padman", IBSP_FILE(46, quake3), BASE},
    {.target = "tremulous", IBSP_FILE(46, tremulous), BASE},
    {.target = "elite", IBSP_FILE(46, elite), BASE},
    {.target = "reaction", IBSP_FILE(46, reaction), BASE},
    {.target = "wolf", IBSP_FILE(47, wolf), BASE},
    {.target = "et", IBSP_FILE(47, wolf), BASE},
    {.target = "quakelive", IBSP_FILE(47, quakelive), BASE},
    {.target = "ja", RBSP_FILE("RBSP 1", raven, rbsp_codec), BASE},
    {.target = "jk2", RBSP_FILE("RBSP 1", raven, rbsp_codec), BASE},
    {.target = "sof2", RBSP_FILE("RBSP 1", raven, rbsp_codec), BASE},
    {.target = "warsow", RBSP_FILE("FBSP 1", qfusion, fbsp_codec), OWN_SERVER, BASE},
    {.target = "warfork", RBSP_FILE("FBSP 1", qfusion, fbsp_codec), OWN_SERVER, BASE},
};

const struct bsp_format *bsp_format_at(size_t index)
{
    return index < COUNT(formats) ? &formats[index] : NULL;
}

const char *bsp_target_at(size_t index)
{
    return index < COUNT(formats) ? formats[index].target : NULL;
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
    if (format->codec->versions)
        return format->codec->versions[lump];
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
