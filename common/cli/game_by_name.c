#include "common/cli/game_by_name.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/steam_roots.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/game_folders.def"
#include "common/text/steam_libraries.h"

/* Names in a message. */
enum { LISTED = 20 };

struct search {
    struct fs *fs;
    struct arena *arena;
    const char **libraries; /* stb_ds array */
    const char **games;     /* stb_ds array of folders */
    const char **names;     /* stb_ds array: `Half-Life 2/hl2`, of mods `sourcemods/NAME` */
};

/* Names in a folder that are folders. */
struct listing {
    struct arena *arena;
    const char **names; /* stb_ds array */
};

/* An fs_visit. */
static void see_name(void *context, const char *name, bool is_directory)
{
    struct listing *listing = context;
    (void)is_directory; /* links to folders are none, and games may be behind them */
    if (name[0] != '.')
        arrput(listing->names, arena_strdup(listing->arena, name));
}

/* In the order of their names, as systems list them in any. */
static const char **names_in(struct search *search, const char *folder)
{
    struct listing listing = {.arena = search->arena};
    if (search->fs->ops->kind(search->fs, folder) == FS_DIRECTORY)
        (void)search->fs->ops->list(search->fs, folder, see_name, &listing);
    if (listing.names)
        qsort(listing.names, arrlenu(listing.names), sizeof *listing.names, str_compare_items);
    return listing.names;
}

/* --- the games --- */

static bool is_known(const struct search *search, const char *name)
{
    for (size_t i = 0; i < arrlenu(search->names); i++)
        if (str_equal_nocase(search->names[i], name))
            return true;
    return false;
}

/* Games below a folder, by the names that they have behind it. The first library that has a name is
 * the one: several folders of Steam may be links to one. */
static void add_games(struct search *search, const char *folder, const char *around)
{
    const char **names = names_in(search, folder);
    for (size_t i = 0; i < arrlenu(names); i++) {
        const char *game = arena_printf(search->arena, "%s/%s", folder, names[i]);
        const char *name = arena_printf(search->arena, "%s/%s", around, names[i]);
        const char *file = arena_printf(search->arena, "%s/gameinfo.txt", game);
        if (search->fs->ops->kind(search->fs, file) != FS_FILE || is_known(search, name))
            continue;
        arrput(search->games, game);
        arrput(search->names, name);
    }
    arrfree(names);
}

static void add_library(struct search *search, const char *library)
{
    const char *common = arena_printf(search->arena, "%s/steamapps/common", library);
    const char **names = names_in(search, common);
    for (size_t i = 0; i < arrlenu(names); i++)
        add_games(search, arena_printf(search->arena, "%s/%s", common, names[i]), names[i]);
    arrfree(names);
    add_games(search, arena_printf(search->arena, "%s/steamapps/sourcemods", library),
              "sourcemods");
}

/* A list that cannot be read is of no run's concern: its folders are missing then. */
static void add_libraries(struct search *search, const char *root)
{
    struct bytes text = {0};
    struct diag *silent = diag_new(NULL, NULL);
    const char *file = arena_printf(search->arena, "%s/steamapps/libraryfolders.vdf", root);
    arrput(search->libraries, root);
    const size_t before = arrlenu(search->libraries);
    if (search->fs->ops->read(search->fs, file, &text) == 0 &&
        steam_libraries_parse((const char *)text.data, text.size, file, search->arena, silent,
                              &search->libraries) != STATUS_OK)
        arrsetlen(search->libraries, before);
    diag_free(silent);
    bytes_free(&text);
}

static void find_games(struct search *search)
{
    const char **roots = NULL;
    steam_roots(search->arena, &roots);
    for (size_t i = 0; i < arrlenu(roots); i++)
        add_libraries(search, roots[i]);
    for (size_t i = 0; i < arrlenu(search->libraries); i++)
        add_library(search, search->libraries[i]);
    arrfree(roots);
}

/* --- the name --- */

/* A name, or two with a slash between them, that no file has. */
static bool is_name(struct fs *fs, const char *game)
{
    /* Games of Quake 3, which other folders have. */
    static const char *const others[] = {"openarena", "quake3"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (str_equal_nocase(game, others[i]))
            return false;
    const char *slash = strpbrk(game, "/\\");
    return *game && *game != '.' && slash != game && !(slash && strpbrk(slash + 1, "/\\")) &&
           !path_has_drive(game) && fs->ops->kind(fs, game) == FS_ABSENT;
}

static const char *with_slash(struct arena *arena, const char *game)
{
    char *name = arena_strdup(arena, game), *slash = strchr(name, '\\');
    if (slash)
        *slash = '/';
    return name;
}

static const char *listed(struct search *search, const char *const *names)
{
    const char *text = "";
    for (size_t i = 0; i < arrlenu(names) && i < LISTED; i++)
        text = arena_printf(search->arena, "%s%s%s", text, i ? ", " : "", names[i]);
    return arrlenu(names) > LISTED
               ? arena_printf(search->arena, "%s and %zu more", text, arrlenu(names) - LISTED)
               : text;
}

/* Finds the games of that name; the last of them is *found. */
static const char **matches(const struct search *search, const char *name, const char **found)
{
    const char **names = NULL;
    for (size_t i = 0; i < arrlenu(search->names); i++)
        if (str_equal_nocase(strchr(name, '/') ? search->names[i] : path_name(search->names[i]),
                             name)) {
            arrput(names, search->names[i]);
            *found = search->games[i];
        }
    return names;
}

static enum status choose(struct search *search, struct diag *diag, const char **game)
{
    const struct diag_where where = {.file = *game};
    const char **names = matches(search, with_slash(search->arena, *game), game);
    const size_t count = arrlenu(names);
    enum status status = STATUS_OK;
    if (count > 1)
        status = diag_report(diag, DIAG_GAME_NAME, &where, "several games of Steam: %s",
                             listed(search, names));
    else if (!count && arrlenu(search->names))
        status = diag_report(diag, DIAG_GAME_NAME, &where,
                             "no such folder, and none of the games of Steam: %s",
                             listed(search, search->names));
    arrfree(names);
    return status;
}

enum status game_by_name(struct fs *fs, struct diag *diag, struct arena *arena, const char **game)
{
    struct search search = {.fs = fs, .arena = arena};
    if (!is_name(fs, *game))
        return STATUS_OK;
    find_games(&search);
    enum status status = choose(&search, diag, game);
    arrfree(search.libraries);
    arrfree(search.games);
    arrfree(search.names);
    return status;
}
