/* The result of a stage, kept by all that the stage sees.
 *
 * The key of a result has two parts. What is known before the stage runs is hashed: the code, the
 * options, the map in memory. What it asks while it runs is noted: by a trace of its file system
 * (fs_trace.h) and, for what is in memory, by a view. Under the first part the cache has a list of
 * sets of questions with their answers; a later run asks the questions of each set again, and the
 * set whose answers are the same now names the result. A program that gets the same answers asks
 * the same questions and makes the same of them, so nobody has to list what a stage depends on.
 *
 * The list and the results may come from anybody. So a question is asked only if the run could ask
 * it itself (may_ask), files are read within bounds, and a server, which sees what is fetched, is
 * asked for the results of all its sets before the first question of one: what is fetched does not
 * depend on what its sets ask. What it sees afterwards is whether a result was of use. A folder
 * before the server is looked at first, so the server also sees whether that had a result; sets
 * that it has made up come into the folder only when they fit.
 *
 * A result has what the stage reported, too, which is reported again. Only a stage that succeeds,
 * or whose map leaks, keeps one. */
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
    /* Tells which questions of the trace the stage could ask: those about its content. What it has
     * asked itself already may be asked in any case. NULL: nothing else. */
    bool (*may_ask)(void *context, const struct fs_trace_question *question);
    void *may_ask_context;
    bool may_leak;       /* that the map leaks is a result, though an error (LEAK) */
    uint64_t max_result; /* the most bytes of a result; 0: those of the largest BSP */
    unsigned char key[SHA256_SIZE];
    /* set by the functions */
    struct bytes found;
    struct cache_key found_key;
    struct diag *messages;
    double began;     /* CPU time of the process */
    uint64_t cost_ms; /* CPU time that what was found took */
};

/* Returns true when there is a result, and in *rest what stage_cache_keep was given. Its messages
 * are not reported yet. */
bool stage_cache_find(struct stage_cache *stage, struct byte_reader *rest);

/* For a result that turned out to be none: reports it (CACHE_DAMAGED). */
void stage_cache_refuse(struct stage_cache *stage);

/* For a view that asks files by itself: reports a question that it does not ask (CACHE_QUESTION).
 */
void stage_cache_refuse_question(struct stage_cache *stage, const char *path);
/* The most bytes that it hashes. */
uint64_t stage_cache_asked_max(void);

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
