/* Makes a BSP with what is seen of a BM file, for pictures and models: all triangles as they are,
 * each object a brush entity at its place. It has neither a tree nor solids. */
#ifndef BALLANCE_LEVEL_BMX_DRAWN_H
#define BALLANCE_LEVEL_BMX_DRAWN_H

#include "ballance/level/bmx_level.h"
#include "common/bsp/bsp.h"

/* Reads a file of any bytes. Hidden objects have a material that only pictures with tools show.
 * `name` is that of the level, in names of materials. The files are textures and shaders. Fails,
 * reported at `file`, when it has errors. Free with bsp_free and bmx_level_files_free. */
NODISCARD enum status bmx_drawn_read(const void *data, size_t size, const char *name,
                                     const char *file, struct diag *diag, struct bsp **out,
                                     struct bmx_level_files *files);

#endif
