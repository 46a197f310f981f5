/* Following a line through the portals. */
#ifndef VVIS_FLOW_SIGHTLINE_H
#define VVIS_FLOW_SIGHTLINE_H

#include "vvis/graph/portals.h"

/* How far inside of a portal's edges a line must pass. A sight thinner than that is left to the
 * flow, so that it does not hang on the chance of a hit. */
#define LINE_MARGIN 0.1

/* A line that meets a portal's plane at less than this slope does not go through. */
#define LINE_SLOPE 1e-4

/* Ways out of a cluster that are looked at: a line that leaves by another ends there. */
enum { LINE_WAYS = 1024 };

struct line {
    struct vec3 origin, along; /* along is of length 1 */
};

/* The clusters that a line through portal p from its origin, on the portal, comes through; how
 * many, at most `most`. Each instruction set has its own. */
typedef int line_walk_function(const struct portals *portals, const struct line *line, int p,
                               int most, int *path);

#endif
