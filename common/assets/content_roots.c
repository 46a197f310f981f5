#include "common/assets/content_roots.h"

#include "common/assets/game_program.h"
#include "common/assets/mounts/disk_path.h"
#include "common/assets/mounts/quake3_paths.h"
#include "common/assets/mounts/search_paths.h"
#include "common/core/array.h"
#include "common/io/fs_roots.h"

static void add_source(const struct env *env, const char *game, struct arena *arena,
                       struct fs_roots *roots)
{
    struct search_paths paths = {.roots = roots};
    if (search_paths_read(env, game, arena, &paths) != STATUS_OK)
        return;
    (void)fs_roots_add(roots, paths.folder, FS_READ);
    (void)fs_roots_add(roots, arena_printf(arena, "%s/../bin", paths.folder), FS_READ);
}

static void add_quake3(const struct env *env, const struct assets_options *options,
                       struct arena *arena, struct fs_roots *roots)
{
    struct quake3_paths places;
    if (!quake3_paths_find(env, options, arena, &places))
        return;
    for (size_t i = 0; i < arrlenu(places.base_paths); i++)
        for (size_t j = 0; j < arrlenu(places.games); j++) {
            const char *path =
                disk_path_find(env->fs, env->diag, arena, places.base_paths[i], places.games[j]);
            if (path)
                (void)fs_roots_add(roots, path, FS_READ);
        }
    quake3_paths_free(&places);
}

void content_roots(const void *standard, struct fs_roots *roots)
{
    const struct standard_options *options = standard;
    struct arena arena = {0};
    /* Faults are reported when the content is opened. */
    struct diag *silent = diag_new(NULL, NULL);
    const struct env env = {.diag = silent, .fs = fs_disk(), .threads = 1};
    const struct assets_options look_up = assets_options_of(options);
    if (options->game)
        add_source(&env, options->game, &arena, roots);
    add_quake3(&env, &look_up, &arena, roots);
    diag_free(silent);
    arena_free(&arena);
}
