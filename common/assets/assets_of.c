#include "common/assets/assets_of.h"

#include "common/core/array.h"

enum status assets_open_of(const struct env *env, const struct standard_options *options,
                           struct assets_use use, struct assets **out)
{
    const char **paths = NULL;
    if (use.first)
        arrput(paths, use.first);
    for (size_t i = 0; i < arrlenu(options->search_paths); i++)
        arrput(paths, options->search_paths[i]);
    const struct assets_options look_up = {
        .game = options->game,
        .texdata = options->texdata,
        .texdata_count = arrlenu(options->texdata),
        .search_paths = paths,
        .search_path_count = arrlenu(paths),
        .base_paths = options->base_paths,
        .base_path_count = arrlenu(options->base_paths),
        .mods = options->mods,
        .mod_count = arrlenu(options->mods),
        .base_game = options->base_game,
        .pak_paths = options->pak_paths,
        .pak_path_count = arrlenu(options->pak_paths),
        .forbidden = options->forbidden,
        .forbidden_count = arrlenu(options->forbidden),
        .quake3 = use.quake3,
        .sizes_only = use.sizes_only,
    };
    enum status status = assets_open(env, &look_up, out);
    arrfree(paths);
    return status;
}
