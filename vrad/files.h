/* The program vrad, and the files beside a map that it reads. */
#ifndef VRAD_FILES_H
#define VRAD_FILES_H

#include "common/bsp/sidecar/surface_notes.h"
#include "common/cli/program.h"
#include "common/core/arena.h"
#include "common/env.h"
#include "common/farm/farm.h"

/* The program vrad. */
program_main vrad_program;

/* Those of its stages that other ranks do. */
extern const struct farm_stage vrad_farm_stages[];

/* Returns MAP.rad beside the map at `path`, a BSP or its source by `extension` (".bsp"), or NULL
 * when there is none. In the arena. */
const char *vrad_map_rad(const struct env *env, struct arena *arena, const char *path,
                         const char *extension);

/* Reads MAP.srf beside the BSP at `path`: vbsp's notes on the surfaces of a Quake 3 map. Empty, and
 * STATUS_OK, when there is none or it belongs to another compile, which is reported. Free with
 * surface_notes_free. */
NODISCARD enum status vrad_read_notes(const struct env *env, const char *path,
                                      const struct bsp *bsp, struct surface_notes *out);

#endif
