#include <errno.h>
#include <string.h>

#include "common/core/clock.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/core/system_path.h"
#include "common/core/wide.h"
#include "common/io/disk_windows.h"
#include "common/io/fs.h"

/* Between the beginnings of the two calendars, in units of 100 ns. */
#define UNITS_TO_1970 INT64_C(116444736000000000)

enum {
    PAUSE_MILLISECONDS = 20,
    STEP_MAX = 1 << 30,
    SHARE_ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE
};

double disk_now(void)
{
    return clock_seconds(CLOCK_MONOTONIC);
}

bool disk_try_again(double start, double seconds)
{
    if (disk_now() - start >= seconds)
        return false;
    Sleep(PAUSE_MILLISECONDS);
    return true;
}

static void tell_refused(const struct disk *disk, const char *path, const char *clean)
{
    if (disk->refused && !fs_roots_lead(disk->roots, clean))
        disk->refused(disk->context, path);
}

int disk_path(const struct fs *fs, const char *path, enum fs_access access, wchar_t **out)
{
    const struct disk *disk = disk_of(fs);
    const char *rest;
    *out = NULL;
    if (!disk->roots)
        return wide_path(path, out);
    char *clean = fs_roots_clean(disk->roots, path);
    int error =
        fs_roots_find(disk->roots, clean, access, &rest) ? wide_path(clean, out) : ERROR_OUTSIDE;
    if (error == ERROR_OUTSIDE)
        tell_refused(disk, path, clean);
    memory_free(clean);
    return error;
}

static bool is_below(const char *root, const char *path)
{
    size_t length = strlen(root);
    length -= length && root[length - 1] == '/';
    return system_path_compare(root, path, length) == 0 && (!path[length] || path[length] == '/');
}

/* Links may lead out of the roots, whatever their text is. */
static bool is_really_within(const struct disk *disk, HANDLE file, enum fs_access access)
{
    char *path = path_of_handle(file);
    bool within = false;
    for (size_t i = 0; path && i < fs_roots_count(disk->roots) && !within; i++) {
        const struct fs_root *root = fs_roots_at(disk->roots, i);
        within = root->access >= access && is_below(root->real, path);
    }
    memory_free(path);
    return within;
}

/* Gives the file that was opened, if it may be. */
static int checked(const struct disk *disk, const char *path, enum fs_access access, HANDLE file)
{
    if (!disk->roots)
        return 0;
    if (GetFileType(file) == FILE_TYPE_DISK && is_really_within(disk, file, access))
        return 0;
    CloseHandle(file);
    if (disk->refused)
        disk->refused(disk->context, path);
    return ERROR_OUTSIDE;
}

/* A folder on the way that is not one is told like a name that is not there. */
static int open_now(const wchar_t *path, DWORD access, DWORD disposition, HANDLE *out)
{
    *out = CreateFileW(path, access, SHARE_ALL, NULL, disposition,
                       FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS, NULL);
    return *out == INVALID_HANDLE_VALUE ? windows_last_error() : 0;
}

int disk_open(const struct fs *fs, const char *path, DWORD access, DWORD disposition, HANDLE *out)
{
    const DWORD writes = GENERIC_WRITE | FILE_APPEND_DATA | FILE_WRITE_DATA | DELETE;
    const enum fs_access wanted = access & writes ? FS_READ_WRITE : FS_READ;
    wchar_t *wide;
    int error = disk_path(fs, path, wanted, &wide);
    double start = disk_now();
    *out = INVALID_HANDLE_VALUE;
    if (!error)
        error = open_now(wide, access, disposition, out);
    while (error == ERROR_HELD && disk_try_again(start, DISK_PATIENCE_SECONDS))
        error = open_now(wide, access, disposition, out);
    memory_free(wide);
    return error ? error : checked(disk_of(fs), path, wanted, *out);
}

int disk_entry_path(const struct fs *fs, const char *path, wchar_t **out)
{
    struct arena names = {0};
    HANDLE folder;
    int error = disk_path(fs, path, FS_READ_WRITE, out);
    if (!error && disk_of(fs)->roots) {
        error =
            disk_open(fs, path_folder(&names, path), FILE_READ_ATTRIBUTES, OPEN_EXISTING, &folder);
        if (!error)
            CloseHandle(folder);
    }
    arena_free(&names);
    if (!error)
        return 0;
    memory_free(*out);
    *out = NULL;
    return error;
}

static int64_t nanoseconds_of(FILETIME time)
{
    int64_t units = (int64_t)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime);
    return (units - UNITS_TO_1970) * 100;
}

int disk_info_of(HANDLE file, struct disk_info *out)
{
    BY_HANDLE_FILE_INFORMATION info;
    *out = (struct disk_info){0};
    if (GetFileType(file) != FILE_TYPE_DISK) {
        out->is_device = true;
        return 0;
    }
    if (!GetFileInformationByHandle(file, &info))
        return windows_last_error();
    *out = (struct disk_info){
        .is_folder = info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY,
        .size = (uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow,
        .modified = nanoseconds_of(info.ftLastWriteTime),
        .volume = info.dwVolumeSerialNumber,
        .number = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow,
    };
    return 0;
}

int disk_stat(const struct fs *fs, const char *path, struct disk_info *out)
{
    HANDLE file;
    int error = disk_open(fs, path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, &file);
    if (error)
        return error;
    error = disk_info_of(file, out);
    CloseHandle(file);
    return error;
}

int disk_open_file(const struct fs *fs, const char *path, HANDLE *out, struct disk_info *info)
{
    int error = disk_open(fs, path, GENERIC_READ, OPEN_EXISTING, out);
    if (error)
        return error;
    error = disk_info_of(*out, info);
    if (!error && info->is_folder)
        error = EISDIR;
    if (!error && info->is_device)
        error = ERROR_NOT_REGULAR;
    if (error)
        CloseHandle(*out);
    return error;
}

static OVERLAPPED place_of(uint64_t at)
{
    return (OVERLAPPED){.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
}

int disk_read_at(HANDLE file, uint64_t at, void *out, size_t size, size_t *count)
{
    OVERLAPPED place = place_of(at);
    DWORD got = 0;
    *count = 0;
    if (!ReadFile(file, out, size < STEP_MAX ? (DWORD)size : STEP_MAX, &got, &place))
        return GetLastError() == ERROR_HANDLE_EOF ? 0 : windows_last_error();
    *count = got;
    return 0;
}

int disk_write_at(HANDLE file, uint64_t at, const void *data, size_t size)
{
    const unsigned char *from = data;
    while (size) {
        OVERLAPPED place = place_of(at);
        DWORD done = 0;
        if (!WriteFile(file, from, size < STEP_MAX ? (DWORD)size : STEP_MAX, &done, &place))
            return windows_last_error();
        if (!done)
            return EIO;
        from += done;
        at += done;
        size -= done;
    }
    return 0;
}
