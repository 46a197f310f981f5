/* Inside common/bsp: how a family of files is read and written, lump by lump. */
#ifndef BSP_CODEC_CODEC_H
#define BSP_CODEC_CODEC_H

#include "common/bsp/codec/container.h"
#include "common/bsp/codec/format.h"
#include "common/bsp/record.h"

struct fs_source;
struct image;

/* A lump on its way into the canonical form. */
struct lump_reader {
    const struct bsp_codec *codec;
    const struct container *container;
    struct diag *diag;
    struct diag_where where;
    struct bsp *bsp;
    int lump;
    int32_t version;         /* of the lump */
    struct byte_reader data; /* unpacked, in the file's byte order */
};

/* A lump on its way out. */
struct lump_writer {
    const struct bsp_codec *codec;
    const struct bsp *bsp;
    const struct bsp_format *format;
    int lump;
    int32_t version;
    size_t at;         /* where it will stand in the file: game lumps hold absolute offsets */
    struct bytes *out; /* its order is the file's */
    struct record_range_error range_error;
};

enum { ANY_VERSION = -1 };

/* How one lump is coded: an array of records, or by functions, each of which wins where both are
 * there; then the record still tells how many there are. */
struct lump_codec {
    int32_t lump;
    int32_t version; /* of the lump, where its form depends on it */
    const struct record *record;
    size_t offset; /* of the stb_ds array in struct bsp */
    enum status (*decode)(struct lump_reader *reader);
    bool (*encode)(struct lump_writer *writer); /* false: see range_error */
};

/* What rows of the table of targets share. Lumps are decoded in the order of `lumps`. */
struct bsp_codec {
    enum container_family family;
    int lump_count;
    const struct lump_codec *lumps;
    size_t count;
    const struct bsp_codec *base; /* has what is not in `lumps`, or NULL */
    /* What memory safety needs of a decoded file (codes B0xx). */
    enum status (*check)(const struct bsp *bsp, const char *name, struct diag *diag);
};

extern const struct bsp_codec vbsp_codec; /* 18 to 20 */
extern const struct bsp_codec vbsp21_codec;
extern const struct bsp_codec vbsp17_codec; /* Vampire */
extern const struct bsp_codec ibsp46_codec;

/* The codec of a lump in a version of it, or NULL: then it is carried as it is. */
const struct lump_codec *codec_find(const struct bsp_codec *codec, int lump, int32_t version);

/* Reads every record of an array. */
NODISCARD enum status codec_read_array(struct lump_reader *reader, const struct lump_codec *lump);
/* Reads a lump that is bytes, which are borrowed from the file where it has them unpacked. *out
 * must be empty. */
void codec_read_blob(struct lump_reader *reader, struct bytes *out);
/* A damaged lump: reports it with its number and fails. */
NODISCARD enum status codec_fail(struct lump_reader *reader, enum diag_code code,
                                 const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Decodes the lumps whose bits are set in `wanted`; the others' bits end up in bsp->skipped. */
NODISCARD enum status codec_read(const struct bsp_codec *codec, const struct container *container,
                                 uint64_t wanted, struct diag *diag, struct bsp *bsp);
/* Puts the file together in *out, which has to be empty, and is afterwards when it fails. It has
 * parts of the bsp and of its file, and is good for as long as these. */
NODISCARD enum status codec_write(const struct bsp *bsp, const struct bsp_format *format,
                                  const char *name, struct diag *diag, struct image *out);

/* Reads lumps to their places in *file, which is as large as the source. 0, or an errno value. */
int codec_read_lumps(struct fs_source *source, const struct container *container, uint64_t lumps,
                     struct bytes *file);

/* The lumps that bsp_decode_tree decodes. */
uint64_t codec_lumps_of_tree(const struct container *container);
/* bsp_decode_file, or, unless the file was read whole, bsp_decode_tree of one of which the header
 * and the lumps of the tree were read; the source, or NULL, has the rest. Both are taken over, also
 * by a failure. */
NODISCARD enum status codec_decode_with_source(struct bytes *file, struct fs_source *source,
                                               bool whole, const char *name, struct diag *diag,
                                               struct bsp **out);

/* One lump by its codec alone, not packed, in the byte order of *out. `at` is where it will stand.
 * False and *range_error when a value does not fit. Lumps without a codec give what is carried. An
 * empty *out may borrow bytes of the bsp. */
bool codec_encode_lump(const struct bsp *bsp, const struct bsp_format *format, int lump, size_t at,
                       struct bytes *out, struct record_range_error *range_error);

/* The version that a lump gets when it is written. */
int32_t codec_lump_version(const struct bsp *bsp, const struct bsp_format *format, int lump,
                           size_t size);

/* What the tools of VBSP write where nobody said otherwise. */
int32_t vbsp_usual_version(const struct bsp_format *format, int lump);

/* The lump by lump functions of VBSP that are no arrays, for its tables. */
enum status vbsp_read_leaves_with_light(struct lump_reader *reader);
bool vbsp_write_leaves_with_light(struct lump_writer *writer);
enum status vbsp_read_ambient(struct lump_reader *reader);
bool vbsp_write_ambient(struct lump_writer *writer);
enum status vbsp_read_entities(struct lump_reader *reader);
bool vbsp_write_entities(struct lump_writer *writer);
/* The bytes that a row is about. */
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

/* Samples of ambient light: with a position, one of several in a leaf; without, one a leaf. */
extern const struct record vbsp_ambient_record, vbsp_ambient_cube_record;
extern const struct record vbsp_leaf_record, vbsp_bare_leaf_record; /* bare: no padding behind */
extern const struct record vbsp_occluder_record, vbsp_occluder_v1_record,
    vbsp_occluder_polygon_record;

/* What every index and range needs (codes B0xx): of VBSP, and of IBSP 46. */
NODISCARD enum status bsp_check(const struct bsp *bsp, const char *name, struct diag *diag);
NODISCARD enum status ibsp_check(const struct bsp *bsp, const char *name, struct diag *diag);

/* Whether rows of visibility of an IBSP have a size and lie within so many bytes. */
bool ibsp_rows_fit(int32_t clusters, int32_t row, size_t bytes);

/* What a walk down the tree to its leaves needs, when nothing else was read. */
NODISCARD enum status bsp_check_tree(const struct bsp *bsp, const char *name, struct diag *diag);

/* Valve's limits of 2013. */
enum { VBSP_LIMITS = 39 };
extern const struct bsp_limit vbsp_limits[VBSP_LIMITS];

/* Those of Quake 3: of its engine, and of the compiler that came with it. */
enum { IBSP_LIMITS = 17 };
extern const struct bsp_limit ibsp_limits[IBSP_LIMITS];

/* Limits of the format; reports each that is passed. */
NODISCARD enum status bsp_check_limits(const struct bsp *bsp, const struct bsp_format *format,
                                       const char *name, struct diag *diag);

/* Appends an unpacked game lump in another byte order: static props ('sprp'), detail props ('dprp')
 * and their light ('dplt', 'dplh'), by taking them apart and putting them together in the same
 * version and layout; so `from` to `to` and back gives the same bytes, but for what stood behind
 * the zero that ends a model's name. The order of *out does not matter and stays. False, with *out
 * as it was, for other ids and for lumps that cannot be taken apart: then nobody here knows how to
 * turn their numbers. */
bool game_lump_reorder(uint32_t id, int version, enum byte_order from, enum byte_order to,
                       const struct bytes *in, struct bytes *out);

#endif
