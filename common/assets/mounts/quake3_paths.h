/* Finds the content of a Quake 3 game: base paths, game folders in them, packs in those. */
#ifndef ASSETS_MOUNTS_QUAKE3_PATHS_H
#define ASSETS_MOUNTS_QUAKE3_PATHS_H

#include "common/assets/assets.h"
#include "common/assets/mounts/mount.h"

/* Folders to mount. */
struct quake3_paths {
    const char **base_paths; /* stb_ds array: folders that hold game folders */
    const char **games;      /* stb_ds array: names of game folders, highest precedence first */
    bool found;              /* a folder of the first or of the base game exists */
};

/* Resolves options->game: the name of a game (openarena, quake3), a folder that holds game folders,
 * or a game folder (with packs or a folder `scripts`); and the fs_ options. Returns false, without
 * a report, when they name nothing of Quake 3. Texts are in the arena; free with
 * quake3_paths_free. */
bool quake3_paths_find(const struct env *env, const struct assets_options *options,
                       struct arena *arena, struct quake3_paths *out);
void quake3_paths_free(struct quake3_paths *places);

/* Says in which folders options->game was looked for, and how Debian installs a known game, when
 * `found` is false. The text is in the arena. */
const char *quake3_paths_missing(const struct assets_options *options,
                                 const struct quake3_paths *places, struct arena *arena);

/* Appends the mounts to an stb_ds array: folders of fs_pakpath, then each game's folders in the
 * order of the base paths; in each the loose files, then the packs from the last by name (without
 * case) to the first. Folders that do not exist are reported in a note. */
void quake3_mount(const struct env *env, const struct assets_options *options,
                  const struct quake3_paths *places, struct arena *arena, struct mount ***mounts);

#endif
