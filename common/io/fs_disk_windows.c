#include <errno.h>
#include <string.h>

#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/core/system_path.h"
#include "common/core/wide.h"
#include "common/io/disk_windows.h"
#include "common/io/fs_gather.h"
#include "common/io/fs_hold.h"
#include "common/io/size_limit.h"

#define READ_STEP ((size_t)1 << 20)

/* Reads in steps, so that a false size costs no memory; at most `max` bytes from `at` on. */
static int read_range(HANDLE file, uint64_t at, uint64_t max, size_t first, struct bytes *out)
{
    size_t before = out->size, step = first, count = 1;
    int error = 0;
    while (count && !error && out->size - before < max) {
        size_t end = out->size;
        step = step < max - (end - before) ? step : (size_t)(max - (end - before));
        error = disk_read_at(file, at + (end - before), bytes_extend(out, step), step, &count);
        out->size = end + count;
        step = out->capacity > out->size ? out->capacity - out->size : READ_STEP;
    }
    if (error)
        bytes_undo(out, before);
    return error;
}

static int disk_read(struct fs *fs, const char *path, struct bytes *out)
{
    struct disk_info info;
    HANDLE file;
    uint64_t max = size_limit_of(path);
    size_t before = out->size;
    int error = disk_open_file(fs, path, &file, &info);
    if (error)
        return error;
    /* The size, and a byte more to detect the end. */
    if (info.size > max)
        error = EFBIG;
    else
        error = read_range(file, 0, max + 1, info.size ? (size_t)info.size + 1 : READ_STEP, out);
    CloseHandle(file);
    if (!error && out->size - before > max) {
        bytes_undo(out, before);
        error = EFBIG;
    }
    return error;
}

static int disk_read_part(struct fs *fs, const char *path, uint64_t offset, size_t size,
                          struct bytes *out)
{
    struct disk_info info;
    HANDLE file;
    if (offset > INT64_MAX - size)
        return EINVAL;
    int error = disk_open_file(fs, path, &file, &info);
    if (error)
        return error;
    error = read_range(file, offset, size, size < READ_STEP ? size : READ_STEP, out);
    CloseHandle(file);
    return error;
}

static int stat_file(struct fs *fs, const char *path, struct disk_info *info)
{
    int error = disk_stat(fs, path, info);
    if (error)
        return error;
    if (info->is_folder)
        return EISDIR;
    return info->is_device ? EINVAL : 0;
}

static int disk_size(struct fs *fs, const char *path, uint64_t *out)
{
    struct disk_info info;
    int error = stat_file(fs, path, &info);
    if (!error)
        *out = info.size;
    return error;
}

static int disk_info(struct fs *fs, const char *path, struct fs_info *out)
{
    struct disk_info info;
    int error = stat_file(fs, path, &info);
    if (!error)
        *out = (struct fs_info){info.size, info.modified};
    return error;
}

static int disk_touch(struct fs *fs, const char *path)
{
    FILETIME now;
    HANDLE file;
    int error = disk_open(fs, path, FILE_WRITE_ATTRIBUTES, OPEN_EXISTING, &file);
    if (error)
        return error;
    GetSystemTimeAsFileTime(&now);
    if (!SetFileTime(file, NULL, NULL, &now))
        error = windows_last_error();
    CloseHandle(file);
    return error;
}

static int disk_write(struct fs *fs, const char *path, const void *data, size_t size)
{
    const struct fs_segment segment = {.data = data, .size = size};
    return disk_write_gather(fs, path,
                             &(struct fs_gather){.segments = &segment, .count = size > 0});
}

static int cut(HANDLE file, uint64_t size)
{
    FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = (int64_t)size};
    return SetFileInformationByHandle(file, FileEndOfFileInfo, &end, sizeof end)
               ? 0
               : windows_last_error();
}

static int disk_extend(struct fs *fs, const char *path, uint64_t offset, const void *data,
                       size_t size)
{
    struct disk_info info;
    HANDLE file;
    if (offset > INT64_MAX - size)
        return EINVAL;
    int error = disk_open(fs, path, GENERIC_WRITE, OPEN_EXISTING, &file);
    if (error)
        return error;
    error = disk_info_of(file, &info);
    if (!error && (info.is_folder || info.is_device || offset > info.size))
        error = EINVAL;
    if (!error && offset < info.size)
        error = cut(file, offset);
    if (!error)
        error = disk_write_at(file, offset, data, size);
    if (!error && !FlushFileBuffers(file))
        error = windows_last_error();
    CloseHandle(file);
    return error;
}

static int disk_append(struct fs *fs, const char *path, const void *data, size_t size)
{
    struct disk_info info;
    HANDLE file;
    DWORD done = 0;
    int error = disk_open(fs, path, FILE_APPEND_DATA | FILE_READ_ATTRIBUTES, OPEN_ALWAYS, &file);
    if (error)
        return error;
    error = disk_info_of(file, &info);
    if (!error && (info.is_folder || info.is_device || size > UINT32_MAX))
        error = EINVAL;
    if (!error && !WriteFile(file, data, (DWORD)size, &done, NULL))
        error = windows_last_error();
    else if (!error && done < size)
        error = EIO;
    CloseHandle(file);
    return error;
}

static enum fs_kind disk_kind(struct fs *fs, const char *path)
{
    struct disk_info found;
    int error = disk_stat(fs, path, &found);
    if (error == ERROR_OUTSIDE)
        return disk_kind_outside(fs, path);
    if (error)
        return fs_error_is_absent(error) ? FS_ABSENT : FS_UNREADABLE;
    if (found.is_folder)
        return FS_DIRECTORY;
    return found.is_device ? FS_OTHER : FS_FILE;
}

/* Links count as that to which they lead. */
static bool is_directory(struct fs *fs, const char *path, const WIN32_FIND_DATAW *found,
                         const char *name)
{
    if (!(found->dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT))
        return found->dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    struct arena names = {0};
    enum fs_kind kind = disk_kind(fs, arena_printf(&names, "%s/%s", path, name));
    arena_free(&names);
    return kind == FS_DIRECTORY;
}

static void add_entry(struct fs *fs, const char *path, const WIN32_FIND_DATAW *found,
                      struct disk_entries *entries)
{
    char *name = utf8_from_wide(found->cFileName);
    if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
        disk_entries_add(entries, name, is_directory(fs, path, found, name));
    memory_free(name);
}

static wchar_t *with_star(const wchar_t *folder)
{
    size_t length = wcslen(folder);
    wchar_t *out = memory_alloc((length + 3) * sizeof *out);
    wmemcpy(out, folder, length);
    if (length && folder[length - 1] != '\\')
        out[length++] = '\\';
    wmemcpy(out + length, L"*", 2);
    return out;
}

int disk_read_entries(struct fs *fs, const char *path, struct disk_entries *entries)
{
    WIN32_FIND_DATAW found;
    struct disk_info info;
    wchar_t *folder = NULL;
    int error = disk_stat(fs, path, &info);
    if (!error && !info.is_folder)
        error = ENOTDIR;
    if (!error)
        error = disk_path(fs, path, FS_READ, &folder);
    if (error)
        return error;
    wchar_t *pattern = with_star(folder);
    HANDLE search = FindFirstFileW(pattern, &found);
    /* An empty drive has not even `.`. */
    if (search == INVALID_HANDLE_VALUE && GetLastError() != ERROR_FILE_NOT_FOUND)
        error = windows_last_error();
    if (search != INVALID_HANDLE_VALUE) {
        do
            add_entry(fs, path, &found, entries);
        while (FindNextFileW(search, &found));
        if (GetLastError() != ERROR_NO_MORE_FILES)
            error = windows_last_error();
        FindClose(search);
    }
    memory_free(pattern);
    memory_free(folder);
    return error;
}

/* A file that is open elsewhere vanishes when it is closed. */
static int disk_remove(struct fs *fs, const char *path)
{
    wchar_t *wide;
    double start = disk_now();
    int error = disk_entry_path(fs, path, &wide);
    if (error)
        return error;
    do
        error = DeleteFileW(wide) ? 0 : windows_last_error();
    while (error == ERROR_HELD && disk_try_again(start, DISK_PATIENCE_SECONDS));
    if (error == EACCES && disk_kind(fs, path) == FS_DIRECTORY)
        error = EISDIR;
    memory_free(wide);
    return error;
}

static int disk_remove_folder(struct fs *fs, const char *path)
{
    wchar_t *wide;
    int error = disk_entry_path(fs, path, &wide);
    if (!error && !RemoveDirectoryW(wide))
        error = windows_last_error();
    memory_free(wide);
    return error;
}

int disk_make_one(struct fs *fs, const char *path)
{
    wchar_t *wide;
    if (disk_kind(fs, path) == FS_DIRECTORY)
        return 0;
    int error = disk_entry_path(fs, path, &wide);
    if (!error && !CreateDirectoryW(wide, NULL))
        error = windows_last_error();
    memory_free(wide);
    if (!error || disk_kind(fs, path) == FS_DIRECTORY)
        return 0;
    return error == EEXIST ? ENOTDIR : error;
}

/* Links, junctions and the like, which stand for another name. Files that are only kept elsewhere
 * (OneDrive) are none. Wine marks links of the system below it without a tag. */
static bool is_tag_of_link(DWORD tag)
{
    return tag == IO_REPARSE_TAG_RESERVED_ZERO || IsReparseTagNameSurrogate(tag);
}

static bool disk_is_link(struct fs *fs, const char *path)
{
    WIN32_FIND_DATAW found;
    wchar_t *wide;
    if (disk_path(fs, path, FS_READ, &wide) != 0)
        return false;
    HANDLE search = FindFirstFileW(wide, &found);
    memory_free(wide);
    if (search == INVALID_HANDLE_VALUE)
        return false;
    FindClose(search);
    return (found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
           is_tag_of_link(found.dwReserved0);
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
