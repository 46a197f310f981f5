/* Places that files come from, folders and archives, with the same operations; and rows of them. */
#ifndef ASSETS_MOUNTS_MOUNT_H
#define ASSETS_MOUNTS_MOUNT_H

#include "common/io/fs.h"

struct diag;
struct mount;

typedef void mount_visit(void *context, const char *name);

struct mount_ops {
    /* Appends the file of that name (asset_name.h). False, and *out unchanged, when it is not
     * there or cannot be read. */
    bool (*read)(struct mount *mount, const char *name, struct bytes *out);
    void (*free)(struct mount *mount);
    /* Visits the files right in a folder ("scripts"), by their own names, in no certain order; NULL
     * for kinds that have no scripts. */
    void (*list)(struct mount *mount, const char *folder, mount_visit *visit, void *context);
    /* As read, but no more than the first `most` bytes have to be there, and nobody has proven
     * them; NULL: read is as good. */
    bool (*read_start)(struct mount *mount, const char *name, size_t max, struct bytes *out);
};

struct mount {
    const struct mount_ops *ops;
    char *path; /* what -v shows */
};

/* The folder is listed as far as look-ups go, and each directory once: files that come later are
 * not seen. */
struct mount *mount_folder(struct fs *fs, const char *path);

/* A VPK: x_dir.vpk, whose files may lie in x_000.vpk and so on, or one that holds all of them. Only
 * its directory is read; a part of the set that is missing shows when a file of it is wanted. NULL,
 * and VPK_BROKEN, when the directory makes no sense. */
struct mount *mount_vpk(struct fs *fs, const char *path, struct diag *diag);

/* The packed files of a map: lump 40, which is borrowed. `path` is for messages. NULL, and what
 * pakfile_decode reports, when it is no sound archive. */
struct mount *mount_pakfile(const struct bytes *lump, const char *path, struct diag *diag);

/* A PK3: a zip archive of stored and deflated files, of which only the directory is read. NULL, and
 * PK3_BROKEN, when it cannot be read or makes no sense. */
struct mount *mount_pk3(struct fs *fs, const char *path, struct diag *diag);

/* A row of mounts, an stb_ds array, is what a game has: the first mount with a file gives it. Names
 * are as asset_name has them. */
bool mounts_read(struct mount *const *mounts, const char *name, struct bytes *out);
/* The same, but no more than its first `most` bytes have to come. */
bool mounts_read_start(struct mount *const *mounts, const char *name, size_t max,
                       struct bytes *out);
/* Visits the files of a folder in each mount that can list, from the first mount on. */
void mounts_list(struct mount *const *mounts, const char *folder, mount_visit *visit,
                 void *context);
void mounts_free(struct mount **mounts);

#endif
