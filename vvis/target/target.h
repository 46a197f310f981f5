/* What the engines differ in: how far a map is drawn, and how they want to be told what is seen. */
#ifndef VVIS_TARGET_TARGET_H
#define VVIS_TARGET_TARGET_H

#include "common/env.h"
#include "vvis/graph/bits.h"
#include "vvis/vvis.h"

struct vis_result {
    const struct bit_rows *pvs;
    int clusters;
    double radius; /* beyond which nothing was looked for; 0: none */
};

struct vis_target {
    enum container_family family; /* of its files */
    /* Whether `store` needs more of the map than what stands around its tree. */
    bool (*needs_faces)(const struct bsp *bsp);
    /* How far the map itself says that it is drawn: 0 for all. */
    enum status (*find_radius)(const struct env *env, const struct bsp *bsp, double *out);
    /* Replaces all that the bsp says of visibility. */
    void (*store)(const struct env *env, const struct vis_result *result, struct bsp *bsp);
};

extern const struct vis_target vis_source, vis_quake3;

/* By the family of the file that the bsp came from. Reports BSP_FORMAT for one that visibility is
 * not made for. */
NODISCARD enum status vis_target_find(const struct bsp *bsp, struct diag *diag,
                                      const struct vis_target **out);

/* The radius that the options set, or else the map. */
NODISCARD enum status vis_radius_of(const struct env *env, const struct vvis_options *options,
                                    const struct bsp *bsp, double *out);

#endif
