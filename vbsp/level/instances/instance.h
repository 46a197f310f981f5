/* What a level names but does not hold: instances, which are other sources put into it, moved,
 * turned and with names of their own; and its cordon, outside of which all is left out. */
#ifndef VBSP_LEVEL_INSTANCES_INSTANCE_H
#define VBSP_LEVEL_INSTANCES_INSTANCE_H

#include "common/assets/assets.h"
#include "vbsp/level/level.h"

/* *out is the level with its instances placed, those inside of instances too, and its cordon
 * applied. It borrows from `level`, which must outlive it; free with level_free.
 *
 * A file is looked up beside the map, beside the file that names it, below the folder maps or
 * mapsrc that the map lies in, below the game's InstancePath, then in maps/ of its search paths.
 * What the game's FGD (GameData) says of a key decides how its value is moved and renamed; without
 * it, or where it does not know the class, a table of usual keys does.
 *
 * Fails, after all are tried, when files are missing (INSTANCE_MISSING), damaged, hold themselves
 * (INSTANCE_RECURSION) or multiply without end (INSTANCE_TOO_MANY). */
NODISCARD enum status level_complete(const struct env *env, struct assets *assets,
                                     const struct level *level, struct level *out);

/* --- manifests (.vmm): lists of VMFs that are one map together --- */

/* Reads the manifest and the maps it names, each looked up beside it. The map with TopLevel 1 (the
 * first when none has it) gives the keys of the world; solids and entities of the others are added
 * as they are, with ids raised past those before. Every missing file is reported (MANIFEST_PART).
 * Free with level_free. */
NODISCARD enum status manifest_parse(const struct env *env, const char *text, size_t size,
                                     const char *name, struct level *out);

#endif
