/* Mounts: folders and archives that files come from, with the same operations; and arrays of
 * them. */
#ifndef ASSETS_MOUNTS_MOUNT_H
#define ASSETS_MOUNTS_MOUNT_H

#include "common/io/fs.h"

struct diag;
struct mount;

typedef void mount_visit(void *context, const char *name);

struct mount_ops {
    /* Appends the file of that name (asset_name.h). Returns false, with *out unchanged, when it is
     * missing, and when it cannot be read or is damaged, which is reported as an error. */
    bool (*read)(struct mount *mount, const char *name, struct bytes *out);
    void (*free)(struct mount *mount);
    /* Visits the files of a folder ("scripts"), not of those below, in no particular order; names
     * are without the folder. NULL for kinds that have no scripts. */
    void (*list)(struct mount *mount, const char *folder, mount_visit *visit, void *context);
    /* Like read, but only the first `max` bytes are needed, and they are not verified. NULL: use
     * read. */
    bool (*read_start)(struct mount *mount, const char *name, size_t max, struct bytes *out);
    /* True when reading a file takes exactly these bytes of the archive at the path. NULL: this is
     * none, or has none of its own. */
    bool (*has_range)(struct mount *mount, const char *path, uint64_t offset, uint64_t size);
    /* True when there is a file of that name, whether it can be read or not. NULL: use read. */
    bool (*has)(struct mount *mount, const char *name);
    bool is_folder; /* its files are those below the path */
};

/* Bytes at the start of an image that usually contain its size (mounts_read_start). */
enum { MOUNT_IMAGE_START = 4096 };

struct mount {
    const struct mount_ops *ops;
    char *path; /* shown by -v */
};

/* Lists the folder as look-ups need it, each directory once: files that are created later are not
 * seen. Reports what it cannot read (FILE_READ, FOLDER_READ). */
struct mount *mount_folder(struct fs *fs, const char *path, struct diag *diag);

/* Opens a VPK: x_dir.vpk, whose files may lie in x_000.vpk and so on, or a single-file VPK. Only
 * the directory is read; a missing archive of the set is reported when a file of it is needed
 * (VPK_DAMAGED). NULL, and VPK_BROKEN, when the directory is invalid. */
struct mount *mount_vpk(struct fs *fs, const char *path, struct diag *diag);

/* Opens the packed files of a map: lump 40, which is borrowed. `path` is for messages. NULL, with a
 * report of pakfile_decode, when it is not a valid archive. */
struct mount *mount_pakfile(const struct bytes *lump, const char *path, struct diag *diag);

/* Opens a PK3: a zip archive of stored and deflated files, of which only the directory is read.
 * NULL, and PK3_BROKEN, when it cannot be read or is invalid. */
struct mount *mount_pk3(struct fs *fs, const char *path, struct diag *diag);

/* True when the mount has a file of that name (asset_name.h). Where the kind can, nothing of the
 * file is read. */
bool mount_has(struct mount *mount, const char *name);

/* The mounts of a game are an stb_ds array: the first mount that has a file provides it. Names are
 * those of asset_name. */
bool mounts_read(struct mount *const *mounts, const char *name, struct bytes *out);
/* Like mounts_read, but only the first `max` bytes are needed. */
bool mounts_read_start(struct mount *const *mounts, const char *name, size_t max,
                       struct bytes *out);
/* Visits the files of a folder in each mount that can list, in the order of the mounts. */
void mounts_list(struct mount *const *mounts, const char *folder, mount_visit *visit,
                 void *context);
void mounts_free(struct mount **mounts);

#endif
