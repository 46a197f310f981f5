/* The parts of a map that no portal joins: rooms sealed off, the 3D skybox. None sees another, and
 * what is seen in one does not depend on the others. */
#ifndef VVIS_GRAPH_COMPONENTS_H
#define VVIS_GRAPH_COMPONENTS_H

#include "common/bsp/sidecar/prt.h"

/* Portals and clusters in the order of the whole map, clusters numbered from 0. What a part is does
 * not change when something is built elsewhere. */
struct vis_component {
    struct prt prt; /* the windings are borrowed */
    int *clusters;  /* stb_ds array: their numbers in the whole map */
};

/* Parts in the order of their first clusters: an stb_ds array. A cluster without a portal is in
 * none. The prt must outlive them. */
struct vis_component *components_find(const struct prt *prt);
void components_free(struct vis_component *components);

#endif
