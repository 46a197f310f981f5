/* for the kinds of entries */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
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
#include "common/core/strings.h"
#include "common/io/disk_open.h"
#include "common/io/fs.h"
#include "common/io/fs_gather.h"
#include "common/io/fs_hold.h"
#include "common/io/size_limit.h"

#define READ_STEP ((size_t)1 << 20)

/* The size of the file, and a byte more to detect its end; files of the kernel have no size. */
static size_t first_step(const struct stat *info)
{
    if (info->st_size > 0 && (uint64_t)info->st_size < SIZE_MAX / 4)
        return (size_t)info->st_size + 1;
    return READ_STEP;
}

/* The remaining capacity, which usually suffices to detect the end. */
static size_t next_step(const struct bytes *out)
{
    return out->capacity > out->size ? out->capacity - out->size : READ_STEP;
}

/* Fails with EFBIG beyond `max` bytes. */
static int read_all(int file, const struct stat *info, uint64_t max, struct bytes *out)
{
    size_t before = out->size;
    if (info->st_size > 0 && (uint64_t)info->st_size > max)
        return EFBIG;
    for (size_t step = first_step(info);; step = next_step(out)) {
        size_t at = out->size;
        ssize_t count = read(file, bytes_extend(out, step), step);
        int error = count < 0 ? errno : 0;
        out->size = at + (count > 0 ? (size_t)count : 0);
        if (out->size - before > max)
            error = EFBIG;
        if (error && error != EINTR)
            bytes_undo(out, before);
        if (count == 0 || (error && error != EINTR))
            return error;
    }
}

static int disk_read(struct fs *fs, const char *path, struct bytes *out)
{
    struct stat info;
    int file = disk_open_file(fs, path, &info);
    if (file < 0)
        return -file;
    int error = read_all(file, &info, size_limit_of(path), out);
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
    struct stat info;
    if (offset > INT64_MAX - size)
        return EINVAL;
    int file = disk_open_file(fs, path, &info);
    if (file < 0)
        return -file;
    int error = read_range(file, offset, size, out);
    close(file);
    return error;
}

static int disk_info(struct fs *fs, const char *path, struct fs_info *out)
{
    struct stat info;
    int error = disk_stat(fs, path, &info);
    if (error)
        return error;
    if (!S_ISREG(info.st_mode))
        return S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
    out->size = (uint64_t)info.st_size;
    out->modified = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
    return 0;
}

static int disk_size(struct fs *fs, const char *path, uint64_t *out)
{
    struct fs_info info;
    int error = disk_info(fs, path, &info);
    if (!error)
        *out = info.size;
    return error;
}

static int disk_touch(struct fs *fs, const char *path)
{
    struct stat info;
    int file = disk_open_file(fs, path, &info);
    if (file < 0)
        return -file;
    int error = futimens(file, NULL) == 0 ? 0 : errno;
    close(file);
    return error;
}

static int disk_write(struct fs *fs, const char *path, const void *data, size_t size)
{
    const struct fs_segment segment = {.data = data, .size = size};
    return disk_write_gather(fs, path,
                             &(struct fs_gather){.segments = &segment, .count = size > 0});
}

static int write_at(int file, uint64_t offset, const unsigned char *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = pwrite(file, data + done, size - done, (off_t)(offset + done));
        if (count < 0 && errno != EINTR)
            return errno;
        done += count > 0 ? (size_t)count : 0;
    }
    return 0;
}

static int disk_extend(struct fs *fs, const char *path, uint64_t offset, const void *data,
                       size_t size)
{
    struct stat info;
    if (offset > INT64_MAX - size)
        return EINVAL;
    int file = disk_open(fs, path, O_WRONLY | O_NONBLOCK, 0);
    if (file < 0)
        return -file;
    int error = fstat(file, &info) == 0 ? 0 : errno;
    if (!error && (!S_ISREG(info.st_mode) || offset > (uint64_t)info.st_size))
        error = EINVAL;
    if (!error && offset < (uint64_t)info.st_size && ftruncate(file, (off_t)offset) != 0)
        error = errno;
    if (!error)
        error = write_at(file, offset, data, size);
    if (!error && fdatasync(file) != 0)
        error = errno;
    if (close(file) != 0 && !error)
        error = errno;
    return error;
}

/* The mode of a file that was made just now: who may use its folder may use it. */
static int set_mode_of_folder(const struct fs *fs, const char *path, int file)
{
    struct arena names = {0};
    struct stat folder;
    int error = disk_stat(fs, path_folder(&names, path), &folder);
    arena_free(&names);
    return error || fchmod(file, folder.st_mode & 0666) == 0 ? error : errno;
}

static int disk_append(struct fs *fs, const char *path, const void *data, size_t size)
{
    struct stat info;
    const int flags = O_WRONLY | O_APPEND | O_NONBLOCK;
    int error = 0, file = disk_open(fs, path, flags, 0);
    bool is_new = file == -ENOENT;
    if (is_new)
        file = disk_open(fs, path, flags | O_CREAT, 0600);
    if (file < 0)
        return -file;
    if (fstat(file, &info) != 0)
        error = errno;
    else if (!S_ISREG(info.st_mode))
        error = EINVAL;
    else if (is_new)
        error = set_mode_of_folder(fs, path, file);
    if (!error) {
        ssize_t count = write(file, data, size);
        error = count < 0 ? errno : (size_t)count < size ? EIO : 0;
    }
    close(file);
    return error;
}

static enum fs_kind disk_kind(struct fs *fs, const char *path)
{
    struct stat found;
    int error = disk_stat(fs, path, &found);
    if (error == ERROR_OUTSIDE)
        return disk_kind_outside(fs, path);
    if (error)
        return fs_error_is_absent(error) ? FS_ABSENT : FS_UNREADABLE;
    if (S_ISDIR(found.st_mode))
        return FS_DIRECTORY;
    return S_ISREG(found.st_mode) ? FS_FILE : FS_OTHER;
}

/* Symbolic links count as that to which they lead. */
static bool is_directory(struct fs *fs, const char *path, const struct dirent *entry)
{
    if (entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
    struct arena names = {0};
    enum fs_kind kind = disk_kind(fs, arena_printf(&names, "%s/%s", path, entry->d_name));
    arena_free(&names);
    return kind == FS_DIRECTORY;
}

int disk_read_entries(struct fs *fs, const char *path, struct disk_entries *entries)
{
    int folder = disk_open(fs, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK, 0);
    if (folder < 0)
        return -folder;
    DIR *directory = fdopendir(folder);
    if (!directory) {
        int error = errno;
        close(folder);
        return error;
    }
    struct dirent *entry;
    for (errno = 0; (entry = readdir(directory)); errno = 0)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            disk_entries_add(entries, entry->d_name, is_directory(fs, path, entry));
    int error = errno;
    closedir(directory);
    return error;
}

static int disk_remove(struct fs *fs, const char *path)
{
    struct disk_entry entry;
    int error = disk_entry_open(fs, path, &entry);
    if (!error && unlinkat(entry.folder, entry.name, 0) != 0)
        error = errno;
    disk_entry_close(&entry);
    return error;
}

static int disk_remove_folder(struct fs *fs, const char *path)
{
    struct disk_entry entry;
    int error = disk_entry_open(fs, path, &entry);
    if (!error && unlinkat(entry.folder, entry.name, AT_REMOVEDIR) != 0)
        error = errno;
    disk_entry_close(&entry);
    return error;
}

int disk_make_one(struct fs *fs, const char *path)
{
    if (disk_kind(fs, path) == FS_DIRECTORY)
        return 0;
    struct disk_entry entry;
    int error = disk_entry_open(fs, path, &entry);
    if (!error && mkdirat(entry.folder, entry.name, 0777) != 0)
        error = errno;
    disk_entry_close(&entry);
    if (!error || disk_kind(fs, path) == FS_DIRECTORY)
        return 0;
    return error == EEXIST ? ENOTDIR : error;
}

static bool disk_is_link(struct fs *fs, const char *path)
{
    (void)fs;
    struct stat found;
    return lstat(path, &found) == 0 && S_ISLNK(found.st_mode);
}

const struct fs_ops disk_ops = {
    .read = disk_read,
    .write = disk_write,
    .kind = disk_kind,
    .list = disk_list,
    .remove = disk_remove,
    .make_folder = disk_make_folder,
    .read_part = disk_read_part,
    .size = disk_size,
    .open_source = disk_source_open,
    .new_staged = disk_staged_new,
    .write_gather = disk_write_gather,
    .can_write = disk_can_write,
    .is_link = disk_is_link,
    .hold = disk_hold,
    .info = disk_info,
    .touch = disk_touch,
    .extend = disk_extend,
    .append = disk_append,
    .remove_folder = disk_remove_folder,
};
