/* Completes a level: merges its instances, which are other levels, moved, rotated and with prefixed
 * names, and applies its cordon. */
#ifndef VBSP_LEVEL_INSTANCES_INSTANCE_H
#define VBSP_LEVEL_INSTANCES_INSTANCE_H

#include "common/assets/assets.h"
#include "vbsp/level/game_fgd.h"
#include "vbsp/level/level.h"

/* *out is the level with its instances merged, nested ones included. It borrows from `level`, which
 * must outlive it; free with level_free.
 *
 * A file is looked up beside the map, beside the file that names it, below the folder maps or
 * mapsrc that contains the map, below the game's InstancePath, then in maps/ of its search paths.
 * The types in the game's FGD (GameData) decide how values are moved and renamed; without an FGD,
 * or for classes that it does not define, a built-in table of common keys is used, and the names of
 * entities in a file tell which other values are names (INSTANCE_NAMES_GUESSED).
 *
 * Missing files are all reported (INSTANCE_MISSING) with the severity `missing`; unless that is an
 * error, nothing is placed for them. Fails, after trying all, when files are missing, invalid,
 * contain themselves (INSTANCE_RECURSION) or multiply without bound (INSTANCE_TOO_MANY). */
NODISCARD enum status level_merge(const struct env *env, struct game_fgd *fgd,
                                  const struct level *level, enum diag_severity missing,
                                  struct level *out);

/* level_merge with the game's FGD, then cordon_apply. */
NODISCARD enum status level_complete(const struct env *env, struct assets *assets,
                                     const struct level *level, enum diag_severity missing,
                                     struct level *out);

/* --- manifests (.vmm): lists of VMFs that form one map --- */

/* Reads a manifest and the maps it names, each looked up beside it. The map with TopLevel 1 (by
 * default the first) gives the keys of the world; solids and entities of the others are added
 * unchanged, with ids offset past the earlier ones. Every missing file is reported (MANIFEST_PART).
 * escaped_quotes: of the maps (vmf_parse_quotes). Free with level_free. */
NODISCARD enum status manifest_parse(const struct env *env, const char *text, size_t size,
                                     const char *name, bool escaped_quotes, struct level *out);

#endif
