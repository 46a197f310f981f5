/* The result of vvis as bytes, for the cache: what it has put into the BSP. */
#ifndef VVIS_RESUME_VIS_RESULT_H
#define VVIS_RESUME_VIS_RESULT_H

#include "vvis/target/target.h"

/* Puts the result, which is all that `from` has, into the BSP of so many clusters, or returns false
 * and changes nothing. */
bool vis_result_read(struct byte_reader from, int clusters, struct bsp *bsp);

/* The result of a run for the cache (stage_run.result), with what it depends on. Borrowed. */
struct vis_kept {
    const struct vis_target *target;
    const struct vvis_options *options;
    const struct prt *prt;
    double radius;
    bool is_wanted; /* else none is found or kept */
    struct bsp *bsp;
};
extern const struct stage_result vis_result_kept;

#endif
