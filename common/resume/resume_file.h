/* A file beside the output that holds what a run has done, so that the next one can go on there.
 *
 * It is written at most once an interval, and only so often that writing takes a small share of the
 * time; a run of a few seconds writes none. It is no part of the result: one that is missing, of
 * another run or damaged is reported, and the run starts over. */
#ifndef RESUME_RESUME_FILE_H
#define RESUME_RESUME_FILE_H

#include "common/cache/cache.h"
#include "common/core/bytes.h"
#include "common/core/sha256.h"
#include "common/env.h"

/* The question for a resume file, of the options --resume and --checkpoint-every. */
struct resume_options {
    bool resume;    /* go on from the file if it fits */
    double seconds; /* minimum interval between two writes; 0: none */
};

#define RESUME_DEFAULT_SECONDS 8.0

/* Whose file it is. */
struct resume_owner {
    const char *kind;               /* as in struct cache_key */
    unsigned char key[SHA256_SIZE]; /* of what the run was asked */
    /* Adds what else decides its result, when the file is first written or read; or NULL. */
    void (*add)(void *context, struct sha256 *hash);
    void *context;
    struct fs *trace; /* what the run reads (fs_trace.h); NULL: nothing that these do not have */
};

struct resume_file {
    const struct env *env; /* whose file system has the file */
    const char *path;      /* NULL: nothing is stored */
    struct resume_owner owner;
    struct cache_key key; /* its kind is NULL until it is needed */
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
                       double seconds, const struct resume_owner *owner);

/* Reads the file into *bytes and sets *rest to what was encoded, if the file is whole, its owner's,
 * and all that its run has read is the same now. Else reports why not (CHECKPOINT_ABSENT, _OTHER,
 * _DAMAGED). */
bool resume_file_open(struct resume_file *file, struct bytes *bytes, struct byte_reader *rest);

/* Reports why the file is of no use. */
void resume_file_refuse(const struct resume_file *file, int code, const char *why);

/* True when it is time to write. */
bool resume_file_is_due(const struct resume_file *file);

/* True when a run that is stopped now has done enough since the last write that its user would miss
 * it. */
bool resume_file_is_worth(const struct resume_file *file);

/* Writes what the run has read so far and what `encode` appends, in the form of an entry of the
 * cache (cache_entry.h). Reports a failure once (CHECKPOINT_LOST). */
typedef void resume_encode(void *context, struct bytes *out);
void resume_file_write(struct resume_file *file, resume_encode *encode, void *context);

/* Removes the file, of this run or an earlier one. */
void resume_file_remove(const struct resume_file *file);

/* --- parts, which follow a sealed file one by one while a step is being done ---
 *
 * Each has a checksum of itself and of what is before it, and what the run has read since. A part
 * that a crash cut off is none. */

/* True when it is time to append one: any thread may ask. */
bool resume_file_part_is_due(const struct resume_file *file);

/* Appends a part to the file that this run has written, or opened and read to its end. `is_more`:
 * its costs are added to those of the one before. Reports a failure once (CHECKPOINT_LOST). */
void resume_file_extend(struct resume_file *file, const struct bytes *part, bool is_more);

/* Sets *part to what the next one has, of the bytes that were opened. Returns false when there is
 * none, or something that its run has read has changed since. */
bool resume_file_next_part(struct resume_file *file, const struct bytes *bytes,
                           struct byte_reader *part);

#endif
