/* Standard input and the like. */
#ifndef IO_STREAM_H
#define IO_STREAM_H

#include <stdio.h>

#include "common/core/bytes.h"

/* Appends what is left of the stream. Returns an errno value, with *out unchanged: EFBIG when that
 * is more than `limit` bytes, soon after which reading stops. */
int stream_read(FILE *stream, uint64_t limit, struct bytes *out);

/* fopen of a path, for "w" or "a". */
FILE *stream_open(const char *path, const char *mode);

/* Ends the process as SIGPIPE does, which it ignores otherwise, if the error is that of a closed
 * pipe of standard output (on Windows, which has no signals, with status 1): its reader, such as
 * head(1), has what it wants. */
void stream_end_if_closed(int error);

#endif
