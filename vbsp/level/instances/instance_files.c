/* Finds and reads instance files. */
#include <string.h>

#include "common/assets/mounts/disk_path.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/instances.def"
#include "common/io/fs.h"
#include "vbsp/level/instances/instance_internal.h"

enum { MAX_FOLDERS = 16, MAX_USERS = 24 };

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

/* Adds the folder named maps or mapsrc that contains the map. */
static void add_maps_folder(struct folders *folders, struct arena *arena, const char *map)
{
    for (const char *slash = strchr(map, '/'); slash; slash = strchr(slash + 1, '/')) {
        const char *path = arena_strndup(arena, map, (size_t)(slash - map));
        const char *last = path_name(path);
        if (str_equal_nocase(last, "maps") || str_equal_nocase(last, "mapsrc"))
            add_folder(folders, path);
    }
}

static const char *find_below(struct instance_files *files, const char *root, const char *path)
{
    return disk_path_find(files->env->fs, files->env->diag, &files->owner->arena, root, path);
}

static void add_instance_paths(struct folders *folders, struct instance_files *files)
{
    const struct kv *path = NULL;
    if (files->owner->instance_path)
        add_folder(folders, files->owner->instance_path);
    while ((path = assets_instance_path(files->assets, path))) {
        const char *root = *path->value == '/' ? "/" : assets_game_folder(files->assets);
        const char *found = find_below(files, root, path->value);
        if (found)
            add_folder(folders, found);
    }
}

static const struct instance_file *find_known(const struct instance_files *files, const char *path)
{
    for (size_t i = 0; path && i < arrlenu(files->files); i++)
        if (strcmp(files->files[i]->path, path) == 0)
            return files->files[i];
    return NULL;
}

static struct folders instance_folders(struct instance_files *files, const char *from)
{
    struct arena *arena = &files->owner->arena;
    struct folders folders = {0};
    add_folder(&folders, disk_path_parent(arena, files->owner->file));
    const struct instance_file *outer = find_known(files, from);
    if (!outer || !outer->is_of_game)
        add_folder(&folders, disk_path_parent(arena, from));
    add_maps_folder(&folders, arena, files->owner->file);
    add_instance_paths(&folders, files);
    return folders;
}

/* Adds .vmf and converts the separators. */
static const char *clean_name(struct arena *arena, const char *name)
{
    char *copy = arena_printf(arena, str_ends_nocase(name, ".vmf") ? "%s" : "%s.vmf", name);
    for (char *c = copy; *c; c++)
        if (*c == '\\')
            *c = '/';
    return copy;
}

static bool read_disk(const struct env *env, const char *path, struct bytes *out)
{
    return path && fs_load_optional(env->fs, env->diag, path, out);
}

struct forward_ctx {
    struct diag *diag;
    const struct diag_where *placed_by;
};

/* Forwards a parser diagnostic with the location of the instance. */
static void forward_diag(void *context, const struct diag_entry *entry)
{
    const struct forward_ctx *to = context;
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
    struct forward_ctx to = {files->env->diag, where};
    struct diag *diag = diag_new(forward_diag, &to);
    struct level *level = memory_zalloc(1, sizeof *level);
    if (vmf_parse_quotes(files->owner->escaped_quotes, (const char *)text->data, text->size, path,
                         diag, level) == STATUS_OK) {
        arrput(files->owner->parts, level);
        file->level = level;
        file->objects = map_objects(level);
    } else {
        memory_free(level);
    }
    diag_free(diag);
    return file;
}

/* A relative name or an instance of an instance can lead anywhere. */
static void warn_outside(struct instance_files *files, const char *path,
                         const struct diag_where *where)
{
    struct folders folders = {0};
    struct arena *arena = &files->owner->arena;
    add_folder(&folders, disk_path_parent(arena, files->owner->file));
    add_maps_folder(&folders, arena, files->owner->file);
    add_instance_paths(&folders, files);
    if (assets_game_folder(files->assets))
        add_folder(&folders, assets_game_folder(files->assets));
    for (int i = 0; i < folders.count; i++)
        if (disk_path_is_below(folders.paths[i], path))
            return;
    (void)diag_report(files->env->diag, DIAG_INSTANCE_OUTSIDE, where, "%s", path);
}

/* Looks in the folders; NULL if none has it. */
static const struct instance_file *from_disk(struct instance_files *files, const char *name,
                                             const struct diag_where *where)
{
    struct folders folders = instance_folders(files, where->file);
    for (int i = 0; i < folders.count; i++) {
        const char *path = find_below(files, folders.paths[i], name);
        const struct instance_file *known = find_known(files, path);
        if (known)
            return known;
        struct bytes text = {0};
        if (read_disk(files->env, path, &text)) {
            warn_outside(files, path, where);
            known = parse_file(files, path, &text, where);
        }
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
    struct instance_file *made = NULL;
    struct bytes text = {0};
    if (!file && assets_read(files->assets, path, &text))
        file = made = parse_file(files, path, &text, where);
    if (made)
        made->is_of_game = true;
    bytes_free(&text);
    return file;
}

static void note_missing(struct instance_files *files, const char *name,
                         const struct diag_where *where)
{
    size_t i = 0;
    while (i < arrlenu(files->missing) && !str_equal_nocase(files->missing[i].name, name))
        i++;
    if (i == arrlenu(files->missing))
        arrput(files->missing, ((struct missing_file){.name = name}));
    arrput(files->missing[i].users, *where);
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

/* Lists the users: "entity 50 of maps/main.vmf, entity 4 of maps/a.vmf". An instance that is placed
 * several times names the file as often with the same entity. */
static const char *users_text(struct arena *arena, const struct diag_where *users)
{
    const char *text = "";
    int listed = 0;
    for (size_t i = 0; i < arrlenu(users) && listed < MAX_USERS; i++) {
        bool known = false;
        for (size_t j = 0; j < i && !known; j++)
            known = users[j].entity_id == users[i].entity_id &&
                    strcmp(users[j].file, users[i].file) == 0;
        if (!known)
            text = arena_printf(arena, "%s%sentity %d of %s", text, listed++ ? ", " : "",
                                users[i].entity_id, users[i].file);
    }
    return listed < MAX_USERS ? text : arena_printf(arena, "%s ...", text);
}

enum status instance_files_report(struct instance_files *files, enum diag_severity severity)
{
    struct arena *arena = &files->owner->arena;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(files->missing); i++) {
        const struct missing_file *missing = &files->missing[i];
        struct folders folders = instance_folders(files, missing->users[0].file);
        size_t count = arrlenu(missing->users);
        const char *list = "";
        for (int j = 0; j < folders.count; j++)
            list = arena_printf(arena, "%s%s%s", list, j ? ", " : "", folders.paths[j]);
        if (diag_report_as(files->env->diag, severity, DIAG_INSTANCE_MISSING, &missing->users[0],
                           "\"%s\", used by %zu func_instance%s (%s), not found in %s%s",
                           missing->name, count, count == 1 ? "" : "s",
                           users_text(arena, missing->users), list,
                           assets_mounts(files->assets) ? " or in the maps folder of the game"
                                                        : "") != STATUS_OK)
            status = STATUS_FAILED;
    }
    return status;
}

void instance_files_free(struct instance_files *files)
{
    arrfree(files->files);
    for (size_t i = 0; i < arrlenu(files->missing); i++)
        arrfree(files->missing[i].users);
    arrfree(files->missing);
}
