/* LZMA as game files hold it: a raw LZMA1 stream whose five bytes of properties and whose size
 * stand in a header of the container. Through liblzma. */
#ifndef IO_LZMA_H
#define IO_LZMA_H

#include "common/core/bytes.h"
#include "common/diag/diag.h"

enum { LZMA_PROPERTIES = 5, LZMA_LUMP_HEADER = 17 };

/* Appends exactly `size` unpacked bytes. The stream may carry an end mark or not. False, with *out
 * as it was, when the properties or the stream are damaged, it ends early, or memory for it cannot
 * be had. The caller bounds `size`; a stream of n bytes gives at most about n * 7000. */
bool lzma_unpack(const unsigned char properties[LZMA_PROPERTIES], const void *packed,
                 size_t packed_size, size_t size, struct bytes *out);

/* Appends a raw stream without end mark and gives its properties (lc 3, lp 0, pb 2). */
bool lzma_pack(const void *data, size_t size, unsigned char properties[LZMA_PROPERTIES],
               struct bytes *out);

/* A lump of a VBSP: "LZMA", u32 unpacked size, u32 packed size (both little-endian in every file),
 * properties, stream. (Source BSP specification, on lump compression.) */
bool lzma_is_lump(const void *data, size_t size);
/* What the header claims, or 0 when it is none; the claim is bounded by nothing yet. */
uint32_t lzma_lump_size(const void *data, size_t size);
/* Appends the unpacked lump; reports LZMA_DAMAGED and fails when it is damaged or larger than
 * `most`, or claims more than its stream could ever give. */
NODISCARD enum status lzma_unpack_lump(const void *data, size_t size, size_t max,
                                       const struct diag_where *where, struct diag *diag,
                                       struct bytes *out);
/* Appends header and stream. False when liblzma fails. */
bool lzma_pack_lump(const void *data, size_t size, struct bytes *out);

#endif
