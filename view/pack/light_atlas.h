/* The lightmaps of all surfaces on pages of equal size, one block per style below the other. */
#ifndef VIEW_PACK_LIGHT_ATLAS_H
#define VIEW_PACK_LIGHT_ATLAS_H

#include "render/shade/render_map.h"
#include "view/pack/data.h"

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

void light_atlas_build(const struct render *render, struct light_atlas *out);
void light_atlas_free(struct light_atlas *atlas);

/* Adds the stream "luxels" (red, green, blue, exponent + 24 of 0 .. 31), and head.light: its side
 * and pages. */
void light_atlas_pack(const struct light_atlas *atlas, struct view_data *data);

#endif
