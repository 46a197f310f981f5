/* The cubemaps of a map, with their textures if these are packed into it. */
#ifndef SCENE_REFLECTIONS_MAP_CUBEMAPS_H
#define SCENE_REFLECTIONS_MAP_CUBEMAPS_H

#include "common/bsp/bsp.h"
#include "scene/reflections/cube.h"

struct map_cubemap {
    int32_t origin[3];
    struct cube cube;
};

/* Lists the cubemaps of the map, in its order, with the textures of its LDR or HDR light, of LDR
 * where those of HDR are missing. Textures that equal the map's default one are placeholders of a
 * compiler, and left out. Of several at one place the first has the texture. Returns an stb_ds
 * array, which stays in its place. */
struct map_cubemap *map_cubemaps_open(const struct bsp *bsp, bool hdr);
void map_cubemaps_free(struct map_cubemap *cubemaps);

/* Returns the number of the nearest cubemap, or -1 if there is none. */
int map_cubemaps_nearest(const struct map_cubemap *cubemaps, struct vec3 point);

/* Returns the cubemap that the name of a texture means, "maps/NAME/cX_Y_Z" with any ending, or
 * NULL. */
const struct map_cubemap *map_cubemaps_named(const struct map_cubemap *cubemaps, const char *name);

#endif
