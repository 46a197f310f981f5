/* The interface of an engine family: the draw distance of a map, and the form in which
 * visibility is stored. */
#ifndef VVIS_TARGET_TARGET_H
#define VVIS_TARGET_TARGET_H

#include "common/bsp/bsp.h"
#include "common/bsp/sidecar/prt.h"
#include "common/core/sha256.h"
#include "common/env.h"
#include "vvis/graph/bits.h"

struct vvis_options;

struct vis_result {
    const struct bit_rows *pvs;
    int clusters;
    double radius; /* draw distance; 0: none */
};

struct vis_target {
    /* Returns whether `store` needs more of the map than the lumps around its tree. */
    bool (*needs_faces)(const struct bsp *bsp);
    /* Adds all that `store` reads of the BSP. */
    void (*hash)(const struct bsp *bsp, int clusters, struct sha256 *hash);
    /* Finds the draw distance that the map sets; 0: none. */
    enum status (*find_radius)(const struct env *env, const struct bsp *bsp, double *out);
    /* Replaces all visibility data of the BSP. */
    void (*store)(const struct env *env, const struct vis_result *result, struct bsp *bsp);
};

extern const struct vis_target vis_source, vis_quake3;

/* Finds the target by the engine of the BSP. Reports BSP_FORMAT for an unsupported one. */
NODISCARD enum status vis_target_find(const struct bsp *bsp, struct diag *diag,
                                      const struct vis_target **out);

/* The same without a report: NULL for an unsupported one. */
const struct vis_target *vis_target_of(const struct bsp *bsp);

/* Finds the radius that the options set, or else the map. */
NODISCARD enum status vis_radius_of(const struct env *env, const struct vvis_options *options,
                                    const struct bsp *bsp, double *out);

#endif
