/* Internal, Windows: the one place where files of the disk are opened. Paths are used as given on
 * the disk, and held against the roots on a confined one (fs_roots.h): their text before they are
 * opened, and the place of what was opened behind links afterwards. */
#ifndef IO_DISK_WINDOWS_H
#define IO_DISK_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>
#include <windows.h>

#include "common/io/disk.h"

/* The kind of a file. */
struct disk_info {
    bool is_folder, is_device;
    uint64_t size;
    int64_t modified;        /* nanoseconds since 1970 */
    uint64_t volume, number; /* the same file has the same ones */
};

/* Another program may have the file open for a moment (a virus scanner, a backup), and keep others
 * out: for so long it is tried again. */
#define DISK_PATIENCE_SECONDS 3.0
/* The same before a finished work is lost. */
#define DISK_LAST_PATIENCE_SECONDS 30.0

/* Waits a moment; false when the time since `start` (disk_now) is over. */
bool disk_try_again(double start, double seconds);
double disk_now(void);

/* Returns 0, with a path for calls of the system to be freed with memory_free, or an errno value.
 */
int disk_path(const struct fs *fs, const char *path, enum fs_access access, wchar_t **out);

/* CreateFileW: a file or folder, shared with all others. Returns 0 or an errno value. */
int disk_open(const struct fs *fs, const char *path, DWORD access, DWORD disposition, HANDLE *out);

/* The path of an entry that is to be made, renamed or removed, after a look at its folder. */
int disk_entry_path(const struct fs *fs, const char *path, wchar_t **out);

/* Opens a regular file for reading; folders are refused with EISDIR, devices with
 * ERROR_NOT_REGULAR. Returns 0 or an errno value. */
int disk_open_file(const struct fs *fs, const char *path, HANDLE *out, struct disk_info *info);

int disk_info_of(HANDLE file, struct disk_info *out);
int disk_stat(const struct fs *fs, const char *path, struct disk_info *out);

/* Reads or writes at this place of a file. Returns 0 or an errno value; *count is 0 at the end of a
 * file. */
int disk_read_at(HANDLE file, uint64_t at, void *out, size_t size, size_t *count);
int disk_write_at(HANDLE file, uint64_t at, const void *data, size_t size);

#endif
