/* The map flags (lump 59): what the engine is to know before it looks for packed files. Targets
 * without the lump have none. */
#ifndef BSP_CODEC_MAP_FLAGS_H
#define BSP_CODEC_MAP_FLAGS_H

#include "common/bsp/codec/format.h"
#include "common/bsp/lumps/pakfile.h"

/* The pakfile has baked vertex lighting of static props, of either set. */
enum { MAP_FLAG_PROPS_LDR = 1, MAP_FLAG_PROPS_HDR = 2 };
#define MAP_FLAGS_OF_FILES ((uint32_t)(MAP_FLAG_PROPS_LDR | MAP_FLAG_PROPS_HDR))

/* The flags that stand for files, as these files have them. */
uint32_t map_flags_of_files(const struct pakfile *pakfile);

/* Takes over which of these flags a change of the pakfile has set or cleared; others are kept, also
 * those that were at odds with the files before. */
void map_flags_follow(struct bsp *bsp, uint32_t before, uint32_t now);

/* Sets the flags to what the files of a map say, as one without the lump has none. An unreadable
 * pakfile has none. */
void map_flags_from_files(struct bsp *bsp);

/* Name of a flag for reports ("LDR prop lighting"), or NULL. `bit` counts from 0. */
const char *map_flag_name(int bit);

/* Returns true when new files of the format have the lump. */
bool bsp_format_has_lump(const struct bsp_format *format, int lump);

#endif
