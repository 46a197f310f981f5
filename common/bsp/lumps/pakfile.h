/* The files inside a VBSP: a zip archive, as lump 40 holds it.
 *
 * Names compare without case and with `\` the same as `/`. Files that were in the archive stay
 * packed as they were until somebody extracts them, and go back so: an archive that is decoded and
 * encoded without a change has the same bytes, but for gaps between its files. */
#ifndef BSP_LUMPS_PAKFILE_H
#define BSP_LUMPS_PAKFILE_H

#include "common/io/zip.h"

struct pakfile_file {
    char *name;                      /* owned; with `/` when put, else as stored: may be hostile */
    uint32_t name_hash;              /* of the name as it compares */
    const struct zip_member *member; /* as it was read, or NULL: put since */
    struct bytes data;               /* owned; when put */
};

/* Zero-initialise, or make by pakfile_decode; free with pakfile_free. */
struct pakfile {
    struct pakfile_file *files; /* stb_ds array, in the order of the archive */
    struct zip zip;             /* what was read */
    bool was_read;              /* else its comment is that of Valve's tools */
};

/* Reads the directory of the lump, which must stay as it is until the pakfile is freed: its files
 * are borrowed. An empty lump is an archive without files. Reports ZIP_DAMAGED at `where` and fails
 * when it is no sound archive; *out is then empty. */
NODISCARD enum status pakfile_decode(const struct bytes *lump, const struct diag_where *where,
                                     struct diag *diag, struct pakfile *out);

/* The file, or NULL; the last of those with equal names. Valid until the next put or remove. */
const struct pakfile_file *pakfile_find(const struct pakfile *pakfile, const char *name);

/* Bytes of a file that pakfile_extract accepts. */
enum { PAKFILE_MAX = 256 << 20 };

/* Appends what is in the file. Fails and reports as zip_unpack does. */
NODISCARD enum status pakfile_extract(const struct pakfile_file *file,
                                      const struct diag_where *where, struct diag *diag,
                                      struct bytes *out);

/* Adds a copy of the data under the name (`\` becomes `/`), or replaces what has that name, in its
 * place. */
void pakfile_put(struct pakfile *pakfile, const char *name, const void *data, size_t size);

/* Removes all that have the name; whether there was one. */
bool pakfile_remove(struct pakfile *pakfile, const char *name);

/* Appends the archive. Files that were put are written by `method_for_new`, ZIP_STORED or, for
 * branches of the engine that unpack it, ZIP_LZMA, without times, as Valve's tools do. The comment
 * is the one that was read, or "XZP1 0" in 32 bytes, which those tools write. Fails and reports
 * ZIP_LIMIT when zip cannot hold it; *out is then as it was. (PKWARE's APPNOTE 6.3; versions,
 * flags, order and comment as compiled maps have them.) */
NODISCARD enum status pakfile_encode(const struct pakfile *pakfile, enum zip_method method_for_new,
                                     const struct diag_where *where, struct diag *diag,
                                     struct bytes *out);

void pakfile_free(struct pakfile *pakfile);

#endif
