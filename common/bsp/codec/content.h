/* The content of a BSP apart from the file that it is of: to tell whether two have the same, and to
 * move it from one to another. */
#ifndef BSP_CODEC_CONTENT_H
#define BSP_CODEC_CONTENT_H

#include "common/bsp/codec/format.h"
#include "common/core/sha256.h"

#define BSP_ALL_LUMPS UINT64_MAX

/* Adds the lumps whose bits are set (bit n: lump n), as a file of the format has them (NULL: as
 * bsp_encode): wherever they are there, and whatever the others hold. Returns false when the format
 * cannot hold one. Lumps that were skipped on reading must not be asked for. */
bool bsp_hash_lumps(const struct bsp *bsp, const struct bsp_format *format, uint64_t lumps,
                    struct sha256 *hash);

/* Replaces all lumps that stages know but the entities, of a BSP of the same family. It stays one
 * of its engine, and of its file it keeps the form: order, encoding, revision, and lumps without a
 * canonical form. `from` is empty afterwards. */
void bsp_take_content(struct bsp *to, struct bsp *from);

#endif
