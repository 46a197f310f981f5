/* Progress of a stage: phases with their times, counters, files written, and how far it is.
 *
 * The listener decides what to show; a library only reports. A NULL progress is allowed everywhere
 * and silent. progress_step may be called from several threads. */
#ifndef DIAG_PROGRESS_H
#define DIAG_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

enum progress_kind {
    PROGRESS_BEGIN,
    PROGRESS_STEP,
    PROGRESS_END,
    PROGRESS_COUNT,
    PROGRESS_SIZE,
    PROGRESS_FILE
};

struct progress_event {
    enum progress_kind kind;
    const char *name;    /* of the phase, the counter or the size; the path of a FILE */
    size_t done, total;  /* STEP */
    double wall_seconds; /* END */
    double cpu_seconds;  /* END: of the whole process */
    int64_t value;       /* COUNT, SIZE */
};

typedef void progress_listener(void *context, const struct progress_event *event);

struct progress;

struct progress *progress_new(progress_listener *listener, void *context);
void progress_free(struct progress *progress);

/* Phases do not nest. The name must outlive the phase. */
void progress_begin(struct progress *progress, const char *name, size_t total);
void progress_step(struct progress *progress); /* one of `total` is done */
void progress_steps(struct progress *progress, size_t count);
/* At least `done` of `count` equal parts of the phase are done: by others, whose steps are not
 * counted here. */
void progress_reached(struct progress *progress, size_t done, size_t count);
void progress_end(struct progress *progress);

/* A machine-independent figure: faces, portals, chains, rays ... */
void progress_count(struct progress *progress, const char *name, int64_t value);

/* A size of the input that drives what the phases cost: for the message of a run that is too
 * expensive. Not shown otherwise. */
void progress_size(struct progress *progress, const char *name, int64_t value);

/* A file of the output that has been written. */
void progress_wrote(struct progress *progress, const char *path);

#endif
