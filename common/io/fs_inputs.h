/* A file system that notes which files a run reads, and what it looks for; but not what another run
 * has made for itself (fs_plain). common/resume/fs_trace.h notes also the contents. */
#ifndef IO_FS_INPUTS_H
#define IO_FS_INPUTS_H

#include "common/io/fs.h"

/* Paths, each once. Any thread may use it. */
struct fs_inputs;

struct fs_inputs *fs_inputs_new(void);
void fs_inputs_free(struct fs_inputs *inputs); /* NULL is fine */

/* The file system `below`, borrowed, as the inputs are taken from it; free with fs_noting_free. */
struct fs *fs_noting_new(struct fs *below, struct fs_inputs *inputs);
void fs_noting_free(struct fs *noting); /* NULL is fine */

/* True if a file that was read has another size or time now. */
bool fs_inputs_has_changed(struct fs_inputs *inputs, struct fs *fs, const char *path);

/* Returns an stb_ds array of the paths in byte order, valid until the next file is read. */
const char **fs_inputs_sorted(struct fs_inputs *inputs);
/* The same of what was not read: files that were looked for in vain, and folders that were
 * listed. */
const char **fs_inputs_sought(struct fs_inputs *inputs);

#endif
