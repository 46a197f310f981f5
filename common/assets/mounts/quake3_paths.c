#include "common/assets/mounts/quake3_paths.h"

#include <stdlib.h>
#include <string.h>

#include "common/assets/mounts/asset_name.h"
#include "common/assets/mounts/disk_path.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/game_folders.def"

static const struct known_game {
    const char *name, *base_game;
    const char *base_paths[3]; /* usual installation folders; terminated by NULL */
    const char *debian;        /* how Debian installs its content */
} known_games[] = {
    {"openarena",
     "baseoa",
     {"/usr/share/games/openarena", "/usr/lib/openarena", NULL},
     "apt install openarena-data openarena-088-data"},
    {"quake3",
     "baseq3",
     {"/usr/share/games/quake3", "/usr/lib/quake3", NULL},
     "game-data-packager makes a package of your copy of the game"},
};

enum { KNOWN_GAMES = sizeof known_games / sizeof *known_games };

static bool is_pack(const char *name)
{
    return str_ends_nocase(name, ".pk3") || str_ends_nocase(name, ".pk3dir");
}

static void see_content(void *context, const char *name, bool is_directory)
{
    bool *seen = context;
    if (is_directory ? str_equal_nocase(name, "scripts") || str_ends_nocase(name, ".pk3dir")
                     : str_ends_nocase(name, ".pk3"))
        *seen = true;
}

static bool is_game_folder(const struct env *env, const char *path)
{
    bool seen = false;
    if (fs_look_at(env->fs, env->diag, path) == FS_DIRECTORY)
        fs_list_optional(env->fs, env->diag, path, see_content, &seen);
    return seen;
}

/* Returns the game folder of that name in a base path, or NULL. */
static const char *game_folder(const struct env *env, struct arena *arena, const char *base,
                               const char *game)
{
    const char *path = disk_path_find(env->fs, env->diag, arena, base, game);
    return path && is_game_folder(env, path) ? path : NULL;
}

struct base_search {
    const struct env *env;
    struct arena *arena;
    const char *base, *found;
};

static void see_base(void *context, const char *name, bool is_directory)
{
    struct base_search *search = context;
    if (is_directory && !search->found && str_starts_nocase(name, "base") &&
        game_folder(search->env, search->arena, search->base, name))
        search->found = arena_strdup(search->arena, name);
}

/* Returns the base game of a base path: a known one, else the first baseSOMETHING, or NULL. */
static const char *base_game_in(const struct env *env, struct arena *arena, const char *base)
{
    for (size_t i = KNOWN_GAMES; i-- > 0;)
        if (game_folder(env, arena, base, known_games[i].base_game))
            return known_games[i].base_game;
    struct base_search search = {env, arena, base, NULL};
    if (fs_look_at(env->fs, env->diag, base) == FS_DIRECTORY)
        fs_list_optional(env->fs, env->diag, base, see_base, &search);
    return search.found;
}

static const struct known_game *find_known(const char *name)
{
    for (size_t i = 0; i < KNOWN_GAMES; i++)
        if (str_equal_nocase(known_games[i].name, name))
            return &known_games[i];
    return NULL;
}

static void add_game(struct quake3_paths *places, const char *game)
{
    for (size_t i = 0; i < arrlenu(places->games); i++)
        if (str_equal_nocase(places->games[i], game))
            return;
    arrput(places->games, game);
}

/* Result of resolving options->game, when it is not the name of a known game. */
struct named {
    const char *base_path, *game;
};

static struct named look_at_path(const struct env *env, struct arena *arena, const char *path)
{
    struct named named = {0};
    path = disk_path_clean(arena, path);
    if (is_game_folder(env, path)) {
        const char *name = path_name(path);
        bool inside = name == path && (strcmp(path, ".") == 0 || strcmp(path, "..") == 0);
        named.base_path =
            inside ? arena_printf(arena, "%s/..", path) : disk_path_parent(arena, path);
        named.game = inside ? NULL : name;
    } else if (fs_look_at(env->fs, env->diag, path) == FS_DIRECTORY &&
               base_game_in(env, arena, path)) {
        named.base_path = path;
    }
    return named;
}

static void choose_games(const struct env *env, const struct assets_options *options,
                         const struct known_game *known, const char *own, struct arena *arena,
                         struct quake3_paths *out)
{
    const char *base = options->base_game;
    if (!base && known)
        base = known->base_game;
    for (size_t i = 0; !base && i < arrlenu(out->base_paths); i++)
        base = base_game_in(env, arena, out->base_paths[i]);
    for (size_t i = 0; i < options->mod_count; i++)
        add_game(out, options->mods[i]);
    if (own)
        add_game(out, own);
    add_game(out, base ? base : own ? own : "baseq3");
    for (size_t i = 0; i < arrlenu(out->base_paths); i++)
        for (size_t j = 0; j < arrlenu(out->games); j++)
            out->found |= game_folder(env, arena, out->base_paths[i], out->games[j]) != NULL;
}

bool quake3_paths_find(const struct env *env, const struct assets_options *options,
                       struct arena *arena, struct quake3_paths *out)
{
    *out = (struct quake3_paths){0};
    const struct known_game *known = options->game ? find_known(options->game) : NULL;
    struct named named = {0};
    if (options->game)
        named = look_at_path(env, arena, options->game);
    if (named.base_path)
        known = NULL;
    bool any = options->base_path_count || options->mod_count || options->base_game ||
               options->pak_path_count;
    if (options->game ? !named.base_path && !known : !any)
        return false;
    for (size_t i = 0; i < options->base_path_count; i++)
        arrput(out->base_paths, disk_path_clean(arena, options->base_paths[i]));
    if (named.base_path)
        arrput(out->base_paths, named.base_path);
    if (!arrlenu(out->base_paths) && !options->game && options->base_game)
        for (size_t i = 0; i < KNOWN_GAMES; i++)
            if (str_equal_nocase(options->base_game, known_games[i].base_game))
                known = &known_games[i];
    for (int i = 0; known && !options->base_path_count && known->base_paths[i]; i++)
        if (fs_look_at(env->fs, env->diag, known->base_paths[i]) == FS_DIRECTORY) {
            arrput(out->base_paths, known->base_paths[i]);
            break; /* the other base paths are links to it */
        }
    choose_games(env, options, known, named.game, arena, out);
    return true;
}

static const char *joined(struct arena *arena, const char *const *names, size_t count)
{
    const char *text = count ? names[0] : "";
    for (size_t i = 1; i < count; i++)
        text = arena_printf(arena, "%s%s%s", text, i + 1 < count ? ", " : " or ", names[i]);
    return text;
}

const char *quake3_paths_missing(const struct assets_options *options,
                                 const struct quake3_paths *places, struct arena *arena)
{
    const struct known_game *known = options->base_path_count ? NULL : find_known(options->game);
    const char *const *bases = known ? known->base_paths : places->base_paths;
    size_t count = known ? 0 : arrlenu(places->base_paths);
    while (known && known->base_paths[count])
        count++;
    return arena_printf(arena, "no folder %s with packs (.pk3) or scripts in %s%s%s",
                        joined(arena, places->games, arrlenu(places->games)),
                        joined(arena, bases, count), known ? "; on Debian and Ubuntu: " : "",
                        known ? known->debian : "");
}

void quake3_paths_free(struct quake3_paths *places)
{
    arrfree(places->base_paths);
    arrfree(places->games);
}

struct mounting {
    const struct env *env;
    const struct assets_options *options;
    struct arena *arena;
    struct mount ***mounts;
    const char **packs; /* stb_ds array: packs of the folder that is listed */
};

static bool is_forbidden(const struct mounting *job, const char *name)
{
    for (size_t i = 0; i < job->options->forbidden_count; i++)
        if (asset_pattern_matches(job->options->forbidden[i], name))
            return true;
    return false;
}

static void collect_pack(void *context, const char *name, bool is_directory)
{
    struct mounting *job = context;
    if (is_pack(name) && is_directory == str_ends_nocase(name, ".pk3dir") &&
        !is_forbidden(job, name))
        arrput(job->packs, arena_strdup(job->arena, name));
}

static int later_first(const void *a, const void *b)
{
    const char *first = *(const char *const *)a, *second = *(const char *const *)b;
    int order = str_compare_nocase(second, first);
    return order ? order : strcmp(second, first);
}

static void mount_folder_and_packs(struct mounting *job, const char *path)
{
    const struct env *env = job->env;
    for (size_t i = 0; i < arrlenu(*job->mounts); i++)
        if (strcmp((*job->mounts)[i]->path, path) == 0)
            return;
    job->packs = NULL;
    fs_list_optional(env->fs, env->diag, path, collect_pack, job);
    if (job->packs)
        qsort(job->packs, arrlenu(job->packs), sizeof *job->packs, later_first);
    arrput(*job->mounts, mount_folder(env->fs, path, env->diag));
    for (size_t i = 0; i < arrlenu(job->packs); i++) {
        const char *pack = arena_printf(job->arena, "%s/%s", path, job->packs[i]);
        struct mount *mount = str_ends_nocase(pack, ".pk3dir")
                                  ? mount_folder(env->fs, pack, env->diag)
                                  : mount_pk3(env->fs, pack, env->diag);
        if (mount)
            arrput(*job->mounts, mount);
    }
    arrfree(job->packs);
}

static void mount_pak_path(struct mounting *job, const char *path)
{
    const struct env *env = job->env;
    path = disk_path_clean(job->arena, path);
    enum fs_kind kind = fs_look_at(env->fs, env->diag, path);
    struct mount *mount = NULL;
    if (kind == FS_DIRECTORY)
        mount_folder_and_packs(job, path);
    else if (kind == FS_FILE)
        mount = mount_pk3(env->fs, path, env->diag);
    else if (kind != FS_UNREADABLE)
        (void)diag_report(job->env->diag, DIAG_SEARCH_PATH_SKIPPED,
                          &(struct diag_where){.file = path}, "not found");
    if (mount)
        arrput(*job->mounts, mount);
}

void quake3_mount(const struct env *env, const struct assets_options *options,
                  const struct quake3_paths *places, struct arena *arena, struct mount ***mounts)
{
    struct mounting job = {env, options, arena, mounts, NULL};
    for (size_t i = 0; i < options->pak_path_count; i++)
        mount_pak_path(&job, options->pak_paths[i]);
    for (size_t j = 0; j < arrlenu(places->games); j++) {
        bool found = false;
        for (size_t i = 0; i < arrlenu(places->base_paths); i++) {
            const char *path =
                disk_path_find(env->fs, env->diag, arena, places->base_paths[i], places->games[j]);
            if (!path || fs_look_at(env->fs, env->diag, path) != FS_DIRECTORY)
                continue;
            mount_folder_and_packs(&job, path);
            found = true;
        }
        if (!found)
            (void)diag_report(env->diag, DIAG_SEARCH_PATH_SKIPPED,
                              &(struct diag_where){.file = places->games[j]},
                              "no base path contains this game folder");
    }
}
