/* Compresses with several threads: one zlib stream of blocks that know nothing of each other. */
#ifndef IO_DEFLATE_BLOCKS_H
#define IO_DEFLATE_BLOCKS_H

#include "common/core/bytes.h"

/* Appends the stream of a value at a level of zlib, the same with any number of threads. */
void deflate_blocks(int threads, int level, const struct bytes *value, struct bytes *out);

#endif
