/* A file system for the ranks of a run: what rank 0 reads, all read.
 *
 * Other ranks need no files: each question to it is collective, rank 0 asks the file system below
 * and sends the answer. All ranks run the same code on the same answers, so that they ask the same
 * questions in the same order; another one ends the job (ranks_fail). It is read only. */
#ifndef FARM_FS_RANKS_H
#define FARM_FS_RANKS_H

#include "common/farm/ranks.h"
#include "common/io/fs.h"

/* `below` is borrowed, and only used on rank 0. */
struct fs *fs_ranks_new(struct ranks *ranks, struct fs *below);
void fs_ranks_free(struct fs *fs);

/* An answer of rank 0: an error or a result, a size, and data of the reader. */
struct fs_ranks_answer {
    int64_t result;
    uint64_t size;
    const unsigned char *data;
    size_t data_size;
};

/* Reads an answer up to its end, of a kind of file or of a list of entries. Returns false for what
 * is none. */
bool fs_ranks_read_answer(struct byte_reader *from, bool is_kind, bool is_list,
                          struct fs_ranks_answer *out);

/* Returns the file system below, for what rank 0 does alone, or `fs` if it is none of these. */
struct fs *fs_ranks_below(struct fs *fs);

#endif
