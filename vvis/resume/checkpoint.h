/* What surrounds the rounds of a long run: a file that keeps what is known, so that the run can go
 * on after a crash; a wish to stop; what each cluster costs.
 *
 * The deciding code calls checkpoint_begin once its matrices are made, and checkpoint_poll between
 * rounds; there a NULL is allowed, and does nothing. */
#ifndef VVIS_RESUME_CHECKPOINT_H
#define VVIS_RESUME_CHECKPOINT_H

#include <signal.h>

#include "common/env.h"
#include "vvis/resume/cache_key.h"
#include "vvis/resume/checkpoint_format.h"

enum { CHECKPOINT_MATRICES = 4 }; /* that the deciding code may have at most */

struct checkpoint;

struct checkpoint_file {
    const char *path;            /* NULL: nothing is kept */
    struct cache_key_source key; /* the whole work */
    bool resume;                 /* go on from the file, if it is of this work */
    double seconds;              /* at least, between two writes; 0: after each round */
};

/* `pvs` is the result so far of all parts of the work: a row a cluster. `stop` may be set by a
 * signal at any time. All are borrowed. What stands in the way of a resume is reported
 * (VIS_CHECKPOINT_ABSENT, _OTHER, _DAMAGED), and the work starts anew. */
struct checkpoint *checkpoint_new(const struct env *env, const struct checkpoint_file *file,
                                  const volatile sig_atomic_t *stop, struct bit_rows *pvs,
                                  int clusters);
void checkpoint_free(struct checkpoint *checkpoint);

/* The part of the work, of `parts`, to start with: 0, or the one that the file was in. pvs and
 * costs hold what the parts before it gave. */
size_t checkpoint_first_component(struct checkpoint *checkpoint, size_t components);

/* Costs of this part's cluster n are those of cluster `clusters`[n]. */
void checkpoint_set_component(struct checkpoint *checkpoint, size_t component, const int *clusters);

/* What the part is decided in: copied, and used by checkpoint_poll. Returns how much of it is done
 * already: then the matrices hold what was known there. */
size_t checkpoint_begin(struct checkpoint *checkpoint, const struct checkpoint_matrix *matrices,
                        size_t count);

/* False when the work is to stop. Writes the file when it is time. `done` is what checkpoint_begin
 * will return to a run that goes on from here. A file that cannot be written is reported once
 * (VIS_CHECKPOINT_LOST) and not tried again. */
bool checkpoint_poll(struct checkpoint *checkpoint, size_t done);

bool checkpoint_stopped(const struct checkpoint *checkpoint);
/* Whether there is a file to go on from. */
bool checkpoint_written(const struct checkpoint *checkpoint);

/* Charges the part's clusters a and b with the chains that `thread` made since the last time, of
 * which it has made `chains` in the part so far. May be called by all threads at once. */
void checkpoint_add_cost(struct checkpoint *checkpoint, int thread, int64_t chains, int a, int b);
/* A number a cluster of the whole work, up to now; between rounds only. */
uint64_t *checkpoint_costs(struct checkpoint *checkpoint);

#endif
