/* bzip2 streams, as servers offer the files of maps for download. Uses libbz2. */
#ifndef IO_BZ2_H
#define IO_BZ2_H

#include "common/core/bytes.h"

/* Appends a stream with blocks of 900 kB; the same data gives the same bytes. Returns false, with
 * *out unchanged, when libbz2 fails. */
bool bz2_pack(const void *data, size_t size, struct bytes *out);

#endif
