/* The gap that is seen where an edge does not have a point that the faces on its other side have.
 */
#ifndef VBSP_FACES_GAP_H
#define VBSP_FACES_GAP_H

#include "common/geom/vec.h"

struct gap {
    double off;    /* distance of the point from the edge */
    double length; /* of the edge that the point would divide */
    double seen;   /* how visible the gap is, to compare gaps: an area, in square units */
};

/* The gap of an edge from `before` to `after` without the point `at`. */
struct gap gap_without(struct vec3 before, struct vec3 at, struct vec3 after);

#endif
