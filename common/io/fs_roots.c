#include "common/io/fs_roots.h"

#include <stdint.h>
#include <string.h>

#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/core/system_path.h"
#include "common/io/fs.h"

struct fs_roots {
    struct arena arena;
    struct fs_root *roots; /* stb_ds array */
    const char *working;   /* folder that relative paths begin at */
};

/* Returns the working folder; "/" if it has no path. */
static const char *working_folder(struct arena *arena)
{
    char *found = system_path_here();
    const char *folder = found ? arena_strdup(arena, found) : "/";
    memory_free(found);
    return folder;
}

struct fs_roots *fs_roots_new(void)
{
    struct fs_roots *roots = memory_zalloc(1, sizeof *roots);
    roots->working = working_folder(&roots->arena);
    return roots;
}

void fs_roots_free(struct fs_roots *roots)
{
    if (!roots)
        return;
    for (size_t i = 0; i < arrlenu(roots->roots); i++)
        root_close(&roots->roots[i]);
    arrfree(roots->roots);
    arena_free(&roots->arena);
    memory_free(roots);
}

size_t fs_roots_count(const struct fs_roots *roots)
{
    return arrlenu(roots->roots);
}

const struct fs_root *fs_roots_at(const struct fs_roots *roots, size_t index)
{
    return &roots->roots[index];
}

char *fs_roots_clean(const struct fs_roots *roots, const char *path)
{
    return system_path_clean(roots->working, path);
}

/* Returns the part of `path` below `folder`, "" for the folder itself, or NULL. */
static const char *below(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    length -= folder[length - 1] == '/';
    if (system_path_compare(folder, path, length) != 0 || (path[length] && path[length] != '/'))
        return NULL;
    path += length;
    return path + (*path == '/');
}

const struct fs_root *fs_roots_find(const struct fs_roots *roots, const char *clean,
                                    enum fs_access access, const char **rest)
{
    const struct fs_root *best = NULL;
    for (size_t i = 0; i < arrlenu(roots->roots); i++) {
        const struct fs_root *root = &roots->roots[i];
        const char *left = below(root->path, clean);
        if (!left || root->access < access || (root->is_file && *left) ||
            (best && strlen(best->path) >= strlen(root->path)))
            continue;
        best = root;
        *rest = *left ? left : ".";
    }
    return best;
}

bool fs_roots_lead(const struct fs_roots *roots, const char *clean)
{
    for (size_t i = 0; i < arrlenu(roots->roots); i++) {
        const char *left = below(clean, roots->roots[i].path);
        if (left && *left)
            return true;
    }
    return false;
}

char *fs_roots_step(const struct fs_roots *roots, const char *clean, size_t index)
{
    for (size_t i = 0; i < arrlenu(roots->roots); i++) {
        const char *left = below(clean, roots->roots[i].path);
        if (left && *left && index-- == 0)
            return str_copy_part(left, strcspn(left, "/"));
    }
    return NULL;
}

static int add(struct fs_roots *roots, const char *path, enum fs_access access)
{
    struct fs_root root = {.access = access};
    char *clean = fs_roots_clean(roots, path);
    root.path = arena_strdup(&roots->arena, clean);
    memory_free(clean);
    for (size_t i = 0; i < arrlenu(roots->roots); i++)
        if (roots->roots[i].access >= access &&
            system_path_compare(roots->roots[i].path, root.path, SIZE_MAX) == 0)
            return 0;
    int error = root_open(path, &root);
    if (error)
        return error;
    arrput(roots->roots, root);
    return 0;
}

int fs_roots_add(struct fs_roots *roots, const char *path, enum fs_access access)
{
    struct fs *disk = fs_disk();
    if (access == FS_READ_WRITE && disk->ops->kind(disk, path) == FS_ABSENT) {
        int error = disk->ops->make_folder(disk, path);
        if (error)
            return error;
    }
    if (str_ends_nocase(path, "_dir.vpk"))
        path = path_folder(&roots->arena, path);
    return add(roots, path, access);
}
