/* gameinfo.txt: where a game's content lies. */
#ifndef ASSETS_MOUNTS_SEARCH_PATHS_H
#define ASSETS_MOUNTS_SEARCH_PATHS_H

#include "common/assets/mounts/mount.h"
#include "common/env.h"
#include "common/text/keyvalues.h"

struct search_paths {
    const struct kv *gameinfo; /* its root block */
    const char *folder;        /* that holds gameinfo.txt */
    struct mount **mounts;     /* stb_ds array, in order of the file; owned by the caller */
};

/* Mounts folders, each below its pak01_dir.vpk and so on, VPKs and PK3s, behind what is
 * mounted already.
 * One that is not there is an error (SEARCH_PATH_ABSENT). */
NODISCARD enum status search_paths_insert(const struct env *env, const char *const *paths,
                                          size_t count, struct arena *arena,
                                          struct search_paths *out);

/* Reads the gameinfo.txt of the folder `game` (or the file itself) and mounts what it names,
 * behind what is mounted already.
 *
 * Entries for game, mod or platform count, in the order of the file. Relative ones, and those of
 * |all_source_engine_paths|, are looked up beside the game folder, one further up, and in it.
 * `dir/ *` stands for every folder and VPK in dir; x.vpk for x_dir.vpk where that is there. The
 * pak01_dir.vpk, pak02_dir.vpk ... of a folder stand above the folder. What is not there is told in
 * a note. */
NODISCARD enum status search_paths_read(const struct env *env, const char *game,
                                        struct arena *arena, struct search_paths *out);

#endif
