/* Visibility between clusters: from portals to the PVS, and from the PVS to the PAS. */
#ifndef VVIS_GRAPH_CLUSTERS_H
#define VVIS_GRAPH_CLUSTERS_H

#include "common/env.h"
#include "vvis/graph/bits.h"
#include "vvis/graph/portals.h"

/* A row a cluster: what the portals that leave it see, the clusters next to it, and itself. */
struct bit_rows clusters_from_portals(const struct env *env, const struct portals *portals,
                                      const struct bit_rows *rows);

/* Drops i -> j where there is no j -> i. */
void clusters_make_symmetric(struct bit_rows *pvs, int clusters);

/* What is heard: everything seen by what is seen. */
struct bit_rows clusters_audible(const struct env *env, const struct bit_rows *pvs, int clusters);

/* Set bits in all rows. */
int64_t clusters_pairs(const struct bit_rows *pvs, int clusters);

#endif
