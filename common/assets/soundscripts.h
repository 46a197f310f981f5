/* Soundscripts: the game sounds of a Source game, which entities name in the place of a wave.
 *
 * Those of scripts/game_sounds_manifest.txt or scripts/soundscripts_manifest.txt, and of one map:
 * maps/MAP_level_sounds.txt. */
#ifndef ASSETS_SOUNDSCRIPTS_H
#define ASSETS_SOUNDSCRIPTS_H

#include "common/assets/assets.h"

struct soundscripts; /* opaque */

/* Where a wave of a game sound is named. */
struct soundscript_wave {
    const char *wave, *file;
    int line;
};

/* `map` is its name without folders and ending. Returns NULL when the game sounds that exist cannot
 * be known: without a manifest, when a script is damaged, and for games whose scripts in Lua or
 * manifests of a map may make others. */
struct soundscripts *soundscripts_read(struct assets *assets, const char *map);
/* The same, but with what can be known: never NULL. `*is_known` is false where others may exist. */
struct soundscripts *soundscripts_read_some(struct assets *assets, const char *map, bool *is_known);
void soundscripts_free(struct soundscripts *scripts);

/* Returns false when no script has the game sound; names are compared without regard to case. Else
 * `*waves` has all that it may play, as an stb_ds array that the caller frees; its strings are
 * borrowed. */
bool soundscripts_find(struct soundscripts *scripts, const char *name,
                       struct soundscript_wave **waves);

#endif
