/* Bounds of a run: memory and time, and what to say when one is reached.
 *
 * One run per process. What it is doing (stage, phase, sizes) is kept in fixed memory, so that the
 * message needs none: it names the phase, how far it was, and the sizes that the stage told. */
#ifndef CLI_BOUNDS_H
#define CLI_BOUNDS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/core/status.h"
#include "common/diag/diag.h"
#include "common/diag/diag_writer.h"
#include "common/diag/progress.h"

struct bounds_options {
    const char *program;
    size_t memory;                      /* bytes; 0: no limit */
    double seconds;                     /* 0: no limit */
    struct diag_writer *const *writers; /* for messages; borrowed */
    size_t writer_count;
};

/* Parses "512M", "1.5G": a number with K, M, G or T, or of bytes. Returns false for other texts
 * and for less than 1 MB. */
bool bounds_parse_size(const char *text, size_t *bytes);

/* From here on a lack of memory is a message, of a program whose options are not known yet, and so
 * are abort(), with which C++ and OpenMP runtimes end a process, and what ending_tell is given
 * (INTERNAL, status 4). */
void bounds_prepare(const char *program);

/* From here on a lack of memory is a message (OUT_OF_MEMORY, status 4), and so are the bounds
 * (BOUND_REACHED, status 5). Until bounds_end. */
void bounds_begin(const struct bounds_options *options);
/* Starts the watch over the time, in a thread of its own: after a sandbox, which later threads are
 * confined by. */
void bounds_watch(void);
void bounds_end(void);

/* When the time is over, sets the flag first and gives the run a quarter of a second to end by
 * itself. */
void bounds_ask_to_stop(volatile sig_atomic_t *stop);

/* `saves`: a run that is asked to stop keeps what it has done. Then it gets a tenth of its time, at
 * least 2 seconds, to write that. It polls the flag, so as to take as little of it as it can. */
void bounds_saves(bool saves);

void bounds_stage(const char *name);
void bounds_progress(const struct progress_event *event);

/* The status of a run that has ended: BOUND, with a report, when it was asked to stop. */
enum status bounds_verdict(struct diag *diag, enum status status);

#endif
