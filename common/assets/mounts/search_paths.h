/* Mounts the search paths of gameinfo.txt. */
#ifndef ASSETS_MOUNTS_SEARCH_PATHS_H
#define ASSETS_MOUNTS_SEARCH_PATHS_H

#include "common/assets/mounts/mount.h"
#include "common/env.h"
#include "common/text/keyvalues.h"

struct fs_roots;

struct search_paths {
    const struct kv *gameinfo; /* its root block */
    const char *folder;        /* folder of gameinfo.txt */
    struct mount **mounts;     /* stb_ds array, in order of the file; owned by the caller */
    struct fs_roots *roots;    /* not NULL: what would be mounted is added to them instead */
};

/* Mounts folders, each after its own pak01_dir.vpk and so on, VPKs and PK3s, after the mounts that
 * are there already. Fails when one does not exist (SEARCH_PATH_ABSENT). */
NODISCARD enum status search_paths_insert(const struct env *env, const char *const *paths,
                                          size_t count, struct arena *arena,
                                          struct search_paths *out);

/* Reads the gameinfo.txt of the folder `game` (or the file itself) and mounts its search paths,
 * after the mounts that are there already.
 *
 * Entries for game, mod or platform count, in the order of the file. Relative ones, and those of
 * |all_source_engine_paths|, are looked up beside the game folder, one further up, and in it. A
 * path that ends in `*` stands for every folder and VPK in its folder; x.vpk for x_dir.vpk if that
 * exists. The pak01_dir.vpk, pak02_dir.vpk ... of a folder take precedence over the folder. Paths
 * that do not exist are reported in a note. */
NODISCARD enum status search_paths_read(const struct env *env, const char *game,
                                        struct arena *arena, struct search_paths *out);

#endif
