/* A stage of a compile: what it is, what its result depends on, what it keeps and in which order it
 * works, in one description. The cache, the checkpoints, the other ranks of a run and the programs
 * learn it from there.
 *
 * A run of a stage looks for the result of an earlier run in the cache (stage_cache.h), or else
 * does the steps and keeps what they have made. Within a step a stage may store its progress in its
 * checkpoint (resume_file.h) and share its loops with other ranks (farm.h). */
#ifndef STAGE_STAGE_H
#define STAGE_STAGE_H

#include "common/cli/resume_options.h"
#include "common/resume/stage_cache.h"

struct stage;

/* The surroundings of a run, which change no result: its checkpoint. */
struct stage_session {
    const char *checkpoint;         /* the file that keeps finished work, or NULL */
    struct resume_options resume;   /* of that file */
    const struct env *env;          /* whose file system has it; NULL: that of the run */
    struct fs *trace;               /* fs_trace: what the run reads, and what has decided its input;
                                       NULL: the key has all of it */
    unsigned char key[SHA256_SIZE]; /* of what was asked: stage_session_key */
    bool is_kept;                   /* set: the file has what a stopped run has done */
};

/* A run of a stage. */
struct stage_run {
    const struct stage *stage;
    const struct env *env;
    struct stage_session *session; /* not NULL, but may be empty: `none` */
    struct stage_session none;
    void *work;               /* the stage's own: its inputs, and what the steps make */
    void *result;             /* of struct stage_result; NULL: it is not kept */
    struct stage_cache cache; /* of the result; without a cache: it is not kept */
    enum status taken;        /* of the run that made a result: set by `take` */
};

/* A step fails when the run was stopped. */
struct stage_step {
    enum status (*run)(struct stage_run *run);
    const char *phase; /* of the progress (progress_begin); NULL: the step has its own, or none */
};

/* The result of a stage: for the cache. */
struct stage_result {
    /* Sets what the result depends on: the key of run->cache, and the trace and views of what the
     * stage reads. Returns false for a run whose result is not kept. */
    bool (*ask)(struct stage_run *run);
    /* Takes the result of an earlier run, which is all that `from` has, or returns false and
     * changes nothing. */
    bool (*take)(struct stage_run *run, struct byte_reader *from);
    /* Called when there is none, whether or not it will be kept; or NULL. */
    void (*miss)(struct stage_run *run);
    /* Appends the result of a run that has succeeded, or whose map leaks (cache.may_leak). Returns
     * false for one that cannot be kept. */
    bool (*give)(struct stage_run *run, struct bytes *out);
};

struct stage {
    const char *name; /* also the kind of its results in the cache, the name of its jobs for other
                         ranks, and the tool of its options */
    struct option_group (*options)(size_t base); /* the table, its values at an offset */
    bool reads_content;                          /* of a game: its key has the options for that */
    const char *checkpoint;      /* the ending of its checkpoint; NULL: it has none */
    const char *checkpoint_kind; /* as in struct cache_key */

    const struct stage_result *result;
    /* Checks the inputs. NULL: nothing is to be checked. */
    enum status (*check)(struct stage_run *run);
    /* Before the steps: begins the checkpoint and the work of other ranks. After them, also if it
     * has failed: frees what the steps have shared. Each NULL: nothing is to be done. */
    enum status (*begin)(struct stage_run *run);
    void (*end)(struct stage_run *run);
    const struct stage_step *steps;
    size_t step_count;
};

#define STAGE_STEPS(list) .steps = (list), .step_count = sizeof(list) / sizeof *(list)

/* Sets up a run. All is borrowed; `session` may be NULL. */
struct stage_run stage_run_of(const struct stage *stage, const struct env *env,
                              struct stage_session *session, void *work);

/* Does the stage: takes its result from the cache of the run (env.cache), or does the steps and
 * keeps what they have made. */
NODISCARD enum status stage_do(struct stage_run *run);

/* Does the steps alone, between `begin` and `end`: on other ranks, and in stage_do. */
NODISCARD enum status stage_do_steps(struct stage_run *run);

/* Hashes what the options say about the result of a stage (options_hash_stage). */
void stage_options_key(const struct stage *stage, const struct program *program,
                       unsigned char out[SHA256_SIZE]);

/* ---- the checkpoint ---- */

/* Begins the file. `add` is as in struct resume_owner. */
void stage_file_begin(const struct stage_run *run, struct resume_file *file,
                      void (*add)(void *context, struct sha256 *hash), void *context);

/* Names the file of a session: beside the run's BSP, or NULL for "-", which --resume is told
 * (CHECKPOINT_ABSENT). Says so when there is one already and --resume was not given. */
void stage_session_begin(const struct stage *stage, const struct program *program,
                         const struct resume_options *options, struct arena *arena, const char *bsp,
                         struct stage_session *out);

/* Fingerprint of what a stage is asked for whose inputs are hashed by their content: the program,
 * the path of its source and the options of the stage. Those of others may change. Call it when all
 * options are known. */
void stage_session_key(const struct stage *stage, const struct program *program, const char *source,
                       struct stage_session *session);

/* Tells the user of what a stopped run has kept. */
void stage_session_tell(const struct stage_session *session, struct console *console);

/* Removes the file, of this run or an earlier one. `env` has it if the session has no other. */
void stage_session_remove(const struct stage_session *session, const struct env *env);

#endif
