/* for O_PATH and O_TMPFILE */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
#include "common/io/disk_open.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/io/fs.h"

/* A path whose folders are renamed meanwhile cannot be resolved safely; the kernel says "again". */
enum { TRIES = 8 };

static int result(int opened)
{
    return opened < 0 ? -errno : opened;
}

/* Links, and steps out of the root, as the kernel refuses them. */
static int refusal(int error)
{
    return error == -EXDEV || error == -ELOOP ? -ERROR_OUTSIDE : error;
}

static int open_beneath(int folder, const char *rest, int flags, mode_t mode)
{
    bool creates = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
    const struct open_how how = {.flags = (unsigned)(flags | O_CLOEXEC),
                                 .mode = creates ? mode : 0,
                                 .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    long opened = -1;
    errno = EAGAIN;
    for (int i = 0; i < TRIES && opened < 0 && errno == EAGAIN; i++)
        opened = syscall(SYS_openat2, folder, rest, &how, sizeof how);
    return result((int)opened);
}

/* Opens step by step, no step being a symbolic link. */
static int open_by_steps(int folder, const char *rest, int flags, mode_t mode)
{
    int at = folder;
    for (;;) {
        size_t length = strcspn(rest, "/");
        bool last = !rest[length];
        char *part = str_copy_part(rest, length);
        int next = last ? openat(at, part, flags | O_NOFOLLOW | O_CLOEXEC, mode)
                        : openat(at, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        next = result(next);
        memory_free(part);
        if (at != folder)
            close(at);
        if (last || next < 0)
            return next;
        at = next;
        rest += length + 1;
    }
}

static bool is_same(int file, int other)
{
    struct stat info, of_other;
    return fstat(file, &info) == 0 && fstat(other, &of_other) == 0 &&
           info.st_dev == of_other.st_dev && info.st_ino == of_other.st_ino;
}

/* A root that is a file is opened again by its descriptor; without /proc by its path, if that is
 * still the same file. */
static int open_root_file(const struct fs_root *root, int flags)
{
    char of_file[64];
    snprintf(of_file, sizeof of_file, "/proc/self/fd/%d", root->folder);
    int opened = result(open(of_file, flags | O_CLOEXEC));
    if (opened != -ENOENT)
        return opened;
    opened = result(open(root->path, flags | O_CLOEXEC));
    if (opened < 0 || is_same(opened, root->folder))
        return opened;
    close(opened);
    return -ENOENT;
}

static int open_below(const struct disk *disk, const struct fs_root *root, const char *rest,
                      int flags, mode_t mode)
{
    if (root->is_file)
        return open_root_file(root, flags);
    if (disk->walk)
        return refusal(open_by_steps(root->folder, rest, flags, mode));
    int opened = open_beneath(root->folder, rest, flags, mode);
    /* An old kernel, or a container that forbids what it does not know. */
    if (opened == -ENOSYS || opened == -EPERM)
        opened = open_by_steps(root->folder, rest, flags, mode);
    return refusal(opened);
}

static bool writes(int flags)
{
    return (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT);
}

int disk_open(const struct fs *fs, const char *path, int flags, mode_t mode)
{
    const struct disk *disk = disk_of(fs);
    if (!disk->roots)
        return result(open(path, flags | O_CLOEXEC, mode));
    char *clean = fs_roots_clean(disk->roots, path);
    const char *rest;
    const struct fs_root *root =
        fs_roots_find(disk->roots, clean, writes(flags) ? FS_READ_WRITE : FS_READ, &rest);
    int opened = root ? open_below(disk, root, rest, flags, mode) : -ERROR_OUTSIDE;
    if (opened == -ERROR_OUTSIDE && disk->refused && !fs_roots_lead(disk->roots, clean))
        disk->refused(disk->context, path);
    memory_free(clean);
    return opened;
}

int disk_stat(const struct fs *fs, const char *path, struct stat *info)
{
    if (!disk_of(fs)->roots)
        return stat(path, info) == 0 ? 0 : errno;
    int opened = disk_open(fs, path, O_PATH, 0);
    if (opened < 0)
        return -opened;
    int error = fstat(opened, info) == 0 ? 0 : errno;
    close(opened);
    return error;
}

static int not_a_file(const struct stat *info)
{
    if (S_ISREG(info->st_mode))
        return 0;
    if (S_ISLNK(info->st_mode))
        return ERROR_OUTSIDE;
    return S_ISDIR(info->st_mode) ? EISDIR : ERROR_NOT_REGULAR;
}

int disk_open_file(const struct fs *fs, const char *path, struct stat *info)
{
    int error = disk_stat(fs, path, info);
    if (!error)
        error = not_a_file(info);
    if (error)
        return -error;
    /* It may be another one by now. */
    int file = disk_open(fs, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    if (file < 0)
        return file;
    error = fstat(file, info) == 0 ? not_a_file(info) : errno;
    if (!error)
        return file;
    close(file);
    return -error;
}

int disk_may_write(const struct fs *fs, const char *path)
{
    if (disk_of(fs)->roots)
        return ERROR_NOT_REGULAR;
    return access(path, W_OK) == 0 ? 0 : errno;
}

static int open_parent(const struct disk *disk, const char *path, int *out)
{
    char *clean = fs_roots_clean(disk->roots, path), *slash = strrchr(clean, '/');
    const char *rest;
    const struct fs_root *root = NULL;
    if (slash) {
        slash[slash == clean] = 0;
        root = fs_roots_find(disk->roots, clean, FS_READ_WRITE, &rest);
    }
    int opened = root && !root->is_file ? open_below(disk, root, rest, O_PATH | O_DIRECTORY, 0)
                                        : -ERROR_OUTSIDE;
    if (opened == -ERROR_OUTSIDE && disk->refused)
        disk->refused(disk->context, path);
    memory_free(clean);
    *out = opened;
    return opened < 0 ? -opened : 0;
}

int disk_entry_open(const struct fs *fs, const char *path, struct disk_entry *out)
{
    const struct disk *disk = disk_of(fs);
    *out = (struct disk_entry){.folder = AT_FDCWD, .name = path};
    if (!disk->roots)
        return 0;
    out->name = path_name(path);
    if (!*out->name || strcmp(out->name, ".") == 0 || strcmp(out->name, "..") == 0)
        return EINVAL;
    return open_parent(disk, path, &out->folder);
}

void disk_entry_close(struct disk_entry *entry)
{
    if (entry->folder >= 0)
        close(entry->folder);
    entry->folder = AT_FDCWD;
}
