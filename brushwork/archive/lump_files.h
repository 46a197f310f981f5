/* Internal: lumps of a Quake 3 BSP as files in a folder, for pack and unpack: JSON (lump_json.h),
 * or the pages of its lightmaps as images (lm_0000.tga ...). */
#ifndef BRUSHWORK_ARCHIVE_LUMP_FILES_H
#define BRUSHWORK_ARCHIVE_LUMP_FILES_H

#include "common/bsp/bsp.h"
#include "common/env.h"

enum lump_files { LUMP_FILES_JSON, LUMP_FILES_LIGHTMAPS };

/* Writes the files into the folder, which is made; *count becomes their number. Existing ones are
 * only replaced if `force` is set (PAK_TARGET), and symbolic links never (PAK_LINK). */
NODISCARD enum status lump_files_write(const struct env *env, struct bsp *bsp, enum lump_files kind,
                                       const char *path, const char *folder, bool force,
                                       size_t *count);

/* Replaces the lumps, or pages, of which the folder has a file; at least one (LUMP_FILE). The BSP
 * is then as sound as one that was read from a file. */
NODISCARD enum status lump_files_read(const struct env *env, struct bsp *bsp, enum lump_files kind,
                                      const char *path, const char *folder, size_t *count);

#endif
