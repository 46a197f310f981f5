/* Game lumps whose contents are known here, whole. */
#ifndef BSP_CODEC_GAME_LUMP_H
#define BSP_CODEC_GAME_LUMP_H

#include "common/core/bytes.h"

/* Appends the unpacked lump in another byte order: static props ('sprp'), detail props ('dprp') and
 * their light ('dplt', 'dplh'), by taking them apart and putting them together in the same version
 * and layout; so `from` to `to` and back gives the same bytes, but for what stood behind the zero
 * that ends a model's name. The order of *out does not matter and stays. False, with *out as it
 * was, for other ids and for lumps that cannot be taken apart: then nobody here knows how to turn
 * their numbers. */
bool game_lump_reorder(uint32_t id, int version, enum byte_order from, enum byte_order to,
                       const struct bytes *in, struct bytes *out);

#endif
