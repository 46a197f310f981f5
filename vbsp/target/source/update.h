/* A BSP that is there, brought up to date in part: -onlyents and -onlyprops. All that is not named
 * here keeps its bytes, light and visibility among it. */
#ifndef VBSP_SOURCE_UPDATE_H
#define VBSP_SOURCE_UPDATE_H

#include "vbsp/vbsp.h"

/* Replaces the entities and the static props by the source's, and adds stale.txt to the pakfile.
 * Fails, with the bsp as it was, when the brush entities, areaportals or occluders of the source
 * are not those of the bsp (UPDATE_MISFIT), or one of its brush entities has a material that the
 * bsp lacks (UPDATE_TEXTURE). Solids, overlays and cubemaps that changed stay as they were compiled
 * (UPDATE_SOLIDS). */
NODISCARD enum status vbsp_update_entities(const struct env *env,
                                           const struct vbsp_options *options,
                                           struct assets *assets, const struct map_source *source,
                                           struct bsp *bsp);

/* Replaces the static and the detail props by the source's, and nothing else. */
NODISCARD enum status vbsp_update_props(const struct env *env, const struct vbsp_options *options,
                                        struct assets *assets, const struct map_source *source,
                                        struct bsp *bsp);

typedef enum status vbsp_update(const struct env *env, const struct vbsp_options *options,
                                struct assets *assets, const struct map_source *source,
                                struct bsp *bsp);

/* The same to a file, which is replaced whole and stays of its own format. *out gets the bsp. */
NODISCARD enum status vbsp_update_file(const struct env *env, const char *path, vbsp_update *update,
                                       const struct vbsp_options *options, struct assets *assets,
                                       const struct map_source *source, struct vbsp_output *out);

#endif
