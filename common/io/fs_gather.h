/* Files in parts: one is read only where it is wanted, another is written of pieces, some of which
 * are the first one's. So what goes from file to file as it is never passes through the program.
 * Only the disk has drafts. */
#ifndef IO_FS_GATHER_H
#define IO_FS_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/bytes.h"
#include "common/core/status.h"

struct diag;
struct fs;

/* A file that is open to be read in parts. Whoever replaces it by renaming does not disturb it. */
struct fs_source;

/* The beginning of a file that will replace another one: it has no name yet, so that nothing is
 * left of it when the program ends before it is done. */
struct fs_staged;

/* Bytes of a file to be: from memory, or, where `data` is NULL, from `offset` on of the source. */
struct fs_segment {
    const void *data;
    size_t size;
    uint64_t offset;
};

struct fs_gather {
    const struct fs_segment *segments;
    size_t count;
    struct fs_source *source; /* NULL: all are in memory */
    struct fs_staged *staged; /* of the path that is written, or NULL; one of another source, or of
                               what the source was before, is not looked at */
};

/* NULL where the file system, or the kind of the file, has none, and for an empty file. */
struct fs_source *fs_source_open(struct fs *fs, const char *path);
/* Of a copy of these bytes. */
struct fs_source *fs_source_of_bytes(const void *data, size_t size);
void fs_source_close(struct fs_source *source); /* NULL is fine */
uint64_t fs_source_size(const struct fs_source *source);

/* `size` bytes from `offset` on. 0, or an errno value; ESTALE where the file has become shorter. */
int fs_source_read(struct fs_source *source, uint64_t offset, size_t size, void *out);

/* Begins the file that shall replace `path`. NULL where that cannot be: it only saves time. */
struct fs_staged *fs_staged_new(struct fs *fs, const char *path, const struct fs_source *source);
/* A step of filling it with the first `size` bytes of the source, and of having the system begin to
 * write them to the disk; whether there are more. What becomes of the source in the meantime does
 * not matter. Before the last step, and by an error, it counts as empty. */
bool fs_staged_fill(struct fs_staged *staged, uint64_t size);
void fs_staged_free(struct fs_staged *staged); /* leaves nothing behind; NULL is fine */

/* As fs_ops.write, of pieces. ESTALE: the source was changed since it was opened. */
int fs_write_gather(struct fs *fs, const char *path, const struct fs_gather *gather);

/* The same with a report (FILE_WRITE). */
NODISCARD enum status fs_store_gather(struct fs *fs, struct diag *diag, const char *path,
                                      const struct fs_gather *gather);

/* Appends all of it to *out. 0, or an errno value: then *out is unchanged. */
int fs_gather_append(const struct fs_gather *gather, struct bytes *out);

/* For the file systems: what a disk does. */
struct fs_source *disk_source_open(const char *path);
struct fs_staged *disk_staged_new(const char *path, const struct fs_source *source);
int disk_write_gather(struct fs *fs, const char *path, const struct fs_gather *gather);

#endif
