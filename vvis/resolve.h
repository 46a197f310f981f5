/* The visibility of a map, one connected component after the other. */
#ifndef VVIS_RESOLVE_H
#define VVIS_RESOLVE_H

#include "vvis/flow/pair_vis.h"

struct vvis_options;

struct vis_work {
    const struct vvis_options *options;
    const struct prt *prt;
    double radius;
    bool has_cache;        /* of components; that of rank 0 */
    const struct env *env; /* set by vis_work_begin */
    struct bit_rows pvs;   /* of the whole map; on rank 0 */
    struct checkpoint *checkpoint;
    struct pair_counts counts; /* of all components */
    int portals, dropped;
    double deadline; /* of resolve_options.budget_seconds; 0: none */
    int from_cache;  /* clusters found in it */
};

/* True if the run tells of pairs that are left open: who asks for -fast knows of them. */
bool vis_tells_of_open(const struct vis_work *work);

/* Sets up the rows and the checkpoint of the run. What is before `env` is set by the caller, and
 * borrowed. Collective, as the next. */
void vis_work_begin(struct vis_work *work, const struct stage_run *run);
void vis_work_end(struct vis_work *work);

/* Fills the PVS and the counts. Fails, and the result is not complete, when the checkpoint stops
 * the run. */
enum status vis_resolve(struct vis_work *work);

#endif
