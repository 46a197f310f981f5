/* Inside brushwork: what the verbs that look into a BSP's lumps and packed files share. */
#ifndef BRUSHWORK_SHARED_ARCHIVE_H
#define BRUSHWORK_SHARED_ARCHIVE_H

#include "common/bsp/codec/container.h"
#include "common/bsp/lumps/pakfile.h"
#include "common/core/arena.h"
#include "common/env.h"

/* A BSP of any version, of which nothing is read but the directory and, when asked for, its
 * packed files. */
struct archive {
    const char *path; /* borrowed */
    struct bytes file;
    struct container container;
    bool lost[CONTAINER_LUMPS]; /* lumps that archive_open_damaged passed over */
    struct bytes lump;          /* borrowed from the file */
    struct pakfile pakfile;
};

/* Free with archive_close, also after a failure. */
NODISCARD enum status archive_open(const struct env *env, const char *path,
                                   struct archive *archive);
/* The same for files of which a part is missing: lumps that do not lie in the file, or whose
 * compression cannot be, are told (PAK_LUMP_LOST) and passed over. */
NODISCARD enum status archive_open_damaged(const struct env *env, const char *path,
                                           struct archive *archive);
/* Fails and reports BSP_TRUNCATED when the lump was passed over. */
NODISCARD enum status archive_need_lump(const struct env *env, const struct archive *archive,
                                        int lump);
/* Reads the directory of the packed files. */
NODISCARD enum status archive_read_pakfile(const struct env *env, struct archive *archive);
void archive_close(struct archive *archive);

/* A name or path of another system, in the arena: `\` becomes `/`. */
char *archive_slashes(struct arena *arena, const char *text);

/* Which files to extract; NULL: all. */
typedef bool archive_filter(const char *name);

struct archive_tally {
    size_t files;
    uint64_t bytes;
};

/* Writes packed files below a folder, which is made. Files whose names are not safe there are left
 * out and reported (PAK_NAME), as are those that cannot be unpacked or written; all others are
 * written nevertheless, and the status is then a failure. How much it is, is for the caller to
 * ask: archive_check_size. */
NODISCARD enum status archive_extract(const struct env *env, const struct pakfile *pakfile,
                                      const char *path, archive_filter *filter, const char *folder,
                                      struct archive_tally *tally);

/* Whether all that the filter takes unpacks to no more than 2 GiB, by what the directory says,
 * which unpacking holds it to; reports PAK_LARGE. A disk is filled sooner than the user sees it. */
NODISCARD enum status archive_check_size(const struct pakfile *pakfile, archive_filter *filter,
                                         const struct diag_where *where, struct diag *diag);

/* A texture that the game took at an env_cubemap: "materials/maps/NAME/c-8_16_64.hdr.vtf". */
bool archive_is_cubemap(const char *name);
/* The same without a look at the folders. */
bool archive_is_cubemap_file(const char *name);

/* "deflated" */
const char *archive_method_name(uint16_t method);

#endif
