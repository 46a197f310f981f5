/* What a compiled map tells of surface properties: the triangles of the world's collision hulls
 * name theirs, and lie on sides of brushes. */
#ifndef BSP_CATALOGUE_TEXDATA_SURFACES_H
#define BSP_CATALOGUE_TEXDATA_SURFACES_H

#include "common/bsp/bsp.h"
#include "common/core/arena.h"

/* The commonest property of the triangles on each texdata, in the arena, or NULL; an array in the
 * arena, one a texdata. Damaged collision tells nothing. */
const char **texdata_surfaces(struct arena *arena, const struct bsp *bsp);

#endif
