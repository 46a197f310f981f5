/* The lightmaps of all surfaces on pages of equal size, one block per style below the other. */
#ifndef SCENE_SHADE_LIGHT_ATLAS_H
#define SCENE_SHADE_LIGHT_ATLAS_H

#include "scene/scene.h"

struct light_block {
    int width, height; /* of one style */
    int style_count;
    uint8_t styles[BSP_FACE_STYLES]; /* unused ones are BSP_STYLE_NONE */
    int page, x, y;
    size_t luxels; /* in light_atlas.luxels: width * height for each style */
};

struct light_atlas {
    struct light_block *blocks; /* stb_ds array */
    int *block_of;              /* stb_ds array: of each surface of the mesh, -1: none */
    struct bsp_colour *luxels;  /* stb_ds array */
    int side, pages;
};

/* Lists the blocks of the map: with all styles of each surface, or with the usual one alone. */
void light_atlas_list(const struct map_scene *scene, bool all_styles, struct light_atlas *out);
/* Adds a block of style 0, with light of which 255 is white. Returns its number. */
int light_atlas_add(struct light_atlas *atlas, int width, int height, const float (*luxels)[3]);
/* Gives each block its place. No block is added after it. */
void light_atlas_place(struct light_atlas *atlas);

/* Lists the blocks and places them. */
void light_atlas_build(const struct map_scene *scene, bool all_styles, struct light_atlas *out);
void light_atlas_free(struct light_atlas *atlas);

#endif
