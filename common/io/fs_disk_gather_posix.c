/* for O_TMPFILE, copy_file_range and sync_file_range */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/arena.h"
#include "common/core/ending.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/io/disk_open.h"
#include "common/io/fs.h"
#include "common/io/fs_gather.h"
#include "common/io/fs_hold.h"
#include "common/io/temporary.h"

enum { BLOCK = 128 << 10, STAGED_STEP = 64 << 10, NAMES_TRIED = 16 };

struct fs_source {
    int file;
    struct bytes bytes; /* instead of a file */
    uint64_t size;
    dev_t device;
    ino_t number;
    struct timespec changed;
};

struct fs_staged {
    int file;
    struct fs_source source; /* a descriptor of its own */
    uint64_t copied;         /* number of its bytes so far */
    uint64_t size;           /* number of its bytes in the staged file, once all are copied */
};

struct fs_source *disk_source_open(struct fs *fs, const char *path)
{
    struct stat info;
    int file = disk_open_file(fs, path, &info);
    if (file < 0)
        return NULL;
    if (info.st_size <= 0) {
        close(file);
        return NULL;
    }
    struct fs_source *source = memory_zalloc(1, sizeof *source);
    *source = (struct fs_source){.file = file,
                                 .size = (uint64_t)info.st_size,
                                 .device = info.st_dev,
                                 .number = info.st_ino,
                                 .changed = info.st_mtim};
    return source;
}

struct fs_source *fs_source_of_bytes(const void *data, size_t size)
{
    struct fs_source *source = memory_zalloc(1, sizeof *source);
    *source = (struct fs_source){.file = -1, .size = size};
    bytes_append(&source->bytes, data, size);
    return source;
}

void fs_source_close(struct fs_source *source)
{
    if (!source)
        return;
    if (source->file >= 0)
        close(source->file);
    bytes_free(&source->bytes);
    memory_free(source);
}

uint64_t fs_source_size(const struct fs_source *source)
{
    return source->size;
}

static bool is_unchanged(const struct fs_source *source)
{
    struct stat info;
    if (source->file < 0)
        return true;
    return fstat(source->file, &info) == 0 && (uint64_t)info.st_size == source->size &&
           info.st_mtim.tv_sec == source->changed.tv_sec &&
           info.st_mtim.tv_nsec == source->changed.tv_nsec;
}

static bool is_of(const struct fs_staged *staged, const struct fs_source *source)
{
    const struct fs_source *own = &staged->source;
    return source && own->device == source->device && own->number == source->number &&
           own->size == source->size && own->changed.tv_sec == source->changed.tv_sec &&
           own->changed.tv_nsec == source->changed.tv_nsec;
}

int fs_source_read(struct fs_source *source, uint64_t offset, size_t size, void *out)
{
    unsigned char *to = out;
    if (source->file < 0 && (offset > source->size || size > source->size - offset))
        return ERROR_CHANGED;
    if (source->file < 0 && size)
        memcpy(to, source->bytes.data + offset, size);
    while (source->file >= 0 && size) {
        ssize_t count = pread(source->file, to, size, (off_t)offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count ? errno : ERROR_CHANGED;
        to += count;
        size -= (size_t)count;
        offset += (uint64_t)count;
    }
    return 0;
}

/* Writes at *at, or sequentially when it is NULL, as to a pipe. */
static int write_block(int file, const void *data, size_t size, const uint64_t *at)
{
    const unsigned char *from = data;
    uint64_t position = at ? *at : 0;
    while (size) {
        ssize_t count = at ? pwrite(file, from, size, (off_t)position) : write(file, from, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return errno;
        from += count;
        size -= (size_t)count;
        position += (uint64_t)count;
    }
    return 0;
}

static int copy_by_blocks(struct fs_source *source, uint64_t offset, uint64_t size, int file,
                          const uint64_t *at)
{
    unsigned char *block = memory_alloc(BLOCK);
    uint64_t position = at ? *at : 0;
    int error = 0;
    while (size && !error) {
        size_t step = size < BLOCK ? (size_t)size : BLOCK;
        error = fs_source_read(source, offset, step, block);
        if (!error)
            error = write_block(file, block, step, at ? &position : NULL);
        offset += step;
        position += step;
        size -= step;
    }
    memory_free(block);
    return error;
}

/* Copies by the system where possible; between some file systems it is not, with various errors. */
static int copy_from(struct fs_source *source, uint64_t offset, uint64_t size, int file,
                     uint64_t at)
{
    off_t from = (off_t)offset, to = (off_t)at;
    while (source->file >= 0 && size) {
        ssize_t count = copy_file_range(source->file, &from, file, &to, (size_t)size, 0);
        if (count <= 0)
            break;
        size -= (uint64_t)count;
    }
    uint64_t position = (uint64_t)to;
    return copy_by_blocks(source, (uint64_t)from, size, file, &position);
}

/* The file starts with the first `done` bytes of the source. */
static int put_segments(int file, const struct fs_gather *gather, uint64_t done)
{
    uint64_t at = 0;
    int error = 0;
    for (size_t i = 0; i < gather->count && !error; i++) {
        const struct fs_segment *segment = &gather->segments[i];
        uint64_t there = 0;
        if (segment->data) {
            error = write_block(file, segment->data, segment->size, &at);
        } else {
            if (segment->offset == at && at < done)
                there = done - at < segment->size ? done - at : segment->size;
            error = copy_from(gather->source, segment->offset + there, segment->size - there, file,
                              at + there);
        }
        at += segment->size;
    }
    if (!error && at < done && ftruncate(file, (off_t)at) != 0)
        error = errno;
    if (!error && gather->source && !is_unchanged(gather->source))
        error = ERROR_CHANGED;
    return error;
}

/* A device or a pipe cannot be replaced, only written to. */
static int write_in_place(const struct fs *fs, const char *path, const struct fs_gather *gather)
{
    int error = disk_may_write(fs, path);
    int file = error ? -error : disk_open(fs, path, O_WRONLY, 0);
    if (file < 0)
        return -file;
    for (size_t i = 0; i < gather->count && !error; i++) {
        const struct fs_segment *segment = &gather->segments[i];
        error = segment->data
                    ? write_block(file, segment->data, segment->size, NULL)
                    : copy_by_blocks(gather->source, segment->offset, segment->size, file, NULL);
    }
    if (close(file) != 0 && !error)
        error = errno;
    return error;
}

/* A file to be replaced. */
struct target {
    const struct fs *fs;
    const char *path;
    struct disk_entry at;
    const struct fs_hold *hold; /* or NULL */
    bool may_be_lost, as_folder;
    struct arena names;
};

static mode_t mode_as_folder(const struct target *target)
{
    struct arena names = {0};
    struct stat folder;
    int error = disk_stat(target->fs, path_folder(&names, target->path), &folder);
    arena_free(&names);
    return error ? 0600 : folder.st_mode & 0666;
}

/* An existing target keeps its permissions; a new file gets those that the umask allows. */
static mode_t target_mode(const struct target *target)
{
    struct stat existing;
    if (target->as_folder)
        return mode_as_folder(target);
    if (disk_stat(target->fs, target->path, &existing) == 0)
        return existing.st_mode & 0777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static int finish(int file, const struct target *target)
{
    if (fchmod(file, target_mode(target)) != 0 || (!target->may_be_lost && fsync(file) != 0))
        return errno;
    return 0;
}

/* Makes a file of an unused name beside the target. Returns a descriptor, or -1 and errno. */
static int open_beside(struct target *target, const char **beside)
{
    int file = -1;
    errno = EEXIST;
    for (int i = 0; i < NAMES_TRIED && file < 0 && errno == EEXIST; i++) {
        *beside = temporary_name(&target->names, target->at.name);
        file = openat(target->at.folder, *beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    }
    return file;
}

static int swap(const struct target *target, const char *beside)
{
    int folder = target->at.folder;
    return renameat2(folder, beside, folder, target->at.name, RENAME_EXCHANGE) == 0 ? 0 : errno;
}

/* Exchanges the temporary file and the one that is held, so that the latter can be judged after the
 * fact: without locks, another run may replace it between any look at it and a rename. */
static int replace_held(const struct target *target, const char *beside)
{
    struct stat replaced;
    int error = swap(target, beside);
    if (error)
        return error == ENOENT ? ERROR_CHANGED : error;
    error = fstatat(target->at.folder, beside, &replaced, 0) == 0 ? 0 : errno;
    if (!error && fs_hold_is(target->hold, &replaced)) {
        unlinkat(target->at.folder, beside, 0);
        return 0;
    }
    (void)swap(target, beside);
    return ERROR_CHANGED;
}

/* The system, or the file system, cannot exchange files. */
static bool cannot_swap(int error)
{
    return error == EINVAL || error == ENOSYS || error == EPERM || error == EOPNOTSUPP;
}

static int rename_over(const struct target *target, const char *beside)
{
    int folder = target->at.folder;
    return renameat(folder, beside, folder, target->at.name) == 0 ? 0 : errno;
}

/* Puts the temporary file in place of the target. */
static int replace(const struct target *target, const char *beside)
{
    int error = fs_hold_check(target->hold), tried = EINVAL;
    if (!error && target->hold)
        tried = replace_held(target, beside);
    if (!error)
        error = cannot_swap(tried) ? rename_over(target, beside) : tried;
    if (error)
        unlinkat(target->at.folder, beside, 0);
    return error;
}

static int write_beside(struct target *target, const struct fs_gather *gather)
{
    const char *beside;
    int file = open_beside(target, &beside);
    if (file < 0)
        return errno;
    struct ending ending;
    ending_add(&ending, target->at.folder, beside);
    int error = put_segments(file, gather, 0);
    if (!error)
        error = finish(file, target);
    if (close(file) != 0 && !error)
        error = errno;
    if (!error)
        error = replace(target, beside);
    else
        unlinkat(target->at.folder, beside, 0);
    ending_drop(&ending);
    return error;
}

/* Gives an unnamed file an unused name. */
static int give_name(int file, struct target *target, const char **beside)
{
    char of_file[64];
    int error = EEXIST;
    snprintf(of_file, sizeof of_file, "/proc/self/fd/%d", file);
    for (int i = 0; i < NAMES_TRIED && error == EEXIST; i++) {
        *beside = temporary_name(&target->names, target->at.name);
        error = linkat(AT_FDCWD, of_file, target->at.folder, *beside, AT_SYMLINK_FOLLOW) == 0
                    ? 0
                    : errno;
    }
    return error;
}

/* Finishes an unnamed file and puts it in place of the target. */
static int place_nameless(int file, struct target *target)
{
    const char *beside;
    int error = finish(file, target);
    if (!error)
        error = give_name(file, target, &beside);
    if (error)
        return error;
    struct ending ending;
    ending_add(&ending, target->at.folder, beside);
    error = replace(target, beside);
    ending_drop(&ending);
    return error;
}

static int write_staged(struct target *target, const struct fs_gather *gather)
{
    const struct fs_staged *staged = gather->staged;
    int error = put_segments(staged->file, gather, staged->size);
    return error ? error : place_nameless(staged->file, target);
}

/* Opens an unnamed file in the target's folder, as disk_open does. */
static int open_nameless(const struct fs *fs, const char *path)
{
    struct arena names = {0};
    int file = disk_open(fs, path_folder(&names, path), O_TMPFILE | O_RDWR, 0600);
    arena_free(&names);
    return file;
}

/* A process that is killed leaves no part of an unnamed file. */
static int write_nameless(struct target *target, const struct fs_gather *gather)
{
    int file = open_nameless(target->fs, target->path);
    if (file < 0)
        return -file;
    int error = put_segments(file, gather, 0);
    if (!error)
        error = place_nameless(file, target);
    close(file);
    return error;
}

/* Another way of writing gives the same error. */
static bool is_final(int error)
{
    return error == ERROR_CHANGED || error == ENOSPC || error == EDQUOT;
}

static int write_target(struct target *target, const struct fs_gather *gather)
{
    bool uses_staged =
        gather->staged && gather->staged->size && is_of(gather->staged, gather->source);
    int error = uses_staged ? write_staged(target, gather) : EAGAIN;
    if (!uses_staged || (error && !is_final(error)))
        error = write_nameless(target, gather);
    /* Not all file systems have unnamed files, or let them be given a name. */
    if (error && !is_final(error))
        error = write_beside(target, gather);
    return error;
}

/* Removes what dead processes left in the folder of the path. `again` is false for a folder that
 * was the last one: many files may be written to it, one by one. */
static void remove_dead_beside(const struct fs *fs, const char *path, bool again)
{
    static _Atomic uint64_t last;
    struct arena names = {0};
    struct stat info;
    int folder = disk_open(fs, path_folder(&names, path), O_RDONLY | O_DIRECTORY, 0);
    if (folder >= 0 && fstat(folder, &info) == 0) {
        uint64_t number = (uint64_t)info.st_dev << 48 ^ (uint64_t)info.st_ino;
        if (atomic_exchange(&last, number) != number || again)
            temporary_remove_dead(folder);
    }
    if (folder >= 0)
        close(folder);
    arena_free(&names);
}

/* Makes a folder in one that exists. Another process may do the same. */
static int make_folder_alike(const struct fs *fs, const char *path, const char *parent)
{
    struct disk_entry entry;
    struct stat above;
    int error = disk_stat(fs, parent, &above);
    if (!error)
        error = disk_entry_open(fs, path, &entry);
    if (error)
        return error;
    if (mkdirat(entry.folder, entry.name, 0777) != 0)
        error = errno == EEXIST ? 0 : errno;
    else if (fchmodat(entry.folder, entry.name, above.st_mode & 07777, 0) != 0)
        error = errno;
    disk_entry_close(&entry);
    return error;
}

static int make_folders_alike(const struct fs *fs, struct arena *names, const char *path)
{
    struct stat existing;
    const char *parent = path_folder(names, path);
    int error = disk_stat(fs, path, &existing);
    if (error != ENOENT || strcmp(parent, path) == 0)
        return error;
    error = make_folders_alike(fs, names, parent);
    return error ? error : make_folder_alike(fs, path, parent);
}

int disk_write_gather(struct fs *fs, const char *path, const struct fs_gather *gather)
{
    struct target target = {.fs = fs,
                            .path = path,
                            .at.folder = AT_FDCWD,
                            .hold = gather->hold,
                            .may_be_lost = gather->may_be_lost,
                            .as_folder = gather->as_folder};
    struct stat existing;
    if (disk_stat(fs, path, &existing) == 0 && !S_ISREG(existing.st_mode))
        return S_ISDIR(existing.st_mode) ? EISDIR : write_in_place(fs, path, gather);
    remove_dead_beside(fs, path, false);
    int error = gather->as_folder
                    ? make_folders_alike(fs, &target.names, path_folder(&target.names, path))
                    : 0;
    if (!error)
        error = disk_entry_open(fs, path, &target.at);
    if (!error)
        error = write_target(&target, gather);
    disk_entry_close(&target.at);
    arena_free(&target.names);
    return error;
}

/* A file is replaced by a new one in its folder: tries to make one there, since permissions alone
 * do not tell of a file system that takes none. Others are written to. */
int disk_can_write(struct fs *fs, const char *path)
{
    struct target target = {.fs = fs, .path = path};
    const char *beside;
    enum fs_kind kind = fs->ops->kind(fs, path);
    if (kind == FS_DIRECTORY)
        return EISDIR;
    if (kind == FS_OTHER)
        return disk_may_write(fs, path);
    remove_dead_beside(fs, path, true);
    int error = disk_entry_open(fs, path, &target.at);
    int file = error ? -1 : open_beside(&target, &beside);
    if (!error && file < 0)
        error = errno;
    if (file >= 0) {
        unlinkat(target.at.folder, beside, 0);
        close(file);
    }
    disk_entry_close(&target.at);
    arena_free(&target.names);
    return error;
}

struct fs_staged *disk_staged_new(struct fs *fs, const char *path, const struct fs_source *source)
{
    struct stat existing;
    if (source->file < 0 || (disk_stat(fs, path, &existing) == 0 && !S_ISREG(existing.st_mode)))
        return NULL;
    int file = open_nameless(fs, path), again = fcntl(source->file, F_DUPFD_CLOEXEC, 0);
    if (file < 0 || again < 0) {
        if (file >= 0)
            close(file);
        if (again >= 0)
            close(again);
        return NULL;
    }
    struct fs_staged *staged = memory_zalloc(1, sizeof *staged);
    *staged = (struct fs_staged){.file = file, .source = *source};
    staged->source.file = again;
    return staged;
}

bool fs_staged_fill(struct fs_staged *staged, uint64_t size)
{
    uint64_t at = staged->copied, step = size - at < STAGED_STEP ? size - at : STAGED_STEP;
    if (size > staged->source.size || copy_from(&staged->source, at, step, staged->file, at) != 0)
        return false;
    staged->copied += step;
    if (staged->copied < size)
        return true;
    staged->size = size;
    (void)sync_file_range(staged->file, 0, 0, SYNC_FILE_RANGE_WRITE);
    return false;
}

void fs_staged_free(struct fs_staged *staged)
{
    if (!staged)
        return;
    close(staged->file);
    close(staged->source.file);
    memory_free(staged);
}
