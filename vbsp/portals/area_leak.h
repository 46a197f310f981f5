/* The way around an areaportal that does not close its opening. */
#ifndef VBSP_PORTALS_AREA_LEAK_H
#define VBSP_PORTALS_AREA_LEAK_H

#include "vbsp/portals/opening.h"

struct area_leak {
    struct vec3 *way;    /* stb_ds array: from one side of the brush to the other */
    struct opening hole; /* the narrowest on the way */
};

/* Finds the shortest way from the widest open side of the areaportal to one that looks elsewhere,
 * through no areaportal. False when there is none. */
bool area_leak_find(const struct compile *compile, struct tree *tree, int number,
                    struct area_leak *out);

void area_leak_free(struct area_leak *leak);

#endif
