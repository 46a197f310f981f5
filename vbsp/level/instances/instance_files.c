/* The files of instances, and the game's FGD. */
#include <string.h>

#include "common/assets/mounts/disk_path.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/level/instances/instance_internal.h"

enum { MAX_FOLDERS = 16 };

struct folders {
    const char *paths[MAX_FOLDERS];
    int count;
};

static void add_folder(struct folders *folders, const char *path)
{
    for (int i = 0; i < folders->count; i++)
        if (strcmp(folders->paths[i], path) == 0)
            return;
    if (folders->count < MAX_FOLDERS)
        folders->paths[folders->count++] = path;
}

/* The folder called maps or mapsrc that the map lies in. */
static void add_maps_folder(struct folders *folders, struct arena *arena, const char *map)
{
    for (const char *slash = strchr(map, '/'); slash; slash = strchr(slash + 1, '/')) {
        const char *path = arena_strndup(arena, map, (size_t)(slash - map));
        const char *last = strrchr(path, '/');
        last = last ? last + 1 : path;
        if (str_equal_nocase(last, "maps") || str_equal_nocase(last, "mapsrc"))
            add_folder(folders, path);
    }
}

static void add_instance_paths(struct folders *folders, struct instance_files *files)
{
    const struct kv *gameinfo = assets_gameinfo(files->assets);
    struct arena *arena = &files->owner->arena;
    for (const struct kv *node = gameinfo ? gameinfo->children : NULL; node; node = node->next) {
        if (!node->value || !str_equal_nocase(node->key, "InstancePath"))
            continue;
        const char *root = *node->value == '/' ? "/" : assets_game_folder(files->assets);
        const char *found = disk_path_find(files->env->fs, arena, root, node->value);
        if (found)
            add_folder(folders, found);
    }
}

static struct folders instance_folders(struct instance_files *files, const char *from)
{
    struct arena *arena = &files->owner->arena;
    struct folders folders = {0};
    add_folder(&folders, disk_path_parent(arena, files->owner->file));
    add_folder(&folders, disk_path_parent(arena, from));
    add_maps_folder(&folders, arena, files->owner->file);
    add_instance_paths(&folders, files);
    return folders;
}

/* With .vmf, in the spelling of this system. */
static const char *clean_name(struct arena *arena, const char *name)
{
    char *copy = arena_printf(arena, str_ends_nocase(name, ".vmf") ? "%s" : "%s.vmf", name);
    for (char *c = copy; *c; c++)
        if (*c == '\\')
            *c = '/';
    return copy;
}

static bool read_disk(struct fs *fs, const char *path, struct bytes *out)
{
    return path && fs->ops->kind(fs, path) == FS_FILE && fs->ops->read(fs, path, out) == 0;
}

struct resend {
    struct diag *diag;
    const struct diag_where *placed_by;
};

/* What the parser says of a file, with the instance that wanted it. */
static void resend(void *context, const struct diag_entry *entry)
{
    const struct resend *to = context;
    struct diag_where where = entry->where;
    where.placed_by = to->placed_by;
    diag_report(to->diag, entry->code, &where, "%s", entry->message);
}

static struct instance_file *parse_file(struct instance_files *files, const char *path,
                                        const struct bytes *text, const struct diag_where *where)
{
    struct instance_file *file = ARENA_NEW(&files->owner->arena, struct instance_file);
    file->path = path;
    arrput(files->files, file);
    struct resend to = {files->env->diag, where};
    struct diag *diag = diag_new(resend, &to);
    struct level *level = memory_zalloc(1, sizeof *level);
    if (vmf_parse((const char *)text->data, text->size, path, diag, level) == STATUS_OK) {
        arrput(files->owner->parts, level);
        file->level = level;
        file->objects = map_objects(level);
    } else {
        memory_free(level);
    }
    diag_free(diag);
    return file;
}

static const struct instance_file *find_known(const struct instance_files *files, const char *path)
{
    for (size_t i = 0; path && i < arrlenu(files->files); i++)
        if (strcmp(files->files[i]->path, path) == 0)
            return files->files[i];
    return NULL;
}

/* In the folders: NULL when no folder has it. */
static const struct instance_file *from_disk(struct instance_files *files, const char *name,
                                             const struct diag_where *where)
{
    struct fs *fs = files->env->fs;
    struct folders folders = instance_folders(files, where->file);
    for (int i = 0; i < folders.count; i++) {
        const char *path = disk_path_find(fs, &files->owner->arena, folders.paths[i], name);
        const struct instance_file *known = find_known(files, path);
        if (known)
            return known;
        struct bytes text = {0};
        if (read_disk(fs, path, &text))
            known = parse_file(files, path, &text, where);
        bytes_free(&text);
        if (known)
            return known;
    }
    return NULL;
}

static const struct instance_file *from_game(struct instance_files *files, const char *name,
                                             const struct diag_where *where)
{
    const char *path = arena_printf(&files->owner->arena, "maps/%s", name);
    const struct instance_file *file = find_known(files, path);
    struct bytes text = {0};
    if (!file && assets_read(files->assets, path, &text))
        file = parse_file(files, path, &text, where);
    bytes_free(&text);
    return file;
}

static void note_missing(struct instance_files *files, const char *name,
                         const struct diag_where *where)
{
    for (size_t i = 0; i < arrlenu(files->missing); i++) {
        if (str_equal_nocase(files->missing[i].name, name)) {
            files->missing[i].count++;
            return;
        }
    }
    struct missing_file missing = {name, *where, 1};
    arrput(files->missing, missing);
}

const struct instance_file *instance_files_get(struct instance_files *files, const char *name,
                                               const struct diag_where *where)
{
    const char *clean = clean_name(&files->owner->arena, name);
    const struct instance_file *file = from_disk(files, clean, where);
    if (!file)
        file = from_game(files, clean, where);
    if (!file)
        note_missing(files, clean, where);
    return file;
}

enum status instance_files_report(struct instance_files *files)
{
    struct arena *arena = &files->owner->arena;
    for (size_t i = 0; i < arrlenu(files->missing); i++) {
        const struct missing_file *missing = &files->missing[i];
        struct folders folders = instance_folders(files, missing->where.file);
        const char *list = "";
        for (int j = 0; j < folders.count; j++)
            list = arena_printf(arena, "%s%s%s", list, j ? ", " : "", folders.paths[j]);
        diag_report(files->env->diag, DIAG_INSTANCE_MISSING, &missing->where,
                    "\"%s\", used by %zu func_instance%s, not found in %s%s", missing->name,
                    missing->count, missing->count == 1 ? "" : "s", list,
                    assets_mounts(files->assets) ? " or in the maps folder of the game" : "");
    }
    return arrlen(files->missing) ? STATUS_FAILED : STATUS_OK;
}

/* Relative to the file that includes it, or where FGDs lie. */
static bool read_fgd(struct instance_files *files, const char *from, const char *name,
                     struct bytes *out)
{
    struct arena *arena = &files->owner->arena;
    struct fs *fs = files->env->fs;
    const char *game = assets_game_folder(files->assets);
    const char *folders[] = {from ? disk_path_parent(arena, from) : game, game,
                             arena_printf(arena, "%s/bin", game),
                             arena_printf(arena, "%s/../bin", game)};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (read_disk(fs, disk_path_find(fs, arena, folders[i], name), out))
            return true;
    return assets_read(files->assets, name, out) ||
           assets_read(files->assets, arena_printf(arena, "bin/%s", name), out);
}

static bool include_fgd(void *context, const char *from, const char *name, struct bytes *out)
{
    return read_fgd(context, from, name, out);
}

static void load_fgds(struct instance_files *files)
{
    const struct kv *gameinfo = assets_gameinfo(files->assets);
    struct diag *diag = files->env->diag;
    for (const struct kv *node = gameinfo ? gameinfo->children : NULL; node; node = node->next) {
        if (!node->value || !str_starts_nocase(node->key, "GameData") || !*node->value)
            continue;
        struct bytes text = {0};
        if (read_fgd(files, NULL, node->value, &text)) {
            if (!files->fgd)
                files->fgd = fgd_new();
            const char *path = arena_printf(&files->owner->arena, "%s/%s",
                                            assets_game_folder(files->assets), node->value);
            fgd_parse(files->fgd, (const char *)text.data, text.size, path, include_fgd, files,
                      diag);
        } else {
            struct diag_where where = {.file = "gameinfo.txt", .line = node->line};
            diag_report(diag, DIAG_FGD_MISSING, &where, "\"%s\"", node->value);
        }
        bytes_free(&text);
    }
}

const struct fgd *instance_files_fgd(struct instance_files *files)
{
    if (!files->fgd_tried)
        load_fgds(files);
    files->fgd_tried = true;
    return files->fgd;
}

void instance_files_free(struct instance_files *files)
{
    arrfree(files->files);
    arrfree(files->missing);
    fgd_free(files->fgd);
}
