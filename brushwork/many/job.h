/* Internal to builds of several maps: the process of one of them, from start to end. */
#ifndef MANY_JOB_H
#define MANY_JOB_H

#include "brushwork/many/child.h"
#include "brushwork/many/many.h"

/* The words of the option that starts the process of a map. */
enum {
    MANY_JOB_MAP,
    MANY_JOB_OUTPUT,
    MANY_JOB_THREADS,
    MANY_JOB_SECONDS, /* that it may take; 0: no limit */
    MANY_JOB_SHARED,  /* child_shared of what the processes know of the cache's server */
    MANY_JOB_WORDS
};

enum job_state { JOB_WAITING, JOB_RUNNING, JOB_ENDED };

struct job {
    const char *map, *output;
    const char *const *words; /* options of its own; borrowed */
    size_t word_count;
    const char *list; /* that names it, or NULL */
    int line;         /* of the list */
    uint64_t bytes;   /* of the source */
    bool is_map;      /* a MAP, not a VMF */
    enum job_state state;
    int threads;
    uint64_t estimate; /* of memory, while it runs */
    bool has_token;
    double start;
    struct child child;
    /* When it has ended: */
    enum status status;
    double wall;
    size_t errors, warnings;
    const char *result; /* JSON; or NULL */
    struct diag *said;  /* its messages, where they are kept; or NULL */
};

/* Starts the process; `shared` is as in child_start. Returns 0 or an errno value. */
int job_start(struct job *job, const struct many *many, double seconds, bool is_joined, int shared);

/* Takes what an ended process has said: prints it, reports its messages, finds its status. In a run
 * that was stopped, a process that was ended by a signal is no fault. */
void job_take(struct job *job, const struct program *program, bool is_stopped);

/* Reports about the map, for the run and for itself. */
void job_report(struct job *job, const struct env *env, int code, const char *text);

/* Prints a line for each, and adds them to the summary. */
void jobs_report(struct job *jobs, struct console *console, double wall);

#endif
