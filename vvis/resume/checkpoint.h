/* What surrounds the rounds of a long run: a file that keeps what is known, so that the run can go
 * on after a crash; a wish to stop; what each cluster costs.
 *
 * The deciding code calls rounds_begin once its matrices are made, and rounds_go_on between rounds;
 * there a NULL is allowed, and does nothing. */
#ifndef VVIS_RESUME_CHECKPOINT_H
#define VVIS_RESUME_CHECKPOINT_H

#include <signal.h>

#include "common/env.h"
#include "vvis/resume/checkpoint_format.h"

enum { ROUNDS_MATRICES = 4 }; /* that the deciding code may have at most */

struct rounds;

struct rounds_file {
    const char *path;      /* NULL: nothing is kept */
    struct key_source key; /* the whole work */
    bool resume;           /* go on from the file, if it is of this work */
    double seconds;        /* at least, between two writes; 0: after each round */
};

/* `pvs` is the result so far of all parts of the work: a row a cluster. `stop` may be set by a
 * signal at any time. All are borrowed. What stands in the way of a resume is reported
 * (VIS_CHECKPOINT_ABSENT, _OTHER, _DAMAGED), and the work starts anew. */
struct rounds *rounds_new(const struct env *env, const struct rounds_file *file,
                          const volatile sig_atomic_t *stop, struct bit_rows *pvs, int clusters);
void rounds_free(struct rounds *rounds);

/* The part of the work, of `parts`, to start with: 0, or the one that the file was in. pvs and
 * costs hold what the parts before it gave. */
size_t rounds_first_part(struct rounds *rounds, size_t parts);

/* Costs of this part's cluster n are those of cluster `clusters`[n]. */
void rounds_part(struct rounds *rounds, size_t part, const int *clusters);

/* What the part is decided in: copied, and used by rounds_go_on. Returns how much of it is done
 * already: then the matrices hold what was known there. */
size_t rounds_begin(struct rounds *rounds, const struct state_matrix *matrices, size_t count);

/* False when the work is to stop. Writes the file when it is time. `done` is what rounds_begin will
 * return to a run that goes on from here. A file that cannot be written is reported once
 * (VIS_CHECKPOINT_LOST) and not tried again. */
bool rounds_go_on(struct rounds *rounds, size_t done);

bool rounds_stopped(const struct rounds *rounds);
/* Whether there is a file to go on from. */
bool rounds_kept(const struct rounds *rounds);

/* Charges the part's clusters a and b with the chains that `thread` made since the last time, of
 * which it has made `chains` in the part so far. May be called by all threads at once. */
void rounds_cost(struct rounds *rounds, int thread, int64_t chains, int a, int b);
/* A number a cluster of the whole work, up to now; between rounds only. */
uint64_t *rounds_costs(struct rounds *rounds);

#endif
