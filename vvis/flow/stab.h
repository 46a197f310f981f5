/* Guesses of lines by the way that a walk came: a line that goes through all of its portals. */
#ifndef VVIS_FLOW_STAB_H
#define VVIS_FLOW_STAB_H

#include "vvis/flow/flow.h"

/* A plane through a point and an edge that is seen from there under less than this has no
 * direction. */
#define STAB_AREA 1e-6

/* Two points on the first and the last portal of the walk, from which a line may go through all of
 * the others. False when none is found, which says nothing. Each instruction set has its own. */
typedef bool stab_guess_function(const struct portals *portals, const struct flow_arrival *arrival,
                                 struct vec3 *from, struct vec3 *to);

#endif
