/* The files inside a VBSP: a zip archive, as lump 40 holds it. */
#ifndef BSP_PAKFILE_H
#define BSP_PAKFILE_H

#include "common/core/bytes.h"

struct pakfile_file {
    char *name; /* owned */
    struct bytes data;
};

/* Zero-initialise; free with pakfile_free. */
struct pakfile {
    struct pakfile_file *files; /* stb_ds array */
};

/* Adds a copy of the data under the name (`\` becomes `/`), or replaces what has that name, without
 * case. Names longer than a zip can tell (65535 bytes) are cut. */
void pakfile_put(struct pakfile *pakfile, const char *name, const void *data, size_t size);
void pakfile_free(struct pakfile *pakfile);

/* Appends the archive: files as they are, in order, without times, and the comment "XZP1 0" that
 * Valve's tools end it with. (PKWARE's APPNOTE 6.3; the comment as compiled maps have it.) */
void pakfile_encode(const struct pakfile *pakfile, struct bytes *out);

#endif
