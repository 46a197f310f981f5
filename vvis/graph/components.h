/* Connected components of the portal graph, such as sealed rooms or the 3D skybox. No component
 * sees another, so each is computed by itself. */
#ifndef VVIS_GRAPH_COMPONENTS_H
#define VVIS_GRAPH_COMPONENTS_H

#include "common/bsp/sidecar/prt.h"

/* Portals and clusters keep the order of the map; clusters are numbered from 0. A component does
 * not change when something is built elsewhere in the map. */
struct vis_component {
    struct prt prt; /* the windings are borrowed */
    int *clusters;  /* stb_ds array: their numbers in the map */
};

/* Returns the components in the order of their first clusters, as an stb_ds array. A cluster
 * without portals is in none. The prt must outlive them. */
struct vis_component *components_find(const struct prt *prt);
void components_free(struct vis_component *components);

#endif
