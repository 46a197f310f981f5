/* Standard input and the like. */
#ifndef IO_STREAM_H
#define IO_STREAM_H

#include <stdio.h>

#include "common/core/bytes.h"

/* Appends what is left of the stream. Returns an errno value, with *out unchanged: EFBIG when that
 * is more than `limit` bytes, soon after which reading stops. */
int stream_read(FILE *stream, uint64_t limit, struct bytes *out);

/* Opens a file that grows piece by piece, at its end. One that is absent is made as fs_ops.write
 * makes files, and so is one in the place of a symbolic link, which is not followed; but devices,
 * pipes and names of open descriptors (/dev/stdout), which cannot be replaced, are opened as they
 * are. Returns NULL and sets errno on failure. */
FILE *stream_append(const char *path);

/* Puts a file with these bytes, which are synced, in the place of the path as fs_ops.write does,
 * and opens it for changes in place. The rest is as for stream_append: of what is opened as it is,
 * only a regular file gets the bytes. */
FILE *stream_replace(const char *path, const void *data, size_t size);

/* Ends the process as SIGPIPE does, which it ignores otherwise, if the error is that of a closed
 * pipe of standard output (on Windows, which has no signals, with status 1): its reader, such as
 * head(1), has what it wants. */
void stream_end_if_closed(int error);

#endif
