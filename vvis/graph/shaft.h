/* Shafts: the space between two boxes. */
#ifndef VVIS_GRAPH_SHAFT_H
#define VVIS_GRAPH_SHAFT_H

#include "vvis/graph/window.h"

/* The planes of the convex hull of both boxes, grown a little (flat boxes have a hull too); what
 * lies between the boxes is in front. At most 18 planes. */
void shaft_build(const struct bounds *a, const struct bounds *b, struct separators *out);

#endif
