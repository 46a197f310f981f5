/* Internal: a file system whose files are written to memory, over another that is only read. */
#ifndef LIBRARY_MEMORY_FILES_H
#define LIBRARY_MEMORY_FILES_H

#include "common/io/fs.h"

/* `below` must outlive it. */
struct fs *memory_files_new(struct fs *below);
void memory_files_free(struct fs *files);

void memory_files_put(struct fs *files, const char *path, const void *data, size_t size);
/* NULL: not in memory. Valid until the file is written again. */
const struct bytes *memory_files_get(struct fs *files, const char *path);

#endif
