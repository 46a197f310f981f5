/* The inner loops of the flow, once for each instruction set: files in vvis/flow/lanes. */
#ifndef VVIS_FLOW_FLOW_KERNELS_H
#define VVIS_FLOW_FLOW_KERNELS_H

#include "common/simd/cpu_features.h"
#include "vvis/flow/flow.h"
#include "vvis/flow/sightlines.h"

/* The clusters that a line through portal p from its origin, on the portal, comes through; how
 * many, at most `most`. */
typedef int line_walk_function(const struct portals *portals, const struct line *line, int p,
                               int max, int *path);

/* Two points on the first and the last portal of the walk, from which a line may go through all of
 * the others. False when none is found, which says nothing. */
typedef bool stab_guess_function(const struct portals *portals, const struct flow_arrival *arrival,
                                 struct vec3 *from, struct vec3 *to);

typedef void flow_portal_function(struct flow *flow, int p, int64_t max, uint64_t *seen);
typedef bool flow_cluster_function(struct flow *flow, int a, int64_t max, uint64_t *seen);
typedef enum flow_result flow_pair_function(struct flow *flow, int a, int b, int64_t max,
                                            struct flow_arrival *arrival);

struct flow_kernels {
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

const struct flow_kernels *flow_kernels_of(enum simd_level level);

#endif
