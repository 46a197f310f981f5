#include "common/assets/mounts/search_paths.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/assets/mounts/disk_path.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/game_folders.def"
#include "common/diag/codes/surroundings.def"
#include "common/io/fs_roots.h"

struct reader {
    const struct env *env;
    struct arena *arena;
    struct search_paths *paths;
    const char *file;
    const char *roots[3]; /* folders that relative entries refer to */
    const struct kv *entry;
};

static void note(const struct reader *reader, const char *path, const char *why)
{
    struct diag_where where = {.file = reader->file, .line = reader->entry->line};
    diag_report(reader->env->diag, DIAG_SEARCH_PATH_SKIPPED, &where, "%s: %s", path, why);
}

static bool is_mounted(const struct reader *reader, const char *path)
{
    for (size_t i = 0; i < arrlenu(reader->paths->mounts); i++)
        if (strcmp(reader->paths->mounts[i]->path, path) == 0)
            return true;
    return false;
}

static bool is_archive(const char *path)
{
    return str_ends_nocase(path, ".vpk") || str_ends_nocase(path, ".pk3");
}

static void mount_archive(struct reader *reader, const char *path)
{
    if (is_mounted(reader, path))
        return;
    struct fs *fs = reader->env->fs;
    if (reader->paths->roots) {
        (void)fs_roots_add(reader->paths->roots, path, FS_READ);
        return;
    }
    struct mount *mount = str_ends_nocase(path, ".pk3") ? mount_pk3(fs, path, reader->env->diag)
                                                        : mount_vpk(fs, path, reader->env->diag);
    if (mount)
        arrput(reader->paths->mounts, mount);
}

/* Mounts what has been looked at: an archive, or a folder after its own archives, pak01_dir.vpk and
 * on as long as they exist. */
static void mount_path(struct reader *reader, const char *path, enum fs_kind kind)
{
    struct fs *fs = reader->env->fs;
    struct diag *diag = reader->env->diag;
    if (is_mounted(reader, path))
        return;
    if (kind != FS_DIRECTORY) {
        mount_archive(reader, path);
        return;
    }
    if (reader->paths->roots) {
        (void)fs_roots_add(reader->paths->roots, path, FS_READ);
        return;
    }
    for (int i = 1; i < 100; i++) {
        const char *name = arena_printf(reader->arena, "pak%02d_dir.vpk", i);
        const char *archive = disk_path_find(fs, diag, reader->arena, path, name);
        if (!archive)
            break;
        mount_archive(reader, archive);
    }
    arrput(reader->paths->mounts, mount_folder(fs, path, diag));
}

struct wildcard {
    struct reader *reader;
    const char *prefix;
    const char **found; /* stb_ds array */
};

/* Returns true for x_000.vpk: an archive of a set, which x_dir.vpk refers to. */
static bool is_numbered(const char *name)
{
    size_t end = strlen(name) - strlen(".vpk"), at = end;
    while (at && isdigit((unsigned char)name[at - 1]))
        at--;
    return end - at >= 3 && at && name[at - 1] == '_';
}

static void collect(void *context, const char *name, bool is_directory)
{
    struct wildcard *wildcard = context;
    bool wanted = is_directory || (str_ends_nocase(name, ".vpk") && !is_numbered(name));
    if (wanted && str_starts_nocase(name, wildcard->prefix))
        arrput(wildcard->found, arena_strdup(wildcard->reader->arena, name));
}

static int by_name(const void *a, const void *b)
{
    const char *first = *(const char *const *)a, *second = *(const char *const *)b;
    int order = str_compare_nocase(first, second);
    return order ? order : strcmp(first, second);
}

/* Mounts a path that gameinfo.txt names. */
static void mount_named(struct reader *reader, const char *path)
{
    enum fs_kind kind = fs_look_at(reader->env->fs, reader->env->diag, path);
    if (kind == FS_DIRECTORY || (kind != FS_UNREADABLE && is_archive(path)))
        mount_path(reader, path, kind);
    else if (kind != FS_UNREADABLE)
        note(reader, path, "unsupported archive format");
}

/* Mounts everything in the folder whose name starts with `prefix`. */
static void mount_matches(struct reader *reader, const char *folder, const char *prefix)
{
    struct fs *fs = reader->env->fs;
    struct wildcard wildcard = {reader, prefix, NULL};
    fs_list_optional(fs, reader->env->diag, folder, collect, &wildcard);
    if (wildcard.found)
        qsort(wildcard.found, arrlenu(wildcard.found), sizeof *wildcard.found, by_name);
    for (size_t i = 0; i < arrlenu(wildcard.found); i++)
        mount_named(reader, arena_printf(reader->arena, "%s/%s", folder, wildcard.found[i]));
    arrfree(wildcard.found);
}

static const char *find_below(const struct reader *reader, const char *root, const char *path)
{
    return disk_path_find(reader->env->fs, reader->env->diag, reader->arena, root, path);
}

/* Mounts `path` below the root. Returns false when it does not exist. */
static bool mount_below(struct reader *reader, const char *root, const char *path)
{
    size_t length = strlen(path);
    const char *prefix = NULL;
    if (length && path[length - 1] == '*') {
        size_t start = length - 1;
        while (start && path[start - 1] != '/' && path[start - 1] != '\\')
            start--;
        prefix = arena_strndup(reader->arena, path + start, length - 1 - start);
        path = arena_strndup(reader->arena, path, start);
    }
    const char *found = NULL;
    if (str_ends_nocase(path, ".vpk")) {
        size_t stem = strlen(path) - strlen(".vpk");
        const char *set = arena_printf(reader->arena, "%.*s_dir%s", (int)stem, path, path + stem);
        found = find_below(reader, root, set);
    }
    if (!found)
        found = find_below(reader, root, path);
    if (!found)
        return false;
    if (prefix)
        mount_matches(reader, found, prefix);
    else
        mount_named(reader, found);
    return true;
}

static void mount_entry(struct reader *reader, const char *path)
{
    static const char game[] = "|gameinfo_path|", all[] = "|all_source_engine_paths|";
    bool found = false;
    if (str_starts_nocase(path, game)) {
        found = mount_below(reader, reader->paths->folder, path + sizeof game - 1);
    } else if (*path == '|' && !str_starts_nocase(path, all)) {
        note(reader, path, "known to the game client only");
        return;
    } else if (isalpha((unsigned char)path[0]) && path[1] == ':') {
        note(reader, path, "path of another operating system");
        return;
    } else if (*path == '/') {
        found = mount_below(reader, "/", path);
    } else {
        bool every = str_starts_nocase(path, all);
        for (int i = 0; i < 3 && (every || !found); i++)
            found |= mount_below(reader, reader->roots[i], path + (every ? sizeof all - 1 : 0));
    }
    if (!found)
        note(reader, path, "not found");
}

/* Returns true when one of the ids, joined with `+`, is one that a compiler reads from. */
static bool is_read_from(const char *ids)
{
    static const char *const wanted[] = {"game", "mod", "platform"};
    while (*ids) {
        size_t length = strcspn(ids, "+");
        for (int i = 0; i < 3; i++)
            if (length == strlen(wanted[i]) && str_starts_nocase(ids, wanted[i]))
                return true;
        ids += length + (ids[length] != 0);
    }
    return false;
}

static void mount_all(struct reader *reader)
{
    const struct kv *system = kv_find(reader->paths->gameinfo, "FileSystem");
    const struct kv *paths = system && !system->value ? kv_find(system, "SearchPaths") : NULL;
    size_t entries = 0;
    const struct kv *first = paths && !paths->value ? paths->children : NULL;
    for (reader->entry = first; reader->entry; reader->entry = reader->entry->next) {
        if (!reader->entry->value || !is_read_from(reader->entry->key))
            continue;
        mount_entry(reader, reader->entry->value);
        entries++;
    }
    if (entries || reader->paths->roots)
        return;
    struct diag_where where = {.file = reader->file};
    diag_report(reader->env->diag, DIAG_SEARCH_PATHS_MISSING, &where,
                "missing FileSystem { SearchPaths { Game ... } } block");
    arrput(reader->paths->mounts,
           mount_folder(reader->env->fs, reader->paths->folder, reader->env->diag));
}

enum status search_paths_insert(const struct env *env, const char *const *paths, size_t count,
                                struct arena *arena, struct search_paths *out)
{
    struct reader reader = {.env = env, .arena = arena, .paths = out};
    for (size_t i = 0; i < count; i++) {
        const char *path = disk_path_clean(arena, paths[i]);
        enum fs_kind kind = fs_look_at(env->fs, env->diag, path);
        bool archive = kind == FS_FILE && is_archive(path);
        if (kind == FS_UNREADABLE)
            return STATUS_FAILED;
        if (kind != FS_DIRECTORY && !archive)
            return diag_report(env->diag, DIAG_SEARCH_PATH_ABSENT,
                               &(struct diag_where){.file = paths[i]}, "%s%s",
                               kind == FS_ABSENT ? "no such file or folder"
                                                 : "neither a folder nor a .vpk or .pk3",
                               kind == FS_ABSENT ? path_absent_hint(paths[i]) : "");
        mount_path(&reader, path, kind);
    }
    return STATUS_OK;
}

enum status search_paths_read(const struct env *env, const char *game, struct arena *arena,
                              struct search_paths *out)
{
    out->folder = disk_path_clean(arena, game);
    out->gameinfo = NULL;
    struct diag_where where = {.file = game};
    const char *file = out->folder;
    if (fs_look_at(env->fs, env->diag, file) == FS_FILE)
        out->folder = disk_path_parent(arena, file);
    else
        file = disk_path_find(env->fs, env->diag, arena, out->folder, "gameinfo.txt");
    if (!file) {
        bool is_absent = env->fs->ops->kind(env->fs, out->folder) == FS_ABSENT;
        return diag_report(env->diag, DIAG_GAMEINFO_MISSING, &where, "%s%s",
                           is_absent ? "no such folder" : "no gameinfo.txt",
                           is_absent ? path_absent_hint(game) : "");
    }
    struct bytes text = {0};
    TRY(fs_load(env->fs, env->diag, file, &text));
    struct kv *root;
    enum status status =
        kv_parse((const char *)text.data, text.size, file, KV_LENIENT, arena, env->diag, &root);
    bytes_free(&text);
    TRY(status);
    out->gameinfo = kv_find(root, "GameInfo");
    if (!out->gameinfo || out->gameinfo->value) {
        where.file = file;
        return diag_report(env->diag, DIAG_GAMEINFO_MISSING, &where, "no GameInfo block");
    }
    const char *parent = disk_path_parent(arena, out->folder);
    struct reader reader = {
        env, arena, out, file, {parent, disk_path_parent(arena, parent), out->folder}, NULL};
    mount_all(&reader);
    return STATUS_OK;
}
