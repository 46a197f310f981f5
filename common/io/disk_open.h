/* Internal, POSIX: the one place where files of the disk are opened. Paths are used as given on the
 * disk, and resolved below the roots on a confined one (fs_roots.h). */
#ifndef IO_DISK_OPEN_H
#define IO_DISK_OPEN_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "common/io/disk.h"

/* open(2), with O_CLOEXEC; only for folders and regular files on a confined disk. Returns a
 * descriptor, or the negative of an errno value. */
int disk_open(const struct fs *fs, const char *path, int flags, mode_t mode);

/* Opens a regular file for reading: FIFOs and devices are refused without being opened
 * (ERROR_NOT_REGULAR), folders with EISDIR. Returns as disk_open does; *info is of the file. */
int disk_open_file(const struct fs *fs, const char *path, struct stat *info);

/* Returns 0 if the device or FIFO can be written to, else an errno value; none can on a confined
 * disk. */
int disk_may_write(const struct fs *fs, const char *path);

/* stat(2). Returns 0 or an errno value. */
int disk_stat(const struct fs *fs, const char *path, struct stat *info);

/* An entry of a folder that can be created, renamed and removed. */
struct disk_entry {
    int folder;       /* descriptor, or AT_FDCWD */
    const char *name; /* relative to it; borrows from the path */
};

/* Finds the entry of a path. Returns 0 or an errno value. Release it with disk_entry_close. */
int disk_entry_open(const struct fs *fs, const char *path, struct disk_entry *out);
void disk_entry_close(struct disk_entry *entry);

#endif
