/* File formats of the BSP: one descriptor each, and functions that read and write them. */
#ifndef BSP_CODEC_FORMAT_H
#define BSP_CODEC_FORMAT_H

#include "common/bsp/bsp.h"
#include "common/bsp/codec/container.h"
#include "common/env.h"

struct entity;

/* One row of a table of limits. A map with more than `maximum` is reported: as a warning up to
 * `accepted`, then as an error, and no file is written. */
struct bsp_limit {
    const char *name; /* "faces" */
    int64_t maximum;
    int64_t accepted; /* at least the maximum; INT64_MAX: any number */
    /* How usage is counted: the length of the stb_ds array at this offset of struct bsp, or by a
     * function if set. */
    size_t array;
    int64_t (*count)(const struct bsp *bsp);
    bool per_item; /* the maximum is of each item, not of the map */
    int lump;      /* lump with the records of the array: counts them when it was not decoded */
    /* Said of maps with more; where `accepted` is the maximum, what a stage leaves out to
     * stay within it. NULL: nothing. */
    const char *beyond;
    const char *source; /* who names the number */
};

struct fs_staged;
struct bsp_codec; /* reads and writes the file; private to common/bsp/codec */

/* Form of the ambient light of leaves. */
enum bsp_ambient_form {
    AMBIENT_NONE,
    AMBIENT_IN_LEAF, /* one cube, in the leaf's record: VBSP 19 and before */
    AMBIENT_A_LEAF,  /* one cube per leaf, in its own lump: the tools of 2007 */
    AMBIENT_INDEXED, /* any number per leaf, with positions */
};

/* A backslash in a value of an entity, for the branch's compiler. */
enum bsp_escapes {
    ESCAPES_NONE,
    ESCAPES_LINE_BREAKS, /* \n is a line break in the BSP */
    ESCAPES_QUOTES,      /* \" is a quote: ENTITY_QUOTE in memory; in the BSP as in the source */
};

/* One row per branch of the engine (the --target names). */
struct bsp_format {
    const char *target; /* "sdk2013" */
    const char *title;  /* "VBSP 20" */
    const struct engine *engine;
    enum container_entry entry;
    int32_t version;
    enum bsp_ambient_form ambient;
    int32_t worldlight_version;
    int32_t static_prop_version;
    bool plays_lzma;   /* games of the branch are known to load compressed lumps and packed files */
    bool brush_worlds; /* its compiler takes func_brush for the world where that has no brush */
    /* The server is not known to quit when it spawns a door or the like without a brush model, as
     * those on id's code do: it is a program of its own. */
    bool spawns_without_model;
    enum bsp_escapes escapes;
    bool read_only; /* layout is only known by reverse engineering: never written */
    const uint8_t
        *order; /* lump order of a new file; lumps that are not listed are left out when empty */
    size_t order_count;
    /* The limits of the file's family, and those that are other numbers in this branch: read them
     * by bsp_limit_at. */
    const struct bsp_limit *limits;
    size_t limit_count;
    const struct bsp_limit *own_limits;
    size_t own_limit_count;
    const struct bsp_codec *codec;
};

/* Returns the format of a --target name, or NULL. */
const struct bsp_format *bsp_format_find(const char *target);
/* Returns the rows in order, for help texts; NULL after the last. */
const struct bsp_format *bsp_format_at(size_t index);

/* Their --target names, for tables of options; NULL after the last. */
const char *bsp_target_at(size_t index);

/* Returns the first row that matches the file, or NULL when the records of its version are
 * unknown. */
const struct bsp_format *bsp_format_of(const struct container *container);

/* Returns true for rows whose files cannot be told apart. */
bool bsp_format_is_same_file(const struct bsp_format *a, const struct bsp_format *b);

/* The limit of that index, below limit_count, in this branch. The limits of a family have the same
 * order in all of its branches. */
const struct bsp_limit *bsp_limit_at(const struct bsp_format *format, size_t index);

/* The number from which a map of the branch fails at the limit of that name; INT64_MAX: it has no
 * such limit, or format is NULL. */
int64_t bsp_limit_accepted(const struct bsp_format *format, const char *name);

/* Reads any known format; bsp->format is its row (of several that match the file, the one whose
 * form of ambient light and static props it has). Checks every index and range that the canonical
 * form needs to be safe: after STATUS_OK no accessor can read out of bounds (a damaged file is
 * refused with diagnostics). `name` is for messages. */
NODISCARD enum status bsp_decode(const void *data, size_t size, const char *name, struct diag *diag,
                                 struct bsp **out);
/* Like bsp_decode, but takes ownership of the file's bytes; *file is empty afterwards, also on
 * failure. */
NODISCARD enum status bsp_decode_file(struct bytes *file, const char *name, struct diag *diag,
                                      struct bsp **out);
/* Decodes only the lumps whose bits are set in `wanted` (bit n: lump n). Indices are not checked:
 * for callers that look at those lists alone. */
NODISCARD enum status bsp_decode_part(struct bytes *file, uint64_t wanted, const char *name,
                                      struct diag *diag, struct bsp **out);

/* Decodes and checks only the lumps around the leaves of the tree: entities, planes, nodes, leaves,
 * models, visibility, distances to water, and game lumps, for callers that change nothing else. The
 * other lumps are not looked at, and bsp_encode writes them back unchanged. References from leaves
 * into them are not checked. */
NODISCARD enum status bsp_decode_tree(struct bytes *file, const char *name, struct diag *diag,
                                      struct bsp **out);

/* Writes in the format; NULL is the format that the bsp was read as, else sdk2013. A bsp that was
 * read and not changed gives the same bytes. A bsp made by us gets the lump order, the versions and
 * the empty defaults (pakfile, game lumps, occluders) of Valve's own tools. An exceeded limit is
 * reported with its name, usage and maximum, and nothing is appended to *out, unless the file that
 * was read exceeds it as much: then it is a warning. To write a format
 * other than the one that was read, see convert.h. */
NODISCARD enum status bsp_encode(const struct bsp *bsp, const struct bsp_format *format,
                                 const char *name, struct diag *diag, struct bytes *out);

/* Read from and write to a file. */
NODISCARD enum status bsp_read_file(const struct env *env, const char *path, struct bsp **out);
NODISCARD enum status bsp_write_file(const struct env *env, const struct bsp *bsp,
                                     const struct bsp_format *format, const char *path);

/* A file to write that may exist. */
struct bsp_output_file {
    const char *path;
    struct fs_staged *staged;   /* starts with the file that the bsp was read from (io/fs_gather.h):
                                   what is in it is not written again; or NULL */
    const struct fs_hold *hold; /* of the file, when it is the one that was read; or NULL */
};

/* Like bsp_write_file. Fails (FILE_CHANGED) when the file is not as it was when it was held. */
NODISCARD enum status bsp_write_output(const struct env *env, const struct bsp *bsp,
                                       const struct bsp_format *format,
                                       const struct bsp_output_file *to);

struct bsp_lump_info {
    const char *name; /* "planes"; "" for undefined numbers */
    bool present;
    int64_t offset, length; /* in the file that was read */
    int64_t unpacked;       /* unpacked size in bytes; 0: the lump is not compressed */
    int32_t version;
    int64_t count; /* number of records; -1: the lump is not a list of records */
};

/* Describes a lump of a bsp that was read from a file. */
struct bsp_lump_info bsp_lump_info(const struct bsp *bsp, int lump);
/* Name of a lump in files of the format: "planes"; "" for undefined numbers. */
const char *bsp_lump_name(const struct bsp_format *format, int lump);
/* Number of lumps in its files. */
int bsp_lump_numbers(const struct bsp_format *format);

/* Number of records of a lump: in memory or, for a lump that was skipped, in the file. -1: it is
 * not a list of records. */
int64_t bsp_lump_count(const struct bsp *bsp, int lump);

/* Fills `used` (limit_count entries) with the usage of each limit of the format. */
void bsp_limit_use(const struct bsp *bsp, const struct bsp_format *format, int64_t *used);

/* Clusters that the leaves name, with or without visibility; blocks of the entity text. */
int64_t bsp_count_clusters(const struct bsp *bsp);
int64_t bsp_count_entities(const struct bsp *bsp);
/* Returns true for entities that a Quake 3 game keeps from the start of a map, in any mode. */
bool ibsp_game_keeps(const struct entity *entity);

#endif
