/* The result of a stage, kept by all that the stage sees.
 *
 * The key of a result has two parts. What is known before the stage runs is hashed: the code, the
 * options, the map in memory. What it asks while it runs is noted: by a trace of its file system
 * (fs_trace.h) and, for what is in memory, by a view. Under the first part the cache has a list of
 * sets of questions with their answers; a later run asks the questions of each set again, and the
 * set whose answers are the same now names the result. A program that gets the same answers asks
 * the same questions and makes the same of them, so nobody has to list what a stage depends on.
 *
 * A result has what the stage reported, too, which is reported again. Only a stage that succeeds
 * keeps one. */
#ifndef RESUME_STAGE_CACHE_H
#define RESUME_STAGE_CACHE_H

#include "common/cache/cache.h"
#include "common/core/bytes.h"
#include "common/core/sha256.h"
#include "common/env.h"
#include "common/resume/fs_trace.h"

/* Questions of a stage besides those to the file system. */
struct stage_view {
    void *context;
    /* Appends the questions so far, and the answers. */
    void (*write)(void *context, struct bytes *out);
    /* Reads them on, and returns true when the answers are the same now. */
    bool (*fits)(void *context, struct byte_reader *from);
};

struct stage_cache {
    struct cache *cache;     /* NULL: nothing is found or kept, and the rest need not be set */
    const char *stage;       /* "vbsp": a kind of struct cache_key */
    const struct env *env;   /* of the stage: its messages are kept */
    struct fs *trace;        /* an fs_trace of what it reads; NULL: it reads no file */
    struct fs *asked;        /* whom to ask again: below the trace */
    fs_trace_answer *answer; /* of views in the trace; NULL: there are none */
    void *answer_context;
    struct stage_view view; /* write NULL: there is none */
    unsigned char key[SHA256_SIZE];
    /* set by the functions */
    struct bytes found;
    struct diag *messages;
};

/* Returns true when there is a result, and in *rest what stage_cache_keep was given. Its messages
 * are not reported yet. */
bool stage_cache_find(struct stage_cache *stage, struct byte_reader *rest);

/* Gives the files of messages other names: of those that were found, or, before stage_cache_keep,
 * of those of the run, which has no more of them. */
void stage_cache_rename(struct stage_cache *stage, diag_rename *rename, void *context);

/* The result that was found is used: reports its messages, and tells the progress. */
void stage_cache_use(struct stage_cache *stage);

/* From here on messages are kept, until stage_cache_keep or _end. */
void stage_cache_begin(struct stage_cache *stage);

/* Keeps the result of a run that has begun, unless an error was reported or the run was stopped. */
void stage_cache_keep(struct stage_cache *stage, const struct bytes *result);

/* At the end, in any case. */
void stage_cache_end(struct stage_cache *stage);

#endif
