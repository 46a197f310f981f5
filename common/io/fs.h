/* The file system that the stages see: the disk, or memory in tests and fuzzers.
 *
 * Paths are as the caller gives them; no lookup rules here (assets/mounts has those). */
#ifndef IO_FS_H
#define IO_FS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/bytes.h"
#include "common/core/status.h"

struct arena;
struct diag;
struct fs;
struct fs_staged;
struct fs_gather;
struct fs_source;

enum fs_kind { FS_ABSENT, FS_FILE, FS_DIRECTORY, FS_OTHER };

typedef void fs_visit(void *context, const char *name, bool is_directory);

struct fs_ops {
    /* 0, or an errno value. Directories fail with EISDIR. On failure *out is unchanged. */
    int (*read)(struct fs *fs, const char *path, struct bytes *out);
    /* Replaces the file atomically: all of it is there afterwards, or the old one untouched. What
     * is no file but a device or a pipe is written to as it stands. */
    int (*write)(struct fs *fs, const char *path, const void *data, size_t size);
    enum fs_kind (*kind)(struct fs *fs, const char *path);
    /* Visits the entries of a directory in byte order of their names. */
    int (*list)(struct fs *fs, const char *path, fs_visit *visit, void *context);
    int (*remove)(struct fs *fs, const char *path);
    /* Makes a folder and those above it; one that is there already is fine. In memory a folder is
     * there as long as files are below it, so this only looks whether a file is in the way. */
    int (*make_folder)(struct fs *fs, const char *path);
    /* Like read, but only up to `size` bytes from `offset` on: fewer where the file ends. */
    int (*read_part)(struct fs *fs, const char *path, uint64_t offset, size_t size,
                     struct bytes *out);
    /* How many bytes the file has; an errno value for what is no file. */
    int (*size)(struct fs *fs, const char *path, uint64_t *out);
    /* See fs_gather.h. NULL where there is no such thing. */
    struct fs_source *(*open_source)(struct fs *fs, const char *path);
    struct fs_staged *(*new_staged)(struct fs *fs, const char *path,
                                    const struct fs_source *source);
    int (*write_gather)(struct fs *fs, const char *path, const struct fs_gather *gather);
};

struct fs {
    const struct fs_ops *ops;
};

/* The disk. Stateless; never freed. */
struct fs *fs_disk(void);

/* The disk, where "-" is standard input to read and standard output to write. */
struct fs *fs_standard(void);

/* An empty file system in memory. */
struct fs *fs_memory_new(void);
void fs_memory_free(struct fs *fs);

/* The same with a report to diag on failure (FILE_READ, FILE_WRITE). fs_load appends nothing on
 * failure; free *out with bytes_free. */
NODISCARD enum status fs_load(struct fs *fs, struct diag *diag, const char *path,
                              struct bytes *out);
NODISCARD enum status fs_store(struct fs *fs, struct diag *diag, const char *path, const void *data,
                               size_t size);

/* The file that an operand of a command line means: itself with the extension (".vmf") added where
 * that is a file or the operand is nothing. "-" stays. */
const char *path_of_operand(struct arena *arena, struct fs *fs, const char *operand,
                            const char *extension);

/* `path` with the extension `from`, if it has that, taken off and `to` put on. */
const char *path_beside(struct arena *arena, const char *path, const char *from, const char *to);

#endif
