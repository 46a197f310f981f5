/* The checkpoint of a long run: a file that stores progress, so that the run can be resumed;
 * whether it is asked to stop; the cost of each cluster.
 *
 * On several ranks all go on from the file of rank 0, which alone reads and writes it, and all stop
 * when one of them is asked to. checkpoint_new is collective.
 *
 * The visibility code calls checkpoint_begin when its matrices exist, and checkpoint_poll
 * between rounds; both accept NULL and then do nothing. */
#ifndef VVIS_RESUME_CHECKPOINT_H
#define VVIS_RESUME_CHECKPOINT_H

#include "common/stage/stage.h"
#include "vvis/resume/bit_matrices.h"
#include "vvis/resume/cache_key.h"

enum { CHECKPOINT_MATRICES = 4 }; /* maximum per component */

struct checkpoint;

/* The file is that of the run's session, whose is_kept is set when it is written. `source` tells
 * what the result depends on; `pvs` is the result so far of all components: a row per cluster. All
 * are borrowed. A file that cannot be used is reported (CHECKPOINT_ABSENT, _OTHER, _DAMAGED) and
 * ignored. */
struct checkpoint *checkpoint_new(const struct stage_run *run,
                                  const struct cache_key_source *source, struct bit_rows *pvs);
void checkpoint_free(struct checkpoint *checkpoint);

/* Returns the component, of `components`, to start with: 0, or the one that the file was in. pvs
 * and costs hold the results of the components before it. */
size_t checkpoint_first_component(struct checkpoint *checkpoint, size_t components);

/* The costs of cluster n of this component are those of cluster `clusters`[n] of the map. */
void checkpoint_set_component(struct checkpoint *checkpoint, size_t component, const int *clusters);

/* Sets the matrices of the component: copied, and used by checkpoint_poll. Returns the progress
 * of an earlier run, whose data the matrices then hold. `fits` may refuse them, at the end of
 * others; or NULL. */
size_t checkpoint_begin(struct checkpoint *checkpoint, const struct bit_matrix *matrices,
                        size_t count, bit_matrices_fit *fits);

/* Returns false when the run must stop. Writes the file when it is time. `done` is what
 * checkpoint_begin returns to a run that resumes here. A file that cannot be written is reported
 * once (CHECKPOINT_LOST) and not tried again. */
bool checkpoint_poll(struct checkpoint *checkpoint, size_t done);

bool checkpoint_stopped(const struct checkpoint *checkpoint);

/* Adds the chains to the costs of the component's clusters a and b, or once if they are the same;
 * between rounds only. */
void checkpoint_add_cost(struct checkpoint *checkpoint, int64_t chains, int a, int b);
/* Returns one number per cluster of the map, up to now. */
uint64_t *checkpoint_costs(struct checkpoint *checkpoint);

#endif
