/* Decodes the directory of a VPK, version 1 or 2: the files of the archive and the positions of
 * their bytes. (Format: the page on VPK files of the developer wiki, checked on four sets.) */
#ifndef ASSETS_MOUNTS_VPK_H
#define ASSETS_MOUNTS_VPK_H

#include <stdint.h>

#include "common/core/bytes.h"
#include "common/diag/diag.h"

enum {
    VPK_HEADER = 28,           /* bytes that vpk_directory_end needs; version 1 has fewer */
    VPK_IN_DIRECTORY = 0x7FFF, /* vpk_entry.archive of files in the directory's own file */
};

/* The contents are the preloaded bytes, then `length` bytes at `offset` of the archive; in the
 * directory's own file, offsets count from the end of the tree. */
struct vpk_entry {
    const char *folder, *name, *extension; /* lower case, `/`; "" for none */
    const unsigned char *preload;
    uint16_t preload_size, archive;
    uint32_t offset, length;
    uint32_t crc; /* CRC-32 of the contents, as in zip */
};

struct vpk {
    int version;
    size_t tree_end; /* offset in the file */
    struct vpk_entry
        *entries; /* stb_ds array, sorted; of equal names the first in the file comes first */
    unsigned char *tree; /* the bytes that the entries point into */
};

/* Number of bytes of header and tree, or 0 when the file is not a VPK. `start` has the first
 * VPK_HEADER bytes of the file, or all of a shorter one. */
uint64_t vpk_directory_end(const struct bytes *start);

/* Decodes header and tree; the latter is copied. Fails with VPK_BROKEN, and *out empty. Memory is
 * linear in the size. where may be NULL. Free with vpk_free. */
NODISCARD enum status vpk_decode(const struct bytes *directory, const struct diag_where *where,
                                 struct diag *diag, struct vpk *out);
void vpk_free(struct vpk *vpk);

/* Returns the entry of a name made by asset_name, or NULL. */
const struct vpk_entry *vpk_find(const struct vpk *vpk, const char *name);

#endif
