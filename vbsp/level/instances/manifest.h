/* Manifests (.vmm): lists of VMFs that are one map together. */
#ifndef VBSP_LEVEL_INSTANCES_MANIFEST_H
#define VBSP_LEVEL_INSTANCES_MANIFEST_H

#include "vbsp/level/map_source.h"

/* Reads the manifest and the maps it names, each looked up beside it. The map with TopLevel 1 (the
 * first when none has it) gives the keys of the world; solids and entities of the others are added
 * as they are, with ids raised past those before. Every missing file is reported (MANIFEST_PART).
 * Free with map_source_free. */
NODISCARD enum status manifest_parse(const struct env *env, const char *text, size_t size,
                                     const char *name, struct map_source *out);

#endif
