#include "common/assets/mounts/disk_path.h"

#include <errno.h>
#include <string.h>

#include "common/core/strings.h"
#include "common/diag/codes/file_access.def"
#include "common/diag/diag.h"

const char *disk_path_clean(struct arena *arena, const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return length ? arena_strndup(arena, path, length) : ".";
}

const char *disk_path_parent(struct arena *arena, const char *path)
{
    path = disk_path_clean(arena, path);
    const char *last = path_name(path);
    if (strcmp(last, "..") == 0)
        return arena_printf(arena, "%s/..", path);
    if (strcmp(path, ".") == 0)
        return "..";
    if (strcmp(last, ".") == 0)
        return disk_path_parent(arena, arena_strndup(arena, path, (size_t)(last - path)));
    if (last == path)
        return ".";
    return disk_path_clean(arena, arena_strndup(arena, path, (size_t)(last - path)));
}

struct match {
    struct arena *arena;
    const char *wanted, *found;
};

static void match_name(void *context, const char *name, bool is_directory)
{
    (void)is_directory;
    struct match *match = context;
    if (!match->found && str_equal_nocase(name, match->wanted))
        match->found = arena_strdup(match->arena, name);
}

static const char *join(struct arena *arena, const char *folder, const char *name)
{
    if (strcmp(folder, ".") == 0)
        return name;
    return arena_printf(arena, strcmp(folder, "/") == 0 ? "%s%s" : "%s/%s", folder, name);
}

/* Returns the path of an entry of a folder. */
static const char *child(struct fs *fs, struct diag *diag, struct arena *arena, const char *folder,
                         const char *name)
{
    const char *exact = join(arena, folder, name);
    enum fs_kind kind = fs_look_at(fs, diag, exact);
    if (kind != FS_ABSENT)
        return kind == FS_UNREADABLE ? NULL : exact;
    struct match match = {arena, name, NULL};
    int error = fs->ops->list(fs, folder, match_name, &match);
    if (error && error != EACCES && !fs_error_is_absent(error))
        (void)diag_report(diag, DIAG_FOLDER_READ, &(struct diag_where){.file = folder}, "%s",
                          str_error(error).text);
    return match.found ? join(arena, folder, match.found) : NULL;
}

bool disk_path_is_below(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    if (strcmp(folder, ".") == 0)
        return *path != '/' && strcmp(path, "..") != 0 && strncmp(path, "../", 3) != 0;
    while (length && folder[length - 1] == '/')
        length--;
    if (strncmp(folder, path, length) != 0 || path[length] != '/')
        return false;
    path += length + 1;
    return strcmp(path, "..") != 0 && strncmp(path, "../", 3) != 0;
}

/* Without a file system the names are those of files. */
static const char *walk(struct fs *fs, struct diag *diag, struct arena *arena, const char *root,
                        const char *path)
{
    const char *at = disk_path_clean(arena, root);
    while (*path && at) {
        size_t length = strcspn(path, "/\\");
        const char *part = arena_strndup(arena, path, length);
        path += length + (path[length] != 0);
        if (strcmp(part, "..") == 0)
            at = disk_path_parent(arena, at);
        else if (length && strcmp(part, ".") != 0)
            at = fs ? child(fs, diag, arena, at, part) : join(arena, at, part);
    }
    return at;
}

const char *disk_path_join(struct arena *arena, const char *root, const char *path)
{
    return walk(NULL, NULL, arena, root, path);
}

const char *disk_path_find(struct fs *fs, struct diag *diag, struct arena *arena, const char *root,
                           const char *path)
{
    const char *at = walk(fs, diag, arena, root, path);
    return at && fs->ops->kind(fs, at) != FS_ABSENT ? at : NULL;
}
