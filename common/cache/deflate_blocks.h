/* Compresses with several threads: one zlib stream of blocks that know nothing of each other. */
#ifndef CACHE_DEFLATE_BLOCKS_H
#define CACHE_DEFLATE_BLOCKS_H

#include "common/core/bytes.h"

/* Appends the stream of a value at a zlib level, the same with any number of threads. Returns
 * false, with *out unchanged, when it is no smaller than the value. */
bool deflate_blocks(int threads, int level, const struct bytes *value, struct bytes *out);

#endif
