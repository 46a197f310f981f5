#include <errno.h>
#include <string.h>

#include "common/core/arena.h"
#include "common/core/ending.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/core/wide.h"
#include "common/io/disk_windows.h"
#include "common/io/fs_gather.h"
#include "common/io/fs_hold.h"
#include "common/io/temporary.h"

enum { BLOCK = 128 << 10, NAMES_TRIED = 16 };

/* Of newer systems than the headers may be. */
enum {
    RENAME_INFO_EX = 22, /* FileRenameInfoEx */
    RENAME_REPLACE = 1,  /* FILE_RENAME_FLAG_REPLACE_IF_EXISTS */
    RENAME_POSIX = 2,    /* FILE_RENAME_FLAG_POSIX_SEMANTICS: also when the target is open */
};

struct fs_source {
    HANDLE file;
    struct bytes bytes; /* instead of a file */
    struct disk_info state;
};

struct fs_source *disk_source_open(struct fs *fs, const char *path)
{
    struct disk_info info;
    HANDLE file;
    if (disk_open_file(fs, path, &file, &info) != 0)
        return NULL;
    if (!info.size) {
        CloseHandle(file);
        return NULL;
    }
    struct fs_source *source = memory_zalloc(1, sizeof *source);
    *source = (struct fs_source){.file = file, .state = info};
    return source;
}

struct fs_source *fs_source_of_bytes(const void *data, size_t size)
{
    struct fs_source *source = memory_zalloc(1, sizeof *source);
    *source = (struct fs_source){.file = INVALID_HANDLE_VALUE, .state.size = size};
    bytes_append(&source->bytes, data, size);
    return source;
}

void fs_source_close(struct fs_source *source)
{
    if (!source)
        return;
    if (source->file != INVALID_HANDLE_VALUE)
        CloseHandle(source->file);
    bytes_free(&source->bytes);
    memory_free(source);
}

uint64_t fs_source_size(const struct fs_source *source)
{
    return source->state.size;
}

static bool is_unchanged(const struct fs_source *source)
{
    struct disk_info now;
    if (source->file == INVALID_HANDLE_VALUE)
        return true;
    return disk_info_of(source->file, &now) == 0 && now.size == source->state.size &&
           now.modified == source->state.modified;
}

static int read_bytes(const struct fs_source *source, uint64_t offset, size_t size, void *out)
{
    if (offset > source->state.size || size > source->state.size - offset)
        return ERROR_CHANGED;
    if (size)
        memcpy(out, source->bytes.data + offset, size);
    return 0;
}

int fs_source_read(struct fs_source *source, uint64_t offset, size_t size, void *out)
{
    unsigned char *to = out;
    if (source->file == INVALID_HANDLE_VALUE)
        return read_bytes(source, offset, size, out);
    while (size) {
        size_t count;
        int error = disk_read_at(source->file, offset, to, size, &count);
        if (error || !count)
            return error ? error : ERROR_CHANGED;
        to += count;
        size -= count;
        offset += count;
    }
    return 0;
}

/* A function that puts bytes at a place of the file, or behind those before where it is a stream.
 */
typedef int put_bytes(HANDLE file, uint64_t at, const void *data, size_t size);

static int put_next(HANDLE file, uint64_t at, const void *data, size_t size)
{
    const unsigned char *from = data;
    (void)at;
    while (size) {
        DWORD done = 0;
        if (!WriteFile(file, from, size < BLOCK ? (DWORD)size : BLOCK, &done, NULL))
            return windows_last_error();
        if (!done)
            return EIO;
        from += done;
        size -= done;
    }
    return 0;
}

static int copy_segment(struct fs_source *source, const struct fs_segment *segment, HANDLE file,
                        uint64_t at, put_bytes *put)
{
    unsigned char *block = memory_alloc(BLOCK);
    int error = 0;
    for (size_t done = 0; done < segment->size && !error;) {
        size_t left = segment->size - done, step = left < BLOCK ? left : BLOCK;
        error = fs_source_read(source, segment->offset + done, step, block);
        if (!error)
            error = put(file, at + done, block, step);
        done += step;
    }
    memory_free(block);
    return error;
}

static int put_segments(HANDLE file, const struct fs_gather *gather, put_bytes *put)
{
    uint64_t at = 0;
    int error = 0;
    for (size_t i = 0; i < gather->count && !error; i++) {
        const struct fs_segment *segment = &gather->segments[i];
        error = segment->data ? put(file, at, segment->data, segment->size)
                              : copy_segment(gather->source, segment, file, at, put);
        at += segment->size;
    }
    if (!error && gather->source && !is_unchanged(gather->source))
        error = ERROR_CHANGED;
    return error;
}

/* A device cannot be replaced, only written to. */
static int write_in_place(const struct fs *fs, const char *path, const struct fs_gather *gather)
{
    HANDLE file;
    int error = disk_open(fs, path, GENERIC_WRITE, OPEN_EXISTING, &file);
    if (error)
        return error;
    error = put_segments(file, gather, put_next);
    CloseHandle(file);
    return error;
}

/* A file that will be, or replace, another one. */
struct beside {
    HANDLE file;
    wchar_t *path;
    char *name; /* the same path, for the ending */
    struct ending ending;
};

/* A file that is marked so is gone when it is closed, by whatever ends the process. */
static bool mark_deleted(HANDLE file, bool deleted)
{
    FILE_DISPOSITION_INFO info = {.DeleteFile = deleted};
    return SetFileInformationByHandle(file, FileDispositionInfo, &info, sizeof info);
}

static int try_beside(const struct fs *fs, const char *path, struct beside *out)
{
    struct arena names = {0};
    int error = disk_entry_path(fs, temporary_name(&names, path), &out->path);
    arena_free(&names);
    if (error)
        return error;
    out->file = CreateFileW(out->path, GENERIC_READ | GENERIC_WRITE | DELETE,
                            FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, CREATE_NEW,
                            FILE_ATTRIBUTE_NORMAL, NULL);
    if (out->file != INVALID_HANDLE_VALUE)
        return 0;
    error = windows_last_error();
    memory_free(out->path);
    return error;
}

static int open_beside(const struct fs *fs, const char *path, struct beside *out)
{
    int error = EEXIST;
    for (int i = 0; i < NAMES_TRIED && error == EEXIST; i++)
        error = try_beside(fs, path, out);
    if (error)
        return error;
    out->name = utf8_from_wide(out->path);
    ending_add(&out->ending, 0, out->name);
    (void)mark_deleted(out->file, true);
    return 0;
}

/* Removes it, unless it was renamed. */
static void close_beside(struct beside *beside, bool is_placed)
{
    if (!is_placed && beside->file != INVALID_HANDLE_VALUE)
        (void)mark_deleted(beside->file, true);
    if (beside->file != INVALID_HANDLE_VALUE)
        CloseHandle(beside->file);
    if (!is_placed)
        (void)DeleteFileW(beside->path);
    ending_drop(&beside->ending);
    memory_free(beside->name);
    memory_free(beside->path);
}

/* Replaces the target even when it is open, if with FILE_SHARE_DELETE: on Windows 10 from 2016 on,
 * and NTFS. */
static int rename_open(HANDLE file, const wchar_t *target)
{
    size_t length = wcslen(target) * sizeof *target;
    size_t size = sizeof(FILE_RENAME_INFO) + length;
    FILE_RENAME_INFO *info = memory_zalloc(1, size);
    *(DWORD *)(void *)info = RENAME_REPLACE | RENAME_POSIX; /* the start of the extended form */
    info->FileNameLength = (DWORD)length;
    memcpy(info->FileName, target, length);
    bool done = SetFileInformationByHandle(file, (FILE_INFO_BY_HANDLE_CLASS)RENAME_INFO_EX, info,
                                           (DWORD)size);
    int error = done ? 0 : windows_last_error();
    memory_free(info);
    return error;
}

static int move(const wchar_t *from, const wchar_t *to, DWORD flags)
{
    return MoveFileExW(from, to, flags) ? 0 : windows_last_error();
}

/* Puts the file in place of a target that is moved away, or moved back if that fails. ERROR_HELD:
 * another program does the same at this moment. */
static int swap(const wchar_t *from, const wchar_t *to, const wchar_t *away)
{
    int error = move(to, away, 0);
    if (error)
        return error == ENOENT ? ERROR_HELD : error;
    error = move(from, to, 0);
    bool is_replaced = error == EEXIST; /* by the other's, which is newer than what was moved */
    if (error && !is_replaced)
        (void)move(away, to, 0);
    else
        (void)DeleteFileW(away);
    return is_replaced ? ERROR_HELD : error;
}

/* Without such a rename: an open target, which may be our own source, can still be moved away. */
static int move_over(const struct fs *fs, const char *path, const wchar_t *from, const wchar_t *to)
{
    struct arena names = {0};
    wchar_t *away = NULL;
    int error = move(from, to, MOVEFILE_REPLACE_EXISTING);
    if (error != EACCES && error != ERROR_HELD)
        return error;
    DWORD attributes = GetFileAttributesW(to);
    if (attributes == INVALID_FILE_ATTRIBUTES) { /* another program moved it away just now */
        error = move(from, to, 0);
        error = error == EEXIST ? ERROR_HELD : error;
    } else if (!(attributes & (FILE_ATTRIBUTE_READONLY | FILE_ATTRIBUTE_DIRECTORY)) &&
               disk_entry_path(fs, temporary_name(&names, path), &away) == 0) {
        error = swap(from, to, away);
    }
    memory_free(away);
    arena_free(&names);
    return error;
}

/* Puts the file in place of the target, once no other program keeps it from being replaced. */
static int replace(const struct fs *fs, const char *path, struct beside *beside,
                   const struct fs_gather *gather)
{
    wchar_t *target;
    double start = disk_now();
    int error = disk_entry_path(fs, path, &target);
    if (error)
        return error;
    if (!gather->may_be_lost && !FlushFileBuffers(beside->file))
        error = windows_last_error();
    (void)mark_deleted(beside->file, false);
    if (!error)
        error = fs_hold_check(gather->hold);
    if (!error && rename_open(beside->file, target) != 0) {
        CloseHandle(beside->file);
        beside->file = INVALID_HANDLE_VALUE;
        do
            error = move_over(fs, path, beside->path, target);
        while (error == ERROR_HELD && disk_try_again(start, DISK_LAST_PATIENCE_SECONDS));
    }
    memory_free(target);
    return error;
}

static void remove_dead_beside(const struct fs *fs, const char *path)
{
    struct arena names = {0};
    wchar_t *folder;
    if (disk_path(fs, path_folder(&names, path), FS_READ_WRITE, &folder) == 0)
        temporary_remove_dead_in(folder);
    memory_free(folder);
    arena_free(&names);
}

int disk_write_gather(struct fs *fs, const char *path, const struct fs_gather *gather)
{
    struct disk_info existing;
    struct beside beside;
    struct arena names = {0};
    int error = 0;
    if (disk_stat(fs, path, &existing) == 0 && (existing.is_folder || existing.is_device))
        return existing.is_folder ? EISDIR : write_in_place(fs, path, gather);
    /* The rights of a folder are those of what is made in it. */
    if (gather->as_folder)
        error = fs->ops->make_folder(fs, path_folder(&names, path));
    arena_free(&names);
    if (!error)
        error = open_beside(fs, path, &beside);
    if (error)
        return error;
    error = put_segments(beside.file, gather, disk_write_at);
    if (!error)
        error = replace(fs, path, &beside, gather);
    close_beside(&beside, !error);
    return error;
}

/* Of an existing file: it is read-only, or another program keeps it from being replaced. */
static int can_replace(struct fs *fs, const char *path)
{
    wchar_t *wide;
    HANDLE file;
    int error = disk_path(fs, path, FS_READ_WRITE, &wide);
    if (error)
        return error;
    DWORD attributes = GetFileAttributesW(wide);
    memory_free(wide);
    if (attributes == INVALID_FILE_ATTRIBUTES)
        return 0;
    if (attributes & FILE_ATTRIBUTE_READONLY)
        return EACCES;
    error = disk_open(fs, path, DELETE, OPEN_EXISTING, &file);
    if (!error)
        CloseHandle(file);
    return error;
}

/* Tries to make a file in the folder: rights alone do not tell. */
int disk_can_write(struct fs *fs, const char *path)
{
    struct beside beside;
    enum fs_kind kind = fs->ops->kind(fs, path);
    if (kind == FS_DIRECTORY)
        return EISDIR;
    if (kind == FS_OTHER)
        return disk_of(fs)->roots ? ERROR_NOT_REGULAR : 0;
    remove_dead_beside(fs, path);
    int error = open_beside(fs, path, &beside);
    if (!error)
        close_beside(&beside, false);
    if (!error && kind == FS_FILE)
        error = can_replace(fs, path);
    return error;
}

/* Files without a name, which may be dropped at any time, do not exist. */
struct fs_staged *disk_staged_new(struct fs *fs, const char *path, const struct fs_source *source)
{
    (void)fs;
    (void)path;
    (void)source;
    return NULL;
}

bool fs_staged_fill(struct fs_staged *staged, uint64_t size)
{
    (void)staged;
    (void)size;
    return false;
}

void fs_staged_free(struct fs_staged *staged)
{
    (void)staged;
}
