/* How content was opened, as bytes: for other ranks, which open the same. */
#ifndef ASSETS_ASSETS_OPTIONS_H
#define ASSETS_ASSETS_OPTIONS_H

#include "common/assets/assets.h"

void assets_options_write(const struct assets_options *options, struct bytes *out);

/* Texts are in the arena, of which lists are as well. Returns false when the reader has something
 * else up to its end: lists are of texts, all of them set, all the same. */
NODISCARD bool assets_options_read(struct byte_reader *from, struct arena *arena,
                                   struct assets_options *out);

#endif
