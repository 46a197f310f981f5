#include "common/bsp/codec/map_flags.h"

#include <string.h>

#include "common/bsp/lumps/prop_lighting.h"
#include "common/core/array.h"

static const char *const names[] = {"LDR prop lighting", "HDR prop lighting"};

uint32_t map_flags_of_files(const struct pakfile *pakfile)
{
    uint32_t flags = 0;
    for (size_t i = 0; i < arrlenu(pakfile->files); i++) {
        enum prop_lighting kind;
        size_t prop;
        if (!prop_lighting_parse(pakfile->files[i].name, &kind, &prop))
            continue;
        if (kind == PROP_LIGHTING_LDR)
            flags |= MAP_FLAG_PROPS_LDR;
        else if (kind == PROP_LIGHTING_HDR)
            flags |= MAP_FLAG_PROPS_HDR;
    }
    return flags;
}

bool bsp_format_has_lump(const struct bsp_format *format, int lump)
{
    return format->order_count && memchr(format->order, lump, format->order_count);
}

/* A BSP without a format is a new one, whose writer leaves out lumps that its target lacks. */
static bool has_flags(const struct bsp *bsp)
{
    return !bsp->format || bsp_format_has_lump(bsp->format, LUMP_MAPFLAGS);
}

void map_flags_follow(struct bsp *bsp, uint32_t before, uint32_t now)
{
    uint32_t changed = (before ^ now) & MAP_FLAGS_OF_FILES;
    if (has_flags(bsp))
        bsp->map_flags = (bsp->map_flags & ~changed) | (now & changed);
}

void map_flags_from_files(struct bsp *bsp)
{
    struct diag *quiet = diag_new(NULL, NULL);
    struct pakfile pakfile;
    bsp->map_flags = 0;
    if (pakfile_decode(&bsp->pakfile, NULL, quiet, &pakfile) == STATUS_OK) {
        bsp->map_flags = map_flags_of_files(&pakfile);
        pakfile_free(&pakfile);
    }
    diag_free(quiet);
}

const char *map_flag_name(int bit)
{
    return bit >= 0 && (size_t)bit < sizeof names / sizeof *names ? names[bit] : NULL;
}
