/* Visibility between clusters: portals to PVS, and PVS to PAS. */
#ifndef VVIS_GRAPH_CLUSTERS_H
#define VVIS_GRAPH_CLUSTERS_H

#include "common/env.h"
#include "vvis/graph/bits.h"
#include "vvis/graph/portals.h"

/* Returns one row per cluster: the clusters that its portals see, its neighbours, and itself. */
struct bit_rows clusters_from_portals(const struct env *env, const struct portals *portals,
                                      const struct bit_rows *rows);

/* Clears i -> j where j -> i is not set. */
void clusters_make_symmetric(struct bit_rows *pvs, int clusters);

/* Returns the PAS: for each cluster, the union of the PVS of all clusters that it sees. */
struct bit_rows clusters_audible(const struct env *env, const struct bit_rows *pvs, int clusters);

/* Returns the number of set bits in all rows. */
int64_t clusters_pairs(const struct bit_rows *pvs, int clusters);

#endif
