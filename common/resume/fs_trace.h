/* A file system that notes what a run asks of another one, and what it is told: the contents of
 * files, their absence, lists of folders.
 *
 * A later run asks the same questions again: when all answers are the same, what the earlier run
 * made of them holds. So nobody has to list the inputs of a stage, nor is one forgotten: map,
 * instances, materials, models, and the files that were looked for in vain. */
#ifndef RESUME_FS_TRACE_H
#define RESUME_FS_TRACE_H

#include "common/core/sha256.h"
#include "common/io/fs.h"

/* `below` is borrowed. What is written goes there. Any thread may use it. */
struct fs *fs_trace_new(struct fs *below);
void fs_trace_free(struct fs *trace); /* NULL is fine */
struct fs *fs_trace_below(struct fs *trace);

/* A view: instead of the files that this thread reads, until they are no longer hidden, the trace
 * notes what the run makes of them. That files are there, and what folders have, is noted as ever:
 * whoever reads them may remember it. */
void fs_trace_hide_reads(struct fs *trace, bool hidden);
void fs_trace_note_view(struct fs *trace, const char *name,
                        const unsigned char answer[SHA256_SIZE]);

/* Finds the answer of a view; false: it cannot. */
typedef bool fs_trace_answer(void *context, const char *name, unsigned char out[SHA256_SIZE]);
/* For fs_trace_ask_again: without it, notes of views are damage. */
void fs_trace_set_answer(struct fs *trace, fs_trace_answer *answer, void *context);

/* Paths may be kept in another form: `shorten` makes it, `lengthen` the path of a later run. NULL:
 * as they are. The texts are borrowed until the call that uses them ends. */
typedef const char *fs_trace_rename(void *context, const char *path);
struct fs_trace_names {
    void *context;
    fs_trace_rename *shorten, *lengthen;
};
void fs_trace_set_names(struct fs *trace, const struct fs_trace_names *names);

/* Calls `visit` for each question so far, in no order, with its kind: one of these, or another. Not
 * while the trace is used. */
enum fs_trace_kind {
    FS_TRACE_READ = 'r', /* all of a file */
    FS_TRACE_PART = 'p', /* a range of it */
    FS_TRACE_KIND = 'k', /* what is there */
    FS_TRACE_LIST = 'l', /* the names in a folder */
    FS_TRACE_SIZE = 's',
    FS_TRACE_VIEW = 'v' /* fs_trace_note_view */
};
typedef void fs_trace_visit(void *context, char question, const char *path);
void fs_trace_each(struct fs *trace, fs_trace_visit *visit, void *context);

/* True when the run has read the whole file, with its SHA-256. Not while the trace is used. */
bool fs_trace_has_read(struct fs *trace, const char *path);
bool fs_trace_hash_of(struct fs *trace, const char *path, unsigned char out[SHA256_SIZE]);

/* A question as it was noted, its parts borrowed. */
struct fs_trace_question {
    enum fs_trace_kind kind;
    const char *text;      /* all of it */
    const char *path;      /* or the name of a view */
    uint64_t offset, size; /* of a range */
};

/* True when the run has asked the question. Not while the trace is used. */
bool fs_trace_has_asked(struct fs *trace, const char *question);

/* Which questions of somebody else fs_trace_ask_again asks, and how much it reads for all of them.
 * Without a scope it asks whatever was noted. */
struct fs_trace_scope {
    /* False: it is none that the run could ask itself. */
    bool (*may_ask)(void *context, const struct fs_trace_question *question);
    void *context;
    uint64_t bytes; /* 0: no bound */
};
void fs_trace_set_scope(struct fs *trace, const struct fs_trace_scope *scope);

/* Appends the questions and answers so far, in the order of the questions: of what a file or folder
 * has, the SHA-256. */
void fs_trace_write(struct fs *trace, struct bytes *out);

/* FS_TRACE_DAMAGED: what was read is none, or out of the scope; then nobody was asked. */
enum fs_trace_fit { FS_TRACE_SAME, FS_TRACE_CHANGED, FS_TRACE_DAMAGED };

/* Reads questions and asks them again, which notes them. Ends at the first answer that differs:
 * *changed is its path then, to be freed with memory_free. Files are hashed a step at a time: the
 * memory that it takes does not depend on them. */
enum fs_trace_fit fs_trace_ask_again(struct fs *trace, struct byte_reader *from, char **changed);

#endif
