/* File formats of the BSP: a descriptor each, and reading and writing through it. */
#ifndef BSP_CODEC_FORMAT_H
#define BSP_CODEC_FORMAT_H

#include "common/bsp/bsp.h"
#include "common/bsp/codec/container.h"
#include "common/env.h"

struct bsp_limit {
    const char *name; /* "faces" */
    int64_t maximum;
    /* How the use is counted: the length of the stb_ds array at this offset of struct bsp, or by a
     * function where that is set. */
    size_t array;
    int64_t (*count)(const struct bsp *bsp);
    bool per_item; /* of the fullest of many: not a budget of the map */
    int lump; /* whose records those of the array are: counts them where they were not decoded */
};

struct fs_staged;
struct bsp_codec; /* how the file is read and written; private to this room */

/* Where the ambient light of leaves stands. */
enum bsp_ambient_form {
    AMBIENT_NONE,
    AMBIENT_IN_LEAF, /* one cube, in the leaf's record: VBSP 19 and before */
    AMBIENT_A_LEAF,  /* one cube a leaf, in a lump of their own: the tools of 2007 */
    AMBIENT_INDEXED, /* any number a leaf, with their places */
};

/* One row a branch of the engine (the --target names). */
struct bsp_format {
    const char *target; /* "sdk2013" */
    const char *title;  /* "VBSP 20" */
    enum container_family family;
    enum container_entry entry;
    int32_t version;
    enum bsp_ambient_form ambient;
    int32_t worldlight_version;
    int32_t static_prop_version;
    bool read_only;       /* known by what others have found out: not written anew */
    const uint8_t *order; /* of the lumps in a file made by us; those that are not in it are left
                             out when empty */
    size_t order_count;
    const struct bsp_limit *limits;
    size_t limit_count;
    const struct bsp_codec *codec;
};

/* By the --target name, or NULL. */
const struct bsp_format *bsp_format_find(const char *target);
/* Row by row, for help texts; NULL after the last. */
const struct bsp_format *bsp_format_at(size_t index);

/* The first row that fits the file, or NULL when the records of its version are not known. */
const struct bsp_format *bsp_format_of(const struct container *container);

/* Reads any known format; bsp->format is its row (of several that fit the file, the one whose
 * ambient light and static props it has). Every index and range that the canonical form needs to be
 * safe is checked: after STATUS_OK no accessor can run out of its array (a damaged file is refused
 * with diagnostics). `name` is for messages. */
NODISCARD enum status bsp_decode(const void *data, size_t size, const char *name, struct diag *diag,
                                 struct bsp **out);
/* The same, taking over the file's bytes; *file is empty afterwards, also after a failure. */
NODISCARD enum status bsp_decode_file(struct bytes *file, const char *name, struct diag *diag,
                                      struct bsp **out);
/* Decodes only the lumps whose bits are set in `wanted` (bit n: lump n). Indices are not checked:
 * the result is for whoever looks at those lists alone. */
NODISCARD enum status bsp_decode_part(struct bytes *file, uint64_t wanted, const char *name,
                                      struct diag *diag, struct bsp **out);

/* Decodes and checks what stands around the leaves of the tree: entities, planes, nodes, leaves,
 * models, visibility and distances to water, and game lumps, for whoever changes these and nothing
 * else. What the other lumps have is not looked at; bsp_encode gives their bytes back. Of what the
 * leaves name in them nothing is checked. */
NODISCARD enum status bsp_decode_tree(struct bytes *file, const char *name, struct diag *diag,
                                      struct bsp **out);

/* Writes in the format; NULL takes the one that the bsp was read as, else sdk2013. A bsp that was
 * read and not changed since gives the same bytes. A bsp made by us gets the order of lumps, the
 * versions and the empty defaults (pakfile, game lumps, occluders) of Valve's own tools. A passed
 * limit is reported with its name, the use and the maximum, and nothing is appended to *out. To
 * write another format than was read, see convert.h. */
NODISCARD enum status bsp_encode(const struct bsp *bsp, const struct bsp_format *format,
                                 const char *name, struct diag *diag, struct bytes *out);

/* The same from and to a file. */
NODISCARD enum status bsp_read_file(const struct env *env, const char *path, struct bsp **out);
/* Refuses other families of files (B001), for whoever knows the Source engine's alone. */
NODISCARD enum status bsp_read_vbsp_file(const struct env *env, const char *path, struct bsp **out);
NODISCARD enum status bsp_write_file(const struct env *env, const struct bsp *bsp,
                                     const struct bsp_format *format, const char *path);
/* With a draft of `path` that begins with the file that the bsp was read from (io/fs_gather.h), or
 * NULL. What is in it as it shall be is not written again. */
NODISCARD enum status bsp_write_staged(const struct env *env, const struct bsp *bsp,
                                       const struct bsp_format *format, const char *path,
                                       struct fs_staged *staged);

struct bsp_lump_info {
    const char *name; /* "planes"; "" for numbers that have no meaning */
    bool present;
    int64_t offset, length; /* in the file that was read */
    int64_t unpacked;       /* bytes once unpacked; 0: the lump is not compressed */
    int32_t version;
    int64_t count; /* of records; -1: the lump is no list of records */
};

/* A lump of a bsp that was read from a file. */
struct bsp_lump_info bsp_lump_info(const struct bsp *bsp, int lump);
const char *bsp_lump_name(enum container_family family, int lump);

/* Records of a lump: those in memory, or, of a lump that was skipped, those in the file. -1: it is
 * no list of records. */
int64_t bsp_lump_count(const struct bsp *bsp, int lump);

/* Use of each limit of the format: fills `used` (limit_count entries). */
void bsp_limit_use(const struct bsp *bsp, const struct bsp_format *format, int64_t *used);

/* Clusters that the leaves name, with or without visibility; blocks of the entity text. */
int64_t bsp_count_clusters(const struct bsp *bsp);
int64_t bsp_count_entities(const struct bsp *bsp);

#endif
