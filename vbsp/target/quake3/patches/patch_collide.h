/* Predicts the engine's collision of a patch, and whether it exceeds limits.
 *
 * Measured with ioquake3 on a thousand patches made for it (31 points wide, plain, rotated, far
 * from the origin, increasingly curved): which load and which end in MAX_FACETS, MAX_PATCH_PLANES
 * or a crash. A Bezier patch is split while its curve is 16 units or more from its chord; flat
 * squares are one facet, others two; facets have bevel planes as brushes have. The count of facets
 * is exact; planes are numbers that the engine rounds, so that it needs up to a third more of them
 * than this counts, more so farther from the origin. The maximum of all patches of 113 shipped maps
 * is 96 facets and 474 planes. */
#ifndef VBSP_QUAKE3_PATCHES_PATCH_COLLIDE_H
#define VBSP_QUAKE3_PATCHES_PATCH_COLLIDE_H

#include "vbsp/target/quake3/surfaces/surface.h"

enum {
    PATCH_MAX_GRID = 129, /* columns or rows while splitting; beyond them the engine crashes */
    PATCH_MAX_FACETS = 1024,
    PATCH_MAX_PLANES = 2048,  /* no patch with more loaded */
    PATCH_SAFE_PLANES = 1100, /* all patches with fewer loaded */
};

struct patch_load {
    int columns, rows; /* of the grid */
    bool overflows;    /* it would exceed PATCH_MAX_GRID; the following fields are not counted */
    int facets;
    int planes; /* not counted if there are too many facets */
};

struct patch_load patch_collision_load(const struct draw_surface *patch);

/* True if the engine can load the map with this patch: reports V432 if it certainly cannot, and
 * V433 (a warning, true) if it may not. Patches without collision are fine. */
bool patch_check_collision(const struct draw_surface *patch, struct diag *diag);

#endif
