/* for O_PATH */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
#include "common/io/fs_roots.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/bytes.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/io/fs.h"

struct fs_roots {
    struct arena arena;
    struct fs_root *roots; /* stb_ds array */
    const char *working;   /* folder that relative paths begin at */
};

/* Returns the working folder; "/" if it has no path. */
static const char *working_folder(struct arena *arena)
{
    struct bytes text = {0};
    const char *found = NULL;
    for (size_t size = 256; !found; size *= 2) {
        text.size = 0;
        found = getcwd((char *)bytes_extend(&text, size), size);
        if (!found && errno != ERANGE)
            break;
    }
    found = found && *found == '/' ? arena_strdup(arena, found) : "/";
    bytes_free(&text);
    return found;
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
        close(roots->roots[i].folder);
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

/* Appends the parts of a path to a clean one, of which *length bytes are used, without an ending
 * slash. */
static void append_parts(char *clean, size_t *length, const char *path)
{
    while (*path) {
        size_t part = strcspn(path, "/");
        if (part == 2 && path[0] == '.' && path[1] == '.') {
            while (*length && clean[--*length] != '/')
                ;
        } else if (part && !(part == 1 && path[0] == '.')) {
            clean[(*length)++] = '/';
            memcpy(clean + *length, path, part);
            *length += part;
        }
        path += part + (path[part] == '/');
    }
}

char *fs_roots_clean(const struct fs_roots *roots, const char *path)
{
    size_t length = 0;
    char *clean = memory_alloc(strlen(roots->working) + strlen(path) + 3);
    if (*path != '/')
        append_parts(clean, &length, roots->working);
    append_parts(clean, &length, path);
    if (!length)
        clean[length++] = '/';
    clean[length] = 0;
    return clean;
}

/* Returns the part of `path` below `folder`, "" for the folder itself, or NULL. */
static const char *below(const char *folder, const char *path)
{
    size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    if (strncmp(folder, path, length) != 0 || (path[length] && path[length] != '/'))
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

/* Opens the folder or file; sets *is_file. Returns a descriptor, or -1 and errno. */
static int open_root(const char *path, bool *is_file)
{
    struct stat info;
    int opened = open(path, O_PATH | O_CLOEXEC);
    if (opened < 0)
        return -1;
    *is_file = false;
    if (fstat(opened, &info) == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode))) {
        *is_file = S_ISREG(info.st_mode);
        return opened;
    }
    close(opened);
    errno = ERROR_NOT_REGULAR;
    return -1;
}

static int add(struct fs_roots *roots, const char *path, enum fs_access access)
{
    struct fs_root root = {.access = access};
    char *clean = fs_roots_clean(roots, path);
    root.path = arena_strdup(&roots->arena, clean);
    memory_free(clean);
    for (size_t i = 0; i < arrlenu(roots->roots); i++)
        if (roots->roots[i].access >= access && strcmp(roots->roots[i].path, root.path) == 0)
            return 0;
    root.folder = open_root(path, &root.is_file);
    if (root.folder < 0)
        return errno;
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
