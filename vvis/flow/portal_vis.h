/* Visibility of all portals by the portal flow, in rounds. */
#ifndef VVIS_FLOW_PORTAL_VIS_H
#define VVIS_FLOW_PORTAL_VIS_H

#include "common/env.h"
#include "vvis/flow/flow.h"
#include "vvis/resume/checkpoint.h"

/* Narrows each row from what the portal might see to what it sees. Portals go in the order of the
 * bits in their rows, or in the file's with `sort` false, in rounds of a fixed size; what a round
 * finds narrows the rows of the next one and nothing within it, so that the result does not depend
 * on the number of threads. When `rounds` (or NULL) wants it to stop, the rows are not narrowed to
 * the end. */
struct flow_counts portal_vis(const struct env *env, const struct portals *portals,
                              struct checkpoint *checkpoint, bool sort, struct bit_rows *rows);

#endif
