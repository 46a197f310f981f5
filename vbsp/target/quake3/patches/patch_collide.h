/* What the engine makes of a patch to collide with, and whether that is too much for it.
 *
 * Measured with ioquake3 on a thousand patches made for it (31 points wide, plain, turned, far out,
 * bent more and more): which load a map and which end it with MAX_FACETS, MAX_PATCH_PLANES or a
 * crash. A piece is halved while its curve strays 16 units or more from its chord; flat squares
 * are one facet, others two; facets have planes to be hit by thick things as brushes have bevels.
 * The limit on facets is exact; planes are numbers that the engine rounds, so that it needs up to a
 * third more of them than this counts, the more the farther from the middle of the world. The most
 * that any patch of 113 shipped maps needs are 96 facets and 474 planes. */
#ifndef VBSP_QUAKE3_PATCHES_PATCH_COLLIDE_H
#define VBSP_QUAKE3_PATCHES_PATCH_COLLIDE_H

#include "vbsp/target/quake3/surfaces/surface.h"

enum {
    PATCH_MAX_GRID = 129, /* columns or rows on the way; beyond them the engine crashes */
    PATCH_MAX_FACETS = 1024,
    PATCH_MAX_PLANES = 2048,  /* no patch with more was loaded */
    PATCH_SAFE_PLANES = 1100, /* none with fewer was refused */
};

struct patch_load {
    int columns, rows; /* of the grid */
    bool overflows;    /* it would have more than PATCH_MOST_GRID; what follows is not counted */
    int facets;
    int planes; /* not counted when there are too many facets */
};

struct patch_load patch_collision_load(const struct draw_surface *patch);

/* Whether the engine can load the map with this patch: reports V432 when it surely cannot, and V433
 * (a warning, true) when it may not. A patch that nothing collides with is well. */
bool patch_check_collision(const struct draw_surface *patch, struct diag *diag);

#endif
