/* The file system of the stages: the disk, or memory in tests and fuzzers.
 *
 * Paths are used as given; lookup rules are in assets/mounts. */
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
struct fs_hold;
struct fs_source;

/* FS_UNREADABLE: the system does not tell what is there; reading it gives the reason. */
enum fs_kind { FS_ABSENT, FS_FILE, FS_DIRECTORY, FS_OTHER, FS_UNREADABLE };

struct fs_info {
    uint64_t size;
    int64_t modified; /* time of the last change, or of the last touch, in nanoseconds */
};

typedef void fs_visit(void *context, const char *name, bool is_directory);

struct fs_ops {
    /* Returns 0 or an errno value. Directories fail with EISDIR. On failure *out is unchanged. */
    int (*read)(struct fs *fs, const char *path, struct bytes *out);
    /* Replaces the file atomically: afterwards it is complete, or the old one is untouched. Devices
     * and pipes are written to directly. */
    int (*write)(struct fs *fs, const char *path, const void *data, size_t size);
    enum fs_kind (*kind)(struct fs *fs, const char *path);
    /* Visits the entries of a directory in byte order of their names. */
    int (*list)(struct fs *fs, const char *path, fs_visit *visit, void *context);
    int (*remove)(struct fs *fs, const char *path);
    /* Creates a folder and its parents; an existing one is fine. In memory a folder exists as long
     * as there are files below it, so this only fails when a file is in the way. */
    int (*make_folder)(struct fs *fs, const char *path);
    /* Like read, for at most `size` bytes from `offset` on: fewer at the end of the file. */
    int (*read_part)(struct fs *fs, const char *path, uint64_t offset, size_t size,
                     struct bytes *out);
    /* Size of the file in bytes; returns an errno value when it is not a regular file. */
    int (*size)(struct fs *fs, const char *path, uint64_t *out);
    /* See fs_gather.h. NULL when not supported. */
    struct fs_source *(*open_source)(struct fs *fs, const char *path);
    struct fs_staged *(*new_staged)(struct fs *fs, const char *path,
                                    const struct fs_source *source);
    int (*write_gather)(struct fs *fs, const char *path, const struct fs_gather *gather);
    /* Returns 0 if the file can be written or replaced, else the errno value that writing would
     * give. NULL: not known. */
    int (*can_write)(struct fs *fs, const char *path);
    /* Returns true for a symbolic link, whatever it leads to. NULL: there are none. */
    bool (*is_link)(struct fs *fs, const char *path);
    /* See fs_hold.h. Returns 0, with *hold NULL if the paths are not the same regular file, or an
     * errno value: EWOULDBLOCK when another process holds the file. NULL: nothing is held. */
    int (*hold)(struct fs *fs, const char *in, const char *out, struct fs_hold **hold);
    /* Of a regular file. Returns 0 or an errno value. NULL: there are no times. */
    int (*info)(struct fs *fs, const char *path, struct fs_info *out);
    /* Makes now the time of the last change of a regular file. Returns 0 or an errno value. NULL:
     * as for info. */
    int (*touch)(struct fs *fs, const char *path);
    /* Removes an empty folder. Returns 0 or an errno value. NULL: folders are there as long as
     * there are files below them. */
    int (*remove_folder)(struct fs *fs, const char *path);
    /* Writes to a regular file from `offset` on, which is at most its size; it ends where the bytes
     * do, and they are on the disk. A crash may leave some of them: whoever reads them checks.
     * Returns 0 or an errno value. NULL: not supported. */
    int (*extend)(struct fs *fs, const char *path, uint64_t offset, const void *data, size_t size);
    /* Appends to a regular file with one write, so that what several processes append is whole on
     * the file systems of one machine; makes the file, with the permissions of its folder. Not
     * synced. Returns 0 or an errno value. NULL: not supported. */
    int (*append)(struct fs *fs, const char *path, const void *data, size_t size);
    /* See fs_plain. NULL: this one. */
    struct fs *(*plain)(struct fs *fs);
};

struct fs {
    const struct fs_ops *ops;
};

/* The disk. Stateless; never freed. */
struct fs *fs_disk(void);

/* The disk, where "-" means standard input when reading and standard output when writing. */
struct fs *fs_standard(void);

/* Creates an empty file system in memory. */
struct fs *fs_memory_new(void);
void fs_memory_free(struct fs *fs);
/* Returns a file in memory, whose bytes are valid until it is written or removed; NULL: none. */
const struct bytes *fs_memory_file(struct fs *fs, const char *path);

/* Returns true for an errno value that means that nothing has the path, as opposed to one that
 * cannot be read. */
bool fs_error_is_absent(int error);

/* Read and write with a report to diag on failure (FILE_READ, FILE_WRITE). fs_load appends nothing
 * on failure; free *out with bytes_free. */
NODISCARD enum status fs_load(struct fs *fs, struct diag *diag, const char *path,
                              struct bytes *out);
NODISCARD enum status fs_store(struct fs *fs, struct diag *diag, const char *path, const void *data,
                               size_t size);

/* Removes a file that an earlier run has left, if there is one. Reports (FILE_WRITE) when it
 * cannot. */
NODISCARD enum status fs_remove_stale(struct fs *fs, struct diag *diag, const char *path);

/* fs_ops.kind, with a report (FILE_READ) of what is unreadable, which fails the run
 * (diag_verdict). */
enum fs_kind fs_look_at(struct fs *fs, struct diag *diag, const char *path);

/* Appends an optional file. Returns false when there is no regular file of that path, and when it
 * cannot be read, which is reported (FILE_READ) and fails the run (diag_verdict). */
bool fs_load_optional(struct fs *fs, struct diag *diag, const char *path, struct bytes *out);

/* fs_ops.list of a folder that may be absent. Reports one that cannot be read (FOLDER_READ), which
 * fails the run. */
void fs_list_optional(struct fs *fs, struct diag *diag, const char *path, fs_visit *visit,
                      void *context);

/* Returns the file system for what runs keep for themselves (checkpoints, caches): one that notes
 * inputs does not see it. */
struct fs *fs_plain(struct fs *fs);

/* Returns true when the path is a symbolic link. */
bool fs_is_link(struct fs *fs, const char *path);

/* Makes the folder of an output and reports (FILE_WRITE) when the output cannot be written, before
 * the work that it takes. NULL and "-" are fine. */
NODISCARD enum status fs_prepare_output(struct fs *fs, struct diag *diag, const char *path);

/* The same for an output in the folder of an input, which is not made: that the input is missing is
 * reported when it is read. */
NODISCARD enum status fs_prepare_beside(struct fs *fs, struct diag *diag, const char *path);

/* Reports (FILE_WRITE) when files cannot be written into a folder, which is not made. */
NODISCARD enum status fs_prepare_folder(struct fs *fs, struct diag *diag, const char *path);

/* Returns the file of a kind of file (extension ".vmf") that an operand of a command line means:
 *
 * - with the extension added if that file exists or no file has the operand's name;
 * - with the extension in the place of that of another file of the same map (.vmf, .bsp, .prt ...),
 *   for those who name a map by whichever they have;
 * - with `/` for `\`, or in another case, if no file has the operand's name and one has that.
 *
 * "-" is unchanged. */
const char *path_of_operand(struct arena *arena, struct fs *fs, const char *operand,
                            const char *extension);

/* Returns true for the extension of a file of a map: .vmf, .bsp, .prt ... */
bool path_is_of_map(const char *path);

/* Returns the path with `/` for `\` if it has any and, on other systems than Windows, nothing has
 * its name. */
const char *path_of_windows(struct arena *arena, struct fs *fs, const char *path);

/* Returns true for a path with the letter of a drive, `C:\game`. */
bool path_has_drive(const char *path);

/* Returns true for such a path where the system is not Windows. */
bool path_is_foreign(const char *path);

/* Returns what a message that nothing has this path ends with: that it is a path of Windows, or
 * "". */
const char *path_absent_hint(const char *path);

/* Returns `path` with the extension `from`, if it has it, removed and `to` appended. */
const char *path_beside(struct arena *arena, const char *path, const char *from, const char *to);

/* Returns the part of `path` behind its last `/`, or all of it. */
const char *path_name(const char *path);

/* Returns the folder of `path`: without an ending `/`, and "." if `path` has none. */
const char *path_folder(struct arena *arena, const char *path);

#endif
