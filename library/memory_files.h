/* Internal: a file system whose files are written to memory, over another that is only read. */
#ifndef LIBRARY_MEMORY_FILES_H
#define LIBRARY_MEMORY_FILES_H

#include "common/io/fs.h"

/* Both must outlive it. `memory` is one of fs_memory_new. */
struct fs *memory_files_new(struct fs *memory, struct fs *below);
void memory_files_free(struct fs *files);

#endif
