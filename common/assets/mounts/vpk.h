/* The directory of a VPK, version 1 or 2: which files are in the archive, and where their bytes
 * are. (Format: the page on VPK files of the developer wiki, checked on four sets.) */
#ifndef ASSETS_MOUNTS_VPK_H
#define ASSETS_MOUNTS_VPK_H

#include <stdint.h>

#include "common/core/bytes.h"
#include "common/diag/diag.h"

enum {
    VPK_HEADER = 28,           /* bytes that vpk_directory_end needs; fewer of version 1 */
    VPK_IN_DIRECTORY = 0x7FFF, /* vpk_entry.archive: the directory's own file */
};

/* The contents are the preloaded bytes, then `length` at `offset` of the archive; in the
 * directory's own file offsets count from the end of the tree. */
struct vpk_entry {
    const char *folder, *name, *extension; /* lower case, `/`; "" for none */
    const unsigned char *preload;
    uint16_t preload_size, archive;
    uint32_t offset, length;
    uint32_t crc; /* of the contents, as zip has it */
};

struct vpk {
    int version;
    size_t tree_end; /* in the file */
    struct vpk_entry
        *entries;        /* stb_ds array, sorted; of equal names the file's first comes first */
    unsigned char *tree; /* what the entries point into */
};

/* How many bytes of the file hold header and tree, 0 when it is no VPK. `start` is what the file
 * begins with: VPK_HEADER bytes, or all of a shorter one. */
uint64_t vpk_directory_end(const struct bytes *start);

/* Reads header and tree, copying the latter. Fails with VPK_BROKEN, and *out empty. Memory is
 * linear in the size. where may be NULL. Free with vpk_free. */
NODISCARD enum status vpk_decode(const struct bytes *directory, const struct diag_where *where,
                                 struct diag *diag, struct vpk *out);
void vpk_free(struct vpk *vpk);

/* By a name such as asset_name makes; NULL when it is not there. */
const struct vpk_entry *vpk_find(const struct vpk *vpk, const char *name);

#endif
