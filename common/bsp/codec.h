/* Inside common/bsp: what a format is made of. */
#ifndef BSP_CODEC_H
#define BSP_CODEC_H

#include "common/bsp/format.h"
#include "common/bsp/record.h"

/* A lump that is an array of one kind of record. */
struct lump_array {
    int32_t lump;
    const struct record *record;
    size_t offset; /* of the stb_ds array in struct bsp */
};

/* How a version of the file is read and written. Rows of the table of targets share one. */
struct bsp_codec {
    char magic[5];
    int32_t version;
    int32_t leaf_version; /* of lump 10, whose record differs between versions */
    const struct lump_array *arrays;
    size_t array_count;
    /* The result is safe only after bsp_check. */
    enum status (*decode)(const struct bsp_codec *codec, const void *data, size_t size,
                          const char *name, struct diag *diag, struct bsp *bsp);
    enum status (*encode)(const struct bsp_codec *codec, const struct bsp *bsp,
                          const struct bsp_format *format, const char *name, struct diag *diag,
                          struct bytes *out);
};

/* VBSP 20: SDK 2013, TF2, and the tools of 2007. */
extern const struct bsp_codec vbsp20_codec;

/* Samples of ambient light: with a position, one of several in a leaf; without, one a leaf. */
const struct record *vbsp_ambient_record(bool positioned);

NODISCARD enum status vbsp_decode(const struct bsp_codec *codec, const void *data, size_t size,
                                  const char *name, struct diag *diag, struct bsp *bsp);
NODISCARD enum status vbsp_encode(const struct bsp_codec *codec, const struct bsp *bsp,
                                  const struct bsp_format *format, const char *name,
                                  struct diag *diag, struct bytes *out);

/* One lump of canonical data, by the codecs alone. `at` is where it will stand in the file: game
 * lumps hold absolute offsets. False and a misfit when a value does not fit. Lumps without a
 * canonical form give what is carried. */
bool vbsp_encode_lump(const struct bsp_codec *codec, const struct bsp *bsp,
                      const struct bsp_format *format, int lump, size_t at, struct bytes *out,
                      struct record_misfit *misfit);

/* The same, but for texture names, which two lumps hold, both of them: when these bytes have not
 * changed, neither has what the lump says. */
bool vbsp_encode_whole(const struct bsp_codec *codec, const struct bsp *bsp,
                       const struct bsp_format *format, int lump, size_t at, struct bytes *out,
                       struct record_misfit *misfit);

/* Whether the lump has a canonical form. */
bool vbsp_has_codec(const struct bsp_codec *codec, int lump);
const struct lump_array *vbsp_array(const struct bsp_codec *codec, int lump); /* or NULL */

/* The order in which Valve's tools of 2013 write the lumps; the rest is never written. */
enum { VBSP_ORDER = 54 };
extern const uint8_t vbsp_order[VBSP_ORDER];
int32_t vbsp_usual_version(int lump);

/* Every index and range that memory safety needs (codes B0xx). */
NODISCARD enum status bsp_check(const struct bsp *bsp, const char *name, struct diag *diag);

/* Valve's limits of 2013. */
enum { VBSP_LIMITS = 39 };
extern const struct bsp_limit vbsp_limits[VBSP_LIMITS];

/* Limits of the format; reports each that is passed. */
NODISCARD enum status bsp_check_limits(const struct bsp *bsp, const struct bsp_format *format,
                                       const char *name, struct diag *diag);

/* An stb_ds array of any type, of which only the address of its pointer is known. */
size_t array_length(const void *pointer_address);
const void *array_data(const void *pointer_address);
/* Makes it `count` records of `size` bytes, zeroed; returns the records. */
void *array_make(void *pointer_address, size_t count, size_t size);

#endif
