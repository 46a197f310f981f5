/* Visibility of all portals by the portal flow, in rounds. */
#ifndef VVIS_FLOW_PORTAL_VIS_H
#define VVIS_FLOW_PORTAL_VIS_H

#include "common/env.h"
#include "vvis/flow/flow.h"
#include "vvis/resume/checkpoint.h"

/* Reduces each row from the portals that may be seen to those that are. Portals are processed in
 * the order of the bits in their rows, or in file order with `sort` false, in rounds of a fixed
 * size; the results of a round refine the rows for the next one only, so the result does not
 * depend on the number of threads. When `checkpoint` (or NULL) stops the run, the rows are
 * incomplete. */
struct flow_counts portal_vis(const struct env *env, const struct portals *portals,
                              struct checkpoint *checkpoint, bool sort, struct bit_rows *rows);

#endif
