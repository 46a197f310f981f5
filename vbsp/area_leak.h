/* The way around an areaportal that does not close its opening. */
#ifndef VBSP_AREA_LEAK_H
#define VBSP_AREA_LEAK_H

#include "vbsp/compile.h"

struct area_leak {
    struct vec3 *way; /* stb_ds array: from one side of the brush to the other */
    struct vec3 hole; /* middle of the narrowest opening on the way */
    double hole_area; /* square units */
};

/* Finds the shortest way, by the middles of the openings between leaves, from the widest open side
 * of the areaportal to one that looks elsewhere, through no areaportal. False when there is none.
 * The caller frees the way. */
bool area_leak_find(const struct compile *compile, struct tree *tree, int number,
                    struct area_leak *out);

#endif
