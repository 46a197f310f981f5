/* A file system that notes which files a run reads: those that exist, and that another run has not
 * made for itself (fs_plain). common/resume/fs_trace.h notes also what is absent, and contents. */
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

/* Returns an stb_ds array of the paths in byte order, valid until the next file is read. */
const char **fs_inputs_sorted(struct fs_inputs *inputs);

#endif
