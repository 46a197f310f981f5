/* The inner loops of vvis, once for each instruction set. Which is taken makes no difference but
 * for the time: all do the same operations in the same order. */
#ifndef VVIS_FLOW_FLOW_KERNELS_H
#define VVIS_FLOW_FLOW_KERNELS_H

#include "vvis/basevis/flood.h"
#include "vvis/flow/flow_state.h"
#include "vvis/flow/sightline.h"
#include "vvis/flow/stab.h"

struct isa {
    const char *name;
    front_rows_function *front_rows;
    face_row_function *face_row;
    flood_portal_function *flood_portal;
    line_walk_function *line_walk;
    stab_guess_function *stab_guess;
    flow_portal_function *flow_portal;
    flow_cluster_function *flow_cluster;
    flow_pair_function *flow_pair;
    flow_pair_function *flow_clusters;
    /* for tests: parts of the flow */
    enum window_cut (*window_clip)(const struct window *window, const struct plane *plane,
                                   struct window *out);
    void (*separators_build)(const struct window *source, const struct plane *source_plane,
                             const struct window *pass, const struct plane *pass_plane,
                             struct separators *out);
    bool (*separators_behind)(const struct separators *separators, const struct box *box,
                              uint32_t *cutting);
};

enum { ISAS_MOST = 3 };

/* What this processor has, the plainest first and the best last; how many. */
int isa_list(const struct isa *out[ISAS_MOST]);

const struct isa *isa_best(void);

#endif
