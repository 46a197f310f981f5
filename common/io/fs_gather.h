/* Reads parts of files and writes files by scatter-gather: from segments in memory and of a source
 * file, so that unchanged bytes are copied from file to file by the system. Only the disk has
 * staged files. */
#ifndef IO_FS_GATHER_H
#define IO_FS_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/bytes.h"
#include "common/core/status.h"

struct diag;
struct fs;
struct fs_hold;

/* A file that is open for reading parts. Replacing it by renaming does not affect it. */
struct fs_source;

/* A staged file: the start of a file that will replace another one. It has no name yet, so that
 * nothing is left of it when the program ends early. */
struct fs_staged;

/* A segment of the file to write: from memory or, when `data` is NULL, from `offset` of the
 * source. */
struct fs_segment {
    const void *data;
    size_t size;
    uint64_t offset;
};

struct fs_gather {
    const struct fs_segment *segments;
    size_t count;
    struct fs_source *source;   /* NULL: all segments are in memory */
    struct fs_staged *staged;   /* for the path that is written, or NULL; ignored when it was made
                                   from another source or an older state of it */
    const struct fs_hold *hold; /* of the path, or NULL: the file must be as it was then */
    bool may_be_lost; /* when the machine stops, which its readers see: it is not synced */
    /* Folders on the way that are missing are made, and they and the file get the permissions of
     * the folder that they are made in, whatever the umask: who may use that may use them. */
    bool as_folder;
};

/* Opens a file for reading parts. NULL when the file system or the kind of file does not support
 * it, and for an empty file. */
struct fs_source *fs_source_open(struct fs *fs, const char *path);
/* Makes a source from a copy of these bytes. */
struct fs_source *fs_source_of_bytes(const void *data, size_t size);
void fs_source_close(struct fs_source *source); /* NULL is fine */
uint64_t fs_source_size(const struct fs_source *source);

/* Reads `size` bytes from `offset` on. Returns 0 or an errno value; ERROR_CHANGED when the file has
 * become shorter. */
int fs_source_read(struct fs_source *source, uint64_t offset, size_t size, void *out);

/* Creates a staged file that will replace `path`. NULL when that is not possible: it only saves
 * time. */
struct fs_staged *fs_staged_new(struct fs *fs, const char *path, const struct fs_source *source);
/* Does one step of copying the first `size` bytes of the source into it, and of starting their
 * write to the disk; returns true when there are more. Later changes of the source do no harm.
 * Before the last step, and after an error, it counts as empty. */
bool fs_staged_fill(struct fs_staged *staged, uint64_t size);
void fs_staged_free(struct fs_staged *staged); /* leaves nothing behind; NULL is fine */

/* Writes like fs_ops.write, from segments. ERROR_CHANGED: the source was changed since it was
 * opened, or the file since it was held. */
int fs_write_gather(struct fs *fs, const char *path, const struct fs_gather *gather);

/* Like fs_write_gather, with a report (FILE_WRITE; FILE_CHANGED for ERROR_CHANGED). */
NODISCARD enum status fs_store_gather(struct fs *fs, struct diag *diag, const char *path,
                                      const struct fs_gather *gather);

/* Appends the segments to *out. Returns 0 or an errno value, with *out unchanged. */
int fs_gather_append(const struct fs_gather *gather, struct bytes *out);

/* Implementation of the disk, for the file systems. */
struct fs_source *disk_source_open(struct fs *fs, const char *path);
struct fs_staged *disk_staged_new(struct fs *fs, const char *path, const struct fs_source *source);
int disk_can_write(struct fs *fs, const char *path);
int disk_write_gather(struct fs *fs, const char *path, const struct fs_gather *gather);

#endif
