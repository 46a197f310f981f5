/* Internal to common/bsp: reads and writes a family of files lump by lump. */
#ifndef BSP_CODEC_CODEC_H
#define BSP_CODEC_CODEC_H

#include "common/bsp/codec/container.h"
#include "common/bsp/codec/format.h"
#include "common/bsp/record.h"

struct fs_source;
struct image;

/* State of reading a lump into the canonical form. */
struct lump_reader {
    const struct bsp_codec *codec;
    const struct container *container;
    struct diag *diag;
    struct diag_where where;
    struct bsp *bsp;
    int lump;
    int32_t version;         /* version of the lump */
    struct byte_reader data; /* unpacked, in the file's byte order */
};

/* State of writing a lump. */
struct lump_writer {
    const struct bsp_codec *codec;
    const struct bsp *bsp;
    const struct bsp_format *format;
    int lump;
    int32_t version;
    size_t at;         /* offset that it will have in the file: game lumps hold absolute offsets */
    struct bytes *out; /* in the file's byte order */
    struct record_range_error range_error;
};

enum { ANY_VERSION = -1 };

/* Codec of one lump: an array of records, or functions, which take precedence when both are set;
 * the record then still gives the number of records. */
struct lump_codec {
    int32_t lump;
    int32_t version; /* of the lump, when its form depends on it */
    const struct record *record;
    size_t offset; /* of the stb_ds array in struct bsp */
    enum status (*decode)(struct lump_reader *reader);
    bool (*encode)(struct lump_writer *writer); /* false: see range_error */
};

/* The shared part of several rows of the table of targets. Lumps are decoded in the order of
 * `lumps`. */
struct bsp_codec {
    const struct container_kind *container;
    const struct lump_codec *lumps;
    size_t count;
    const struct bsp_codec *base; /* has the lumps that are not in `lumps`, or NULL */
    const uint8_t *versions;      /* of the lumps of a new file, by their numbers; NULL: those of
                                     vbsp_usual_version */
    uint64_t of_tree; /* bits of the lumps around the tree's leaves, and of lumps that hold their
                         own offsets and may move; UINT64_MAX: all */
    /* Checks everything that memory safety needs of a decoded file (codes B0xx). */
    enum status (*check)(const struct bsp *bsp, const char *name, struct diag *diag);
};

extern const struct bsp_codec vbsp_codec; /* 18 to 20 */
extern const struct bsp_codec vbsp21_codec;
extern const struct bsp_codec vbsp17_codec; /* Vampire */
extern const struct bsp_codec vbsp25_codec; /* Strata Source */
extern const struct bsp_codec ibsp46_codec;
extern const struct bsp_codec rbsp_codec, fbsp_codec;

extern const struct container_kind container_vbsp, container_ibsp, container_rbsp, container_fbsp;

/* Returns the codec of a lump in this version, or NULL for a lump that is carried unchanged. */
const struct lump_codec *codec_find(const struct bsp_codec *codec, int lump, int32_t version);

/* Reads every record of an array. */
NODISCARD enum status codec_read_array(struct lump_reader *reader, const struct lump_codec *lump);
/* Reads a lump of bytes, which are borrowed from the file if they are not packed there. *out must
 * be empty. */
void codec_read_blob(struct lump_reader *reader, struct bytes *out);
/* Reports a damaged lump with its number, and fails. */
NODISCARD enum status codec_fail(struct lump_reader *reader, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Decodes the lumps whose bits are set in `wanted`; the bits of the others are set in
 * bsp->skipped. */
NODISCARD enum status codec_read(const struct bsp_codec *codec, const struct container *container,
                                 uint64_t wanted, struct diag *diag, struct bsp *bsp);
/* Builds the file in *out, which must be empty, and stays empty on failure. It borrows bytes of the
 * bsp and of its file, and is valid as long as these. */
NODISCARD enum status codec_write(const struct bsp *bsp, const struct bsp_format *format,
                                  const char *name, struct diag *diag, struct image *out);

/* The side of lightmap pages that worldspawn tells (PAGE_SIDE_KEY); 0: none, or it is no such
 * side. */
int codec_told_page_side(const struct bsp *bsp);

/* Reads lumps to their offsets in *file, which is as large as the source. Returns 0 or an errno
 * value. */
int codec_read_lumps(struct fs_source *source, const struct container *container, uint64_t lumps,
                     struct bytes *file);

/* Bits of the lumps that bsp_decode_tree decodes. */
uint64_t codec_lumps_of_tree(const struct container *container);
/* Decodes a file that was read whole (bsp_decode_file), or only its header and the lumps of the
 * tree (bsp_decode_tree); the source, or NULL, has the rest. Takes ownership of both, also on
 * failure. */
NODISCARD enum status codec_decode_with_source(struct bytes *file, struct fs_source *source,
                                               bool whole, const char *name, struct diag *diag,
                                               struct bsp **out);

/* Encodes one lump, unpacked, in the byte order of *out. `at` is its future offset in the file.
 * Returns false and sets *range_error when a value does not fit. Lumps without a codec give the
 * carried bytes. An empty *out may borrow bytes of the bsp. */
bool codec_encode_lump(const struct bsp *bsp, const struct bsp_format *format, int lump, size_t at,
                       struct bytes *out, struct record_range_error *range_error);

/* Returns the version that VBSP tools usually write. */
int32_t vbsp_usual_version(const struct bsp_format *format, int lump);

/* Functions of VBSP lumps that are not plain arrays, for its tables. */
enum status vbsp_read_leaves_with_light(struct lump_reader *reader);
bool vbsp_write_leaves_with_light(struct lump_writer *writer);
enum status vbsp_read_ambient(struct lump_reader *reader);
bool vbsp_write_ambient(struct lump_writer *writer);
enum status vbsp_read_entities(struct lump_reader *reader);
bool vbsp_write_entities(struct lump_writer *writer);
/* Return the bytes of the bsp that a row describes. */
struct bytes *vbsp_blob_to_read(const struct lump_reader *reader);
const struct bytes *vbsp_blob_to_write(const struct lump_writer *writer);
enum status vbsp_read_blob(struct lump_reader *reader);
bool vbsp_write_blob(struct lump_writer *writer);
enum status vbsp_read_visibility(struct lump_reader *reader);
bool vbsp_write_visibility(struct lump_writer *writer);
enum status vbsp_read_names(struct lump_reader *reader);
bool vbsp_write_names(struct lump_writer *writer);
bool vbsp_write_name_table(struct lump_writer *writer);
enum status vbsp_read_occluders(struct lump_reader *reader);
bool vbsp_write_occluders(struct lump_writer *writer);
enum status vbsp_read_physics(struct lump_reader *reader);
bool vbsp_write_physics(struct lump_writer *writer);
enum status vbsp_read_map_flags(struct lump_reader *reader);
bool vbsp_write_map_flags(struct lump_writer *writer);
bool vbsp_write_pakfile(struct lump_writer *writer);
enum status vbsp_read_game_lumps(struct lump_reader *reader);
bool vbsp_write_game_lumps(struct lump_writer *writer);

/* Samples of ambient light: with a position, several per leaf; without, one per leaf. */
extern const struct record vbsp_ambient_record, vbsp_ambient_cube_record;
extern const struct record vbsp_leaf_record,
    vbsp_bare_leaf_record; /* bare: without padding at the end */
extern const struct record vbsp_occluder_record, vbsp_occluder_v1_record,
    vbsp_occluder_polygon_record;

/* Check every index and range (codes B0xx): of VBSP, and of IBSP 46. */
NODISCARD enum status bsp_check(const struct bsp *bsp, const char *name, struct diag *diag);
NODISCARD enum status ibsp_check(const struct bsp *bsp, const char *name, struct diag *diag);

/* Returns true when the visibility rows of an IBSP have a valid size and fit into that many
 * bytes. */
bool ibsp_rows_fit(int32_t clusters, int32_t row, size_t bytes);

/* Checks the tree down to its leaves, when nothing else was read. */
NODISCARD enum status bsp_check_tree(const struct bsp *bsp, const char *name, struct diag *diag);

/* Counts the entities that the game keeps. */
int64_t ibsp_count_kept_entities(const struct bsp *bsp);

/* Checks the limits for a file to write, and reports each of which the bsp has more than
 * `accepted`. The limits are those of the compilers: one that the file from which the bsp was read
 * exceeds as much is a warning, and nothing if another branch with such files takes it. The widths
 * of the format's fields are checked by codec_write. What is a warning is for vbsp and verify to
 * report. */
NODISCARD enum status bsp_check_written_limits(const struct bsp *bsp,
                                               const struct bsp_format *format, const char *name,
                                               struct diag *diag);
/* Checks the limits of the format; reports each that is exceeded. any_branch: the format is only
 * that of the file, which does not tell its branch; then what another branch with such files takes
 * is a warning that names it. */
NODISCARD enum status bsp_check_limits(const struct bsp *bsp, const struct bsp_format *format,
                                       bool any_branch, const char *name, struct diag *diag);

/* Appends an unpacked game lump in another byte order: static props ('sprp'), detail props ('dprp')
 * and their light ('dplt', 'dplh'), decoded and encoded in the same version and layout; converting
 * it there and back gives the same bytes, except for bytes after the NUL of a model's name. The
 * order of *out is ignored and unchanged. Returns false, with *out unchanged, for other ids and for
 * lumps that cannot be decoded, whose numbers are unknown. */
bool game_lump_reorder(uint32_t id, int version, enum byte_order from, enum byte_order to,
                       const struct bytes *in, struct bytes *out);

#endif
