/* LZMA in game files: a raw LZMA1 stream whose five bytes of properties and whose size are in a
 * header of the container. Uses liblzma. */
#ifndef IO_LZMA_H
#define IO_LZMA_H

#include "common/core/bytes.h"
#include "common/diag/diag.h"

enum { LZMA_PROPERTIES = 5, LZMA_LUMP_HEADER = 17 };

/* Appends exactly `size` unpacked bytes. The stream may have an end mark or not. Returns false,
 * with *out unchanged, when the properties or the stream are damaged, the stream ends early, or
 * there is not enough memory. The caller bounds `size`; a stream of n bytes gives at most about n *
 * 7000. */
bool lzma_unpack(const unsigned char properties[LZMA_PROPERTIES], const void *packed,
                 size_t packed_size, size_t size, struct bytes *out);

/* Appends a raw stream without end mark and returns its properties (lc 3, lp 0, pb 2). */
bool lzma_pack(const void *data, size_t size, unsigned char properties[LZMA_PROPERTIES],
               struct bytes *out);

/* A compressed lump of a VBSP: "LZMA", u32 unpacked size, u32 packed size (both little-endian in
 * every file), properties, stream. (Source BSP specification, on lump compression.) */
bool lzma_is_lump(const void *data, size_t size);
/* Returns the unpacked size in the header, or 0 without a header; the size is not checked. */
uint32_t lzma_lump_size(const void *data, size_t size);
/* Appends the unpacked lump; reports LZMA_DAMAGED and fails when it is damaged, larger than `max`,
 * or larger than its stream could give. */
NODISCARD enum status lzma_unpack_lump(const void *data, size_t size, size_t max,
                                       const struct diag_where *where, struct diag *diag,
                                       struct bytes *out);
/* Appends header and stream. Returns false when liblzma fails. */
bool lzma_pack_lump(const void *data, size_t size, struct bytes *out);

#endif
