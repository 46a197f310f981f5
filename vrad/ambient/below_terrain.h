/* Places under displaced ground: air by the tree, but nobody is ever there. */
#ifndef VRAD_AMBIENT_BELOW_TERRAIN_H
#define VRAD_AMBIENT_BELOW_TERRAIN_H

#include "vrad/luxels/luxel.h"

/* Where a displacement may cover something: itself, the face that it is made of, and around. */
struct buried_box {
    struct bounds bounds;
    struct vec3 normal; /* of the face */
};

/* Zero-initialised: nowhere. */
struct buried {
    struct buried_box *boxes; /* stb_ds array */
};

/* Free with buried_free. */
void buried_find(const struct luxel_map *map, struct buried *out);
void buried_free(struct buried *buried);

/* Whether the point lies behind a displacement: out along the normal of its face the first thing is
 * a back. */
bool buried_holds(const struct buried *buried, const struct scene *scene, struct vec3 point);

#endif
