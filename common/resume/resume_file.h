/* A file beside the output that holds what a run has done, so that the next one can go on there.
 *
 * It is written at most once an interval, and only so often that writing takes a small share of the
 * time; a run of a few seconds writes none. It is no part of the result: one that is missing, of
 * another run or damaged is reported, and the run starts over. */
#ifndef RESUME_RESUME_FILE_H
#define RESUME_RESUME_FILE_H

#include "common/core/bytes.h"
#include "common/core/sha256.h"
#include "common/env.h"

/* The question for a resume file, of the options --resume and --checkpoint-every. */
struct resume_options {
    bool resume;    /* go on from the file if it fits */
    double seconds; /* minimum interval between two writes; 0: none */
};

#define RESUME_DEFAULT_SECONDS 8.0

struct resume_file {
    const struct env *env; /* whose file system has the file */
    const char *path;      /* NULL: nothing is stored */
    double seconds;
    double start, next; /* times of the last write, or of the begin, and of the next one */
    double part_began, next_part;      /* times of the last part, and of the next one */
    uint64_t end;                      /* where it is extended */
    unsigned char last[SHA256_SIZE];   /* checksum of what it ends with */
    unsigned char traced[SHA256_SIZE]; /* of the questions that its last part with some has */
    bool written;                      /* it has what this run has done */
    bool failed;                       /* it cannot be written, which is not tried again */
};

void resume_file_begin(struct resume_file *file, const struct env *env, const char *path,
                       double seconds);

/* Appends the file to *out. Returns false when there is none, or it cannot be read: both are
 * reported (CHECKPOINT_ABSENT, _DAMAGED). */
bool resume_file_read(const struct resume_file *file, struct bytes *out);

/* Reports why the file is of no use. */
void resume_file_refuse(const struct resume_file *file, enum diag_code code, const char *why);

/* True when it is time to write. */
bool resume_file_is_due(const struct resume_file *file);

/* True when a run that is stopped now has done enough since the last write that its user would miss
 * it. */
bool resume_file_is_worth(const struct resume_file *file);

/* Writes what `encode` appends, and reports a failure once (CHECKPOINT_LOST). */
typedef void resume_encode(void *context, struct bytes *out);
void resume_file_write(struct resume_file *file, resume_encode *encode, void *context);

/* Removes the file, of this run or an earlier one. */
void resume_file_remove(const struct resume_file *file);

/* True when there is a file of that path, of this run or an earlier one. */
bool resume_file_exists(const struct resume_file *file);

/* --- the form of a file: what it is, whose it is, a checksum, and the rest --- */

struct resume_seal {
    uint64_t magic; /* of the kind of file; also tells the byte order */
    unsigned char key[SHA256_SIZE];
};

/* Appends the start of a file and what the run has read so far (fs_trace.h), before the rest is
 * appended. `trace` NULL, here and in resume_file_open: the run reads nothing that its key does not
 * have. */
void resume_seal_begin(struct fs *trace, struct bytes *out);
/* Fills the start of the file that began at `from`, now that the rest is there. */
void resume_seal_end(const struct resume_seal *seal, struct bytes *out, size_t from);

/* Sets *rest to what follows if the bytes are a file of this seal, whole, and all that its run has
 * read is the same now. Else reports why not (CHECKPOINT_OTHER, _DAMAGED). */
bool resume_file_open(struct resume_file *file, const struct resume_seal *seal, struct fs *trace,
                      const struct bytes *bytes, struct byte_reader *rest);

/* --- parts, which follow a sealed file one by one while a step is being done ---
 *
 * Each has a checksum of itself and of what is before it, and what the run has read since. A part
 * that a crash cut off is none. */

/* True when it is time to append one: any thread may ask. */
bool resume_file_part_is_due(const struct resume_file *file);

/* Appends a part to the file that this run has written, or opened and read to its end. `is_more`:
 * its costs are added to those of the one before. Reports a failure once (CHECKPOINT_LOST). */
void resume_file_extend(struct resume_file *file, struct fs *trace, const struct bytes *part,
                        bool is_more);

/* Sets *part to what the next one has, of the bytes that were opened. Returns false when there is
 * none, or something that its run has read has changed since. */
bool resume_file_next_part(struct resume_file *file, struct fs *trace, const struct bytes *bytes,
                           struct byte_reader *part);

#endif
