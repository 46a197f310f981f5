#include "common/cli/next_step.h"

#include <string.h>

#include "common/bsp/engine.h"
#include "common/bsp/game.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/io/fs.h"

/* Without trailing slashes. */
static const char *clean_folder(struct arena *arena, const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return arena_strndup(arena, path, length);
}

static bool is_folder(const struct program *program, const char *path)
{
    struct fs *fs = program->env->fs;
    return fs->ops->kind(fs, path) == FS_DIRECTORY;
}

/* The folder of the game that an engine was made for. */
static const char *folder_of_engine(const struct engine *engine)
{
    const struct bsp_game *game = bsp_game_find(engine->target);
    return game && game->folder ? game->folder : "baseq3";
}

/* Returns the name of the game folder, as in the engine's fs_game. */
static const char *quake3_folder(const struct program *program,
                                 const struct standard_options *options,
                                 const struct engine *engine, struct arena *arena)
{
    const char *game = options->game;
    if (arrlenu(options->mods))
        return options->mods[0];
    if (options->base_game)
        return options->base_game;
    if (!game || str_equal_nocase(game, "quake3"))
        return folder_of_engine(engine);
    if (str_equal_nocase(game, "openarena"))
        return "baseoa";
    const char *folder = clean_folder(arena, game);
    if (is_folder(program, arena_printf(arena, "%s/baseoa", folder)))
        return "baseoa";
    return is_folder(program, arena_printf(arena, "%s/baseq3", folder)) ? "baseq3"
                                                                        : path_name(folder);
}

/* -game may also name gameinfo.txt. A folder without maps has content alone, and no game. */
static const char *source_maps(const struct program *program,
                               const struct standard_options *options, struct arena *arena)
{
    static const char unknown[] = "<game folder>/maps";
    if (!options->game)
        return unknown;
    const char *folder = clean_folder(arena, options->game);
    const char *name = path_name(folder);
    if (str_equal_nocase(name, "gameinfo.txt"))
        folder = name == folder ? "." : arena_strndup(arena, folder, (size_t)(name - folder - 1));
    const char *maps = arena_printf(arena, "%s/maps", folder);
    return is_folder(program, maps) ? maps : unknown;
}

/* The pack with the textures and shaders of a level, if the run has written one; or NULL. */
static const char *written_pack(const struct run_summary *summary)
{
    for (size_t i = 0; i < arrlenu(summary->files); i++)
        if (str_ends_nocase(summary->files[i].path, ".pk3"))
            return summary->files[i].path;
    return NULL;
}

static const char *quake3_files(const struct run_summary *summary, struct arena *arena,
                                const char *bsp, const char *game)
{
    const char *pack = written_pack(summary);
    if (run_summary_find(summary, "external lightmaps") > 0)
        return arena_printf(arena,
                            "pack %s and its external lightmaps into a .pk3 in %s/ (brushwork pack "
                            "--pk3)",
                            bsp, game);
    if (pack)
        return arena_printf(arena, "copy %s to %s/maps/ and %s to %s/ (with sv_pure 0)", bsp, game,
                            pack, game);
    return arena_printf(
        arena, "copy %s to %s/maps/ (with sv_pure 0) or pack it into a .pk3 (brushwork pack --pk3)",
        bsp, game);
}

/* Says what to do with the files before the game can load the map; NULL: nothing. */
typedef const char *install(const struct program *program, const struct standard_options *options,
                            const struct engine *engine, const char *bsp);

static const char *install_quake3(const struct program *program,
                                  const struct standard_options *options,
                                  const struct engine *engine, const char *bsp)
{
    struct run_summary *summary = console_summary(program->console);
    const char *game = quake3_folder(program, options, engine, &summary->arena);
    return arena_printf(&summary->arena, "%s, then",
                        quake3_files(summary, &summary->arena, bsp, game));
}

static const char *install_source(const struct program *program,
                                  const struct standard_options *options,
                                  const struct engine *engine, const char *bsp)
{
    (void)engine;
    struct arena *arena = &console_summary(program->console)->arena;
    const char *maps = source_maps(program, options, arena);
    if (strcmp(bsp, arena_printf(arena, "%s/%s", maps, path_name(bsp))) == 0)
        return NULL;
    return arena_printf(arena, "copy %s to %s/ and", bsp, maps);
}

static install *const installs[ENGINE_FAMILIES] = {
    [ENGINE_SOURCE] = install_source,
    [ENGINE_QUAKE3] = install_quake3,
};

void next_step_play(const struct program *program, const struct standard_options *options,
                    const char *bsp, const struct engine *engine)
{
    struct run_summary *summary = console_summary(program->console);
    struct arena *arena = &summary->arena;
    if (strcmp(bsp, "-") == 0)
        return;
    const char *name = path_beside(arena, path_name(bsp), ".bsp", "");
    const char *before = installs[engine->family](program, options, engine, bsp);
    summary->next = arena_printf(arena, "%s%srun \"%s %s\" in the console", before ? before : "",
                                 before ? " " : "", engine->words.load_map, name);
}

void next_step_leak(const struct program *program, const char *pointfile,
                    const struct engine *engine)
{
    struct run_summary *summary = console_summary(program->console);
    if (pointfile)
        summary->next =
            arena_printf(&summary->arena, "open %s in %s", pointfile, engine->words.open_pointfile);
}
