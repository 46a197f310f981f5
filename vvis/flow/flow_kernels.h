/* The inner loops of the flow, compiled once per instruction set: files in vvis/flow/lanes. */
#ifndef VVIS_FLOW_FLOW_KERNELS_H
#define VVIS_FLOW_FLOW_KERNELS_H

#include "common/simd/cpu_features.h"
#include "vvis/flow/flow.h"
#include "vvis/flow/sightlines.h"

/* Stores the clusters on a line that starts on portal p and goes through it, and returns their
 * count, at most `max`. */
typedef int sightline_walk_function(const struct portals *portals, const struct sightline *line,
                                    int p, int max, int *path);

/* Finds two points on the first and the last portal of the walk such that a line between them
 * may pass through all portals between. False proves nothing. */
typedef bool stabbing_line_function(const struct portals *portals,
                                    const struct flow_arrival *arrival, struct vec3 *from,
                                    struct vec3 *to);

typedef void flow_portal_function(struct flow *flow, int p, int64_t max, uint64_t *seen);
typedef bool flow_cluster_function(struct flow *flow, int a, int64_t max, uint64_t *seen);
typedef enum flow_result flow_pair_function(struct flow *flow, int a, int b, int64_t max,
                                            struct flow_arrival *arrival);

struct flow_kernels {
    sightline_walk_function *sightline_walk;
    stabbing_line_function *find_stabbing_line;
    flow_portal_function *flow_portal;
    flow_cluster_function *flow_cluster;
    flow_pair_function *flow_pair;
    flow_pair_function *flow_clusters;
    /* for tests: steps of the flow */
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
