/* A file system that notes what a run asks of another one, and what it is told: the contents of
 * files, their absence, lists of folders.
 *
 * A later run asks the same questions again: when all answers are the same, what the earlier run
 * made of them holds. So nobody has to list the inputs of a stage, nor is one forgotten: map,
 * instances, materials, models, and the files that were looked for in vain. */
#ifndef RESUME_FS_TRACE_H
#define RESUME_FS_TRACE_H

#include "common/io/fs.h"

/* `below` is borrowed. What is written goes there. Any thread may use it. */
struct fs *fs_trace_new(struct fs *below);
void fs_trace_free(struct fs *trace); /* NULL is fine */
struct fs *fs_trace_below(struct fs *trace);

/* Appends the questions and answers so far, in the order of the questions: of what a file or folder
 * has, the SHA-256. */
void fs_trace_write(struct fs *trace, struct bytes *out);

enum fs_trace_fit { FS_TRACE_SAME, FS_TRACE_CHANGED, FS_TRACE_DAMAGED };

/* Reads questions and asks them again, which notes them. Ends at the first answer that differs:
 * *changed is its path then, to be freed with memory_free. */
enum fs_trace_fit fs_trace_ask_again(struct fs *trace, struct byte_reader *from, char **changed);

#endif
