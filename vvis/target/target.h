/* What the engines differ in: how far a map is drawn, and how they want to be told what is seen. */
#ifndef VVIS_TARGET_TARGET_H
#define VVIS_TARGET_TARGET_H

#include "common/bsp/bsp.h"
#include "common/env.h"
#include "vvis/graph/bits.h"

struct vis_result {
    const struct bit_rows *pvs;
    int clusters;
    double radius; /* beyond which nothing was looked for; 0: none */
};

struct vis_target {
    /* How far the map itself says that it is drawn: 0 for all. */
    enum status (*find_radius)(const struct env *env, const struct bsp *bsp, double *out);
    /* Replaces all that the bsp says of visibility. */
    void (*store)(const struct env *env, const struct vis_result *result, struct bsp *bsp);
};

extern const struct vis_target vis_source, vis_quake3;

/* By the family of the file that the bsp came from; Source's for one made in memory. */
const struct vis_target *vis_target_of(const struct bsp *bsp);

#endif
