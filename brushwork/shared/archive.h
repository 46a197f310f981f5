/* Internal: shared by the verbs that read lumps and packed files of a BSP. */
#ifndef BRUSHWORK_SHARED_ARCHIVE_H
#define BRUSHWORK_SHARED_ARCHIVE_H

#include "common/bsp/codec/container.h"
#include "common/bsp/lumps/pakfile.h"
#include "common/core/arena.h"
#include "common/env.h"

/* A BSP of any version, of which only the directory and, on demand, the packed files are read. */
struct archive {
    const char *path; /* borrowed */
    struct bytes file;
    struct container container;
    bool skipped[CONTAINER_LUMPS]; /* lumps skipped by archive_open_damaged */
    struct bytes lump;             /* borrowed from the file */
    struct pakfile pakfile;
};

/* Free with archive_close, also after a failure. */
NODISCARD enum status archive_open(const struct env *env, const char *path,
                                   struct archive *archive);
/* The same for damaged files: lumps outside the file, or with invalid compression headers, are
 * reported (PAK_LUMP_LOST) and skipped. */
NODISCARD enum status archive_open_damaged(const struct env *env, const char *path,
                                           struct archive *archive);
/* Fails and reports BSP_TRUNCATED when the lump was skipped. */
NODISCARD enum status archive_need_lump(const struct env *env, const struct archive *archive,
                                        int lump);
/* Reads the directory of the packed files. */
NODISCARD enum status archive_read_pakfile(const struct env *env, struct archive *archive);
void archive_close(struct archive *archive);

/* Converts a name or path to `/`, in the arena. */
char *archive_slashes(struct arena *arena, const char *text);

/* Selects files to extract; NULL: all. */
typedef bool archive_filter(const char *name);

struct archive_tally {
    size_t files;
    uint64_t bytes;
};

/* Fails when extracting would follow a symbolic link below the folder (PAK_LINK), or replace a file
 * and may not (PAK_TARGET). */
NODISCARD enum status archive_check_targets(const struct env *env, const struct pakfile *pakfile,
                                            archive_filter *filter, const char *folder,
                                            bool replace);

/* Writes packed files below a folder, which is created. Files with unsafe names are skipped and
 * reported (PAK_NAME), as are those that cannot be decompressed or written; all others are still
 * written, and the status is a failure. Call archive_check_size first. */
NODISCARD enum status archive_extract(const struct env *env, const struct pakfile *pakfile,
                                      const char *path, archive_filter *filter, const char *folder,
                                      struct archive_tally *tally);

/* Fails and reports PAK_LARGE if the selected files are larger than 2 GiB when unpacked. The
 * sizes are those of the directory, which unpacking enforces. */
NODISCARD enum status archive_check_size(const struct pakfile *pakfile, archive_filter *filter,
                                         const struct diag_where *where, struct diag *diag);

/* Returns whether the name is a texture of an env_cubemap:
 * "materials/maps/NAME/c-8_16_64.hdr.vtf". */
bool archive_is_cubemap(const char *name);
/* The same for the file name alone. */
bool archive_is_cubemap_file(const char *name);

/* "deflated" */
const char *archive_method_name(uint16_t method);

#endif
