/* How a material reflects what is around it: $envmap and the keys beside it, and the cubemaps of
 * the map that it reflects. */
#ifndef SCENE_REFLECTIONS_REFLECTION_H
#define SCENE_REFLECTIONS_REFLECTION_H

#include "common/assets/materials/vmt.h"
#include "common/bsp/bsp.h"
#include "scene/reflections/cube.h"

struct texture;

/* Where the share of what is reflected is stored. */
enum reflection_mask { MASK_NONE, MASK_COLOUR, MASK_ALPHA, MASK_BASE_ALPHA };

/* A box at whose sides the picture is taken to be: keys of the community's shaders. */
struct reflection_box {
    bool present;
    double rows[3][4];  /* each gives a place along one axis, 0 .. 1 inside */
    struct vec3 origin; /* of the cubemap */
};

struct reflection {
    const struct cube *cube;    /* NULL: of the cubemap that is nearest to the surface */
    const struct texture *mask; /* of MASK_COLOUR and MASK_ALPHA; NULL: it is missing */
    enum reflection_mask masked_by;
    float tint[3];
    float contrast;   /* 0: as it is; 1: its square */
    float saturation; /* 0: grey; 1: as it is */
    struct reflection_box box;
    float straight; /* the share that is reflected where it is looked at from straight ahead */
};

/* Reads the keys, but $envmap and the texture of the mask; *mask is the key that names that, or
 * NULL. (Shader parameters as the developer wiki describes them.) */
void reflection_read(const struct vmt *vmt, struct reflection *out, const char **mask);

/* Returns the direction in which the cube has what is seen at `point` in a direction (unit). */
struct vec3 reflection_direction(const struct reflection *reflection, struct vec3 point,
                                 struct vec3 direction);

/* Changes light from the cube (1 is white) to what the eye gets of it: `share` is that of the mask,
 * `cosine` of the angle between the surface's normal and the way to the eye. */
void reflection_apply(const struct reflection *reflection, const float share[3], double cosine,
                      float light[3]);

/* The cubemaps of a map, with their textures if these are packed into it. */

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
