/* What each instruction set has its own of. */
#ifndef VVIS_FLOW_LANES_ISA_FUNCTIONS_H
#define VVIS_FLOW_LANES_ISA_FUNCTIONS_H

#include "vvis/flow/flow_kernels.h"
#include "vvis/flow/lanes/lanes.h"

front_rows_function ISA(front_rows);
face_row_function ISA(face_row);
flood_portal_function ISA(flood_portal);
line_walk_function ISA(line_walk);
stab_guess_function ISA(stab_guess);
flow_portal_function ISA(flow_portal);
flow_cluster_function ISA(flow_cluster);
flow_pair_function ISA(flow_pair);
flow_pair_function ISA(flow_clusters);

#endif
