#include "vbsp/level/game_fgd.h"

#include "common/assets/mounts/disk_path.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/fgd.def"
#include "common/io/fs.h"
#include "common/text/keyvalues.h"

static bool read_below(struct game_fgd *game, const char *root, const char *path, struct bytes *out)
{
    const struct env *env = game->env;
    const char *found = root ? disk_path_find(env->fs, env->diag, &game->arena, root, path) : NULL;
    return found && fs_load_optional(env->fs, env->diag, found, out);
}

static bool is_fgd(const char *name)
{
    return str_ends_nocase(name, ".fgd");
}

/* Relative to the including file, or in the FGD folders. The name is one of gameinfo.txt or of
 * another FGD, and may lead anywhere: messages quote what is no FGD, so only what is called one is
 * read. */
static bool read_fgd(struct game_fgd *game, const char *from, const char *name, struct bytes *out)
{
    if (!is_fgd(name))
        return false;
    struct arena *arena = &game->arena;
    const char *folder = assets_game_folder(game->assets);
    if (from && read_below(game, disk_path_parent(arena, from), name, out))
        return true;
    const char *const folders[] = {folder, folder ? arena_printf(arena, "%s/bin", folder) : NULL,
                                   folder ? arena_printf(arena, "%s/../bin", folder) : NULL};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (read_below(game, folders[i], name, out))
            return true;
    return assets_read(game->assets, name, out) ||
           assets_read(game->assets, arena_printf(arena, "bin/%s", name), out);
}

static bool include_fgd(void *context, const char *from, const char *name, struct bytes *out)
{
    return read_fgd(context, from, name, out);
}

static void add(struct game_fgd *game, const struct bytes *text, const char *path)
{
    if (!game->fgd)
        game->fgd = fgd_new();
    fgd_parse(game->fgd, (const char *)text->data, text->size, path, include_fgd, game,
              game->env->diag);
}

static void add_game_data(struct game_fgd *game)
{
    const struct kv *gameinfo = assets_gameinfo(game->assets);
    for (const struct kv *node = gameinfo ? gameinfo->children : NULL; node; node = node->next) {
        if (!node->value || !str_starts_nocase(node->key, "GameData") || !*node->value)
            continue;
        struct bytes text = {0};
        struct diag_where where = {.file = "gameinfo.txt", .line = node->line};
        if (read_fgd(game, NULL, node->value, &text))
            add(game, &text,
                arena_printf(&game->arena, "%s/%s", assets_game_folder(game->assets), node->value));
        else
            diag_report(game->env->diag, DIAG_FGD_MISSING, &where, "\"%s\"%s", node->value,
                        is_fgd(node->value) ? "" : "; only a .fgd is read");
        bytes_free(&text);
    }
}

struct folder_ctx {
    struct game_fgd *game;
    const char *folder;
};

static void add_of_folder(void *context, const char *name, bool is_directory)
{
    const struct folder_ctx *in = context;
    const struct env *env = in->game->env;
    struct bytes text = {0};
    if (is_directory || !str_ends_nocase(name, ".fgd"))
        return;
    const char *path = arena_printf(&in->game->arena, "%s/%s", in->folder, name);
    if (fs_load_optional(env->fs, env->diag, path, &text))
        add(in->game, &text, path);
    bytes_free(&text);
}

static void add_bin(struct game_fgd *game)
{
    static const char *const folders[] = {"bin", "../bin"};
    const struct env *env = game->env;
    const char *root = assets_game_folder(game->assets);
    for (int i = 0; i < 2 && root && !game->fgd; i++) {
        const char *folder = disk_path_find(env->fs, env->diag, &game->arena, root, folders[i]);
        if (folder)
            fs_list_optional(env->fs, env->diag, folder, add_of_folder,
                             &(struct folder_ctx){game, folder});
    }
}

static void add_given(struct game_fgd *game)
{
    struct bytes text = {0};
    if (fs_load(game->env->fs, game->env->diag, game->path, &text) == STATUS_OK)
        add(game, &text, game->path);
    bytes_free(&text);
}

static void load(struct game_fgd *game)
{
    if (game->path) {
        add_given(game);
        return;
    }
    add_game_data(game);
    if (game->search_bin && !game->fgd)
        add_bin(game);
}

static size_t count_faults(const struct diag *diag)
{
    return diag_count_code(diag, DIAG_FGD_MISSING) + diag_count_code(diag, DIAG_FGD_INCLUDE) +
           diag_count_code(diag, DIAG_FGD_SYNTAX);
}

const struct fgd *game_fgd_get(struct game_fgd *game)
{
    if (!game->tried) {
        size_t faults = count_faults(game->env->diag);
        game->tried = true;
        load(game);
        game->is_whole = count_faults(game->env->diag) == faults;
    }
    return game->fgd;
}

void game_fgd_free(struct game_fgd *game)
{
    fgd_free(game->fgd);
    arena_free(&game->arena);
}
