/* Standard input and the like. */
#ifndef IO_STREAM_H
#define IO_STREAM_H

#include <stdio.h>

#include "common/core/bytes.h"

/* Appends what is left of the stream. Returns an errno value, with *out unchanged: EFBIG when that
 * is more than `limit` bytes, soon after which reading stops. */
int stream_read(FILE *stream, uint64_t limit, struct bytes *out);

#endif
