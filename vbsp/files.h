/* What stands around vbsp_run in a program: which files, the source read, the results written. */
#ifndef VBSP_FILES_H
#define VBSP_FILES_H

#include "vbsp/vbsp.h"

struct vbsp_files {
    const char *source;
    const char *bsp;
    /* Beside the BSP; NULL when that is standard output. */
    const char *prt, *lin, *srf;
};

/* `output` is NULL or what -o named. Reports (USAGE) when the source would be overwritten. */
NODISCARD enum status vbsp_files_find(const struct env *env, const char *operand,
                                      const char *output, struct arena *arena,
                                      struct vbsp_files *out);

/* The extension of a source: ".vmm", ".map" or ".reg" where it has that, else ".vmf". */
const char *vbsp_source_extension(const char *path);

/* Reads and parses a VMF, a manifest (.vmm) or a MAP (.map, .reg, or text that begins as one and
 * is not called .vmf); free with map_source_free. */
NODISCARD enum status vbsp_read_source(const struct env *env, const char *path,
                                       struct map_source *out);

/* The pakfile lump of the BSP that an earlier run left; empty when there is none. */
NODISCARD enum status vbsp_read_old_pakfile(const struct env *env, const struct vbsp_files *files,
                                            struct bytes *out);

/* Writes the BSP and beside it notes on its surfaces if there are any, the portals unless the map
 * leaks, and the way of a leak or around an areaportal when there is one; removes what an earlier
 * run left and does not hold any more. Nothing is written when the format's limits are passed. Each
 * file is replaced whole. */
NODISCARD enum status vbsp_write_output(const struct env *env, const struct vbsp_files *files,
                                        const struct bsp_format *format,
                                        const struct vbsp_output *output);

#endif
