/* The files inside a VBSP: a zip archive in lump 40.
 *
 * Names are compared without regard to case, and `\` equals `/`. Files of the archive stay packed
 * until they are extracted, and are written back that way: an archive that is decoded and encoded
 * unchanged has the same bytes, except for gaps between its files. */
#ifndef BSP_LUMPS_PAKFILE_H
#define BSP_LUMPS_PAKFILE_H

#include "common/io/zip.h"

struct pakfile_file {
    char *name;         /* owned; with `/` for added files, else as stored: may be unsafe */
    uint32_t name_hash; /* of the normalised name */
    const struct zip_member *member; /* as it was read, or NULL for an added file */
    struct bytes data;               /* owned; of an added file */
};

/* Zero-initialise, or create with pakfile_decode; free with pakfile_free. */
struct pakfile {
    struct pakfile_file *files; /* stb_ds array, in the order of the archive */
    struct zip zip;             /* the archive that was read */
    bool was_read;              /* false: its comment is that of Valve's tools */
};

/* Reads the directory of the lump, which must outlive the pakfile: its files are borrowed. An empty
 * lump is an archive without files. Reports ZIP_DAMAGED at `where` and fails when the archive is
 * invalid; *out is then empty. */
NODISCARD enum status pakfile_decode(const struct bytes *lump, const struct diag_where *where,
                                     struct diag *diag, struct pakfile *out);

/* Returns the file, or NULL; the last of several with equal names. Valid until the next put or
 * remove. */
const struct pakfile_file *pakfile_find(const struct pakfile *pakfile, const char *name);

/* Maximum size in bytes of a file that pakfile_extract accepts. */
enum { PAKFILE_MAX = 256 << 20 };

/* Appends the contents of the file. Fails and reports as zip_unpack does. */
NODISCARD enum status pakfile_extract(const struct pakfile_file *file,
                                      const struct diag_where *where, struct diag *diag,
                                      struct bytes *out);

/* Adds a copy of the data under the name (`\` becomes `/`), or replaces the file of that name,
 * which keeps its position. */
void pakfile_put(struct pakfile *pakfile, const char *name, const void *data, size_t size);

/* Removes all files of that name; returns true when there was one. */
bool pakfile_remove(struct pakfile *pakfile, const char *name);

/* Appends the archive. Added files are written with `method_for_new`, ZIP_STORED or, for branches
 * of the engine that can unpack it, ZIP_LZMA, without times, as Valve's tools do. The comment is
 * the one that was read, or "XZP1 0" in 32 bytes, which those tools write. Fails and reports
 * ZIP_LIMIT when it does not fit a zip; *out is then unchanged. (PKWARE's APPNOTE 6.3; versions,
 * flags, order and comment as in compiled maps.) */
NODISCARD enum status pakfile_encode(const struct pakfile *pakfile, enum zip_method method_for_new,
                                     const struct diag_where *where, struct diag *diag,
                                     struct bytes *out);

void pakfile_free(struct pakfile *pakfile);

#endif
