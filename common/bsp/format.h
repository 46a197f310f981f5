/* File formats of the BSP: a descriptor each, and reading and writing through it. */
#ifndef BSP_FORMAT_H
#define BSP_FORMAT_H

#include "common/bsp/bsp.h"
#include "common/core/env.h"

struct bsp_limit {
    const char *name; /* "faces" */
    int64_t maximum;
    /* How the use is counted: the length of the stb_ds array at this offset of struct bsp, or by a
     * function where that is set. */
    size_t array;
    int64_t (*count)(const struct bsp *bsp);
};

struct bsp_codec; /* how the file version is read and written; private to this room */

/* One row a branch of the engine (the --target names). */
struct bsp_format {
    const char *target; /* "sdk2013" */
    const char *title;  /* "VBSP 20" */
    int32_t version;
    int32_t static_prop_version;
    const struct bsp_limit *limits;
    size_t limit_count;
    const struct bsp_codec *codec;
};

/* By the --target name, or NULL. Rows exist for what can be read and written: sdk2013, tf2,
 * sdk2013sp. */
const struct bsp_format *bsp_format_find(const char *target);
/* Row by row, for help texts; NULL after the last. */
const struct bsp_format *bsp_format_at(size_t index);

/* Reads any known format; bsp->format is its row (of several with one file version, the one whose
 * static props the file has). Every index and range that the canonical form needs to be safe is
 * checked: after STATUS_OK no accessor can run out of its array (a damaged file is refused with
 * diagnostics). `name` is for messages. */
NODISCARD enum status bsp_decode(const void *data, size_t size, const char *name, struct diag *diag,
                                 struct bsp **out);

/* Writes in the format; NULL takes the one that the bsp was read as, else sdk2013. A bsp that was
 * read and not changed since gives the same bytes. A bsp made by us gets the order of lumps, the
 * versions and the empty defaults (pakfile, game lumps, occluders) of Valve's own tools. A passed
 * limit is reported with its name, the use and the maximum, and nothing is appended to *out. */
NODISCARD enum status bsp_encode(const struct bsp *bsp, const struct bsp_format *format,
                                 const char *name, struct diag *diag, struct bytes *out);

/* The same from and to a file. */
NODISCARD enum status bsp_read_file(const struct env *env, const char *path, struct bsp **out);
NODISCARD enum status bsp_write_file(const struct env *env, const struct bsp *bsp,
                                     const struct bsp_format *format, const char *path);

struct bsp_lump_info {
    const char *name; /* "planes"; "" for numbers that have no meaning */
    bool present;
    int64_t offset, length; /* in the file that was read */
    int32_t version;
    int64_t count; /* of records; -1: the lump is no list of records */
};

/* A lump of a bsp that was read from a file. */
struct bsp_lump_info bsp_lump_info(const struct bsp *bsp, int lump);

/* Use of each limit of the format: fills `used` (limit_count entries). */
void bsp_limit_use(const struct bsp *bsp, const struct bsp_format *format, int64_t *used);

#endif
