#include "common/cli/next_step.h"

#include <string.h>

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

/* Returns the name of the game folder, as in the engine's fs_game. */
static const char *quake3_folder(const struct program *program,
                                 const struct standard_options *options, struct arena *arena)
{
    const char *game = options->game;
    if (arrlenu(options->mods))
        return options->mods[0];
    if (options->base_game)
        return options->base_game;
    if (!game || str_equal_nocase(game, "quake3"))
        return "baseq3";
    if (str_equal_nocase(game, "openarena"))
        return "baseoa";
    const char *folder = clean_folder(arena, game);
    if (is_folder(program, arena_printf(arena, "%s/baseoa", folder)))
        return "baseoa";
    return is_folder(program, arena_printf(arena, "%s/baseq3", folder)) ? "baseq3"
                                                                        : path_name(folder);
}

/* -game may also name gameinfo.txt. */
static const char *source_maps(const struct standard_options *options, struct arena *arena)
{
    if (!options->game)
        return "<game folder>/maps";
    const char *folder = clean_folder(arena, options->game);
    const char *name = path_name(folder);
    if (str_equal_nocase(name, "gameinfo.txt"))
        folder = name == folder ? "." : arena_strndup(arena, folder, (size_t)(name - folder - 1));
    return arena_printf(arena, "%s/maps", folder);
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

void next_step_play(const struct program *program, const struct standard_options *options,
                    const char *bsp, bool quake3)
{
    struct run_summary *summary = console_summary(program->console);
    struct arena *arena = &summary->arena;
    if (strcmp(bsp, "-") == 0)
        return;
    const char *file = path_name(bsp);
    const char *name = path_beside(arena, file, ".bsp", "");
    if (quake3) {
        const char *game = quake3_folder(program, options, arena);
        summary->next = arena_printf(arena, "%s, then run \"/devmap %s\" in the console",
                                     quake3_files(summary, arena, bsp, game), name);
        return;
    }
    const char *maps = source_maps(options, arena);
    bool there = strcmp(bsp, arena_printf(arena, "%s/%s", maps, file)) == 0;
    summary->next = there ? arena_printf(arena, "run \"map %s\" in the console", name)
                          : arena_printf(arena, "copy %s to %s/ and run \"map %s\" in the console",
                                         bsp, maps, name);
}

void next_step_leak(const struct program *program, const char *pointfile, bool quake3)
{
    struct run_summary *summary = console_summary(program->console);
    if (pointfile)
        summary->next = arena_printf(&summary->arena, "open %s in %s", pointfile,
                                     quake3 ? "the editor (Radiant: File > Pointfile)"
                                            : "Hammer (Map > Load Pointfile)");
}
