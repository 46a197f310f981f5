/* Places below displacements: empty leaves by the tree, but never visible. */
#ifndef VRAD_AMBIENT_BELOW_TERRAIN_H
#define VRAD_AMBIENT_BELOW_TERRAIN_H

#include "vrad/luxels/luxel.h"

/* The space that a displacement may cover: itself, its base face and a margin. */
struct below_terrain_box {
    struct bounds bounds;
    struct vec3 normal; /* of the base face */
};

/* Zero-initialised: none. */
struct below_terrain {
    struct below_terrain_box *boxes; /* stb_ds array */
};

/* Free with below_terrain_free. */
void below_terrain_find(const struct luxel_map *map, struct below_terrain *out);
void below_terrain_free(struct below_terrain *below_terrain);

/* Returns true if the point lies below a displacement: a ray along the normal of its base face hits
 * a back side first. */
bool below_terrain_contains(const struct below_terrain *below_terrain, const struct scene *scene,
                            struct vec3 point);

#endif
