#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/io/fs.h"
#include "common/io/fs_gather.h"

#define READ_STEP ((size_t)1 << 20)

/* The size of the file, and a byte more to detect its end; pipes and devices have no size. */
static size_t first_step(int file)
{
    struct stat info;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
        (uint64_t)info.st_size < SIZE_MAX / 4)
        return (size_t)info.st_size + 1;
    return READ_STEP;
}

/* The remaining capacity, which usually suffices to detect the end. */
static size_t next_step(const struct bytes *out)
{
    return out->capacity > out->size ? out->capacity - out->size : READ_STEP;
}

static int read_all(int file, struct bytes *out)
{
    size_t before = out->size;
    for (size_t step = first_step(file);; step = next_step(out)) {
        size_t at = out->size;
        ssize_t count = read(file, bytes_extend(out, step), step);
        int error = count < 0 ? errno : 0;
        out->size = at + (count > 0 ? (size_t)count : 0);
        if (error && error != EINTR)
            bytes_undo(out, before);
        if (count == 0 || (error && error != EINTR))
            return error;
    }
}

static int disk_read(struct fs *fs, const char *path, struct bytes *out)
{
    (void)fs;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno;
    int error = read_all(file, out);
    close(file);
    return error;
}

/* Reads in steps, so that a false size costs no memory. */
static int read_range(int file, uint64_t offset, size_t size, struct bytes *out)
{
    size_t before = out->size, end = before + size;
    while (out->size < end) {
        size_t at = out->size, step = end - at < READ_STEP ? end - at : READ_STEP;
        ssize_t count = pread(file, bytes_extend(out, step), step, (off_t)(offset + at - before));
        int error = count < 0 ? errno : 0;
        out->size = at + (count > 0 ? (size_t)count : 0);
        if (error && error != EINTR)
            bytes_undo(out, before);
        if (count == 0 || (error && error != EINTR))
            return error;
    }
    return 0;
}

static int disk_read_part(struct fs *fs, const char *path, uint64_t offset, size_t size,
                          struct bytes *out)
{
    (void)fs;
    if (offset > INT64_MAX - size)
        return EINVAL;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno;
    int error = read_range(file, offset, size, out);
    close(file);
    return error;
}

static int disk_size(struct fs *fs, const char *path, uint64_t *out)
{
    (void)fs;
    struct stat info;
    if (stat(path, &info) != 0)
        return errno;
    if (!S_ISREG(info.st_mode))
        return S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
    *out = (uint64_t)info.st_size;
    return 0;
}

static int disk_write(struct fs *fs, const char *path, const void *data, size_t size)
{
    const struct fs_segment segment = {.data = data, .size = size};
    return disk_write_gather(fs, path,
                             &(struct fs_gather){.segments = &segment, .count = size > 0});
}

static enum fs_kind disk_kind(struct fs *fs, const char *path)
{
    (void)fs;
    struct stat found;
    if (stat(path, &found) != 0)
        return fs_error_is_absent(errno) ? FS_ABSENT : FS_UNREADABLE;
    if (S_ISDIR(found.st_mode))
        return FS_DIRECTORY;
    return S_ISREG(found.st_mode) ? FS_FILE : FS_OTHER;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int disk_list(struct fs *fs, const char *path, fs_visit *visit, void *context)
{
    DIR *directory = opendir(path);
    if (!directory)
        return errno;
    struct arena arena = {0};
    char **names = NULL;
    struct dirent *entry;
    for (errno = 0; (entry = readdir(directory)); errno = 0)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            arrput(names, arena_strdup(&arena, entry->d_name));
    int error = errno;
    closedir(directory);
    if (names)
        qsort(names, arrlenu(names), sizeof *names, by_name);
    for (size_t i = 0; i < arrlenu(names) && !error; i++) {
        char *full = arena_printf(&arena, "%s/%s", path, names[i]);
        visit(context, names[i], disk_kind(fs, full) == FS_DIRECTORY);
    }
    arrfree(names);
    arena_free(&arena);
    return error;
}

static int disk_remove(struct fs *fs, const char *path)
{
    (void)fs;
    return unlink(path) == 0 ? 0 : errno;
}

static int make_one(struct fs *fs, const char *path)
{
    if (mkdir(path, 0777) == 0)
        return 0;
    int error = errno;
    if (disk_kind(fs, path) == FS_DIRECTORY)
        return 0;
    return error == EEXIST ? ENOTDIR : error;
}

static int disk_make_folder(struct fs *fs, const char *path)
{
    struct arena names = {0};
    char *part = arena_strdup(&names, path);
    int error = 0;
    for (char *slash = *part ? strchr(part + 1, '/') : NULL; slash && !error;
         slash = strchr(slash + 1, '/')) {
        *slash = 0;
        error = make_one(fs, part);
        *slash = '/';
    }
    if (!error)
        error = make_one(fs, part);
    arena_free(&names);
    return error;
}

static struct fs_source *open_source(struct fs *fs, const char *path)
{
    (void)fs;
    return disk_source_open(path);
}

static struct fs_staged *new_staged(struct fs *fs, const char *path, const struct fs_source *source)
{
    (void)fs;
    return disk_staged_new(path, source);
}

/* A file is replaced by a new one in its folder: tries to make one there, since permissions alone
 * do not tell of a file system that takes none. Others are written to. */
static int disk_can_write(struct fs *fs, const char *path)
{
    enum fs_kind kind = disk_kind(fs, path);
    if (kind == FS_DIRECTORY)
        return EISDIR;
    if (kind == FS_OTHER)
        return access(path, W_OK) == 0 ? 0 : errno;
    struct arena names = {0};
    char *beside = arena_printf(&names, "%s.XXXXXX", path);
    int file = mkstemp(beside), error = file < 0 ? errno : 0;
    if (file >= 0) {
        unlink(beside);
        close(file);
    }
    arena_free(&names);
    return error;
}

static bool disk_is_link(struct fs *fs, const char *path)
{
    (void)fs;
    struct stat found;
    return lstat(path, &found) == 0 && S_ISLNK(found.st_mode);
}

struct fs *fs_disk(void)
{
    static const struct fs_ops ops = {
        disk_read,         disk_write,     disk_kind,   disk_list,   disk_remove,
        disk_make_folder,  disk_read_part, disk_size,   open_source, new_staged,
        disk_write_gather, disk_can_write, disk_is_link};
    static struct fs disk = {&ops};
    return &disk;
}
