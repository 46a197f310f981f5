/* Places under displaced ground: air by the tree, but nobody is ever there. */
#ifndef VRAD_AMBIENT_BELOW_TERRAIN_H
#define VRAD_AMBIENT_BELOW_TERRAIN_H

#include "vrad/luxels/luxel.h"

/* Where a displacement may cover something: itself, the face that it is made of, and around. */
struct below_terrain_box {
    struct bounds bounds;
    struct vec3 normal; /* of the face */
};

/* Zero-initialised: nowhere. */
struct below_terrain {
    struct below_terrain_box *boxes; /* stb_ds array */
};

/* Free with below_terrain_free. */
void below_terrain_find(const struct luxel_map *map, struct below_terrain *out);
void below_terrain_free(struct below_terrain *below_terrain);

/* Whether the point lies behind a displacement: out along the normal of its face the first thing is
 * a back. */
bool below_terrain_contains(const struct below_terrain *below_terrain, const struct scene *scene,
                            struct vec3 point);

#endif
